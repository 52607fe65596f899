"""Which intervals are open at a time, or hold an interval: many questions at once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tui.intervals.spans import Int64, Positions, as_times


class LastReaching:
    """Finds the last value before a position that is large enough, in O(log n) a question.

    A pyramid of maxima: level k holds the maximum of every whole block of 2^k values.
    """

    def __init__(self, values: Int64) -> None:
        self._levels = [values]
        while len(self._levels[-1]) > 1:
            below = self._levels[-1]
            whole = len(below) // 2 * 2
            self._levels.append(np.maximum(below[0:whole:2], below[1:whole:2]))

    @property
    def values(self) -> Int64:
        """All values, in their order."""
        return self._levels[0]

    def find(self, stop: Positions, least: Int64) -> Positions:
        """For each question the last ``i < stop`` with ``values[i] >= least``, else -1."""
        found = np.full(len(stop), -1, np.intp)
        asked = np.flatnonzero(stop > 0)
        end, wanted = stop[asked].astype(np.intp), least[asked]
        for level, peaks in enumerate(self._levels):
            if len(asked) == 0:
                break
            # Up to `end` lie whole blocks of this level; the next level skips the last of an odd number.
            odd = ((end >> level) & 1).astype(bool)
            block = np.where(odd, (end >> level) - 1, 0)
            hit = odd & (peaks[block] >= wanted)
            if hit.any():
                found[asked[hit]] = self._descend(level, block[hit], wanted[hit])
            end = np.where(odd, end - (1 << level), end)
            going = ~hit & (end > 0)
            asked, end, wanted = asked[going], end[going], wanted[going]
        return found

    def _descend(self, level: int, block: Positions, wanted: Int64) -> Positions:
        """The last value of each block that is large enough; there is one."""
        for peaks in reversed(self._levels[:level]):
            right = 2 * block + 1
            block = np.where(peaks[right] >= wanted, right, right - 1)
        return block


class CountReaching:
    """Counts the values of a stretch that are large enough, in O(log n) a question.

    A wavelet matrix: per bit of the values' ranks, from the highest, how many zeros come before each place;
    zeros then move to the front.
    """

    def __init__(self, values: Int64) -> None:
        self._sorted = np.sort(values)
        ranks = np.searchsorted(self._sorted, values, "left")
        self._zeros: list[Positions] = []
        for bit in reversed(range(len(values).bit_length())):
            zero = ranks >> bit & 1 == 0
            self._zeros.append(np.append(0, np.cumsum(zero)))
            ranks = np.concatenate((ranks[zero], ranks[~zero]))

    def count(self, start: Positions, stop: Positions, least: Int64) -> Int64:
        """For each question how many ``i`` in ``[start, stop)`` have ``values[i] >= least``."""
        rank = np.searchsorted(self._sorted, least, "left")
        found = np.zeros(len(stop), np.int64)
        for level, zeros in enumerate(self._zeros):
            one = (rank >> (len(self._zeros) - 1 - level) & 1).astype(bool)
            low, high = zeros[start], zeros[stop]
            ones = (stop - high) - (start - low)
            found += np.where(one, 0, ones)
            start = np.where(one, zeros[-1] + start - low, low)
            stop = np.where(one, zeros[-1] + stop - high, high)
        return found + (stop - start)


class Stabber:
    """Finds which intervals of a group (say, the NVTX ranges of a thread) are open or hold another interval.

    The *latest* of several intervals is the one that started last (the shorter of two that start
    together, then the later row): the innermost of nested ones, and a plain rule for crossing ones.
    Without ``group`` all intervals are of one group, 0.
    """

    def __init__(self, start: ArrayLike, end: ArrayLike, group: ArrayLike | None = None) -> None:
        s, e = as_times(start), as_times(end)
        g = np.zeros(len(s), np.int8) if group is None else np.asarray(group)
        order = inner_last(s, e, None if group is None else g)
        if (order[1:] != order[:-1] + 1).any():  # else nothing needs to move, nor to be copied
            s, e, g = s[order], e[order], g[order]
        self._order = order.astype(np.int32)
        self._start = s
        self._reaching = LastReaching(e)
        self._groups, first = np.unique(g, return_index=True)
        self._bounds = np.append(first, len(s))

    def latest_open(self, times: ArrayLike, group: ArrayLike | int = 0) -> Positions:
        """The latest interval with ``start <= t < end``, per question; -1 none."""
        t = as_times(times)
        return self.latest_holding(t, t + 1, group)

    def latest_holding(self, low: ArrayLike, high: ArrayLike, group: ArrayLike | int = 0) -> Positions:
        """The latest interval with ``start <= low`` and ``end >= high``, per question; -1 none."""
        position, _ = self._latest(as_times(low), as_times(high), group)
        return lookup(self._order, position)

    def holding(
        self, low: ArrayLike, high: ArrayLike, group: ArrayLike | int = 0
    ) -> Iterator[tuple[Positions, Positions]]:
        """Every interval that holds ``[low, high]``, innermost first.

        Yields (question, interval) index arrays, one pair a depth, so that they need not all be in memory.
        """
        high = as_times(high)
        position, floor = self._latest(as_times(low), high, group)
        question = np.arange(len(position))
        while True:
            there = position >= 0
            question, position, floor, high = question[there], position[there], floor[there], high[there]
            if len(question) == 0:
                return
            yield question, lookup(self._order, position)
            position = self._reaching.find(position, high)
            position = np.where(position >= floor, position, -1)

    def count_holding(self, low: ArrayLike, high: ArrayLike, group: ArrayLike | int = 0) -> Int64:
        """How many intervals hold ``[low, high]``, per question."""
        stop, floor = self._begun(as_times(low), group)
        return self._counting.count(floor, stop, as_times(high))

    @cached_property
    def _counting(self) -> CountReaching:
        return CountReaching(self._reaching.values)

    def all_holding(self, low: ArrayLike, high: ArrayLike) -> tuple[Positions, Positions]:
        """(question, interval) for every interval that holds ``[low, high]``: by question, latest first."""
        none = np.zeros(0, np.intp)
        question, interval = map(np.concatenate, zip((none, none), *self.holding(low, high), strict=True))
        order = np.argsort(question, kind="stable")
        return question[order], interval[order]

    def _latest(self, low: Int64, high: Int64, group: ArrayLike | int) -> tuple[Positions, Positions]:
        """Sorted position of the latest interval per question (-1 none), and where its group begins."""
        stop, floor = self._begun(low, group)
        position = self._reaching.find(stop, high)
        return np.where(position >= floor, position, -1), floor

    def _begun(self, low: Int64, group: ArrayLike | int) -> tuple[Positions, Positions]:
        """Where the intervals of each question's group that began by ``low`` end (sorted), and begin."""
        stop, floor = np.zeros(len(low), np.intp), np.zeros(len(low), np.intp)
        for place, asked in self._by_group(low, group):
            first, last = self._bounds[place], self._bounds[place + 1]
            stop[asked] = first + np.searchsorted(self._start[first:last], low[asked], "right")
            floor[asked] = first
        return stop, floor

    def _by_group(self, low: Int64, group: ArrayLike | int) -> Iterator[tuple[int, Positions | slice]]:
        """(place of a group, its questions) for the groups that are asked about and exist."""
        asked = as_times(group)
        if len(self._groups) == 0:
            return
        place = np.minimum(np.searchsorted(self._groups, asked), len(self._groups) - 1)
        exists = self._groups[place] == asked
        if asked.ndim == 0:
            if exists:
                yield int(place), slice(None)
            return
        small = np.uint16 if len(self._groups) < 1 << 16 else np.int64  # sorts in linear time
        order = np.argsort(place.astype(small), kind="stable")
        order = order[exists[order]]
        count = np.bincount(place[order], minlength=len(self._groups))
        ends = np.cumsum(count)
        for p in np.flatnonzero(count).tolist():
            yield p, order[ends[p] - count[p] : ends[p]]


def inner_last(start: Int64, end: Int64, group: NDArray[np.integer] | None = None) -> Positions:
    """The order by (group, start, longer first); quick where the intervals come that way by time."""
    together = start[1:] == start[:-1]
    if (start[1:] < start[:-1]).any() or (end[1:] > end[:-1])[together].any():
        return np.lexsort((-end, start) if group is None else (-end, start, group))
    return np.arange(len(start)) if group is None else np.argsort(group, kind="stable")


def lookup(values: NDArray[np.integer], positions: NDArray[np.integer]) -> NDArray[Any]:
    """The ``values`` (int64) at these positions; -1 where the position is -1."""
    if len(values) == 0:
        return np.full(len(positions), -1, np.int64)
    return np.where(positions >= 0, values[positions], -1).astype(np.int64, copy=False)


def previous_index(values: Int64, time: int) -> int:
    """Position of the last of the sorted ``values`` before ``time``; -1 none."""
    return int(np.searchsorted(values, time, "left")) - 1


def next_index(values: Int64, time: int) -> int:
    """Position of the first of the sorted ``values`` after ``time``; -1 none."""
    index = int(np.searchsorted(values, time, "right"))
    return index if index < len(values) else -1
