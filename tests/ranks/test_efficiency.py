"""Balance and efficiency: the factors multiply out."""

import pytest

from tests.support.rank_summaries import MadeStep, ints, make_rank
from tui.ranks.efficiency import efficiency, efficiency_of, own_balance
from tui.ranks.step_grid import match_steps
from tui.report.columns import NULL


def test_the_factors_multiply_to_the_parallel_efficiency() -> None:
    parallel, balance, communication, orchestration = efficiency([60, 60, 60, 80], [95, 95, 95, 90], 100)
    assert (parallel, balance, orchestration) == (0.65, 0.8125, 0.95)
    assert communication == pytest.approx(0.8421, abs=0.00005)
    assert balance * communication * orchestration == pytest.approx(0.65)


def test_the_same_of_four_ranks_with_steps() -> None:
    def rank(compute: int, active: int) -> object:
        return make_rank([MadeStep(0, 100, compute=[(0, compute)], comm=[(compute, active)])])

    ranks = [rank(60, 95), rank(60, 95), rank(60, 95), rank(80, 90)]
    grid = match_steps(ranks, [None] * 4)
    found = efficiency_of(grid, grid.duration)
    assert (found.parallel, found.load_balance, found.orchestration) == (0.65, 0.8125, 0.95)
    assert (found.devices, found.basis) == (4, "the steady steps")
    assert found.own_balance == 1.0


def test_without_computing_balance_and_communication_are_unknown() -> None:
    assert efficiency([0, 0], [5, 6], 10) == (0.0, None, None, 0.6)
    assert efficiency([], [], 10) == (None, None, None, None)


def test_ranks_without_steps_are_compared_over_their_windows() -> None:
    grid = match_steps([make_rank([], devices=2)], [None])
    found = efficiency_of(grid, grid.duration)
    assert (found.parallel, found.devices, found.basis) == (None, 2, "each rank's window")


def test_host_only_ranks_have_no_devices_but_a_balance_of_own_work() -> None:
    ranks = [make_rank([MadeStep(0, 100, comm=[(50, 90)])], host_only=True) for _ in range(2)]
    grid = match_steps(ranks, [None] * 2)
    found = efficiency_of(grid, ints([[60], [100]]))
    assert (found.parallel, found.devices, found.own_balance) == (None, 0, 0.8)


def test_own_balance_is_the_median_over_the_steps_that_several_ranks_know() -> None:
    own = ints([[50, 80, 100, 7], [100, 100, 100, NULL]])
    assert own_balance(own) == 0.9  # 0.75, 0.9, 1.0
    assert own_balance(ints([[5], [NULL]])) is None
    assert own_balance(ints([[0], [0]])) is None
