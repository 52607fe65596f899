"""The side pane's first page as lines: how busy each device is, what explains the idle time, the longest
gaps, the steps, and where the device time went."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from tui.analysis.blame import find_blame
from tui.analysis.blame_rows import BlameRows, CauseTotal, blame_rows
from tui.analysis.busy import DeviceBusy, device_busy
from tui.analysis.gap_numbers import DEFAULT_MIN_GAP_NS
from tui.analysis.gaps import DeviceGaps, find_gaps
from tui.analysis.index import Index
from tui.analysis.phases import Phase
from tui.analysis.scope import Scope, Window
from tui.analysis.stats import choose
from tui.analysis.step_table import StepRows, step_table
from tui.analysis.steps import Steps
from tui.text import cut, pad, safe, width
from tui.text.times import brief, instant, share
from tui.timeline.causes import cause_name
from tui.timeline.glyphs import Glyphs
from tui.timeline.runs import Line, Run, line_width

WIDE = 56
"""From so many cells on a cause takes two columns, its class and the call."""


class Costly(NamedTuple):
    """A name, how often it ran and for how long in all (durations added up)."""

    name: str
    times: int
    ns: int


@dataclass(frozen=True)
class Figures:
    """What the overview tells, over one window. Gaps, blame and busy time are a list entry a device."""

    window: Window
    busy: Sequence[DeviceBusy]
    gaps: Sequence[DeviceGaps]
    blame: Sequence[BlameRows]
    steps: Sequence[StepRows] = ()
    step_name: str | None = None
    kernels: Sequence[Costly] = ()
    copies: Sequence[Costly] = ()
    notes: Sequence[str] = ()
    pids: Sequence[int] = ()
    """Process index -> pid."""
    min_gap_ns: int = DEFAULT_MIN_GAP_NS

    @property
    def shares(self) -> tuple[int, int, int, int] | None:
        """(kernel, copy-only, idle, whole) ns, added up over the devices; None without device work."""
        if not self.busy:
            return None
        parts = [(b.kernel_ns, b.copy_only_ns, b.idle_ns, b.window_ns) for b in self.busy]
        kernel, copy, idle, whole = (sum(column) for column in zip(*parts, strict=True))
        return kernel, copy, idle, whole


def collect(index: Index, scope: Scope, min_gap_ns: int, steps: Steps) -> Figures:
    """Work out the figures of one window. A report without device work has none of it."""
    report = index.report
    gaps = find_gaps(index, scope, min_gap_ns)
    rows = step_table(index, steps, scope)
    return Figures(
        window=scope.window,
        busy=device_busy(index, scope),
        gaps=gaps,
        blame=[blame_rows(index, find_blame(index, g), Phase.INNER, steps) for g in gaps],
        steps=rows,
        step_name=steps.name,
        kernels=_costly(index, scope, "cuda_gpu_kern_sum:base"),
        copies=_costly(index, scope, "cuda_gpu_mem_time_sum"),
        notes=report.notes,
        pids=[process.pid for process in report.processes],
        min_gap_ns=min_gap_ns,
    )


def _costly(index: Index, scope: Scope, name: str) -> list[Costly]:
    """A summary of the `stats` command, the columns that the page has room for."""
    table = choose(name).table(index, scope)
    columns = {column.key: column.values for column in table.columns}
    counts = columns.get("instances", columns.get("count", ()))
    totals = columns["total_time_ns"]
    names = columns.get("name", columns.get("operation", ()))
    return [Costly(_plain(str(n)), int(c), int(t)) for n, c, t in zip(names, counts, totals, strict=True)]


def _plain(name: str) -> str:
    """``[CUDA memcpy Host-to-Device]`` -> ``memcpy Host-to-Device``; kernels' names as they are."""
    return name[6:-1] if name.startswith("[CUDA ") and name.endswith("]") else name


def overview(figures: Figures, cells: int, rows: int, glyphs: Glyphs, *, fill: bool = True) -> list[Line]:
    """The page, ``cells`` wide and at most ``rows`` lines: the lists get what the fixed parts leave."""
    page = _Page(cells, glyphs, fill)
    page.title("Overview", figures.window.label)
    for device in figures.busy[:8]:
        page.device(device, roomy=len(figures.busy) <= 4)
    if len(figures.busy) > 8:
        page.dim(f"{len(figures.busy) - 8} more devices")
    if not figures.busy:
        page.dim("no GPU work recorded")
    page.steps(figures)
    for note in figures.notes:
        page.note(note)
    room = rows - len(page.lines)
    wanted = [len(_totals(figures)), sum(map(len, figures.gaps)), len(figures.kernels), len(figures.copies)]
    shares = _share_out(room, wanted, overhead=3)
    page.blame(figures, shares[0])
    page.gaps(figures, shares[1])
    page.costly("Kernels", "kernel", figures.kernels, shares[2])
    page.costly("Copies", "operation", figures.copies, shares[3])
    return page.lines[:rows]


def _share_out(room: int, wanted: list[int], overhead: int) -> list[int]:
    """How many rows each list gets of ``room``; a list costs ``overhead`` lines besides its rows. The
    first lists come first, but no list takes all: rows are dealt in turn."""
    got = [0] * len(wanted)
    while True:
        before = list(got)
        for i, most in enumerate(wanted):
            cost = 1 + (overhead if got[i] == 0 else 0)
            if got[i] < most and room >= cost:
                got[i] += 1
                room -= cost
        if got == before:
            return got


def count_of(count: int, what: str) -> str:
    """``1 gap``, ``8 gaps``."""
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


class _Page:
    """Collects lines."""

    def __init__(self, cells: int, glyphs: Glyphs, fill: bool) -> None:
        self.cells = cells
        self.glyphs = glyphs
        self.fill = fill
        self.lines: list[Line] = []

    def title(self, text: str, right: str = "") -> None:
        if self.lines:
            self.lines.append([])
        room = self.cells - width(text) - 3
        right = cut(right, max(room - 1, 0), self.glyphs.ellipsis)
        self.lines.append([Run(f" {text}", "pane.title"), Run(pad(right, room, "right") + " ", "pane.dim")])

    def dim(self, text: str) -> None:
        self.lines.append([Run(" " + cut(text, self.cells - 2, self.glyphs.ellipsis), "pane.dim")])

    def note(self, text: str) -> None:
        for piece in textwrap.wrap(safe(text), max(self.cells - 2, 10))[:3]:
            self.lines.append([Run(f" {piece}", "note")])

    def device(self, device: DeviceBusy, *, roomy: bool) -> None:
        """``GPU 0  kernel 61.0%  copy 2.1%  idle 36.9%`` and a bar of the three, below where ``roomy``."""
        whole = device.window_ns
        parts = [device.kernel_ns, device.copy_only_ns, device.idle_ns]
        gap = "  " if self.cells >= 46 else " "
        name = Run(pad(f" GPU {device.device.cuda_id}", 6 if len(gap) == 1 else 7), "pane.title")
        words = [
            Run(f"{gap}kernel {share(parts[0], whole)}", "pane.busy"),
            Run(f"{gap}copy {share(parts[1], whole)}", "pane.copy"),
            Run(f"{gap}idle {share(parts[2], whole)}", "pane.idle"),
        ]
        if roomy:
            room = self.cells - 2 - width(name.text) - line_width(words)
            model = cut(safe(device.device.name or ""), room, self.glyphs.ellipsis) if room >= 6 else ""
            self.lines.append([name, Run(f" {model}" if model else "", "pane.dim"), *words])
            self.lines.append([Run(" "), *self._bar(parts, whole, self.cells - 2)])
        else:
            self.lines.append([name, *self._bar(parts, whole, max(self.cells - 50, 6)), *words])

    def _bar(self, parts: list[int], whole: int, size: int) -> Line:
        """Kernel, copy-only and idle share of ``whole`` as stretches of ``size`` cells."""
        ends = [0, *(round(size * sum(parts[: i + 1]) / whole) if whole else 0 for i in range(3))]
        solid, half = self.glyphs.up[8], self.glyphs.fill("copy")
        cells = [ends[i + 1] - ends[i] for i in range(3)]
        return [
            Run(solid * cells[0], "busy|"),
            Run((solid if self.fill else half) * cells[1], "busy.copy|"),
            Run(self.glyphs.gap * cells[2], "gap"),
        ]

    def steps(self, figures: Figures) -> None:
        for rows in figures.steps[:2]:
            spread = rows.spread
            if spread is None:
                continue
            length = brief(round(spread.median_ns))
            if spread.count > 1:
                length = f"median {length}, {brief(spread.min_ns)} to {brief(spread.max_ns)}"
            parts = [count_of(spread.count, "step"), safe(figures.step_name or ""), length]
            if len(figures.steps) > 1:
                parts.insert(0, f"pid {figures.pids[rows.sequence.process]}")
            text = f" {self.glyphs.dot} ".join(parts)
            self.lines.append([Run(" " + cut(text, self.cells - 2, self.glyphs.ellipsis), "pane")])
        if figures.busy and not figures.steps:
            self.dim("no steps found")

    def blame(self, figures: Figures, most: int) -> None:
        count = sum(len(g) for g in figures.gaps)
        short = sum(g.short_count for g in figures.gaps)
        if not count and not short:
            return
        listed = sum(int(g.duration.sum()) for g in figures.gaps)
        self.title("Blame", f"gaps of {brief(figures.min_gap_ns)} and more")
        short_ns = sum(g.short_ns for g in figures.gaps)
        if count:
            line = [
                Run(f" idle {brief(listed)}", "pane.idle"),
                Run(f" in {count_of(count, 'gap')}", "pane"),
                Run(
                    f"  and {brief(short_ns)} in {count_of(short, 'short one')}" if short else "", "pane.dim"
                ),
            ]
        else:
            line = [
                Run(f" idle {brief(short_ns)}", "pane.idle"),
                Run(f" in {count_of(short, 'gap')}, all short", "pane"),
            ]
        self.lines.append(line)
        totals = _totals(figures)[:most]
        ends = [(brief(t.idle_ns), share(t.idle_ns, listed)[:-1]) for t in totals]
        if totals and self.cells >= WIDE:
            rows = [
                (t.cause.words, safe(t.call or "-"), safe(t.phase or "-"), *end)
                for t, end in zip(totals, ends, strict=True)
            ]
            self._table(("class", "call", "phase", "idle", "%"), rows, right=2, stretch=(2, 1))
        elif totals:
            short_rows = [
                (cause_name(t.cause, t.call), safe(t.phase or "-"), *end)
                for t, end in zip(totals, ends, strict=True)
            ]
            self._table(("cause", "phase", "idle", "%"), short_rows, right=2, stretch=(1, 0))

    def gaps(self, figures: Figures, most: int) -> None:
        found = [
            (int(ns), d, i) for d, g in enumerate(figures.gaps) for i, ns in enumerate(g.duration.tolist())
        ]
        found.sort(key=lambda item: (-item[0], item[1], item[2]))
        if not found or not most:
            return
        self.title("Longest gaps")
        several = len(figures.gaps) > 1
        head = ("gap", *(("on",) if several else ()), "at", "long", "cause", "phase")
        rows = []
        for ns, d, i in found[:most]:
            gaps = figures.gaps[d]
            cause = next(iter(figures.blame[d].of_gap(i)), None)
            rows.append(
                (
                    str(gaps.listed_number(i) or "-"),
                    *((f"GPU {gaps.device.cuda_id}",) if several else ()),
                    instant(int(gaps.start[i]), max(figures.window.length // 100_000, 1)),
                    brief(ns),
                    cause_name(cause.cause, cause.call) if cause else "?",
                    safe(cause.phase or "-") if cause else "-",
                )
            )
        last = len(head) - 1
        self._table(head, rows, right=0, stretch=(last, last - 1), numbers=(0, last - 3, last - 2))

    def costly(self, title: str, what: str, rows: Sequence[Costly], most: int) -> None:
        if not rows or not most:
            return
        total = sum(row.ns for row in rows)
        self.title(title, count_of(len(rows), "name"))
        self._table(
            (what, "count", "total", "%"),
            [(safe(r.name), str(r.times), brief(r.ns), share(r.ns, total)[:-1]) for r in rows[:most]],
            right=3, stretch=(0,),
        )  # fmt: skip

    def _table(
        self, head: tuple[str, ...], rows: Sequence[tuple[str, ...]], *, right: int, stretch: tuple[int, ...],
        numbers: tuple[int, ...] = (),
    ) -> None:  # fmt: skip
        """Columns as wide as they need; those in ``stretch`` give way where that is too much, widest first,
        and the first of them takes what is left over. The last ``right`` and ``numbers`` align right."""
        lines = [head, *rows]
        sizes = [max(width(row[c]) for row in lines) for c in range(len(head))]
        spare = self.cells - 2 - 2 * (len(head) - 1) - sum(sizes)
        while spare < 0:
            widest = max(stretch, key=lambda c: sizes[c])
            if sizes[widest] <= 4:
                break
            sizes[widest] -= 1
            spare += 1
        if right:
            sizes[stretch[0]] += max(spare, 0)
        aligned = {*range(len(head) - right, len(head)), *numbers}
        for number, row in enumerate(lines):
            text = "  ".join(
                pad(cut(cell, size, self.glyphs.ellipsis), size, "right" if c in aligned else "left")
                for c, (cell, size) in enumerate(zip(row, sizes, strict=True))
            )
            self.lines.append([Run(f" {text}", "pane.dim" if number == 0 else "pane")])


def _totals(figures: Figures) -> list[CauseTotal]:
    """Blame added up over the devices, biggest first."""
    added: dict[tuple[object, ...], CauseTotal] = {}
    for total in (total for rows in figures.blame for total in rows.totals()):
        key = (total.cause, total.call, total.phase)
        before = added.get(key)
        added[key] = (
            total
            if before is None
            else replace(total, idle_ns=before.idle_ns + total.idle_ns, gaps=before.gaps + total.gaps)
        )
    return sorted(added.values(), key=lambda t: (-t.idle_ns, t.cause, t.call or "", t.phase or ""))
