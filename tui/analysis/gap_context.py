"""What surrounds a gap: the ops before and after it, and the NVTX ranges open meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np

from tui.analysis.blame import closing_ops
from tui.analysis.gaps import DeviceGaps
from tui.analysis.grouping import combined
from tui.analysis.index import Index
from tui.intervals import LastReaching, lookup
from tui.report.columns import Int64
from tui.report.model import OpKind, Report

LONGEST_PATH = 100
"""The most ranges of a path: a stack that is never popped would give every event a path of thousands."""
OUTER = -1
"""The entry of a path in place of the ranges that are left out."""


@dataclass(frozen=True)
class OtherRange:
    """A range open during a gap that does not belong to the responsible thread."""

    range: int
    """Position in ``Report.ranges``."""
    thread: int
    """Position in ``Report.threads``; -1 unknown."""
    crosses_threads: bool
    """A start/end range that one thread opened and another closed: it owns no work by thread."""


class Neighbours(NamedTuple):
    """The ops around each gap, positions in ``Report.ops``; -1 none."""

    before: Int64
    after: Int64


def neighbours(index: Index, gaps: DeviceGaps) -> Neighbours:
    """The op whose end opened each gap and the op whose start closed it."""
    ops = index.report.ops
    earlier = slice(0, int(np.searchsorted(ops.start, gaps.since.max(initial=0), "left")))
    mine = np.flatnonzero(index.op_mask(earlier, gaps.device.index, gaps.processes, gaps.busy))
    # No op that began before the gap runs past the gap's start: one that reaches it ended there.
    begun = np.searchsorted(ops.start[mine], gaps.since, "left")
    before = lookup(mine, LastReaching(ops.end[mine]).find(begun, gaps.since))
    return Neighbours(before, closing_ops(index, gaps))


def range_paths(index: Index, ranges: Int64) -> list[list[int]]:
    """Per range (-1: none) the ranges of its thread that contain it, outermost first, itself last.

    More than :data:`LONGEST_PATH` are cut to the innermost ones, with :data:`OUTER` for the others.
    """
    table = index.report.ranges
    paths: list[list[int]] = [[] for _ in range(len(ranges))]
    asked = np.flatnonzero(ranges >= 0)
    inner = ranges[asked]
    holding = index.ranges_holding(table.start[inner], table.end[inner], table.thread[inner])
    for depth, (question, found) in enumerate(islice(holding, LONGEST_PATH + 1)):
        for q, r in zip(asked[question].tolist(), found.tolist(), strict=True):
            paths[q].append(r if depth < LONGEST_PATH else OUTER)
    return [path[::-1] for path in paths]


def path_name(report: Report, place: int) -> str:
    """The name of one range of a path; dots for :data:`OUTER`."""
    return "..." if place == OUTER else str(report.strings[int(report.ranges.name[place])])


def range_path(index: Index, thread: int, time: int) -> list[int]:
    """The ranges open on a thread at a time, outermost first: positions in ``Report.ranges``."""
    return [int(found[0]) for _, found in index.ranges_holding([time], [time + 1], thread)][::-1]


def op_name(report: Report, op: int, short: bool) -> str | None:
    """An op's name (``short``: without template and argument lists); None for no op (-1)."""
    if op < 0:
        return None
    name = int(report.ops.name[op])
    if short and report.ops.kind[op] == OpKind.KERNEL:
        base = int(report.kernels.short_name[report.ops.row[op]])
        name = base if base >= 0 else name
    return str(report.strings[name])


def other_ranges(index: Index, times: Int64, threads: Int64) -> list[list[OtherRange]]:
    """Per time, the innermost range of each other thread, and every range that crosses threads.

    ``threads``: the responsible thread per time (-1: none). Its own ranges are left out, and those of
    other processes.
    """
    question, found = index.all_ranges.all_holding(times, times + 1)
    owner = index.report.ranges.thread[found]
    crosses = index.crossing_ranges[found]
    responsible, process = threads[question], index.process_of_thread
    foreign = (owner != responsible) | (owner < 0) | crosses
    keep = np.flatnonzero(foreign & ((responsible < 0) | (process[owner] == process[responsible])))
    _, first = combined(question[keep], owner[keep], crosses[keep])  # the first of a thread is its innermost
    shown = np.zeros(len(question), bool)
    shown[keep[first]] = True
    shown[keep] |= crosses[keep]
    rows: list[list[OtherRange]] = [[] for _ in range(len(times))]
    for i in np.flatnonzero(shown).tolist():
        rows[question[i]].append(OtherRange(int(found[i]), int(owner[i]), bool(crosses[i])))
    return rows
