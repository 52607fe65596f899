"""The parts of matching, against brute force and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui.ranks.chains import ChainRows
from tui.ranks.cuts import Cut, choose_cut, possible_cuts
from tui.ranks.drift import drift_of, theil_sen, was_set
from tui.ranks.placement import Placement
from tui.ranks.segments import Agreement, cut_at_steps


def ints(*values: int) -> np.ndarray:  # type: ignore[type-arg]
    return np.array(values, np.int32)


# -- Placement --------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.lists(st.integers(-1, 4), max_size=30))
def test_placement_gives_back_what_it_was_made_of(steps: list[int]) -> None:
    """Steps: -1 an unmatched row, else how far its instance is after the last one's."""
    instances, at = [], 0
    for step in steps:
        at += max(step, 0)
        instances.append(-1 if step < 0 else at)
    placement = Placement.of(np.array(instances, np.int64))
    assert placement.by_row(len(instances)).tolist() == instances
    assert placement.matched == sum(i >= 0 for i in instances)
    asked = np.arange(at + 2, dtype=np.int64)
    rows, there = placement.rows_of(asked)
    for instance, row, known in zip(asked.tolist(), rows.tolist(), there.tolist(), strict=True):
        assert known == (instance in instances)
        assert not known or instances[row] == instance


# -- Cuts -------------------------------------------------------------------------------------------


def test_a_capture_that_began_later() -> None:
    model = ints(5, 1, 2, 3, 1, 2, 4, 6)
    assert possible_cuts(model, model[2:]) == [Cut(2, 0, 6)]
    assert possible_cuts(model, model[:-3]) == [Cut(0, 0, 5)]
    # Both have something at an end that the other lacks.
    assert possible_cuts(model, ints(9, 2, 3, 1, 2, 4, 6)) == [Cut(1, 1, 7)]


def test_a_repeating_sequence_has_rivals() -> None:
    model = np.tile(ints(1, 2, 3), 40)
    cuts = possible_cuts(model, model[3:])
    assert {cut.shift: cut.equal for cut in cuts} == {0: 117, 3: 117, 6: 114, -3: 114}
    assert choose_cut(cuts, lambda cut: (100.0, None)) is None
    assert choose_cut(cuts, lambda cut: (10.0 if cut.shift == 3 else 100.0, None)) == Cut(3, 0, 117)
    # The spreads tell nothing, the clocks do.
    assert choose_cut(cuts, lambda cut: (100.0, 5.0 if cut.shift else -1.0)) == Cut(0, 0, 117)


def test_a_cut_in_the_middle_is_none() -> None:
    model = np.arange(400, dtype=np.int32)
    assert possible_cuts(model, np.delete(model, 200)) == []
    assert possible_cuts(model, model[65:]) == []
    assert possible_cuts(model, model[64:-64]) == [Cut(64, 0, 272)]


@settings(deadline=None)
@given(st.lists(st.integers(0, 3), min_size=4, max_size=40), st.integers(0, 10), st.integers(0, 10))
def test_the_right_cut_is_among_the_possible(values: list[int], low: int, high: int) -> None:
    model = ints(*values)
    part = model[low : len(model) - high]
    if len(part) < 2:
        return
    cuts = possible_cuts(model, part)
    assert Cut(low, 0, len(part)) in cuts
    for cut in cuts:
        assert np.array_equal(part[cut.low : cut.high], model[cut.low + cut.shift : cut.high + cut.shift])


# -- Segments ---------------------------------------------------------------------------------------


def chain(*rows: tuple[int, int]) -> ChainRows:
    """Rows of (name, step)."""
    names, steps = ints(*(name for name, _ in rows)), ints(*(step for _, step in rows))
    return ChainRows(np.arange(len(rows)), names, np.full(len(rows), -1, np.int64), steps)


def test_segments_of_steps_and_between() -> None:
    keys = np.array([4, 5, 7], np.int64)
    found = cut_at_steps(chain((1, -1), (1, 0), (2, 0), (3, -1), (1, 2), (2, 2)), keys)
    # Before any step; step 4; after it; step 5, which holds nothing; step 7.
    assert found.key.tolist() == [-1, 8, 9, 10, 14]
    assert found.count.tolist() == [1, 2, 1, 0, 2]
    assert found.first.tolist() == [0, 1, 3, 4, 4]
    assert found.digest[1] == found.digest[4] != found.digest[0]


def test_one_spoiled_step() -> None:
    keys = np.arange(3, dtype=np.int64)
    one = cut_at_steps(chain((1, 0), (1, 0), (1, 1), (1, 1), (1, 2), (1, 2)), keys)
    two = cut_at_steps(chain((1, 0), (1, 0), (1, 1), (1, 2), (1, 2)), keys)
    agreement = Agreement(one)
    agreement.add(two)
    assert agreement.instances == 4
    assert agreement.place(one, 6).tolist() == [0, 1, -1, -1, 2, 3]
    assert agreement.place(two, 5).tolist() == [0, 1, -1, 2, 3]
    assert one.names_alike(two) == pytest.approx(2 / 3)


def test_order_within_a_step_counts() -> None:
    keys = np.arange(1, dtype=np.int64)
    one, two = (cut_at_steps(chain(*rows), keys) for rows in (((1, 0), (2, 0)), ((2, 0), (1, 0))))
    assert one.digest[0] != two.digest[0]


# -- Drift ------------------------------------------------------------------------------------------


def test_theil_sen_by_hand() -> None:
    """Slopes of all pairs of (0,0) (1,1) (2,2) (3,30): 1, 1, 10, 1, 14.5, 28; their median is 5.5."""
    assert theil_sen(np.array([0.0, 1, 2, 3]), np.array([0.0, 1, 2, 30])) == 5.5
    assert theil_sen(np.array([1.0]), np.array([1.0])) == 0.0


def test_drift_needs_time_and_anchors() -> None:
    time = np.linspace(0, 120e9, 40)
    assert drift_of(time, 20e-6 * time) == pytest.approx(20e-6)
    assert drift_of(time / 3, 20e-6 * time / 3) == 0.0  # 40 s
    assert drift_of(time[:19], 20e-6 * time[:19]) == 0.0
    assert drift_of(time, 300e-6 * time) is None
    noise = np.random.default_rng(3).normal(0, 2e6, 40)
    assert drift_of(time, noise) == 0.0


def test_a_clock_that_was_set() -> None:
    rng = np.random.default_rng(1)
    steady = rng.normal(0, 20_000, 60)
    time = np.arange(60.0)
    assert not was_set(time, steady)
    for at in (25, 30, 50):
        jump = np.where(time < at, steady, steady + 5e6)
        assert was_set(time, jump)
        mixed = rng.permutation(60)
        assert was_set(time[mixed], jump[mixed]) and not was_set(time, jump[mixed])
    assert not was_set(time, np.where(time < 30, steady, steady + 0.9e6))
    assert not was_set(time, rng.normal(0, 5e6, 60))
    assert not was_set(time[:3], steady[:3])
