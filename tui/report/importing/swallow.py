"""Find rows that contain two or more later ones of their own stream, a block at a time.

A stream runs its work in order, so such a row's times can't be true. A row that contains one other proves
little: both may be off by a little. The kernels of one launch, of a graph, may run side by side.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tui.report.columns import Array, Bool, Int32, Int64
from tui.report.importing.counting import later_not_greater
from tui.report.importing.sorting import Reader, spans
from tui.report.spool import Spool

LEAST = 2
_FEW = 64
"""So many rows are compared with all: one that lost its end may last over a whole capture."""
_EARLIEST = np.iinfo(np.int64).min


class Swallowers(NamedTuple):
    """Positions of rows, ascending, and how many later ones of their lane each contains."""

    rows: Int64
    counts: Int64


def swallowers(
    start: Int64, end: Int64, lanes: Reader, launches: Reader, spool: Spool, *, least: int = LEAST
) -> Swallowers:
    """Find the rows that contain ``least`` or more later ones of their own lane and of other launches.

    ``start``, ``end``: int64 ns sorted by start. ``lanes``: an int32 per row from 0 up, for those between two
    rows; negative: of no lane. ``launches``: an int64 per row, equal for the rows of one launch. A row of no
    length at the very start or end of another is not in it.
    """
    nothing = Swallowers(np.empty(0, np.int64), np.empty(0, np.int64))
    if not _any_inside(start, end):
        return nothing
    lane = spool.gathered(np.int32, (lanes(low, high) for low, high in spans(len(start))))
    suspects = _Suspects()
    for low, high in spans(len(start)):
        suspects.look(lane[low:high], launches(low, high), start[low:high], end[low:high])
    if not suspects.found.any():
        return nothing
    inside, containing = _concerned(start, end, lane, suspects.found)
    rows = np.flatnonzero(containing)
    if len(rows) <= _FEW:
        counts = _contained_in(rows, start, end, lane, launches)
    else:
        rows = np.flatnonzero(inside | containing)
        launch = _picked(launches, rows, len(start))
        counts = _contained(start[rows], end[rows], lane[rows], launch)
    many = counts >= least
    return Swallowers(rows[many], counts[many])


def _last(start: Int64, end: Int64) -> Int64:
    """The end that another row must have to contain each: of rows of no length one more than their own."""
    found: Int64 = end + (start == end)
    return found


def _any_inside(start: Int64, end: Int64) -> bool:
    """Whether any row lies inside an earlier one, of whatever lane."""
    longest = _EARLIEST
    for low, high in spans(len(start)):
        before = np.maximum.accumulate(np.append(longest, end[low:high]))
        if (_last(start[low:high], end[low:high]) <= before[:-1]).any():
            return True
        longest = int(before[-1])
    return False


class _Suspects:
    """The lanes with a row that lies inside an earlier one of another launch; blocks are looked at in turn.

    The rows of one launch that come one after the other are a run. Where each run of a lane ends later than
    the run before it, none lies inside any.
    """

    def __init__(self) -> None:
        self.found = np.empty(0, bool)
        """By lane."""
        self._before = np.empty(0, np.int64)
        """The last end of all runs but the last."""
        self._last = np.empty(0, np.int64)
        """The last end of the last run."""
        self._launch = np.empty(0, np.int64)
        """The launch of the last run."""

    def look(self, lane: Int32, launch: Int64, start: Int64, end: Int64) -> None:
        rows = np.flatnonzero(lane >= 0)
        if not len(rows):
            return
        rows = rows[np.argsort(lane[rows], kind="stable")]
        lane, launch = lane[rows], launch[rows]
        self._grow(int(lane[-1]) + 1)
        new_lane = np.append(True, lane[1:] != lane[:-1])
        runs = np.flatnonzero(new_lane | np.append(True, launch[1:] != launch[:-1]))
        lane, launch, first = lane[runs], launch[runs], new_lane[runs]
        ends = np.maximum.reduceat(end[rows], runs)
        least = np.minimum.reduceat(_last(start, end)[rows], runs)
        before = np.append(_EARLIEST, ends[:-1])
        here = lane[first]
        goes_on = launch[first] == self._launch[here]
        last, earlier = self._last[here], self._before[here]
        before[first] = np.where(goes_on, earlier, np.maximum(last, earlier))
        ends[first] = np.where(goes_on, np.maximum(last, ends[first]), ends[first])
        follows = ~first[1:]
        before[1:][follows] = ends[:-1][follows]
        self.found[lane[least <= before]] = True
        final = np.append(first[1:], True)
        self._before[here], self._last[here], self._launch[here] = before[final], ends[final], launch[final]

    def _grow(self, size: int) -> None:
        more = max(size - len(self.found), 0)
        self.found = np.append(self.found, np.zeros(more, bool))
        self._before = np.append(self._before, np.full(more, _EARLIEST))
        self._last = np.append(self._last, np.full(more, _EARLIEST))
        self._launch = np.append(self._launch, np.full(more, _EARLIEST))


def _concerned(start: Int64, end: Int64, lane: Int32, lanes: Bool) -> tuple[Bool, Bool]:
    """Find the rows of these ``lanes`` that lie inside an earlier one of theirs, and which contain such."""
    inside = np.zeros(len(start), bool)
    containing = np.zeros(len(start), bool)
    longest, shortest = _Extremes(len(lanes)), _Extremes(len(lanes))
    for rows in _of_lanes(lane, lanes):
        lasts = _last(start[rows], end[rows])
        inside[rows] = lasts <= longest.before(lane[rows], end[rows])
    for rows in _of_lanes(lane, lanes, backwards=True):
        lasts = np.where(inside[rows], _last(start[rows], end[rows]), -_EARLIEST - 1)
        containing[rows] = end[rows] >= -shortest.before(lane[rows], -lasts)
    return inside, containing


def _of_lanes(lane: Int32, lanes: Bool, *, backwards: bool = False) -> Iterator[Int64]:
    """Yield the rows of these lanes, a block at a time."""
    blocks = [*spans(len(lane))]
    for low, high in reversed(blocks) if backwards else blocks:
        block = lane[low:high]
        rows = np.flatnonzero((block >= 0) & lanes[block]) + low
        if len(rows):
            yield rows[::-1] if backwards else rows


class _Extremes:
    """The greatest value so far of each lane."""

    def __init__(self, lanes: int) -> None:
        self._greatest = np.full(lanes, _EARLIEST + 1)  # so that it can be negated

    def before(self, lane: Int32, value: Int64) -> Int64:
        """Return the greatest earlier value of each row's lane, and note these values."""
        order = np.argsort(lane, kind="stable")
        lane = lane[order]
        first = np.append(True, lane[1:] != lane[:-1])
        here = lane[first]
        begins = np.flatnonzero(first)
        # The greatest so far begins each lane. Its rows get numbers above those of the lanes before.
        values = np.insert(value[order], begins, self._greatest[here])
        known, number = np.unique(values, return_inverse=True)
        base = np.repeat(np.arange(len(here)), np.diff(np.append(begins, len(lane))) + 1) * len(known)
        most = known[np.maximum.accumulate(number + base) - base]
        starts = begins + np.arange(len(here))
        ends = np.append(starts[1:], len(most)) - 1
        self._greatest[here] = most[ends]
        out = np.empty(len(lane), np.int64)
        out[order] = np.delete(most, ends)
        return out


def _contained_in(rows: Int64, start: Int64, end: Int64, lane: Int32, launches: Reader) -> Int64:
    """Count what lies inside each of a few ``rows``, as :func:`_contained` does."""
    counts = np.zeros(len(rows), np.int64)
    own = _picked(launches, rows, len(start))
    until = np.searchsorted(start, end[rows], "right")
    for low, high in spans(len(start)):
        launch, last = launches(low, high), _last(start[low:high], end[low:high])
        for i, row in enumerate(rows.tolist()):
            part = slice(max(row + 1 - low, 0), max(int(until[i]) - low, 0))
            found = (lane[low:high][part] == lane[row]) & (last[part] <= end[row]) & (launch[part] != own[i])
            found &= (start[low:high][part] > start[row]) | (end[low:high][part] > start[row])
            counts[i] += np.count_nonzero(found)
    counts[start[rows] == end[rows]] = 0
    return counts


def _contained(start: Int64, end: Int64, lane: Int32, launch: Int64) -> Int64:
    """Count the later rows of the same lane and of another launch that lie inside each."""
    order = np.lexsort((start != end, start, lane))  # rows of no length before those that start with them
    lasts = _last(start, end)[order]
    lane, launch = lane[order], launch[order]
    by_launch = np.lexsort((launch, lane))
    new = (np.diff(lane[by_launch], prepend=-1) != 0) | (np.diff(launch[by_launch], prepend=0) != 0)
    together = np.empty(len(order), np.int64)
    together[by_launch] = np.cumsum(new)
    counts = np.empty(len(order), np.int64)
    counts[order] = later_not_greater(lane, lasts) - later_not_greater(together, lasts)
    counts[start == end] = 0
    return counts


def _picked(read: Reader, rows: Int64, size: int) -> Array:
    """Read some rows, in blocks; ``rows`` ascend."""
    parts = [np.empty(0, np.int64)]
    for low, high in spans(size):
        chosen = rows[np.searchsorted(rows, low) : np.searchsorted(rows, high)]
        if len(chosen):
            parts.append(read(low, high)[chosen - low])
    return np.concatenate(parts)
