"""How many bytes were alive at any time: a step function, asked by its edges at the cost of the answer."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tui.analysis.memory.lifetimes import Lifetimes
from tui.intervals import NEVER, expand
from tui.report.columns import Int64, Positions

Float64 = NDArray[np.float64]
_BLOCK = 64


class Peak(NamedTuple):
    """The greatest value, and when it was first reached (ns)."""

    value: int
    at: int


class Level:
    """A value that changes at times; before the first it is 0.

    ``times`` ascend and may repeat: of changes at one instant the last is what holds afterwards, and the
    ones between count for peaks, as they come in the export.
    """

    def __init__(self, times: Int64, values: Int64) -> None:
        self.times = times
        self.values = values

    def __len__(self) -> int:
        return len(self.times)

    def at(self, times: Int64) -> Int64:
        """The value at each of ``times``, changes at that very instant included."""
        return np.append(0, self.values)[np.searchsorted(self.times, times, "right")]

    def peak(self, low: int, high: int) -> Peak:
        """The greatest value in ``[low, high]``."""
        first, last = np.searchsorted(self.times, low, "left"), np.searchsorted(self.times, high, "right")
        start = int(self.at(np.array([low]))[0])
        if first == last:
            return Peak(start, low)
        at = int(first + np.argmax(self.values[first:last]))
        found = int(self.values[at])
        return Peak(found, int(self.times[at])) if found > start else Peak(start, low)

    def over(self, edges: Int64) -> tuple[Float64, Int64, Int64]:
        """(mean weighted by time, least, greatest) between consecutive ``edges``: one fewer than edges."""
        first = np.searchsorted(self.times, edges, "right")
        begins, ends = first[:-1], np.searchsorted(self.times, edges[1:], "left")
        held = np.append(0, self.values)[begins]
        low, high = self._extremes.over(begins, np.maximum(begins, ends))
        area = np.diff(self._area(edges, first))
        width = np.diff(edges)
        mean = np.where(width > 0, area / np.maximum(width, 1), held)
        return mean, np.minimum(held, low), np.maximum(held, high)

    @cached_property
    def _sums(self) -> Float64:
        """The integral up to each change."""
        steps = np.diff(self.times).astype(np.float64) * self.values[:-1]
        return np.append(0.0, np.cumsum(steps)) if len(self.times) else np.zeros(0)

    def _area(self, edges: Int64, first: Positions) -> Float64:
        if not len(self.times):
            return np.zeros(len(edges))
        at = np.maximum(first - 1, 0)
        whole = self._sums[at] + (edges - self.times[at]).astype(np.float64) * self.values[at]
        return np.where(first > 0, whole, 0.0)

    @cached_property
    def _extremes(self) -> _Extremes:
        return _Extremes(self.values)


class _Extremes:
    """Least and greatest values of stretches of a series, from those of blocks of blocks."""

    def __init__(self, values: Int64) -> None:
        self._levels = [(values, values)]
        while len(self._levels[-1][0]) > _BLOCK:
            low, high = self._levels[-1]
            cuts = np.arange(0, len(low), _BLOCK)
            self._levels.append((np.minimum.reduceat(low, cuts), np.maximum.reduceat(high, cuts)))

    def over(self, first: Positions, last: Positions) -> tuple[Int64, Int64]:
        """Those of each ``[first, last)``; an empty one has the greatest and the least integer."""
        low = np.full(len(first), NEVER, np.int64)
        high = np.full(len(first), -NEVER, np.int64)
        for number, (lows, highs) in enumerate(self._levels):
            if number == len(self._levels) - 1:
                parts = [(first, last)]
            else:
                up, down = -(-first // _BLOCK), last // _BLOCK
                inner = up < down
                head = np.where(inner, up * _BLOCK, last)
                parts = [(first, head), (np.where(inner, down * _BLOCK, last), last)]
                first, last = np.where(inner, up, 0), np.where(inner, down, 0)
            for start, end in parts:
                owner, place = expand(start, end)
                np.minimum.at(low, owner, lows[place])
                np.maximum.at(high, owner, highs[place])
        return low, high


def levels(found: Lifetimes, wanted: Positions) -> list[Level]:
    """The bytes alive of each of some sums of groups.

    ``wanted``: per group of ``found`` the number of the sum that it counts in, from 0; -1: in none.
    """
    count = int(wanted.max()) + 1 if len(wanted) else 0
    into = wanted[found.group] if len(found) else np.zeros(0, np.intp)
    counted = np.flatnonzero(into >= 0)
    over = counted[found.end[counted] != NEVER]
    key = np.concatenate((into[counted], into[over]))
    row = np.concatenate((found.began[counted], found.ended[over]))
    time = np.concatenate((found.start[counted], found.end[over]))
    change = np.concatenate((found.size[counted], -found.size[over]))
    # Where one row ends an allocation and begins another of the same address, the end comes first.
    order = np.lexsort((change, row, key))
    key, row, time, change = key[order], row[order], time[order], change[order]
    first = np.searchsorted(key, np.arange(count + 1))
    running = np.cumsum(change)
    settled = np.append((key[1:] != key[:-1]) | (row[1:] != row[:-1]), True)[: len(key)]
    made = []
    for low, high in zip(first[:-1].tolist(), first[1:].tolist(), strict=True):
        base = int(running[low - 1]) if low else 0
        keep = low + np.flatnonzero(settled[low:high])
        made.append(Level(time[keep], running[keep] - base))
    return made
