"""The energy that a device took in a window, from samples of its power."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tui.analysis.metrics.average import FEW, LEAST_COVERAGE
from tui.analysis.metrics.quantity import Quantity

SHORTEST = 1_000_000_000
"""Of a shorter window (ns) no energy is given: on some GPUs power is an average over about a second."""


class Energy(NamedTuple):
    """What a device took in a window."""

    joules: float
    """Over the covered time."""
    covered_ns: int


def energy(power: Quantity, low: int, high: int) -> Energy | None:
    """The energy in ``[low, high)`` (ns), given power in W: each value holds until the next one is taken.

    None for a short window, for fewer than five samples, and where these cover less than half of it. A value
    holds no longer than the samples are apart as a rule, where the next one is missing.
    """
    period = power.axis.period
    if high - low < SHORTEST or not period or not len(power):
        return None
    begin, end = power.axis.begin, power.axis.end
    # A value is that of the time before its sample on the axis; here it is that of the time after it.
    until = np.append(np.where(begin[1:] == end[:-1], end[1:], end[:-1] + period), end[-1:] + period)
    length = np.minimum(until, high) - np.maximum(end, low)
    held = np.flatnonzero(length > 0)
    covered = int(length[held].sum())
    if len(held) < FEW or covered < LEAST_COVERAGE * (high - low):
        return None
    return Energy(float((power.values()[held] * length[held]).sum()) / 1e9, covered)
