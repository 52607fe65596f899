"""What surrounds a gap: the ops before and after it, and the path of NVTX ranges to it."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

import numpy as np

from tui.analysis.blame import closing_ops
from tui.analysis.gaps import DeviceGaps
from tui.analysis.index import Index
from tui.intervals import LastReaching, lookup
from tui.report.columns import Int32, Int64
from tui.report.model import OpKind, RangeStyle, Report
from tui.text.stacks import DEEPEST, cut_note, left_out


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

    More than :data:`DEEPEST` are cut to the innermost ones. In place of n others stands -n.
    """
    table, inner = index.report.ranges, ranges[ranges >= 0]
    found = iter(_paths(index, table.start[inner], table.end[inner], table.thread[inner]))
    return [next(found) if there else [] for there in (ranges >= 0).tolist()]


def range_path(index: Index, thread: int, time: int) -> list[int]:
    """The ranges open on a thread at a time, as :func:`range_paths` gives them."""
    return _paths(index, np.array([time]), np.array([time + 1]), np.array([thread]))[0]


def _paths(index: Index, low: Int64, high: Int64, thread: Int32 | Int64) -> list[list[int]]:
    paths: list[list[int]] = [[] for _ in range(len(low))]
    holding = index.ranges_holding(low, high, thread)
    for question, found in islice(holding, DEEPEST):
        for q, r in zip(question.tolist(), found.tolist(), strict=True):
            paths[q].append(r)
    deeper, _ = next(holding, (np.zeros(0, np.intp), None))
    left = index.range_depth(low[deeper], high[deeper], thread[deeper]) - DEEPEST
    for q, number in zip(deeper.tolist(), left.tolist(), strict=True):
        paths[q].append(-number)
    return [path[::-1] for path in paths]


def deep_ranges(index: Index) -> int:
    """How many ranges have a path that is cut."""
    return index.once("deep ranges", lambda: _deep_ranges(index))


def _deep_ranges(index: Index) -> int:
    ranges, own = index.report.ranges, index.thread_ranges
    levels = int(ranges.level.max(initial=-1)) + 1
    free = int(np.count_nonzero(ranges.style[own] == RangeStyle.START_END))
    if levels + free <= DEEPEST:  # quick where ranges are pushed and popped
        return 0
    return int((index.range_depth(ranges.start[own], ranges.end[own], ranges.thread[own]) > DEEPEST).sum())


def deep_note(index: Index, where: str = "`nsystui export` lists every range") -> str | None:
    """The note on paths that are cut, and where the rest is; None without any."""
    return cut_note(deep_ranges(index), where)


def path_name(report: Report, place: int) -> str:
    """One entry of a path: the range's name, or how many ranges are left out there."""
    return left_out(-place) if place < 0 else str(report.strings[int(report.ranges.name[place])])


def op_name(report: Report, op: int, short: bool) -> str | None:
    """An op's name (``short``: without template and argument lists); None for no op (-1)."""
    if op < 0:
        return None
    name = int(report.ops.name[op])
    if short and report.ops.kind[op] == OpKind.KERNEL:
        base = int(report.kernels.short_name[report.ops.row[op]])
        name = base if base >= 0 else name
    return str(report.strings[name])
