"""Steps over ranks: matched, with holes, and how evenly they go on."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest

from tests.support.rank_summaries import MadeStep, ints, make_rank
from tui.ranks import holes, pace
from tui.ranks.step_grid import StepGrid, match_steps
from tui.ranks.summary import RankSummary
from tui.report.columns import NULL


def evenly(durations: Sequence[int], start: int = 0, **kwargs: object) -> RankSummary:
    """A rank whose steps take these times, one after the other."""
    edges = [start, *(start + np.cumsum(durations)).tolist()]
    steps = [MadeStep(a, b) for a, b in pairwise(edges)]
    return make_rank(steps, **kwargs)  # type: ignore[arg-type]


def matched(ranks: Sequence[RankSummary], *, clocks: bool = True) -> StepGrid:
    return match_steps(ranks, [rank.steps.start if clocks else None for rank in ranks])


def test_a_step_over_its_ranks() -> None:
    ranks = [evenly([100, 110]), evenly([104, 90]), evenly([120, 100])]
    grid = matched(ranks)
    own = grid.duration - np.asarray([[0, 30], [10, 0], [50, 1]])
    found = pace.pace_of_steps(grid, own, grid.values([rank.steps.start for rank in ranks]))
    assert found.start.tolist() == [0, 100]
    assert found.least.tolist() == [100, 90]
    assert found.median.tolist() == [104, 100]
    assert found.most.tolist() == [120, 110]
    assert found.spread.tolist() == [16, 10]
    assert found.slowest.tolist() == [2, 0]
    assert found.own_median.tolist() == [94, 90]
    assert found.own_most.tolist() == [100, 99]
    assert found.own_slowest.tolist() == [0, 2]
    assert found.ranks.tolist() == [3, 3]


def test_a_rank_that_stopped_early_leaves_holes_not_zeros() -> None:
    grid = matched([evenly([10, 10, 10]), evenly([10, 12])])
    assert grid.place.tolist() == [[0, 1, 2], [0, 1, -1]]
    assert grid.duration.tolist() == [[10, 10, 10], [10, 12, NULL]]
    found = pace.pace_of_steps(grid, grid.duration, grid.duration)
    assert found.ranks.tolist() == [2, 2, 1]
    assert (found.least.tolist(), found.median.tolist()) == ([10, 10, 10], [10, 11, 10])
    assert "2 to 3 a rank" in grid.notes[0]


def test_a_rank_that_came_late_is_matched_where_it_agrees_in_time() -> None:
    late = evenly([10, 10], start=21)
    assert matched([evenly([10] * 4), late]).place.tolist() == [[0, 1, 2, 3], [-1, -1, 0, 1]]
    blind = matched([evenly([10] * 4), late], clocks=False)
    assert blind.place.tolist() == [[0, 1, 2, 3], [0, 1, -1, -1]]
    assert "no clock" in blind.notes[-1]


def test_numbers_in_names_decide() -> None:
    first = make_rank([MadeStep(i * 10, i * 10 + 9, name=f"step {i + 7}") for i in range(3)])
    other = make_rank([MadeStep(i * 10, i * 10 + 9, name=f"step {i + 8}") for i in range(3)])
    grid = matched([first, other])
    assert grid.place.tolist() == [[0, 1, 2, -1], [-1, 0, 1, 2]]
    assert grid.names == ("step 7", "step 8", "step 9", "step 10")
    assert grid.how == "by the number in their name"


def test_numbers_that_come_again_do_not_decide() -> None:
    names = ["step[bs=1]", "step[bs=2]", "step[bs=1]"]
    rank = make_rank([MadeStep(i * 10, i * 10 + 9, name=name) for i, name in enumerate(names)])
    assert matched([rank, rank]).how == "by their order"


def test_epoch_and_step_count_together() -> None:
    names = ["epoch 0 step 0", "epoch 0 step 1", "epoch 1 step 0"]
    rank = make_rank([MadeStep(i * 10, i * 10 + 9, name=name) for i, name in enumerate(names)])
    short = make_rank([MadeStep(20, 29, name=names[2])])
    assert matched([rank, short]).place.tolist() == [[0, 1, 2], [-1, -1, 0]]


def test_unfinished_steps_have_no_duration() -> None:
    rank = make_rank([MadeStep(0, 10), MadeStep(10, 12, unfinished=True)])
    grid = matched([rank])
    assert grid.duration.tolist() == [[10, NULL]]
    assert grid.steady.tolist() == [[True, False]]


def test_ranks_without_steps_take_no_part() -> None:
    grid = matched([make_rank([]), evenly([5, 6])])
    assert grid.place.tolist() == [[-1, -1], [0, 1]]
    assert [p.spread is None for p in pace.pace_of_ranks(grid)] == [True, False]
    assert len(matched([make_rank([])])) == 0
    assert len(matched([])) == 0


def test_warm_up_is_left_out_and_told() -> None:
    ranks = [evenly([90, *[10] * 19], warm_up=1), evenly([10] * 20)]
    grid = matched(ranks)
    assert grid.warm_up == 1
    assert grid.steady[:, 0].tolist() == [False, False]
    found = pace.pace_of_ranks(grid)
    assert found[0].spread is not None
    assert (found[0].spread.count, found[0].spread.max_ns) == (19, 10)


def test_an_outlier_is_a_step_far_from_the_others() -> None:
    grid = matched([evenly([100, 101, 99, 100, 160, 100, 101, 100]), evenly([100] * 8)])
    found = pace.pace_of_steps(grid, grid.duration, grid.duration)
    assert np.flatnonzero(found.outlier).tolist() == [4]
    first, second = pace.pace_of_ranks(grid)
    assert (first.outliers.tolist(), second.outliers.tolist()) == ([4], [])
    assert first.spread is not None
    assert (first.spread.median_ns, first.spread.mad_ns, first.spread.p95_ns) == (100.0, 0.5, 160)


def test_progress_and_lag_need_no_common_clock() -> None:
    ranks = [evenly([10, 10, 10]), evenly([10, 10, 10], start=1_000_000), evenly([10, 13, 10], start=5)]
    grid = matched(ranks)
    assert pace.progress(grid).tolist() == [[0, 10, 20], [0, 10, 20], [0, 10, 23]]
    assert pace.lag(grid).tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, 3]]
    assert [p.lag_ns for p in pace.pace_of_ranks(grid)] == [0, 0, 3]


def test_drift_is_the_median_slope_where_it_exceeds_the_scatter() -> None:
    # Slopes of 100, 103, 106, ...: 3 a step; over 9 steps 27 against a median deviation of 7.5: 27 > 22.5.
    assert pace.drift(ints([100 + 3 * i for i in range(10)])) == 3.0
    assert pace.drift(ints([100, 103, 99, 102, 101, 98, 100])) is None
    assert pace.drift(ints([100, 103, 106, 109])) is None  # too few
    rising = ints([100 + 3 * i for i in range(400)])
    assert pace.drift(rising) == 3.0  # of many steps only half a series apart
    rising[17] = NULL
    assert pace.drift(rising) == 3.0


def test_phases_by_how_far_one_rank_is_above_the_median() -> None:
    def rank(data: int, forward: int) -> RankSummary:
        steps = [
            MadeStep(i * 100, i * 100 + 100, phases={"data": (data, 0, 0), "forward": (forward, 4, 50)})
            for i in range(4)
        ]
        return make_rank(steps)

    phases = pace.pace_of_phases(matched([rank(10, 30), rank(11, 30), rank(40, 32)]))
    assert [phase.phase for phase in phases] == ["data", "forward"]
    data, forward = phases
    assert data.host.tolist() == [10, 11, 40]
    assert pace.excess(data.host) == (2, 29)
    assert (forward.host.tolist(), forward.mpi.tolist(), forward.device.tolist()) == (
        [26, 26, 28],
        [4, 4, 4],
        [50, 50, 50],
    )


def test_a_phase_of_some_steps_counts_over_all_of_them() -> None:
    steps = [MadeStep(i * 10, i * 10 + 10, phases={"save": (8, 0, 0)} if i == 0 else {}) for i in range(4)]
    (save,) = pace.pace_of_phases(matched([make_rank(steps, host_only=True)]))
    assert save.host.tolist() == [2]
    assert save.device.tolist() == [NULL]


@pytest.mark.parametrize(
    ("values", "median"),
    [([3, 1, 2], 2), ([1, 2], 2), ([1, 4], 3), ([-1, -4], -2), ([NULL, 5], 5), ([NULL, NULL], NULL)],
)
def test_medians_stay_whole_and_skip_holes(values: list[int], median: int) -> None:
    assert int(holes.median(ints(values), 0)) == median


def test_nothing_over_no_rank() -> None:
    nothing = np.zeros((0, 3), np.int64)
    for find in (holes.least, holes.most, holes.median):
        assert find(nothing, 0).tolist() == [NULL] * 3
    assert holes.place_of_most(nothing, 0).tolist() == [-1] * 3
    assert holes.less(ints([5, NULL]), ints([NULL, 2])).tolist() == [NULL, NULL]
