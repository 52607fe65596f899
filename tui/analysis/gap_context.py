"""What surrounds a gap: the ops before and after it, and the NVTX ranges open meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.blame import closing_ops
from tui.analysis.gaps import DeviceGaps
from tui.analysis.grouping import combined
from tui.analysis.index import Index
from tui.intervals import LastReaching
from tui.report.columns import Int64
from tui.report.model import OpKind, Report

LONGEST_PATH = 100
"""Ranges of a path: a stack that is never popped would give every event a path of thousands."""
OUTER = -1
"""Stands in a path for the ranges that are left out."""


@dataclass(frozen=True)
class OtherRange:
    """A range open during a gap that says nothing about the responsible thread by itself."""

    range: int
    """Position in ``Report.ranges``."""
    thread: int
    """Position in ``Report.threads``; -1 unknown."""
    crosses_threads: bool
    """A start/end range that one thread opened and another closed: it owns no work by thread."""


@dataclass(frozen=True)
class Neighbours:
    """The ops around each gap, positions in ``Report.ops``; -1 none."""

    before: Int64
    after: Int64


def neighbours(index: Index, gaps: DeviceGaps) -> Neighbours:
    """The op whose end opened each gap and the op whose start closed it."""
    before = np.full(len(gaps), -1, np.int64)
    if len(gaps):
        ops = index.report.ops
        stop = int(np.searchsorted(ops.start, int(gaps.since.max()), "left"))
        earlier = slice(0, stop)
        mine = np.flatnonzero(index.counts(earlier, gaps.device.index, gaps.processes, gaps.busy.kinds))
        # Nothing that began before the gap runs past its beginning, so who reaches it ended there.
        begun = np.searchsorted(ops.start[mine], gaps.since, "left")
        last = LastReaching(ops.end[mine]).find(begun, gaps.since)
        before[last >= 0] = mine[last[last >= 0]]
    return Neighbours(before, closing_ops(index, gaps))


def range_paths(index: Index, ranges: Int64) -> list[list[int]]:
    """Per range (-1: none) the ranges of its thread that contain it, outermost first, itself last.

    Of more than :data:`LONGEST_PATH` the innermost, and :data:`OUTER` stands for the others.
    """
    table = index.report.ranges
    paths: list[list[int]] = [[] for _ in range(len(ranges))]
    asked = np.flatnonzero(ranges >= 0)
    inner = ranges[asked]
    holding = index.ranges_holding(table.start[inner], table.end[inner], table.thread[inner])
    for depth, (question, found) in enumerate(holding):
        whole = depth < LONGEST_PATH
        for q, r in zip(asked[question].tolist(), found.tolist(), strict=True):
            paths[q].append(r if whole else OUTER)
        if not whole:
            break
    return [path[::-1] for path in paths]


def path_name(report: Report, place: int) -> str:
    """The name of one range of a path; dots for :data:`OUTER`."""
    return "..." if place == OUTER else str(report.strings[int(report.ranges.name[place])])


def range_path(index: Index, thread: int, time: int) -> list[int]:
    """The ranges open on a thread at a time, outermost first: positions in ``Report.ranges``."""
    return [int(found[0]) for _, found in index.ranges_holding([time], [time + 1], thread)][::-1]


def short_op_name(report: Report, op: int) -> str | None:
    """An op's name without template and argument lists; None for no op (-1)."""
    if op < 0:
        return None
    name = int(report.ops.name[op])
    if report.ops.kind[op] == OpKind.KERNEL:
        short = int(report.kernels.short_name[report.ops.row[op]])
        name = short if short >= 0 else name
    return str(report.strings[name])


def other_ranges(index: Index, times: Int64, threads: Int64) -> list[list[OtherRange]]:
    """Per time, what is open elsewhere: each other thread's innermost range, every start/end range.

    ``threads``: the responsible thread per time (-1: none); its own ranges are left out, and those of
    other processes.
    """
    report = index.report
    ranges = report.ranges
    question, found = index.ranges_at(times)
    owner = ranges.thread[found]
    crosses = index.crossing_ranges[found]
    foreign = (owner != threads[question]) | (owner < 0) | crosses
    process = index.process_of_thread
    of_interest = threads[question] < 0
    of_interest |= process[owner] == process[threads[question]]
    keep = np.flatnonzero(foreign & of_interest)
    _, first = combined(question[keep], owner[keep], crosses[keep])  # latest first: a thread's innermost
    shown = np.zeros(len(question), bool)
    shown[keep[first]] = True
    shown[keep] |= crosses[keep]
    rows: list[list[OtherRange]] = [[] for _ in range(len(times))]
    for i in np.flatnonzero(shown).tolist():
        rows[question[i]].append(OtherRange(int(found[i]), int(owner[i]), bool(crosses[i])))
    return rows
