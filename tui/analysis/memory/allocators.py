"""Who made an allocation: the CUDA call, its phase, and the function behind it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.cpu.callers import cuda_backtraces
from tui.analysis.grouping import combined
from tui.analysis.index import Index
from tui.analysis.memory.lifetimes import lifetimes
from tui.analysis.phases import phase_of_calls
from tui.report.classify import base_api_name
from tui.report.columns import NULL, Int64, Positions


@dataclass(frozen=True)
class Allocator:
    """What is known of who made an allocation; None: unknown, or not recorded."""

    call: str | None
    phase: str | None
    thread: str | None
    caller: str | None


def calls_of(index: Index, process: Int64, correlation: Int64) -> Positions:
    """The outermost call of each (globalPid, correlation id), a position in ``Report.calls``; -1 none."""
    calls = index.report.calls
    owners = np.array([*(p.global_pid for p in index.report.processes), NULL], np.int64)
    theirs = owners[index.process_of_thread[calls.thread]]
    key, _ = combined(np.concatenate((theirs, process)), np.concatenate((calls.correlation, correlation)))
    of_call, wanted = key[: len(calls)], key[len(calls) :]
    found = np.full(int(key.max()) + 1 if len(key) else 1, -1, np.intp)
    found[of_call[::-1]] = np.arange(len(calls))[::-1]  # the first by start is written last
    known = (process != NULL) & (correlation != NULL) & (correlation != 0)
    return np.where(known, found[wanted], -1)


def allocators(index: Index, rows: Positions) -> list[Allocator]:
    """Who made each of some allocations: positions in the lifetimes of the report."""
    found, report = lifetimes(index), index.report
    call = calls_of(index, found.process[rows], found.correlation[rows])
    known = np.flatnonzero(call >= 0)
    phase = np.full(len(rows), -1, np.int64)
    phase[known] = phase_of_calls(index, call[known])
    traces = cuda_backtraces(index)
    caller = np.full(len(rows), -1, np.intp)
    caller[known] = traces.caller[call[known]]
    frames = traces.stacks.tree.frames
    made = []
    for c, r, f in zip(call.tolist(), phase.tolist(), caller.tolist(), strict=True):
        thread = report.threads[report.calls.thread[c]] if c >= 0 else None
        made.append(
            Allocator(
                base_api_name(report.strings[int(report.calls.name[c])]) if c >= 0 else None,
                index.labels[int(report.ranges.name[r])] if r >= 0 else None,
                None if thread is None else thread.name or str(thread.tid),
                frames.name[f] if f >= 0 else None,
            )
        )
    return made
