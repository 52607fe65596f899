"""Medians, shifts, intervals and verdicts of two samples, by hand and against plain loops."""

from __future__ import annotations

from itertools import product
from statistics import median as plain_median

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui.ranks.bootstrap import (
    Better,
    Interval,
    Shift,
    block_length,
    dominance,
    drawn,
    hodges_lehmann,
    mad,
    median,
    mixed,
    percentile_interval,
    resampled_medians,
    shift,
    verdict,
)

BEFORE = np.array([100.0, 101, 99, 100, 102])
AFTER = np.array([103.0, 104, 102, 103, 110])
GOLDEN = 0x9E3779B97F4A7C15


def test_the_worked_example() -> None:
    found = shift([BEFORE], [AFTER])
    assert (found.before, found.after, found.delta, found.delta_pct) == (100, 103, 3, 3.0)
    assert (mad(BEFORE), mad(AFTER)) == (1, 1)
    differences = sorted(a - b for a, b in product(AFTER, BEFORE))
    assert found.hodges_lehmann == differences[12] == 3
    assert found.dominance == 0.96
    assert verdict(found, Better.LOWER, 2.0) == "slower"


def test_counters_are_mixed_as_splitmix64_does() -> None:
    state = np.array([GOLDEN, 2 * GOLDEN % 2**64, 3 * GOLDEN % 2**64], np.uint64)
    # The first three outputs of the published generator for the seed 0.
    assert [hex(v) for v in mixed(state).tolist()] == [
        "0xe220a8397b1dcdaf",
        "0x6e789e6aa1b965f4",
        "0x6c45d188009454f",
    ]


def plainly_mixed(z: int) -> int:
    mask = 2**64 - 1
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
    return z ^ (z >> 31)


@given(st.integers(0, 2**70), st.integers(0, 2**40), st.integers(1, 2**32 - 1))
def test_draws_are_a_function_of_seed_stream_and_place(seed: int, stream: int, below: int) -> None:
    start = plainly_mixed((seed % 2**64 + (stream + 1) * GOLDEN) % 2**64)
    expected = [((plainly_mixed((start + (i + 1) * GOLDEN) % 2**64) >> 32) * below) >> 32 for i in range(6)]
    assert drawn(seed, stream, (2, 3), below).ravel().tolist() == expected


def test_draws_stay_the_same() -> None:
    assert drawn(1, 0, (5,), 100).tolist() == [36, 94, 4, 77, 21]
    assert drawn(1, 1, (5,), 100).tolist() == [46, 3, 4, 56, 39]


def test_the_digits_of_an_interval_stay_the_same() -> None:
    found = shift([BEFORE], [AFTER])
    assert found.interval == (1.0, 10.0)
    assert found.interval_pct == (pytest.approx(0.9900990099009901, abs=0), 10.0)
    steps = np.arange(40.0) % 7 + 100
    several = shift([steps, steps + 1, steps + 2], [steps + 9, steps + 11, steps + 13])
    assert several.interval == (8, 12)


@pytest.mark.parametrize(
    ("steps", "length"), [(1, 1), (3, 1), (4, 2), (15, 2), (16, 3), (42, 3), (43, 4), (1000, 10)]
)
def test_blocks_are_the_cube_root_long(steps: int, length: int) -> None:
    assert block_length(steps) == length == max(1, round(steps ** (1 / 3)))


def plain_resamples(
    runs: list[list[float]], seed: int, stream: int, draw_runs: bool, count: int
) -> list[float]:
    """What `resampled_medians` says, one value at a time."""
    found = []
    choice = drawn(seed, stream << 32, (count, len(runs)), len(runs))
    blocks = max(-(-len(run) // block_length(len(run))) for run in runs)
    starts = [drawn(seed, (stream << 32) + slot + 1, (count, blocks), 2**32 - 1) for slot in range(len(runs))]
    for row in range(count):
        values: list[float] = []
        for slot in range(len(runs)):
            run = runs[int(choice[row, slot])] if draw_runs else runs[slot]
            length, mine = block_length(len(run)), []
            for place in starts[slot][row].tolist():
                first = (place * len(run)) >> 32
                mine += [run[(first + i) % len(run)] for i in range(length)]
            values += mine[: len(run)]
        found.append(plain_median(values))
    return found


RUNS = st.lists(st.lists(st.integers(0, 50).map(float), min_size=1, max_size=30), min_size=1, max_size=4)


@settings(deadline=None)
@given(RUNS, st.integers(0, 9), st.booleans())
def test_resamples_against_a_loop(runs: list[list[float]], seed: int, draw_runs: bool) -> None:
    found = resampled_medians(
        list(map(np.array, runs)), seed=seed, stream=1, draw_runs=draw_runs, resamples=7
    )
    assert found.tolist() == plain_resamples(runs, seed, 1, draw_runs, 7)


VALUES = st.lists(st.integers(-20, 20).map(float), min_size=1, max_size=12)


@given(VALUES, VALUES)
def test_shifts_against_a_loop(before: list[float], after: list[float]) -> None:
    pairs = list(product(after, before))
    assert median(np.array(before)) == plain_median(before)
    assert hodges_lehmann(np.array(before), np.array(after)) == plain_median(a - b for a, b in pairs)
    more, less = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
    assert dominance(np.array(before), np.array(after)) == (more - less) / len(pairs)


def test_an_interval_leaves_out_fifty_of_two_thousand_on_each_side() -> None:
    assert percentile_interval(np.arange(2000.0)[::-1]) == (49, 1949)


def test_four_steps_have_no_interval() -> None:
    found = shift([BEFORE[:4]], [AFTER])
    assert found.interval is None and found.interval_pct is None
    assert (found.before, found.after) == (100, 103)
    assert verdict(found, Better.LOWER, 2.0) == "inconclusive"


def judged(delta: float, low: float, high: float, better: Better = Better.LOWER, least: float = 2.0) -> str:
    interval = Interval(low, high)
    return verdict(Shift(100, 100 + delta, delta, delta, interval, interval, delta, 0), better, least)


@pytest.mark.parametrize(
    ("delta", "low", "high", "expected"),
    [
        (3, 0.1, 5, "slower"),
        (2, 0.1, 5, "slower"),  # equality is enough of an effect
        (1.99, 0.1, 5, "inconclusive"),
        (3, 0, 5, "inconclusive"),  # the interval touches zero
        (-3, -5, -0.1, "faster"),
        (-2, -5, -0.1, "faster"),
        (-3, -5, 0, "inconclusive"),
        (1, -2, 2, "same"),
        (1, 0.5, 1.5, "same"),  # surely more, but too little
        (1, -2.01, 2, "inconclusive"),
    ],
)
def test_verdicts(delta: float, low: float, high: float, expected: str) -> None:
    assert judged(delta, low, high) == expected
    mirror = {"slower": "faster", "faster": "slower"}
    assert judged(delta, low, high, Better.HIGHER) == mirror.get(expected, expected)
    words = {"slower": "more", "faster": "fewer"}
    assert judged(delta, low, high, Better.NEITHER) == words.get(expected, expected)


def test_from_zero_the_whole_decides() -> None:
    zero, some = np.zeros(8), np.full(8, 30.0)
    assert verdict(shift([zero], [zero]), Better.LOWER, 2.0) == "same"
    grown = shift([zero], [some])
    assert grown.delta_pct is None and grown.interval == (30, 30)
    assert verdict(grown, Better.LOWER, 2.0, whole=1000) == "slower"  # 3 % of the step
    assert verdict(grown, Better.LOWER, 2.0, whole=10_000) == "same"  # 0.3 % of it
    assert verdict(grown, Better.LOWER, 2.0) == "slower"


def test_runs_are_drawn_only_where_three_are_on_both_sides() -> None:
    run, other = np.full(10, 100.0), np.full(10, 110.0)
    after = [np.full(10, 105.0)] * 3
    wide = shift([run, run, other], after).interval
    assert wide == (-5, 5)  # a side may be drawn of the odd run alone
    assert shift([run, other], after).interval == (0, 0)
