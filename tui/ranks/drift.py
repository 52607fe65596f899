"""Clocks that run at different speeds: a robust slope of residuals over time, and clocks that were set."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tui.ranks import limits

Float = NDArray[np.float64]
_MOST = 256
"""Points that slopes are taken between: 32,640 pairs."""
_FEWEST = 8
"""Points of which two heaps say something."""


def theil_sen(time: Float, value: Float) -> float:
    """Return the median slope between all pairs of points (of at most some hundred, evenly)."""
    if len(time) > _MOST:
        some = np.linspace(0, len(time) - 1, _MOST).astype(int)
        time, value = time[some], value[some]
    one, other = np.triu_indices(len(time), 1)
    apart = time[other] - time[one]
    usable = apart != 0
    if not usable.any():
        return 0.0
    return float(np.median((value[other] - value[one])[usable] / apart[usable]))


def spread_of(values: Float) -> float:
    """1.4826 times the median absolute deviation."""
    return 1.4826 * float(np.median(np.abs(values - np.median(values)))) if len(values) else 0.0


def drift_of(time: Float, residual: Float) -> float | None:
    """Return how fast a clock runs away, in ns per ns; 0 where it can't be told from noise.

    None: so fast that the clock can't be used. ``time`` and ``residual`` in ns.
    """
    if len(time) < limits.DRIFT_ANCHORS.value or np.ptp(time) < limits.DRIFT_SPAN.value:
        return 0.0
    slope = theil_sen(time, residual)
    effect = abs(slope) * float(np.ptp(time))
    if effect <= limits.DRIFT_SIGNIFICANT.value * spread_of(residual - slope * time):
        return 0.0
    return slope if abs(slope) <= limits.DRIFT_USABLE.value * 1e-6 else None


def was_set(time: Float, residual: Float) -> bool:
    """Whether residuals (ns) lie in two heaps far apart, one after the other: the clock was set."""
    if len(residual) < _FEWEST:
        return False
    ordered = np.sort(residual)
    least = max(2, len(ordered) // 10)
    gaps = np.diff(ordered)[least - 1 : len(ordered) - least]
    if not len(gaps):
        return False
    at = least + int(np.argmax(gaps))
    gap = float(ordered[at] - ordered[at - 1])
    within = max(float(np.ptp(ordered[:at])), float(np.ptp(ordered[at:])))
    if gap <= limits.CLUSTERS_APART.value or gap <= within:
        return False
    above = residual[np.argsort(time, kind="stable")] >= ordered[at]
    return int(np.count_nonzero(np.diff(above))) <= max(1, len(residual) // _FEWEST)
