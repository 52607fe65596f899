"""The device work that NVTX ranges launched: an op belongs to every range around its launch on its thread."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.index import Index
from tui.intervals import Stabber
from tui.report.columns import NULL, Bool, Int64, Positions
from tui.report.model import RangeStyle, Report


def launched_in(report: Report, row: int) -> Positions:
    """Return the ops (positions in ``Report.ops``, by start) that one range launched."""
    ranges, calls, ops = report.ranges, report.calls, report.ops
    thread, start, end = int(ranges.thread[row]), int(ranges.start[row]), int(ranges.end[row])
    if thread < 0 or not len(ops):
        return np.zeros(0, np.intp)
    low, high = np.searchsorted(calls.start, [start, end + 1])
    inside = np.zeros(len(calls) + 1, bool)  # the last: of no call
    inside[low:high] = (calls.thread[low:high] == thread) & (calls.end[low:high] <= end)
    return np.flatnonzero(inside[ops.launch])


@dataclass(frozen=True, eq=False)
class RangeWork:
    """One entry a range: its ops and those of the ranges in it.

    ``gpu_ns`` sums their durations; ``first`` and ``last`` are the bounds (ns) of the stretch of device time
    that they take, NULL without any.
    """

    ops: Int64
    gpu_ns: Int64
    first: Int64
    last: Int64


def range_work(index: Index) -> RangeWork:
    """Return the device work of every range of the report; worked out once."""
    return index.once("range work", lambda: _range_work(index))


def _range_work(index: Index) -> RangeWork:
    report = index.report
    ranges, calls, ops = report.ranges, report.calls, report.ops
    size = len(ranges)
    lowest, highest = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    count, gpu_ns = np.zeros(size, np.int64), np.zeros(size, np.int64)
    first, last = np.full(size, highest), np.full(size, lowest)
    launched = np.flatnonzero(ops.launch >= 0)
    call, place = np.unique(ops.launch[launched], return_inverse=True)
    call = call.astype(np.intp)
    sums = (
        np.bincount(place, minlength=len(call)).astype(np.int64),
        _summed(place, ops.end[launched] - ops.start[launched], len(call)),
        np.full(len(call), highest),
        np.full(len(call), lowest),
    )
    np.minimum.at(sums[2], place, ops.start[launched])
    np.maximum.at(sums[3], place, ops.end[launched])

    def give(to: Positions, of: Positions | Bool) -> None:
        np.add.at(count, to, sums[0][of])
        np.add.at(gpu_ns, to, sums[1][of])
        np.minimum.at(first, to, sums[2][of])
        np.maximum.at(last, to, sums[3][of])

    is_pushed = ranges.style == RangeStyle.PUSH_POP
    pushed = np.flatnonzero(is_pushed & (ranges.thread >= 0))
    questions = calls.start[call], calls.end[call], calls.thread[call]
    inner = Stabber(ranges.start[pushed], ranges.end[pushed], ranges.thread[pushed]).latest_holding(
        *questions
    )
    give(pushed[inner[inner >= 0]], np.flatnonzero(inner >= 0))
    for rows in _deepest_first(report, pushed):
        above = ranges.parent[rows]
        rows, above = rows[above >= 0], above[above >= 0]
        np.add.at(count, above, count[rows])
        np.add.at(gpu_ns, above, gpu_ns[rows])
        np.minimum.at(first, above, first[rows])
        np.maximum.at(last, above, last[rows])
    free = np.flatnonzero(~is_pushed & (ranges.thread >= 0) & ~index.crossing_ranges)
    around = Stabber(ranges.start[free], ranges.end[free], ranges.thread[free])
    for question, found in around.holding(*questions):
        give(free[found], question)
    none = count == 0
    return RangeWork(count, gpu_ns, np.where(none, NULL, first), np.where(none, NULL, last))


def _summed(groups: Positions, values: Int64, size: int) -> Int64:
    total = np.zeros(size, np.int64)
    np.add.at(total, groups, values)
    return total


def _deepest_first(report: Report, rows: Positions) -> list[Positions]:
    """Return the rows by their level, the innermost first; the outermost have nothing around them."""
    level = report.ranges.level[rows]
    order = np.argsort(-level, kind="stable")
    cuts = np.flatnonzero(np.diff(level[order])) + 1
    return [part for part in np.split(rows[order], cuts) if len(part) and report.ranges.level[part[0]] > 0]
