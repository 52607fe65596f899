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


# Clocks (which reports share one, and how far others may be off).
SAME_BOOT = Limit(
    1e9, "ns", "two session starts of one boot differ by the same in UTC and in system time, but for NTP"
)
CLOCK_EXACT = Limit(1_000, "ns", "reading a clock twice costs about that much")
CLOCK_PRIOR = Limit(50e6, "ns", "hosts kept by NTP agree within one to tens of milliseconds")
CLOCK_FLOOR = Limit(10_000, "ns", "ends of one collective differ by that between hosts that agree exactly")
DOMAIN_SPLIT = Limit(
    1e6, "ns", "reports of one host through UTC agree within 0.1 ms; ten times that is another clock"
)

# Alignment by the ends of collectives.
ANCHORS = Limit(2_048, "count", "medians are steady long before, and 1,000 ranks take 16 MB")
ENOUGH_ANCHORS = Limit(3, "count", "a median of three survives one wrong match")
FEW_ANCHORS = Limit(2, "count", "two that agree can't be chance where their spread is small")
FEW_SPREAD = Limit(100_000, "ns", "the spread up to which two anchors are enough")
DRIFT_SPAN = Limit(60e9, "ns", "20 ppm over less is below what ends of collectives show")
DRIFT_ANCHORS = Limit(20, "count", "a slope from fewer is mostly noise")
DRIFT_SIGNIFICANT = Limit(3, "ratio", "a drift counts where its effect is beyond three spreads")
DRIFT_USABLE = Limit(200, "ppm", "crystals are within 100 ppm; more is no clock that can be used")
CLUSTERS_APART = Limit(
    1e6, "ns", "residuals in two heaps that are further apart, one before the other: the clock was set"
)

# Matching.
CUT = Limit(64, "count", "captures begin and end a few iterations apart")
CUT_RIVAL = Limit(0.05, "share", "a second cut that fits nearly as well makes both a guess")
OVERLAP = Limit(0.9, "share", "one rank's dropped rows may spoil some instances, not every tenth")
LANE_AGREES = Limit(0.5, "share", "a stream that differs in most steps serves another communicator")
APART = Limit(3, "ratio", "partners are told apart where their ends spread three times less than others'")
LINKED = Limit(2, "ratio", "ends of ranks of one communicator spread alike, within twice; parts join later")
NEAREST_CLOCK = Limit(1e6, "ns", "nearest in time means nothing on clocks that are off by more")
PARTIAL_RANK = Limit(0.95, "share", "late figures of a rank that matched less stand for part of it")

# Who is late.
MARGIN_LEAST = Limit(2_000, "ns", "two kernels' durations differ by that when nobody is late")
MARGIN_SPREADS = Limit(2, "ratio", "a margin counts where it is beyond two spreads of the ends")
MARGIN_UNKNOWN = Limit(50_000, "ns", "the floor where no spread can be measured: twice what hosts show")
PINNED_SHARE = Limit(0.25, "share", "a rank that is last one time in four costs enough to look at")
PINNED_SIGMAS = Limit(4, "ratio", "chance alone passes four deviations once in 30,000 times")
PINNED_STEP_SIGMAS = Limit(3, "ratio", "instances of one step aren't independent: steps must show it as well")
OFTEN_SIGMAS = Limit(3, "ratio", "three deviations are no verdict, and yet not to be called chance")
PINNED_CERTAIN = Limit(0.95, "share", "few steps: nearly always last is enough")
WIDER = Limit(1.5, "ratio", "a late rank makes its host and its position seem late too, and delays them")
VERDICT_LEAST = Limit(5, "count", "fewer instances say nothing about who is usually late")
WORTH_NAMING = Limit(0.01, "share", "under one percent of the time lateness is not worth a name")
MOSTLY_UNRESOLVED = Limit(0.5, "share", "more unresolved instances than resolved ones: no verdict")
CLASS_TRANSFER = Limit(0.25, "share", "waits below a quarter of the time: the collective itself takes it")
CLASS_ARRIVAL = Limit(0.75, "share", "waits above three quarters of the time: late arrival takes it")
PRECISE_ERRORS = Limit(3, "ratio", "standard errors of a clock's offset within which arrivals are equal")
DISAGREE_CLOCK = Limit(
    3, "ratio", "waits by duration and by clock differ by more than three uncertainties ..."
)
DISAGREE_TRANSFER = Limit(
    0.25, "ratio", "... and a quarter of the transfer: that rank transfers slower than others"
)

# How steps go on.
DRIFT_STEPS = Limit(5, "count", "the median of ten slopes is the least that one odd step can't turn")
DRIFT_DEVIATIONS = Limit(3, "ratio", "a growth below three times the scatter is not seen by eye either")
ALL_PAIRS = Limit(128, "count", "the slopes of more steps, for 1,000 ranks, take longer than a second")


# Why a rank is late.
WHY_STEP = Limit(0.002, "share", "less than two thousandths of a step is lost in the spread between steps")
WHY_LEAST = Limit(0.02, "share", "beside the largest excess one of a fiftieth is no reason any more")
WHY_PART = Limit(0.2, "share", "what explains less than a fifth of an excess is not what to change first")
WHY_RANKS = Limit(16, "count", "that many late ranks are looked into: each costs a pass over its steps")
WHY_PARTS = Limit(3, "count", "more than three names are read by nobody")
MORE_WORK = Limit(0.01, "share", "kernel counts that differ by more are other work, not slower kernels")

# Kinds of collectives.
MEDIAN_SAMPLE = Limit(65_536, "count", "medians of operations of one kind move no more with more of them")

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
BOOTSTRAP_STEPS = Limit(5_000, "count", "these many of more steps: an interval that is wide rather than late")
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
CHECK_POINTS = Limit(2, "ratio", "percentage points of a cost: of one of 3 %, a fiftieth is nothing")
MAD_TO_SIGMA = Limit(1.4826, "ratio", "makes the median absolute deviation of normal noise its deviation")
