"""Verdicts: who is usually last, by hand and over simulated jobs."""

from __future__ import annotations

import pytest

from fixtures.ranks_sim import Job
from tests.support.ranks import case_of, nine, simulated
from tui.ranks.alignment import unaligned
from tui.ranks.arrivals import Level
from tui.ranks.straggler import Kind, Verdict, is_pinned, judge, pinned_share
from tui.ranks.waits import find_waits


def verdict_of(job: Job) -> Verdict:
    _, case = simulated(job)
    return judge(find_waits(case.matched, unaligned(case.clocks)))


def test_threshold_of_chance() -> None:
    # n = 15, N = 40: 0.0667 + 4 * 0.03944 = 0.2244, below a quarter.
    assert pinned_share(40, 1 / 15) == 0.25
    assert pytest.approx(0.2244, abs=5e-5) == 1 / 15 + 4 * (1 / 15 * 14 / 15 / 40) ** 0.5
    assert is_pinned(38, 40, 1 / 15) and is_pinned(10, 40, 1 / 15) and not is_pinned(9, 40, 1 / 15)
    # n = 2, N = 20: 0.947, so 19 of 20.
    assert pinned_share(20, 0.5) == pytest.approx(0.947, abs=5e-4)
    assert is_pinned(19, 20, 0.5) and not is_pinned(18, 20, 0.5)
    assert not is_pinned(4, 4, 0.1)


def test_two_instances_are_too_few() -> None:
    case = case_of(nine())
    verdict = judge(find_waits(case.matched, unaligned(case.clocks)))
    assert verdict.kind is Kind.UNRESOLVED and verdict.who == ()


@pytest.mark.parametrize("seed", range(10))
def test_a_pinned_rank(seed: int) -> None:
    verdict = verdict_of(Job(seed=seed, straggler="pinned", who=5, end_jitter_ns=8_000))
    assert (verdict.kind, verdict.level) == (Kind.PINNED, Level.RANK)
    assert [standing.name for standing in verdict.who] == ["5"]
    (who,) = verdict.who
    assert who.times_last > 0.9 * who.instances and who.expected == 0.125
    # About 2 ms later than the last of the others, in each of 40 steps.
    assert 40 * 1_000_000 < who.cost_ns < 40 * 2_000_000
    assert who.caused_ns == 7 * who.cost_ns


@pytest.mark.parametrize("seed", range(10))
def test_late_ranks_in_turn(seed: int) -> None:
    verdict = verdict_of(Job(seed=seed, straggler="rotating", end_jitter_ns=8_000))
    assert verdict.kind is Kind.ROTATING and verdict.who == ()
    assert verdict.cost_ns >= 0.01 * verdict.window_ns


@pytest.mark.parametrize("seed", range(10))
def test_nobody_is_late_enough(seed: int) -> None:
    verdict = verdict_of(Job(seed=seed, straggler="even", spread_ns=25_000, clock_ns=0))
    assert verdict.kind in (Kind.EVEN, Kind.UNRESOLVED)
    assert verdict.who == ()


@pytest.mark.parametrize("seed", range(10))
def test_a_slow_host(seed: int) -> None:
    job = Job(ranks=16, hosts=4, seed=seed, straggler="host", who=6, spread_ns=300_000)
    verdict = verdict_of(job)
    assert (verdict.kind, verdict.level) == (Kind.PINNED, Level.HOST)
    assert [standing.name for standing in verdict.who] == ["node-1"]


def test_missing_ranks_are_told() -> None:
    assert verdict_of(Job(straggler="pinned", missing=(7,))).partial
    assert not verdict_of(Job(straggler="pinned")).partial


def test_dropped_kernels_change_nothing() -> None:
    verdict = verdict_of(Job(straggler="pinned", who=3, dropped=((3, 7), (5, 40), (1, 100))))
    assert [standing.name for standing in verdict.who] == ["3"]


@pytest.mark.parametrize("who", [0, 5, 15])
def test_a_late_rank_of_a_tensor_group(who: int) -> None:
    """Its tensor group waits for it first, and then the others wait for all of that group."""
    job = Job(ranks=16, hosts=4, tensor=4, straggler="pinned", who=who, end_jitter_ns=8_000)
    verdict = verdict_of(job)
    assert (verdict.kind, verdict.level) == (Kind.PINNED, Level.RANK)
    assert verdict.who[0].name == f"{who}"
