"""A set judged from summaries: the verdict, the ranks, the steps, and everything that may be missing."""

import numpy as np
import pytest

from fixtures.ranks_sim import Job, simulate
from fixtures.ranks_summaries import rank_set_of
from tests.support.rank_summaries import MadeStep, make_rank, make_set
from tests.support.ranks import nine
from tests.support.straggling import STEP, US, device_rank, sixteen
from tui.errors import NothingThere, UsageError
from tui.ranks.alignment import Mode
from tui.ranks.arrivals import Level
from tui.ranks.chosen import parse_range
from tui.ranks.collective_table import pinned_of
from tui.ranks.judged import JudgedRun
from tui.ranks.rank_set import RankSet
from tui.ranks.reduce import JudgeOptions, judge
from tui.ranks.straggler import Kind
from tui.ranks.summary import RankSummary
from tui.ranks.words import run_notes, verdict_lines, verdicts
from tui.report.columns import NULL


def only(made: RankSet, **options: object) -> JudgedRun:
    (run,) = judge(made, JudgeOptions(**options)).runs  # type: ignore[arg-type]
    return run


def test_the_late_rank_of_sixteen_is_named_with_its_cost_and_reason() -> None:
    run = only(sixteen())
    assert run.verdict.kind is Kind.PINNED
    assert run.verdict.level is Level.RANK
    assert verdict_lines(run) == [
        # 39 of 40: the first all-reduce of all is left aside.
        "pinned: rank 11 (node-b, GPU 0) is last in 39 of 39 all-reduces (100 %, by chance 7 %) "
        "among 15 of 16 ranks; costs 61.2 ms of each 512.4 ms step (11.9 %)",
        "why: idle +86.6 ms: host code in data_to_gpu; compute +1.8 ms: slower kernels, gemm",
    ]


def test_the_parts_of_the_usual_step_add_up() -> None:
    rows = {row.rank.number: row for row in only(sixteen()).rows}
    late, third, other = (rows[number].usual for number in (11, 3, 0))
    for usual in (late, third, other):
        assert usual is not None
        assert usual.step == sum(value or 0 for value in usual.parts.values()) == STEP
    assert late is not None
    assert third is not None
    # The all-reduce begins after idle, copies and compute: 58.1 ms before the end on the late rank.
    assert (late.parts["transfer"], late.parts["wait"], late.own) == (58_100 * US, 0, STEP)
    assert (third.parts["wait"], third.own) == (61_200 * US, 451_200 * US)
    assert (rows[11].times_last, rows[11].collectives, rows[11].last_pct) == (39, 39, 100.0)
    # 39 times 14 others wait 61.2 ms less, had it come with the next to last.
    assert rows[11].caused_ns == 39 * 14 * 61_200 * US
    assert rows[3].caused_ns == 0


def test_a_missing_rank_makes_the_verdict_one_among_those_that_are_there() -> None:
    judged = judge(sixteen())
    assert judged.runs[0].verdict.partial
    assert "among 15 of 16 ranks" in verdicts(judged)[0]
    notes = run_notes(judged)
    assert "ranks from: environment (RANK) · aligned by collectives, ± 14.1 us · 15 of 16 ranks" in notes


def test_equal_ranks_are_even_and_turns_are_rotating() -> None:
    same = device_rank([331_000] * 20, [31_700] * 20, 11_900)
    run = only(make_set([same] * 4))
    assert run.verdict.kind is Kind.UNRESOLVED  # nobody is later than anybody by more than chance
    turns = [
        device_rank([331_000 + 40_000 * (i % 4 == rank) + rank for i in range(40)], [31_700] * 40, 11_900)
        for rank in range(4)
    ]
    run = only(make_set(turns))
    assert run.verdict.kind is Kind.ROTATING
    (line,) = verdict_lines(run)
    assert line.startswith(
        "rotating: no rank is last more often than by chance; waiting for whoever is last costs"
    )


def test_nobody_is_pinned_in_a_row_who_is_not_in_the_verdict() -> None:
    """21 of 71 is beyond chance for 71 that know nothing of each other, but these are in 24 steps."""
    run = only(rank_set_of(simulate(Job(steps=24, straggler="rotating", end_jitter_ns=8_000))))
    most = max(run.verdict.chosen.standings, key=lambda standing: standing.times_last)
    assert (most.times_last, most.instances, run.verdict.chosen.steps) == (21, 71, 24)
    assert run.verdict.kind is Kind.ROTATING
    assert verdict_lines(run)[0].startswith("rotating: no rank is last more often than by chance;")
    assert [pinned_of(run, row) for row in run.collectives] == [None]


def test_a_late_host_is_the_verdict_where_all_of_its_ranks_are_late() -> None:
    found = simulate(Job(ranks=8, hosts=4, steps=60, straggler="host", late_ns=6_000_000, spread_ns=50_000))
    run = only(rank_set_of(found))
    assert (run.verdict.kind, run.verdict.level) == (Kind.PINNED, Level.HOST)
    assert "pinned: host " in verdict_lines(run)[0]


@pytest.mark.parametrize("host_only", [False, True])
def test_the_simulated_straggler_is_found_whatever_its_clock(host_only: bool) -> None:
    job = Job(ranks=8, hosts=2, steps=40, straggler="pinned", who=5, late_ns=3_000_000, host_only=host_only)
    run = only(rank_set_of(simulate(job)))
    assert run.verdict.kind is Kind.PINNED
    assert [standing.rank for standing in run.verdict.who] == [5]
    own = {row.rank.number: row.usual.own for row in run.rows if row.usual is not None}
    assert max(own, key=lambda number: own[number] or 0) == 5


def test_nine_real_ranks_with_two_all_reduces_are_unresolved() -> None:
    run = only(nine())
    assert run.verdict.kind is Kind.UNRESOLVED
    assert run.alignment.mode is Mode.COLLECTIVES


def test_one_rank_alone_works() -> None:
    run = only(make_set([device_rank([331_000] * 6, [31_700] * 6, 11_900)]))
    assert verdict_lines(run) == ["unresolved: one rank alone waits for nobody that is seen here"]
    (row,) = run.rows
    assert row.usual is not None
    assert (row.usual.own, row.usual.parts["wait"]) == (None, None)
    assert row.usual.parts["unsplit"] == STEP - (331_000 + 31_700 + 3_200) * US
    assert (row.times_last, row.caused_ns, row.last_pct) == (None, None, None)


def test_without_communication_there_is_no_verdict_but_pace_and_balance() -> None:
    def rank(work: int) -> RankSummary:
        return make_rank([MadeStep(at, at + 100, compute=[(at, at + work)]) for at in range(0, 600, 100)])

    ranks = [rank(60), rank(80)]
    run = only(make_set(ranks))
    assert verdict_lines(run) == [
        "unresolved: no communication is recorded (kernels of collectives, or calls of MPI)"
    ]
    assert [row.usual.own for row in run.rows if row.usual] == [100, 100]  # nothing waited
    assert run.efficiency.load_balance == 70 / 80
    assert run.pace.most.tolist() == [100] * 6
    assert run.collectives == ()


def test_without_steps_figures_are_of_the_window() -> None:
    found = simulate(Job(ranks=4, hosts=1, steps=20, straggler="pinned", who=1, stepless=True))
    run = only(rank_set_of(found))
    assert run.verdict.kind is Kind.PINNED
    assert len(run.grid) == 0
    for row in run.rows:
        assert row.status == "no steps"
        assert row.usual is not None
        assert row.usual.step == row.span_ns
    (first, *_) = verdict_lines(run)
    assert "rank 1 (" in first
    assert " step" not in first


def test_uneven_steps_leave_holes() -> None:
    long, short = (device_rank([331_000] * n, [31_700] * n, 11_900) for n in (8, 6))
    run = only(make_set([long, short]))
    assert run.own.shape == (2, 8)
    assert run.own[1, 6:].tolist() == [NULL, NULL]
    assert [row.steps for row in run.rows] == [8, 6]
    assert any("6 to 8 a rank" in note for note in run.notes)


def test_ranks_are_compared_over_the_steps_that_all_have() -> None:
    # The first rank's two steps more are slower: they say nothing of how it compares with the others.
    first = device_rank([331_000] * 6 + [400_000] * 2, [31_700] * 8, 11_900)
    other = device_rank([331_000] * 6, [31_700] * 6, 11_900)
    made = make_set([first, other])
    run = only(made)
    assert np.flatnonzero(run.compared).tolist() == [0, 1, 2, 3, 4, 5]
    assert {row.usual.parts["compute"] for row in run.rows if row.usual} == {331_000 * US}
    assert any(
        "compared over the 6 steps that all of them have; 2 more" in note for note in run_notes(judge(made))
    )
    every = only(made, range=parse_range("/"))
    assert every.compared.all()
    # A rank that was cut short decides nothing.
    short = device_rank([331_000] * 2, [31_700] * 2, 11_900)
    assert int(only(make_set([other, other, short])).compared.sum()) == 6


def test_a_range_of_steps_narrows_everything() -> None:
    late = [331_000] * 20 + [360_000] * 20
    ranks = [device_rank([331_000] * 40, [31_700] * 40, 11_900) for _ in range(3)]
    ranks.append(device_rank(late, [31_700] * 40, 11_900))
    made = make_set(ranks)
    second = only(made, range=parse_range("step:21.."))
    assert second.verdict.kind is Kind.PINNED
    assert second.verdict.who[0].rank == 3
    assert second.verdict.chosen.resolved == 20
    assert [row.steps for row in second.rows] == [20] * 4
    first = only(made, range=parse_range("step:1..20"))
    assert first.verdict.kind is not Kind.PINNED
    by_time = only(made, range=parse_range(f"{20 * STEP + 1}/"))
    assert np.flatnonzero(by_time.chosen).tolist() == list(range(20, 40))
    with pytest.raises(NothingThere, match="there are steps 1 to 40"):
        only(made, range=parse_range("step:41"))
    with pytest.raises(NothingThere, match="no step overlaps"):
        only(made, range=parse_range("500s/"))


@pytest.mark.parametrize("text", ["step:0", "step:5..3", "nvtx:x", "3", "5s/4s"])
def test_what_is_no_range_of_a_set(text: str) -> None:
    with pytest.raises(UsageError):
        parse_range(text)


def test_of_several_runs_each_has_its_verdict() -> None:
    from dataclasses import replace

    made = sixteen(8)
    (run,) = made.runs
    two = replace(made, runs=(replace(run, label="job.0"), replace(run, label="job.1")))
    judged = judge(two)
    lines = verdicts(judged)
    assert [line.split(" ")[:3] for line in lines if "pinned" in line] == [
        ["run", "job.0:", "pinned:"],
        ["run", "job.1:", "pinned:"],
    ]


def test_the_order_of_the_reports_changes_nothing() -> None:
    made = rank_set_of(simulate(Job(ranks=6, hosts=2, steps=20, straggler="pinned", who=4)))
    from dataclasses import replace

    (run,) = made.runs
    turned = replace(made, runs=(replace(run, ranks=run.ranks[::-1]),))
    one, other = only(made), only(turned)
    assert verdict_lines(one) == verdict_lines(other)
    figures = [{row.rank.name: (row.usual, row.caused_ns) for row in found.rows} for found in (one, other)]
    assert figures[0] == figures[1]


def test_what_groups_lose_side_by_side_is_not_added_up() -> None:
    # Rank 5 is 3 ms late in its tensor group, then in its data group, whose other half was not held up.
    job = Job(ranks=8, hosts=2, steps=30, tensor=2, pipeline=2, straggler="pinned", who=5, late_ns=3_000_000)
    run = only(rank_set_of(simulate(job)))
    assert [standing.rank for standing in run.verdict.who] == [5]
    per_step = run.costs["5"] / int(run.telling.sum())
    assert per_step == pytest.approx(3_000_000, rel=0.1)
    assert run.verdict.who[0].cost_ns > 1.8 * run.costs["5"]
    # It is compared with those of its own stage, which do the same work.
    (why,) = run.why
    assert why.excess_ns == pytest.approx(3_000_000, rel=0.1)
