"""A quantity that is known over disjoint stretches of time, and unknown between them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tui.report.columns import Array, Bool, Int64

Float64 = NDArray[np.float64]


class Part(NamedTuple):
    """A part of stretches."""

    mean: float | None
    """By time; None: nothing is known."""
    known_ns: int
    samples: int
    """How many stretches it has some of."""


@dataclass(frozen=True, eq=False)
class Stretches:
    """Values over time: ``value[i]`` holds throughout ``[start[i], end[i])``. By start, disjoint."""

    start: Int64
    end: Int64
    value: Array
    """int64 or float64."""

    def __len__(self) -> int:
        return len(self.start)

    def between(self, low: int, high: int) -> Stretches:
        """The parts of them in ``[low, high)``."""
        first, last = np.searchsorted(self.end, low, "right"), np.searchsorted(self.start, high, "left")
        part = slice(int(first), max(int(first), int(last)))
        start, end = np.clip(self.start[part], low, high), np.clip(self.end[part], low, high)
        return Stretches(start, end, self.value[part])

    @property
    def known_ns(self) -> int:
        """The time over which it is known."""
        return int((self.end - self.start).sum())

    @cached_property
    def area(self) -> int:
        """The sum of values by time (value · ns): exact of whole numbers, of others to the nearest."""
        length = self.end - self.start
        if not len(length):
            return 0
        if self.value.dtype == np.float64:
            return round(float((self.value * length).sum()))
        greatest = max(abs(int(self.value.max())), abs(int(self.value.min())))
        if greatest * int(length.sum()) < 1 << 62:
            return int((self.value * length).sum())
        return sum(map(int.__mul__, self.value.tolist(), length.tolist()))

    @property
    def mean(self) -> float | None:
        """The mean by time; None where nothing is known."""
        return self.area / self.known_ns if self.known_ns else None

    def quantile(self, share: float) -> int | None:
        """The least value that is not exceeded for this share of the known time; None where none is known."""
        length = self.end - self.start
        if not length.any():
            return None
        order = np.argsort(self.value, kind="stable")
        reached = np.cumsum(length[order])
        return int(self.value[order][np.searchsorted(reached, share * int(reached[-1]), "left")])

    def above(self, limit: float) -> int:
        """The time (ns) in which it is greater."""
        return int((self.end - self.start)[self.value > limit].sum())

    @property
    def greatest(self) -> int | None:
        """The greatest value; None without any."""
        return int(self.value.max()) if len(self) else None

    def within(self, start: Int64, end: Int64) -> Part:
        """The part of them in disjoint intervals, by start."""
        if not len(self) or not len(start):
            return Part(None, 0, 0)
        known, area = self._sums
        ends = np.concatenate([start, end])
        at = np.clip(np.searchsorted(self.start, ends, "right") - 1, 0, None)
        inside = np.clip(ends - self.start[at], 0, self.end[at] - self.start[at])
        known_at, area_at = known[at] + inside, area[at] + inside * self.value[at].astype(np.float64)
        half = len(start)
        covered = int((known_at[half:] - known_at[:half]).sum())
        first = np.searchsorted(self.end, start, "right")
        last = np.maximum(np.searchsorted(self.start, end, "left"), first)
        touched = np.zeros(len(self) + 1, np.int64)
        np.add.at(touched, first, 1)
        np.add.at(touched, last, -1)
        mean = float((area_at[half:] - area_at[:half]).sum()) / covered if covered else None
        return Part(mean, covered, int((np.cumsum(touched)[:-1] > 0).sum()))

    @cached_property
    def _sums(self) -> tuple[Int64, Float64]:
        length = self.end - self.start
        known = np.concatenate([[0], np.cumsum(length)])
        return known, np.concatenate([[0.0], np.cumsum(self.value.astype(np.float64) * length)])

    def over(self, edges: Int64) -> tuple[Float64, Float64, Float64]:
        """Mean by time, least and greatest value between consecutive edges; NaN where nothing is known."""
        nothing = np.full(max(len(edges) - 1, 0), np.nan)
        if not len(self) or len(edges) < 2:
            return nothing, nothing.copy(), nothing.copy()
        known, area = self._sums
        at = np.clip(np.searchsorted(self.start, edges, "right") - 1, 0, None)
        inside = np.clip(edges - self.start[at], 0, self.end[at] - self.start[at])
        known_at, area_at = known[at] + inside, area[at] + inside * self.value[at].astype(np.float64)
        covered = np.diff(known_at)
        mean = np.divide(np.diff(area_at), covered, out=nothing, where=covered > 0)
        first = np.searchsorted(self.end, edges[:-1], "right")
        last = np.maximum(np.searchsorted(self.start, edges[1:], "left"), first)
        low, high = (_reduced(by, self.value, first, last) for by in (np.minimum, np.maximum))
        unknown = covered <= 0
        low[unknown], high[unknown] = np.nan, np.nan
        return np.clip(mean, low, high), low, high


def _reduced(by: np.ufunc, values: Array, first: Int64, last: Int64) -> Float64:
    """``by`` over ``values[first:last]`` of each pair; NaN where that is empty."""
    found = np.full(len(first), np.nan)
    some = np.flatnonzero(last > first)
    if len(some):
        bounds = np.stack([first[some], last[some]], axis=1).reshape(-1)
        found[some] = by.reduceat(np.append(values, values[-1]), bounds)[::2]
    return found


def disjoint(start: Int64, end: Int64, value: Int64) -> tuple[Stretches, int]:
    """Stretches of rows by start, and how many rows begin before an earlier one ends.

    Of overlapping ones the earlier counts.
    """
    if not len(start):
        return Stretches(start, end, value), 0
    reached = np.maximum.accumulate(np.concatenate([[np.iinfo(np.int64).min], end[:-1]]))
    late: Bool = start < reached
    begin = np.maximum(start, reached)
    kept = end > begin
    return Stretches(begin[kept], end[kept], value[kept]), int(late.sum())
