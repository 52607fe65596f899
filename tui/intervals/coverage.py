"""How much of any stretch of time a set of intervals covers, without touching every interval."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tui.intervals.spans import Int64, Pieces, Spans, as_times, gaps, union


class Coverage:
    """A merged interval list with prefix sums: any covered length costs two binary searches.

    ``start`` and ``end`` are the merged intervals; the constructor takes any intervals.
    """

    __slots__ = ("_before", "end", "start")

    def __init__(self, start: ArrayLike, end: ArrayLike) -> None:
        self._take(union(start, end))

    @classmethod
    def of(cls, merged: Spans) -> Coverage:
        """The coverage of intervals that are merged already."""
        made = cls.__new__(cls)
        made._take(merged)
        return made

    @classmethod
    def with_sums(cls, start: Int64, end: Int64, before: Int64) -> Coverage:
        """A coverage as it was taken apart: its merged intervals and :attr:`before`."""
        made = cls.__new__(cls)
        made.start, made.end, made._before = start, end, before
        return made

    def _take(self, merged: Spans) -> None:
        self.start, self.end = merged
        self._before = np.zeros(len(self.start) + 1, np.int64)
        np.subtract(self.end, self.start, out=self._before[1:])
        np.cumsum(self._before, out=self._before)

    def __len__(self) -> int:
        return len(self.start)

    @property
    def before(self) -> Int64:
        """Covered length before each merged interval; one entry more than there are intervals."""
        return self._before

    @property
    def spans(self) -> Spans:
        """The merged intervals."""
        return Spans(self.start, self.end)

    @property
    def total(self) -> int:
        """Covered length in all."""
        return int(self._before[-1])

    def until(self, times: ArrayLike) -> Int64:
        """Covered length before each of ``times``: int64, same shape."""
        t = as_times(times)
        if len(self.start) == 0:
            return np.zeros(t.shape, np.int64)
        begun = np.searchsorted(self.start, t, "right")
        last = np.maximum(begun - 1, 0)
        inside = np.minimum(t, self.end[last]) - self.start[last]
        covered: Int64 = np.where(begun > 0, self._before[last] + inside, 0)
        return covered

    def over(self, edges: ArrayLike) -> Int64:
        """Covered length of each cell between consecutive ``edges`` (sorted): one fewer than edges."""
        return np.diff(self.until(edges))

    def between(self, low: ArrayLike, high: ArrayLike) -> Int64:
        """Covered length of each ``[low, high)``."""
        return self.until(high) - self.until(low)

    def length(self, low: int, high: int) -> int:
        """Covered length of one ``[low, high)``."""
        return int(self.between(low, high)) if high > low else 0

    def cut(self, low: int, high: int) -> Pieces:
        """The merged intervals inside ``[low, high)``, clipped, with their positions."""
        first = int(np.searchsorted(self.end, low, "right"))
        last = int(np.searchsorted(self.start, high, "left"))
        last = max(first, last)
        start = np.maximum(self.start[first:last], low)
        end = np.minimum(self.end[first:last], high)
        return Pieces(start, end, np.arange(first, last))

    def extent(self, low: int, high: int) -> tuple[int, int] | None:
        """(first, last) covered instant inside ``[low, high)``; None where nothing is covered."""
        first = int(np.searchsorted(self.end, low, "right"))
        last = int(np.searchsorted(self.start, high, "left"))
        if first >= last or low >= high:
            return None
        return max(int(self.start[first]), low), min(int(self.end[last - 1]), high)

    def gaps(self, low: int, high: int) -> Spans:
        """The holes inside ``[low, high)``, the parts before the first and after the last included."""
        inside = self.cut(low, high)
        return gaps(inside.start, inside.end, low, high)
