"""Values that hold until they change, and weighted events, as lines of values ask for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.memory.levels import Level as Steps
from tui.intervals import Coverage
from tui.report.columns import Int64
from tui.timeline.series import Cells


@dataclass(frozen=True)
class Stepped:
    """A step function in some unit: the value times ``scale``."""

    steps: Steps
    scale: float = 1.0

    def over(self, edges: Int64) -> Cells:
        """What it was between consecutive ``edges``."""
        mean, low, high = (values.astype(np.float64) * self.scale for values in self.steps.over(edges))
        return Cells(mean, low, high)


@dataclass(frozen=True)
class Share:
    """How much of the time something was going on, in percent."""

    coverage: Coverage

    def over(self, edges: Int64) -> Cells:
        """The share of the time between consecutive ``edges``."""
        share = 100 * self.coverage.over(edges) / np.maximum(np.diff(edges), 1)
        return Cells(share, share, share)


class Weighted:
    """Things at instants, each of which counts as many."""

    def __init__(self, times: Int64, weights: Int64) -> None:
        """``times``: ascending."""
        self._times = times
        self._before = np.append(0, np.cumsum(weights))

    def over(self, edges: Int64) -> Int64:
        """How many there are from each edge up to, not including, the next."""
        found: Int64 = np.diff(self._before[np.searchsorted(self._times, edges, "left")])
        return found


def sum_of_latest(time: Int64, group: Int64, value: Int64) -> Steps:
    """The sum over groups of the latest value of each; ``time`` ascends."""
    order = np.argsort(group, kind="stable")
    same = np.append(False, group[order][1:] == group[order][:-1])[: len(order)]
    before = np.where(same, np.append(0, value[order][:-1])[: len(order)], 0)
    change = np.empty(len(order), np.int64)
    change[order] = value[order] - before
    return Steps(time, np.cumsum(change))


def rate_of(start: Int64, end: Int64, size: Int64) -> Steps:
    """The bytes a millisecond that intervals move together, each at its own constant rate.

    Intervals without a length have none.
    """
    moving = end > start
    start, end, size = start[moving], end[moving], size[moving]
    rate = (size.astype(np.float64) * 10**6 / (end - start)).astype(np.int64)
    time = np.concatenate((start, end))
    change = np.concatenate((rate, -rate))
    order = np.argsort(time, kind="stable")
    time, value = time[order], np.cumsum(change[order])
    last = np.append(time[1:] != time[:-1], True)[: len(time)]
    return Steps(time[last], value[last])
