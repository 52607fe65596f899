"""Is one sample larger than another: medians, shifts, and intervals that give the same digits everywhere.

Samples are steps of runs. Steps are autocorrelated, so they are drawn in blocks; runs differ more than
their steps do, so with enough runs on both sides whole runs are drawn first. The draws come from a counter
and a mixing function, not from NumPy's random streams, which change between releases.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tui.ranks import limits
from tui.report.columns import Int64

Values = NDArray[np.float64]
UInt64 = NDArray[np.uint64]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
RESAMPLES, SEED = int(limits.RESAMPLES.value), int(limits.SEED.value)
_CHUNK = 1 << 22
"""Drawn values that are held at a time."""


class Better(Enum):
    """Which direction of a figure is the good one."""

    LOWER = "lower"
    HIGHER = "higher"
    NEITHER = "both"
    """Neither: any change is worth a word."""


class Interval(NamedTuple):
    """The bounds of a confidence interval."""

    low: float
    high: float


class Shift(NamedTuple):
    """How far ``after`` lies from ``before``. In the figure's unit, or in percent of the median before."""

    before: float
    after: float
    delta: float
    delta_pct: float | None
    """None: the median before is zero."""
    interval: Interval | None
    """Of ``delta``; None: too few steps."""
    interval_pct: Interval | None
    """Of ``delta_pct``; None also where a median before is zero."""
    hodges_lehmann: float
    dominance: float


def median(values: Values) -> float:
    """Return the median of some values: the middle one, or the mean of the two in the middle."""
    return float(_row_medians(np.array(values, np.float64)[None, :])[0])


def mad(values: Values) -> float:
    """Return the median absolute deviation from the median, not scaled."""
    return median(np.abs(np.asarray(values, np.float64) - median(values)))


def hodges_lehmann(before: Values, after: Values) -> float:
    """Return the median of all differences between a value after and a value before.

    Of longer samples :data:`limits.SHIFT_STEPS` values are taken, evenly spread.
    """
    few_before, few_after = (thinned(values, int(limits.SHIFT_STEPS.value)) for values in (before, after))
    return median((few_after[:, None] - few_before[None, :]).ravel())


def dominance(before: Values, after: Values) -> float:
    """Return how much more often a value after is larger than one before than smaller: -1 to 1."""
    ordered = np.sort(before)
    larger = int(np.searchsorted(ordered, after, "left").sum())
    smaller = len(before) * len(after) - int(np.searchsorted(ordered, after, "right").sum())
    return (larger - smaller) / (len(before) * len(after))


def thinned(values: Values, most: int) -> Values:
    """Return at most ``most`` of the values, evenly spread over them."""
    if len(values) <= most:
        return np.asarray(values, np.float64)
    return np.asarray(values[np.arange(most) * len(values) // most], np.float64)


def mixed(counter: UInt64) -> UInt64:
    """Return splitmix64's output function of each counter."""
    z = (counter ^ (counter >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))


def drawn(seed: int, stream: int, shape: tuple[int, ...], below: int) -> Int64:
    """Return integers in [0, ``below``), below 2^32, in an array of ``shape``: element i is a function of i.

    ``stream`` tells draws of one seed apart.
    """
    with np.errstate(over="ignore"):
        start = mixed(np.array([np.uint64(seed % 2**64) + np.uint64(stream + 1) * _GOLDEN], np.uint64))
        count = int(np.prod(shape))
        bits = mixed(start + np.arange(1, count + 1, dtype=np.uint64) * _GOLDEN) >> np.uint64(32)
    return ((bits * np.uint64(below)) >> np.uint64(32)).astype(np.int64).reshape(shape)


def block_length(steps: int) -> int:
    """Return how many neighbouring steps are drawn together: the cube root of their number, rounded."""
    length = 1
    while (2 * length + 1) ** 3 <= 8 * steps:
        length += 1
    return length


def resampled_medians(
    runs: Sequence[Values], *, seed: int, stream: int, draw_runs: bool, resamples: int = RESAMPLES
) -> Values:
    """Return the medians of ``resamples`` samples drawn from the steps of ``runs``, none of them empty.

    Of each run as many steps as it has are drawn, in blocks that go round its end. ``draw_runs``: as many
    runs as there are are drawn first, each possibly several times.
    """
    kept = [thinned(run, max(1, int(limits.BOOTSTRAP_STEPS.value) // len(runs))) for run in runs]
    longest = max(map(len, kept))
    rows = max(1, _CHUNK // (longest * len(kept)))
    choice = np.broadcast_to(np.arange(len(kept)), (resamples, len(kept)))
    if draw_runs:
        choice = drawn(seed, stream << 32, (resamples, len(kept)), len(kept))
    starts = []
    for slot in range(len(kept)):
        blocks = max(-(-len(run) // block_length(len(run))) for run in kept)
        # Draw below 2^32 and scale to the run's length later: which run a row holds is drawn, too.
        starts.append(drawn(seed, (stream << 32) + slot + 1, (resamples, blocks), 2**32 - 1))
    found = [
        _row_medians(_resampled(kept, choice[low : low + rows], [s[low : low + rows] for s in starts]))
        for low in range(0, resamples, rows)
    ]
    return np.concatenate(found)


def _resampled(runs: Sequence[Values], choice: Int64, starts: Sequence[Int64]) -> Values:
    """Return one resample a row, filled up with NaN where runs are of different length."""
    longest = max(map(len, runs))
    table = np.full((len(choice), len(runs), longest), np.nan)
    for slot, places in enumerate(starts):
        for number, run in enumerate(runs):
            mine = np.flatnonzero(choice[:, slot] == number)
            if not len(mine):
                continue
            length = block_length(len(run))
            blocks = -(-len(run) // length)
            first = (places[mine, :blocks] * len(run)) >> 32
            steps = (first[:, :, None] + np.arange(length)).reshape(len(mine), -1)[:, : len(run)]
            table[mine, slot, : len(run)] = run[steps % len(run)]
    return table.reshape(len(choice), -1)


def _row_medians(table: Values) -> Values:
    """Return the median of each row of ``table``, NaN in it left out."""
    table.sort(axis=1)  # NaN goes last
    count = np.count_nonzero(~np.isnan(table), axis=1)
    row = np.arange(len(table))
    middle: Values = (table[row, (count - 1) // 2] + table[row, count // 2]) / 2
    return middle


def percentile_interval(values: Values, confidence: float = limits.CONFIDENCE.value) -> Interval:
    """Return the bounds that leave out equally many resamples on both sides, each one of the ``values``."""
    ordered = np.sort(values)
    outside = (1 - confidence) / 2
    low = max(0, int(np.ceil(outside * len(ordered) - 1e-9)) - 1)
    high = max(0, int(np.ceil((1 - outside) * len(ordered) - 1e-9)) - 1)
    return Interval(float(ordered[low]), float(ordered[high]))


def shift(
    before: Sequence[Values], after: Sequence[Values], *, seed: int = SEED, resamples: int = RESAMPLES
) -> Shift:
    """Return how far the runs ``after`` lie from the runs ``before``; each run: its values, step by step."""
    before, after = ([np.asarray(run, np.float64) for run in runs if len(run)] for runs in (before, after))
    all_before, all_after = np.concatenate(before), np.concatenate(after)
    old, new = median(all_before), median(all_after)
    interval = interval_pct = None
    if min(len(all_before), len(all_after)) >= limits.MIN_STEPS.value:
        draw_runs = min(len(before), len(after)) >= limits.RUNS_DRAWN.value
        drawn_before, drawn_after = (
            resampled_medians(runs, seed=seed, stream=stream, draw_runs=draw_runs, resamples=resamples)
            for stream, runs in enumerate((before, after))
        )
        interval = percentile_interval(drawn_after - drawn_before)
        if drawn_before.all() and old:
            interval_pct = percentile_interval(100 * (drawn_after - drawn_before) / np.abs(drawn_before))
    return Shift(
        before=old,
        after=new,
        delta=new - old,
        delta_pct=100 * (new - old) / abs(old) if old else None,
        interval=interval,
        interval_pct=interval_pct,
        hodges_lehmann=hodges_lehmann(all_before, all_after),
        dominance=dominance(all_before, all_after),
    )


def verdict(found: Shift, better: Better, min_effect_pct: float, whole: float | None = None) -> str:
    """Return ``slower``, ``faster`` (``more``, ``fewer`` of what is neither good nor bad), ``same`` or
    ``inconclusive``.

    ``whole``: what the figure is a part of; where the figure was zero before, percentages are of that.
    """
    up, down = {
        Better.LOWER: ("slower", "faster"),
        Better.HIGHER: ("faster", "slower"),
        Better.NEITHER: ("more", "fewer"),
    }[better]
    delta, interval = found.delta_pct, found.interval_pct
    if found.interval is None:
        return "inconclusive"
    if delta is None or interval is None:
        if not found.delta and not any(found.interval):
            return "same"
        scale = 100 / whole if whole else 100 / max(abs(found.before), abs(found.after))
        if not np.isfinite(scale):
            return "inconclusive"
        delta, interval = found.delta * scale, Interval(*(bound * scale for bound in found.interval))
    if interval.low > 0 and delta >= min_effect_pct:
        return up
    if interval.high < 0 and delta <= -min_effect_pct:
        return down
    if -min_effect_pct <= interval.low and interval.high <= min_effect_pct:
        return "same"
    return "inconclusive"
