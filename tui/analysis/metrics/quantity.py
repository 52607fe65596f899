"""A sampled quantity over time: exact sums of any stretch, at a cost that does not grow with the samples.

Each value holds for an interval; intervals are disjoint, and nothing is known between them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tui.analysis.metrics.average import FEW, Average
from tui.intervals import Spans, expand
from tui.report.columns import Int64
from tui.report.metrics.columns import BLOCK, PEAKS, Axis, Kept

Float64 = NDArray[np.float64]
_DIRECT = 1 << 19
"""So many samples are looked at one by one; of more only the least and greatest of each block."""


class Held(NamedTuple):
    """What a quantity was between consecutive edges, one value a cell; NaN: not known."""

    mean: Float64
    low: Float64
    high: Float64


class Quantity:
    """The values of one metric, in its unit."""

    def __init__(self, kept: Kept, scale: float = 1.0) -> None:
        self.axis: Axis = kept.axis
        self.scale = scale
        self._values = kept.values
        self._before = kept.before
        self._low, self._high = kept.low, kept.high

    def __len__(self) -> int:
        return len(self._values)

    def values(self, first: int = 0, last: int | None = None) -> Float64:
        """The values of some samples, by time."""
        return self._values[first:last].astype(np.float64) * self.scale

    @property
    def extremes(self) -> tuple[float, float]:
        """The least and the greatest value of all; NaN where there are none."""
        if not len(self):
            return np.nan, np.nan
        ends = float(self._low.min()) * self.scale, float(self._high.max()) * self.scale
        return min(ends), max(ends)

    # --- sums ---

    def covered(self, low: ArrayLike, high: ArrayLike) -> Int64:
        """How much of each ``[low, high)`` (ns) is known."""
        return self._known_until(np.asarray(high, np.int64)) - self._known_until(np.asarray(low, np.int64))

    def integral(self, low: ArrayLike, high: ArrayLike) -> Float64:
        """The sum of value times duration (ns) over the known parts of each ``[low, high)``."""
        found = self._sum_until(np.asarray(high, np.int64)) - self._sum_until(np.asarray(low, np.int64))
        return found * self.scale

    def mean(self, low: ArrayLike, high: ArrayLike) -> Float64:
        """The mean over the known parts of each ``[low, high)``, by time; NaN where nothing is known."""
        return _ratio(self.integral(low, high), self.covered(low, high))

    def average(self, spans: Spans) -> Average:
        """The mean over disjoint stretches of time, ascending, and how far it can be trusted."""
        length = int((spans.end - spans.start).sum())
        if not len(self) or not len(spans.start):
            return Average(None, 0, 0, length)
        covered = int(self.covered(spans.start, spans.end).sum())
        mean = float(self.integral(spans.start, spans.end).sum()) / covered if covered else None
        first, last = self.samples_in(spans.start, spans.end)
        repeated = np.maximum(last[:-1] - first[1:], 0).sum()  # that reach from one stretch into the next
        return Average(mean, int((last - first).sum() - repeated), covered, length)

    def samples_in(self, low: ArrayLike, high: ArrayLike) -> tuple[Int64, Int64]:
        """(first, one past the last) of the samples whose intervals reach into each ``[low, high)``."""
        first = np.searchsorted(self.axis.end, low, "right")
        return first, np.maximum(np.searchsorted(self.axis.begin, high, "left"), first)

    def quantiles(self, low: int, high: int, shares: tuple[float, ...]) -> list[float | None]:
        """The least values that at least these shares of the samples in ``[low, high)`` do not exceed.

        None for fewer than :data:`FEW` samples.
        """
        first, last = (int(edge) for edge in self.samples_in(low, high))
        count = last - first
        if count < FEW:
            return [None] * len(shares)
        ranks = [min(max(int(np.ceil(share * count)) - 1, 0), count - 1) for share in shares]
        parted = np.partition(self._values[first:last], sorted(set(ranks)))
        return [float(parted[rank]) * self.scale for rank in ranks]

    # --- cells ---

    def over(self, edges: ArrayLike) -> Held:
        """Mean, least and greatest value between consecutive ``edges`` (ns, ascending)."""
        edges = np.asarray(edges, np.int64)
        known = np.diff(self._known_until(edges))
        mean = _ratio(np.diff(self._sum_until(edges)) * self.scale, known)
        first, last = self.samples_in(edges[:-1], edges[1:])
        low, high = (np.full(len(first), np.nan) for _ in range(2))
        some = np.flatnonzero((last > first) & (known > 0))
        if len(some):
            low[some], high[some] = self._ends(first[some], last[some])
        return Held(mean, low, high)

    def _ends(self, first: Int64, last: Int64) -> tuple[Float64, Float64]:
        """The least and greatest value of each run of samples; none is empty."""
        if int(last[-1] - first[0]) <= _DIRECT:
            part = self._values[first[0] : last[-1]]
            found = [_reduced(least, part, first - first[0], last - first[0]) for least in _BOTH]
        else:
            inner, outer = -(-first // PEAKS), last // PEAKS  # whole blocks between
            has = outer > inner
            # What lies before the first whole block and behind the last one: few samples of each run.
            edges = np.concatenate([first, np.where(has, outer * PEAKS, last)])
            ends = np.concatenate([np.where(has, inner * PEAKS, last), last])
            parts = _scattered(self._values, edges, ends)
            found = []
            for least, peaks, part in zip(_BOTH, (self._low, self._high), parts, strict=True):
                fold = np.fmin if least is np.minimum else np.fmax
                ends_of = fold(part[: len(first)], part[len(first) :])
                ends_of[has] = fold(ends_of[has], _reduced(least, peaks, inner[has], outer[has]))
                found.append(ends_of)
        low, high = (values * self.scale for values in found)
        return low, high

    # --- sums until a time ---

    def _known_until(self, times: Int64) -> Int64:
        begin, end, covered = self.axis.begin, self.axis.end, self.axis.covered
        if not len(end):
            return np.zeros(times.shape, np.int64)
        at = np.searchsorted(end, times, "left")
        inside = np.minimum(at, len(end) - 1)
        part = np.where(at < len(end), np.maximum(times - begin[inside], 0), 0)
        return covered[at] + part

    def _sum_until(self, times: Int64) -> Float64:
        begin, end = self.axis.begin, self.axis.end
        if not len(end):
            return np.zeros(times.shape)
        at = np.searchsorted(end, times, "left")
        inside = np.minimum(at, len(end) - 1)
        part = np.where(at < len(end), np.maximum(times - begin[inside], 0), 0) * self._values[inside]
        # The samples since the last sum that is kept: fewer than a block.
        block = at // BLOCK
        rows = block[..., None] * BLOCK + np.arange(BLOCK)
        low = np.minimum(rows, len(end) - 1)
        durations = np.where(rows < at[..., None], end[low] - begin[low], 0)
        since = (durations * self._values[low].astype(np.float64)).sum(axis=-1)
        found: Float64 = self._before[block] + since + part
        return found


_BOTH = (np.minimum, np.maximum)


def _ratio(total: Float64, weight: Int64) -> Float64:
    found = np.full(total.shape, np.nan)
    np.divide(total, weight, out=found, where=weight > 0)
    return found


def _reduced(least: np.ufunc, values: NDArray[np.generic], first: Int64, last: Int64) -> Float64:
    """``least`` over ``values[first:last]`` of each run; none is empty, and both ends ascend."""
    if not len(first):
        return np.empty(0)
    edges = np.empty(2 * len(first), np.int64)
    edges[::2], edges[1::2] = first, np.minimum(last, len(values) - 1)
    found = least.reduceat(values, edges)[::2].astype(np.float64)
    # A run cannot end behind the last value, which such a run then lacks.
    cut = last == len(values)
    found[cut] = least(found[cut], float(values[-1]))
    return found


def _scattered(values: NDArray[np.generic], first: Int64, last: Int64) -> tuple[Float64, Float64]:
    """The least and greatest of ``values[first:last]`` of each run, NaN for empty ones; runs are short."""
    low, high = (np.full(len(first), np.nan) for _ in range(2))
    some = np.flatnonzero(last > first)
    if len(some):
        _, rows = expand(first[some], last[some])
        size = last[some] - first[some]
        starts, taken = np.cumsum(size) - size, values[rows]
        low[some], high[some] = (least.reduceat(taken, starts) for least in _BOTH)
    return low, high
