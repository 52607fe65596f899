"""Every threshold by which sets of reports are judged, with the reason for its value: `--limits` prints them.

Nothing here needs NumPy, and nothing reads a threshold from elsewhere.
"""

from __future__ import annotations

from typing import NamedTuple


class Limit(NamedTuple):
    """One threshold."""

    value: float
    unit: str
    """`ns`, `share`, `count`, `ppm` or `ratio`."""
    why: str


# How steps go on.
DRIFT_STEPS = Limit(5, "count", "the median of ten slopes is the least that one odd step can't turn")
DRIFT_DEVIATIONS = Limit(3, "ratio", "a growth below three times the scatter is not seen by eye either")
ALL_PAIRS = Limit(128, "count", "the slopes of more steps, for 1,000 ranks, take longer than a second")

# Why a rank is late.
WHY_STEP = Limit(0.002, "share", "less than two thousandths of a step is lost in the spread between steps")
WHY_LEAST = Limit(0.02, "share", "beside the largest excess one of a fiftieth is no reason any more")
WHY_PART = Limit(0.2, "share", "what explains less than a fifth of an excess is not what to change first")
WHY_PARTS = Limit(3, "count", "more than three names are read by nobody")
MORE_WORK = Limit(0.01, "share", "kernel counts that differ by more are other work, not slower kernels")

# Efficiency.
GOOD_EFFICIENCY = Limit(0.8, "share", "the field's usual mark of a good efficiency; a hint, never a check")
