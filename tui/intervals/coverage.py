"""How much of any stretch of time a set of intervals covers, without touching every interval."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from tui.intervals.spans import Int64, Pieces, Spans, as_times, gaps, union


class Coverage:
    """A merged interval list with prefix sums: any covered length costs two binary searches.

    ``start`` and ``end`` are the merged intervals; the constructor accepts any intervals. ``before`` is
    the covered length before each merged interval, and in all: one entry more than there are intervals.
    """

    __slots__ = ("before", "end", "start")

    def __init__(self, start: ArrayLike, end: ArrayLike) -> None:
        self._set(*union(start, end))

    @classmethod
    def of(cls, start: Int64, end: Int64, before: Int64 | None = None) -> Coverage:
        """The coverage of merged intervals; ``before`` spares computing the attribute of that name."""
        made = cls.__new__(cls)
        made._set(start, end, before)
        return made

    def _set(self, start: Int64, end: Int64, before: Int64 | None = None) -> None:
        self.start, self.end = start, end
        if before is None:
            before = np.zeros(len(start) + 1, np.int64)
            np.subtract(end, start, out=before[1:])
            np.cumsum(before, out=before)
        self.before = before

    def __len__(self) -> int:
        return len(self.start)

    @property
    def spans(self) -> Spans:
        """The merged intervals."""
        return Spans(self.start, self.end)

    @property
    def total(self) -> int:
        """Covered length in all."""
        return int(self.before[-1])

    def until(self, times: ArrayLike) -> Int64:
        """Covered length before each of ``times``: int64, same shape."""
        t = as_times(times)
        if len(self.start) == 0:
            return np.zeros(t.shape, np.int64)
        begun = np.searchsorted(self.start, t, "right")
        last = np.maximum(begun - 1, 0)
        inside = np.minimum(t, self.end[last]) - self.start[last]
        covered: Int64 = np.where(begun > 0, self.before[last] + inside, 0)
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
        first, last = self._meeting(low, high)
        start = np.maximum(self.start[first:last], low)
        return Pieces(start, np.minimum(self.end[first:last], high), np.arange(first, last))

    def extent(self, low: int, high: int) -> tuple[int, int] | None:
        """(start, end) of the covered time inside ``[low, high)``; None where nothing is covered."""
        first, last = self._meeting(low, high)
        if first == last or low >= high:
            return None
        return max(int(self.start[first]), low), min(int(self.end[last - 1]), high)

    def _meeting(self, low: int, high: int) -> tuple[int, int]:
        """(first, one past the last) of the merged intervals that reach into ``[low, high)``."""
        first = int(np.searchsorted(self.end, low, "right"))
        return first, max(first, int(np.searchsorted(self.start, high, "left")))

    def gaps(self, low: int, high: int) -> Spans:
        """The holes inside ``[low, high)``, the parts before the first and after the last included."""
        return gaps(self.start, self.end, low, high)
