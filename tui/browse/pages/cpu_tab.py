"""CPU: which functions ran, which threads did, and who made calls. Follows the cursor."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tui.analysis.captured import lacking
from tui.analysis.cpu.callers import callers_table, has_backtraces
from tui.analysis.cpu.sample_groups import Per, chosen_samples, grouped
from tui.analysis.cpu.sample_table import By, samples_table
from tui.analysis.cpu.sampling import Samples, samples
from tui.analysis.cpu.scheduling import scheduling
from tui.analysis.cpu.thread_table import threads_table
from tui.analysis.cpu.trust import coverage_of
from tui.analysis.kinds.cpu import CPU_SAMPLES, SCHEDULING
from tui.analysis.phases import Phase
from tui.analysis.scope import Scope, Window
from tui.analysis.table import Table
from tui.browse.gap_cpu import gap_threads, running_words
from tui.browse.page import Instances, Page, Section
from tui.browse.pages.request import PageRequest
from tui.report.columns import Positions
from tui.report.event_tables.cpu import CPU
from tui.text import safe
from tui.text.numbers import plural
from tui.text.times import brief

FUNCTIONS = {
    "name": "function",
    "samples": "samples",
    "on_cpu_ns": "on CPU",
    "pct": "%",
    "class": "class",
    "module": "module",
}
THREADS = {
    "name": "thread",
    "tid": "tid",
    "on_cpu_pct": "on CPU %",
    "on_cpu_ns": "on CPU",
    "samples": "samples",
    "hot": "hot function",
    "switches": "switches",
    "off_cpu_ns": "off CPU",
    "os_ns": "OS calls",
    "api_ns": "CUDA calls",
}
CALLERS = {"caller": "caller", "call": "call", "ns": "time", "calls": "calls", "pct": "%", "module": "module"}
MOST_ROWS = 200
MOST_FUNCTIONS = 20
NAME_LEAST = 26


@dataclass(frozen=True)
class _Stretch:
    """What the functions are those of: a stretch of time, and the threads that count."""

    title: str
    scope: Scope
    threads: Positions | None = None
    """Positions in ``Report.threads``; None: all in scope."""
    lines: tuple[str, ...] = ()


def cpu_page(request: PageRequest) -> Page:
    """Show the functions of what the cursor is on and of the window, the threads, and who made calls."""
    index, sections = request.index, []
    stretches = [_window(request)]
    if (here := _under_the_cursor(request)) is not None:
        stretches.insert(0, here)
    for stretch in stretches:
        request.stop_if_dropped()
        sections.append(_functions(request, stretch))
    request.stop_if_dropped()
    sections.append(_threads(request))
    for which, title in (("os", "Who makes the OS calls"), ("cuda", "Who makes the CUDA calls")):
        request.stop_if_dropped()
        if has_backtraces(index, which):
            table = callers_table(index, request.scope, which)
            lines = (table.note,) if table.note else ()
            shown = table.head(MOST_ROWS).pick(CALLERS)
            empty = "no backtrace of such a call in this window"
            sections.append(
                Section(f"{title} · {request.label}", shown, lines, empty=empty, least=NAME_LEAST)
            )
    return sections


def _window(request: PageRequest) -> _Stretch:
    return _Stretch(f"Functions · {request.label}", request.scope)


def _under_the_cursor(request: PageRequest) -> _Stretch | None:
    """The gap, step or thread under the cursor; None where it is on none of them."""
    focus, report = request.focus, request.capture.report
    if focus.gap >= 0:
        return _gap(request)
    if focus.step is not None:
        window = Window(*focus.step, label="step", chosen=True)
        title = f"Functions · step at {request.clock.at(window.start, 10**5)} {brief(window.length)}"
        return _Stretch(title, replace(request.scope, window=window))
    if focus.thread >= 0:
        thread = report.threads[focus.thread]
        title = f"Functions · thread {thread.tid}{' ' + safe(thread.name) if thread.name else ''}"
        running = running_words(request.index, request.window.start, request.window.end, focus.thread)
        return _Stretch(title, request.scope, np.array([focus.thread]), (running,))
    return None


def _gap(request: PageRequest) -> _Stretch | None:
    focus = request.focus
    book = request.capture.books(request.busy, request.min_gap_ns).get(focus.device)
    if book is None or book.loading or focus.gap >= len(book.gaps):
        return None
    gaps, gap = book.gaps, focus.gap
    start, end = int(gaps.start[gap]), int(gaps.end[gap])
    threads = gap_threads(book.idle, gap)
    name = f"GPU {gaps.device.cuda_id} idle gap {gaps.counted(gap)}".rstrip()
    lines = [f"{book.marks.cause(gap)}"] if book.marks.cause(gap) else []
    lines += [
        f"thread {request.capture.report.threads[one].tid}: {running_words(request.index, start, end, one)}"
        for one in threads.tolist()
    ]
    window = Window(start, end, label=name, chosen=True)
    return _Stretch(
        f"Functions · {name} {brief(end - start)}",
        replace(request.scope, window=window, processes=None),
        threads,
        tuple(lines),
    )


def _functions(request: PageRequest, stretch: _Stretch) -> Section:
    """Add up the samples of a stretch by function."""
    index, scope = request.index, stretch.scope
    everything = samples(index)
    if not len(everything):
        return Section(stretch.title, lines=(*stretch.lines, lacking(index.report, CPU_SAMPLES)))
    chosen = chosen_samples(index, scope, everything)
    if stretch.threads is not None:
        chosen = chosen.part(np.isin(chosen.positions, stretch.threads))
    if not len(chosen):
        none = "no samples in this time"
        return Section(stretch.title, lines=(*stretch.lines, none))
    groups = grouped(index, scope, chosen, Per.NOTHING, Phase.INNER, request.min_gap_ns)
    table = samples_table(index, scope, chosen, By.LEAF, groups)
    lines = [*stretch.lines, coverage_of(index, scope, chosen).words()]
    if (left := len(table) - MOST_FUNCTIONS) > 0:
        lines.append(f"{plural(left, 'colder one')} left out")
    return Section(
        stretch.title,
        table.head(MOST_FUNCTIONS).pick(FUNCTIONS),
        tuple(lines),
        lambda row: _samples_of(chosen, table, row),
        least=NAME_LEAST,
        walks=True,
    )


def _samples_of(chosen: Samples, table: Table, row: int) -> Instances | None:
    """The samples of a row, where they were taken."""
    name, module = (next(c for c in table.columns if c.key == key).values[row] for key in ("name", "module"))
    frames = chosen.tree.frames
    same = [
        i for i, frame in enumerate(zip(frames.name, frames.module, strict=True)) if frame == (name, module)
    ]
    rows = np.flatnonzero(np.isin(chosen.leaf, same))
    if not len(rows):
        return None
    words = tuple(f"sample of thread {chosen.threads[t].tid}" for t in chosen.thread[rows].tolist())
    at = chosen.start[rows]
    return Instances("span", np.arange(len(rows)), at, at + 1, words=words)


def _threads(request: PageRequest) -> Section:
    """How long each thread ran, and in which function."""
    index = request.index
    table = threads_table(index, request.scope)
    lines = () if scheduling(index) else (lacking(index.report, SCHEDULING),)
    shown = table.head(MOST_ROWS).pick(THREADS)
    tids = shown.columns[1].values

    def find(row: int) -> Instances | None:
        """The stretches of time that the thread was on a CPU."""
        threads = [t.index for t in index.report.threads if t.tid == tids[row]]
        stretches, window = CPU.of(index.report), request.window
        mine = np.isin(stretches.thread, threads)
        mine &= (stretches.start < window.end) & (stretches.end > window.start)
        rows = np.flatnonzero(mine)
        if not len(rows):
            return None
        return Instances("cpu", rows.astype(np.int64), stretches.start[rows], stretches.end[rows])

    return Section(f"Threads · {request.label}", shown, lines, find, least=16)
