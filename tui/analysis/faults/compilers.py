"""Compilers at work: ranges and calls that speak of it, compiler processes, first launches after a wait.

A program that compiles while it runs (torch.compile, Triton, a C++ extension, a JIT) calls compilers as
processes of their own. To the launching thread that is a fork and a wait, as starting a loader's workers is;
who was started tells them apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tui.analysis.faults.absence import away_since, calls_between
from tui.analysis.faults.case import Case
from tui.analysis.faults.pieces import HOST_WORK, LOADING, Pieces
from tui.intervals import Coverage, Spans, union
from tui.report.columns import Bool, Int64, Positions

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
    r"|x86_64-(linux|conda)[\w-]*|llc|opt|mlir-\w+|tritoncc|hipcc|icp?x|icpc)$",
    re.IGNORECASE,
)
"""Base names of programs that run only to compile."""
POOL = re.compile(
    r"inductor|compile_?w|compil(e|er|ation)\b|subproc_?pool|triton|dynamo|xla_?compil|nvfuser|autotun|\btvm\b",
    re.I,
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
    """When compilers ran: intervals by start, the whole life of programs that only compile."""

    spans: Spans
    names: list[str]
    """The names by which they were known."""


def compiling(case: Case) -> Bool:
    """Return which pieces of host work are compilation: by the evidence of names, not of their length."""
    return case.once("compiling", lambda: _find(case))


def compiles(case: Case, pieces: Pieces) -> Bool:
    """Return which pieces are compilation or loading by the driver, or in a range or call named after it."""
    named = pieces.in_ranges(case.ranges_like(NAMED)) | case.names_like(pieces.call, NAMED)
    return named | pieces.caused_by(*LOADING)


def _find(case: Case) -> Bool:
    pieces = case.pieces
    host = pieces.caused_by(*HOST_WORK)
    named = pieces.in_ranges(case.ranges_like(COMPILES)) | case.names_like(pieces.call, COMPILES)
    named |= pieces.caused_by(*LOADING)
    named &= pieces.ns >= case.limits.long_piece_ns
    if not len(pieces) or not len(case.report.os_calls):
        return host & named
    gap, first = np.unique(pieces.gap, return_index=True)
    start, end = pieces.gap_start[first], pieces.gap_end[first]
    place = np.searchsorted(gap, pieces.gap)
    since = away_since(case, pieces)[first]
    process = case.index.process_of_thread[pieces.thread[first]].astype(np.int64)
    spawns = calls_between(case, process, since, end, SPAWN)
    waits = _sums(case.in_os_calls_like(pieces, QUIET) | case.in_os_calls_like(pieces, SPAWN), pieces, place)
    children = compiler_processes(case)
    beside = Coverage(*union(*children.spans)).between(start, end)
    begun = np.searchsorted(children.spans.start, end) > np.searchsorted(children.spans.start, since)
    # A compiler in the background keeps nobody waiting.
    found = (beside > 0) & (begun | (2 * waits >= end - start))
    started = spawns & ~workers_started(case, since, end)
    found |= started & _new_kernel_after(case, pieces, first)
    found &= end - start >= case.limits.long_piece_ns
    return host & (named | found[place])


def workers_started(case: Case, start: Int64, end: Int64) -> Bool:
    """Return in which intervals processes are first seen that are no compilers and outlive the interval.

    One of them by the name of a loader, or two of any name: a helper may start at any time.
    """
    loaders = loader_starts(case)
    first, last = case.once("workers", lambda: _other_processes(case))
    low, high = np.searchsorted(first, start, "left"), np.searchsorted(first, end, "left")
    found = np.searchsorted(loaders, end, "left") > np.searchsorted(loaders, start, "left")
    for at in np.flatnonzero(high - low >= 2).tolist():
        found[at] |= bool((last[low[at] : high[at]] > end[at]).sum() >= 2)
    return found


def _other_processes(case: Case) -> tuple[Int64, Int64]:
    """Return when each process was first and last seen in an OS call, by the first.

    Compilers are left out, and processes that start others themselves: whoever reads files to hand them over
    does not call programs, a compiler's front end does.
    """
    os_calls = case.report.os_calls
    compilers = _threads_named(case, lambda name: is_compiler(name) or bool(POOL.search(name)))
    spawning = case.names_like(os_calls.name, SPAWN) | case.names_like(os_calls.name, REAP)
    callers = set(case.index.process_of_thread[os_calls.thread[spawning]].tolist())
    threads = case.report.threads
    start, end = _lives(
        case, [t.index for t in threads if t.index not in compilers and t.process not in callers]
    )
    order = np.argsort(start, kind="stable")
    return start[order], end[order]


def compiler_processes(case: Case) -> Children:
    """Return when compilers ran; one that waits to be given something to compile only while it works."""
    return case.once("compilers", lambda: _compilers(case))


def _compilers(case: Case) -> Children:
    os_calls = case.report.os_calls
    tools, pools = _threads_named(case, is_compiler), _threads_named(case, lambda n: bool(POOL.search(n)))
    working = np.flatnonzero(
        np.isin(os_calls.thread, sorted(set(pools) - set(tools))) & ~case.names_like(os_calls.name, QUIET)
    )
    start, end = _lives(case, sorted(tools))
    start = np.concatenate((start, os_calls.start[working]))
    end = np.concatenate((end, os_calls.end[working]))
    order = np.argsort(start, kind="stable")
    return Children(Spans(start[order], end[order]), sorted({*tools.values(), *pools.values()}))


def loader_starts(case: Case) -> Int64:
    """Return when the processes of threads that are named after loading data were first seen, sorted."""
    loaders = _threads_named(case, lambda name: bool(LOADER.search(name)))
    return case.once("loaders", lambda: np.sort(_lives(case, sorted(loaders))[0]))


def _threads_named(case: Case, fits: Callable[[str], bool]) -> dict[int, str]:
    """Return the threads whose name fits, or whose process's does; a process that uses CUDA is no tool."""
    report = case.report
    using = set(np.unique(case.index.process_of_thread[report.calls.thread]).tolist())
    found: dict[int, str] = {}
    for thread in report.threads:
        known = thread.process >= 0 and thread.process not in using
        for name in (thread.name, report.processes[thread.process].name if known else None):
            if name and fits(name):
                found[thread.index] = name
                break
    return found


def _lives(case: Case, threads: list[int]) -> tuple[Int64, Int64]:
    """Return the first start and the last end of OS calls in each process of these threads."""
    os_calls = case.report.os_calls
    mine = np.flatnonzero(np.isin(os_calls.thread, threads))
    process, place = np.unique(case.index.process_of_thread[os_calls.thread[mine]], return_inverse=True)
    start = np.full(len(process), np.iinfo(np.int64).max)
    end = np.full(len(process), np.iinfo(np.int64).min)
    np.minimum.at(start, place, os_calls.start[mine])
    np.maximum.at(end, place, os_calls.end[mine])
    return start, end


def is_compiler(name: str) -> bool:
    """Return whether a process or thread of this name runs only to compile.

    >>> is_compiler("/usr/local/cuda/bin/ptxas -v x.ptx"), is_compiler("python")
    (True, False)
    """
    words = name.split()
    return bool(words) and bool(TOOL.match(words[0].rsplit("/", 1)[-1]))


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
