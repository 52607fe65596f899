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

# Comparison, baseline and check.
MIN_STEPS = Limit(5, "count", "the median of four values moves with each of them: no interval, no verdict")
RESAMPLES = Limit(
    2_000, "count", "the bounds are then the 50th smallest and largest, and hardly move with the seed"
)
CONFIDENCE = Limit(0.95, "share", "the field's habit")
SEED = Limit(20_240_229, "count", "any number does; one that never changes gives everybody the same digits")
RUNS_DRAWN = Limit(
    3, "count", "of three runs a side the spread is seen: whole runs are drawn before their steps"
)
BOOTSTRAP_STEPS = Limit(
    10_000, "count", "these many of more steps: an interval that is wide rather than late"
)
SHIFT_STEPS = Limit(2_000, "count", "four million differences are taken within a tenth of a second")
MIN_EFFECT_ONE_RUN = Limit(
    0.02, "share", "two runs of one program differ by a percent or two; one can't show it"
)
MIN_EFFECT_RUNS = Limit(
    0.01, "share", "the spread between runs is in the interval; below a percent nobody acts"
)
SAME_CALLS = Limit(0.01, "share", "calls per step that differ by less are the same work")
SAME_MEAN = Limit(
    0.02, "share", "kernels whose mean differs by less are the same: clocks alone move it that much"
)
SHORT_RANK = Limit(
    0.5, "share", "a rank with fewer of the usual steps was cut short: the others count without it"
)
KEPT_RUNS = Limit(30, "count", "a month of nights: enough for the noise, short enough to follow a program")
CHECK_SHARE = Limit(0.02, "share", "as for a comparison of two runs: less is variation between runs")
CHECK_DEVIATIONS = Limit(3, "ratio", "three standard deviations: by chance one night in hundreds")
CHECK_CREEP = Limit(0.05, "share", "what several nights of 2 % add up to before somebody looks")
CHECK_PART = Limit(0.01, "share", "of the step: a part of it that takes a microsecond may double")
MAD_TO_SIGMA = Limit(1.4826, "ratio", "makes the median absolute deviation of normal noise its deviation")
