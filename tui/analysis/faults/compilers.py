"""Compilers at work: ranges and calls that speak of it, compiler processes, first launches after a wait.

A program that compiles while it runs (torch.compile, Triton, a C++ extension, a JIT) calls compilers as
processes of their own. To the launching thread that is a fork and a wait, as starting a loader's workers is;
who was started tells them apart.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.pieces import HOST_WORK, Pieces
from tui.intervals import Coverage, Spans, union
from tui.report.columns import Bool, Int64, Positions
from tui.report.model import Thread

NAMED = re.compile(
    r"compil|dynamo|inductor|autotun|triton|nvrtc|ptxas|\bjit\b|xla|lowering|tracing|cudnn.?find|"
    r"cu(Module|Library)Load|cudaLibraryLoad|cuLink",
    re.IGNORECASE,
)
"""Ranges and CUDA calls that compile or load code, or run what was compiled: by themselves no evidence."""
COMPILES = re.compile(
    r"(?<![a-z])(re)?compil(e|es|ing|ation|er)(?![a-z])|compile_(fx|inner|frame|subgraph|module)|autotun|nvrtc|ptxas"
    r"|torch\._dynamo|convert_frame|lowering|cudnn.?find|cu(Module|Library)Load|cudaLibraryLoad|cuLink",
    re.IGNORECASE,
)
"""Ranges and CUDA calls that compile or load code, and nothing else."""
TOOL = re.compile(
    r"^(ptxas|cicc|nvcc|cudafe\+?\+?|fatbinary|nvlink|nvrtc\w*|nvc\+?\+?|cc1\w*|collect2|lto1|lto-wrapper|lld|gold"
    r"|([\w.]+-)*(gcc|g\+\+|c\+\+|cc|cpp|clang|clang\+\+|ld|as|ar)(-[\d.]+)?|ld[.-]\w+|ninja(-build)?|cmake|g?make"
    r"|llc|opt|mlir-\w+|tritoncc|hipcc|icp?x|icpc)$",
    re.IGNORECASE,
)
"""Base names of programs that run only to compile."""
POOL = re.compile(
    r"inductor|compile_?w|compil(e|er|ation)\b|subproc_?pool|triton|dynamo|xla_?compil|nvfuser|autotun|\btvm\b", re.I
)
"""Names of processes and threads that wait for something to compile."""
LOADER = re.compile(r"pt_data|data_?load|loader|tf_?data|grain|dali|reader|prefetch|data_?worker", re.I)
"""Names of processes and threads that read input."""
SPAWN = re.compile(r"^(v?fork|clone\d?|posix_spawnp?|execv\w*|fexecve|system|popen)$")
"""Calls that start a process."""
REAP = re.compile(r"^(wait(pid|id|3|4)?)$")
"""Calls that wait for the end of a process."""
QUIET = re.compile(
    r"^(p?poll|p?select\w*|epoll_p?wait\w*|read\w*|recv\w*|futex|pthread_(cond|mutex|join)\w*|sem_\w*wait|(clock_)?nanosleep"
    r"|u?sleep|wait(pid|id|3|4)?|accept4?)$"
)
"""Calls in which an idle worker waits to be given something."""


class Children(NamedTuple):
    """When threads of some kind were seen: intervals by start, one a process for programs that only compile."""

    spans: Spans
    names: list[str]
    """The names by which they were known."""
    untimed: bool
    """Whether some are in the report by their name only."""


def compiling(case: Case) -> Bool:
    """Return which pieces of host work are compilation: by the evidence of names, not of their length."""
    return case.once("compiling", lambda: _find(case))


def compiles(case: Case, pieces: Pieces) -> Bool:
    """Return which pieces lie in a range or call that is named after compiling or loading code."""
    return pieces.in_ranges(case.ranges_like(NAMED)) | case.names_like(pieces.call, NAMED)


def _find(case: Case) -> Bool:
    pieces = case.pieces
    host = pieces.caused_by(*HOST_WORK)
    named = pieces.in_ranges(case.ranges_like(COMPILES)) | case.names_like(pieces.call, COMPILES)
    named &= pieces.ns >= case.limits.long_piece_ns
    if not len(pieces) or not len(case.report.os_calls):
        return host & named
    gap, first = np.unique(pieces.gap, return_index=True)
    start, end = pieces.gap_start[first], pieces.gap_end[first]
    place = np.searchsorted(gap, pieces.gap)
    spawns = _any(case.in_os_calls_like(pieces, SPAWN), place, len(gap))
    waits = _sums(case.in_os_calls_like(pieces, QUIET) | case.in_os_calls_like(pieces, SPAWN), pieces, place)
    children = compiler_processes(case)
    beside = Coverage(*union(*children.spans)).between(start, end)
    begun = np.searchsorted(children.spans.start, end) > np.searchsorted(children.spans.start, start)
    # A compiler in the background keeps nobody waiting.
    found = (beside > 0) & (begun | (2 * waits >= end - start))
    started = spawns & ~workers_started(case, start, end)
    found |= started & (children.untimed | _new_kernel_after(case, pieces, first))
    found &= end - start >= case.limits.long_piece_ns
    return host & (named | found[place])


def workers_started(case: Case, start: Int64, end: Int64) -> Bool:
    """Return in which intervals processes are first seen that are no compilers and outlive the interval.

    One of them by the name of a loader, or two of any name: a helper may start at any time.
    """
    loaders = loader_processes(case).spans.start
    first, last = case.once("workers", lambda: _other_processes(case))
    low, high = np.searchsorted(first, start, "left"), np.searchsorted(first, end, "left")
    found = np.searchsorted(loaders, end, "left") > np.searchsorted(loaders, start, "left")
    for at in np.flatnonzero(high - low >= 2).tolist():
        found[at] |= bool((last[low[at] : high[at]] > end[at]).sum() >= 2)
    return found


def _other_processes(case: Case) -> tuple[Int64, Int64]:
    """Return when each process was first and last seen in an OS call, by the first; compilers left out."""
    os_calls = case.report.os_calls
    process = case.index.process_of_thread[os_calls.thread]
    used, first = np.unique(process, return_index=True)
    last = np.zeros(len(case.report.processes) + 1, np.int64)  # the last entry is for unknown ones
    np.maximum.at(last, process, os_calls.end)
    compilers = {
        t.process
        for t in case.report.threads
        if any(name and (is_compiler(name) or POOL.search(name)) for name in _names(case, t))
    }
    kept = ~np.isin(used, sorted(compilers))
    order = np.argsort(os_calls.start[first[kept]], kind="stable")
    return os_calls.start[first[kept]][order], last[used[kept]][order]


def _names(case: Case, thread: Thread) -> tuple[str | None, ...]:
    process = case.report.processes[thread.process].name if thread.process >= 0 else None
    return thread.name, process


def compiler_processes(case: Case) -> Children:
    """Return when compilers ran: from the first to the last sign of a program that only compiles."""
    return case.once("compilers", lambda: _children(case, compilers=True))


def loader_processes(case: Case) -> Children:
    """Return from when to when processes or threads that are named after loading data were seen."""
    return case.once("loaders", lambda: _children(case, compilers=False))


def _children(case: Case, *, compilers: bool) -> Children:
    report, os_calls = case.report, case.report.os_calls
    launching = set(np.unique(case.index.process_of_thread[report.calls.thread]).tolist())
    tool, pool, names = set[int](), set[int](), set[str]()
    for thread in report.threads:
        known = thread.process >= 0 and thread.process not in launching
        for name in (thread.name, report.processes[thread.process].name if known else None):
            if not name:
                continue
            only_compiles = compilers and is_compiler(name)
            if only_compiles or (POOL if compilers else LOADER).search(name):
                (tool if only_compiles or not compilers else pool).add(thread.index)
                names.add(name)
                break
    untimed = any(
        p.name and is_compiler(p.name) and not any(t.process == p.index for t in report.threads)
        for p in report.processes
    )
    starts, ends = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    if tool or pool:
        of_tool = np.flatnonzero(np.isin(os_calls.thread, sorted(tool)))
        process = case.index.process_of_thread[os_calls.thread[of_tool]]
        order = np.argsort(process, kind="stable")
        if len(order):
            cuts = np.flatnonzero(np.diff(process[order], prepend=-2))
            starts.append(np.minimum.reduceat(os_calls.start[of_tool[order]], cuts))
            ends.append(np.maximum.reduceat(os_calls.end[of_tool[order]], cuts))
        of_pool = np.isin(os_calls.thread, sorted(pool)) & ~case.names_like(os_calls.name, QUIET)
        starts.append(os_calls.start[of_pool])
        ends.append(os_calls.end[of_pool])
    start, end = np.concatenate(starts), np.concatenate(ends)
    order = np.argsort(start, kind="stable")
    return Children(Spans(start[order], end[order]), sorted(names), compilers and untimed)


def is_compiler(name: str) -> bool:
    """Return whether a process or thread of this name runs only to compile.

    >>> is_compiler("/usr/local/cuda/bin/ptxas -v x.ptx"), is_compiler("python")
    (True, False)
    """
    words = name.split()
    return bool(words) and bool(TOOL.match(words[0].rsplit("/", 1)[-1]))


def _any(chosen: Bool, place: Positions, size: int) -> Bool:
    found = np.zeros(size, bool)
    found[place[chosen]] = True
    return found


def _sums(chosen: Bool, pieces: Pieces, place: Positions) -> Int64:
    sums = np.zeros(int(place.max()) + 1, np.int64)
    np.add.at(sums, place[chosen], pieces.ns[chosen])
    return sums


def _new_kernel_after(case: Case, pieces: Pieces, first: Positions) -> Bool:
    """Return after which gaps a kernel runs for the first time: before the step ends, or another gap as long.

    ``first``: the first piece of each gap.
    """
    start, end = pieces.gap_start[first], pieces.gap_end[first]
    until = 2 * end - start
    for number, pace in enumerate(case.paces):
        mine = pieces.pace[first] == number
        until[mine] = np.maximum(pace.end[pieces.step[first][mine]], end[mine])
    times = np.sort(case.first_starts)
    fresh: Bool = np.searchsorted(times, until, "right") > np.searchsorted(times, end, "left")
    return fresh
