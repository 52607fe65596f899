"""What passes and what fails against a baseline: tolerances to the digit, both directions, creep, missing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest

from tests.support.rank_summaries import MadeStep, make_rank, make_set
from tui.errors import UsageError
from tui.ranks.baseline import Baseline, Check, Measured, Number, RunRecord, default_checks, with_setting
from tui.ranks.baseline_file import from_text, to_text
from tui.ranks.check import CheckRow, Outcome, check, judged
from tui.ranks.metrics import Metric, metric_of
from tui.ranks.run_record import context_of, record, utc_text
from tui.ranks.sides import Over, Side, make_side

MS = 1_000_000
NIGHTS = {"step_ns": [(510_800_000, 7, 40), (512_000_000, 7, 40), (513_200_000, 7, 40)]}
"""The median is 512.0 ms, and 1.2 ms the median distance from it."""


def baseline(metrics: dict[str, Sequence[tuple[Number, Number | None, int]]], **more: object) -> Baseline:
    nights = max(map(len, metrics.values()))
    runs = []
    for night in range(nights):
        mine = {name: Measured(*rows[night]) for name, rows in metrics.items() if night < len(rows)}
        runs.append(RunRecord(None, 1, 0, mine))
    return replace(Baseline({}, {}, tuple(runs), {}, ()), **more)  # type: ignore[arg-type]


def known(name: str) -> Metric:
    metric = metric_of(name)
    assert metric is not None
    return metric


def row(
    base: Baseline, rule: Check, figure: float, steps: int = 40, *, strict: bool = False, why: str = ""
) -> CheckRow:
    value = base.value(rule.metric)
    assert value is not None
    return judged(base, rule, known(rule.metric), value, Fraction(str(figure)), steps, strict, why)


def test_the_worked_example() -> None:
    rule = Check("step_ns", rel_pct=2, abs=1_000_000, mad=3)
    found = row(baseline(NIGHTS), rule, 522_240_000)
    assert found.outcome is Outcome.OK
    assert (found.value, found.noise) == (512_000_000, 1_200_000)
    assert (found.allowance, found.limit, found.worse) == (10_240_000, 522_240_000, 10_240_000)
    failing = row(baseline(NIGHTS), rule, 522_241_000, why="exposed wait +12.9 ms; rank 11 pinned")
    assert (failing.outcome, failing.worse, failing.worse_pct) == (Outcome.FAILED, 10_241_000, 2.0)
    assert failing.reason == "exposed wait +12.9 ms; rank 11 pinned"
    assert row(baseline(NIGHTS), rule, 522_240_001).outcome is Outcome.FAILED
    assert row(baseline(NIGHTS), rule, 400_000_000).outcome is Outcome.OK


@pytest.mark.parametrize(
    ("rule", "allowed"),
    [
        (Check("step_ns", rel_pct=2), 10_240_000),
        (Check("step_ns", rel_pct=0), 0),
        (Check("step_ns", abs=5), 5),
        (Check("step_ns", mad=3), 5_337_360),  # 3 * 1.4826 * 1.2 ms
        (Check("step_ns", rel_pct=1, mad=3), 5_337_360),
        (Check("step_ns", rel_pct=0.1, abs=6_000_000, mad=3), 6_000_000),
        (Check("step_ns"), 10_240_000),  # none given: 2 % and 3 MAD
    ],
)
def test_the_largest_of_the_given_allowances(rule: Check, allowed: int) -> None:
    base = baseline(NIGHTS)
    assert row(base, rule, 512_000_000).allowance == allowed
    assert row(base, rule, 512_000_000 + allowed).outcome is Outcome.OK
    assert row(base, rule, 512_000_001 + allowed).outcome is Outcome.FAILED


def test_without_a_tolerance_noise_counts_too() -> None:
    noisy = baseline({"step_ns": [(400, 0, 40), (500, 0, 40), (600, 0, 40)]})
    assert row(noisy, Check("step_ns"), 944.78).outcome is Outcome.OK  # 3 * 1.4826 * 100 = 444.78
    assert row(noisy, Check("step_ns"), 944.79).outcome is Outcome.FAILED


def test_one_run_has_the_noise_of_its_steps() -> None:
    single = baseline({"step_ns": [(1000, 10, 40)]})
    assert row(single, Check("step_ns", mad=2), 1000).noise == 10
    unknown = baseline({"step_ns": [(1000, None, 40)]})
    assert row(unknown, Check("step_ns", mad=2), 1000).noise == 0


def test_the_shares_of_the_second_example() -> None:
    base = baseline({"parallel_efficiency_pct": [(64.3, 0, 40), (64.6, 0, 40), (64.9, 0, 40)]})
    found = row(base, Check("parallel_efficiency_pct", rel_pct=2, mad=3), 62.9)
    assert (found.allowance, found.limit, found.worse) == (1.3343, 63.2657, 1.7)
    assert found.outcome is Outcome.FAILED
    assert row(base, Check("parallel_efficiency_pct", abs=1.7), 62.9).outcome is Outcome.OK  # points
    assert row(base, Check("parallel_efficiency_pct", rel_pct=2), 99).outcome is Outcome.OK
    transfer = baseline(
        {"exposed_transfer_ns": [(57_500_000, 0, 40), (58_100_000, 0, 40), (58_700_000, 0, 40)]}
    )
    held = row(transfer, Check("exposed_transfer_ns"), 58_900_000)
    assert (held.allowance, held.worse, held.outcome) == (2_668_680, 800_000, Outcome.OK)


def test_both_directions() -> None:
    base = baseline({"launches": [(100, 0, 40)], "step_ns": [(100, 0, 40)]})
    assert row(base, Check("launches", rel_pct=2), 98).outcome is Outcome.OK
    fewer, more = (row(base, Check("launches", rel_pct=2), figure) for figure in (97, 103))
    assert (fewer.outcome, fewer.worse, fewer.limit) == (Outcome.FAILED, 3, 98)
    assert (more.outcome, more.worse, more.limit) == (Outcome.FAILED, 3, 102)
    assert row(base, Check("step_ns", rel_pct=2), 90).outcome is Outcome.OK
    faster = row(base, Check("step_ns", fail="both", rel_pct=2), 90)
    assert faster.outcome is Outcome.FAILED
    assert faster.reason == "better than the baseline allows (fail: both)"
    assert row(base, Check("step_ns", fail="both", rel_pct=2), 98).outcome is Outcome.OK


def test_what_is_exact_has_no_tolerance_unless_given() -> None:
    base = baseline({"ranks": [(4, 0, 1)], "unreadable": [(0, 0, 1)]})
    assert row(base, Check("ranks"), 4).outcome is Outcome.OK
    assert {row(base, Check("ranks"), n).outcome for n in (3, 5)} == {Outcome.FAILED}
    assert row(base, Check("ranks", abs=1), 3).outcome is Outcome.OK
    assert row(base, Check("unreadable"), 1).outcome is Outcome.FAILED


def test_creep() -> None:
    base = baseline({"step_ns": [(1040, 0, 40)]}, pinned={"step_ns": 1000})
    rule = Check("step_ns", rel_pct=2, creep_pct=5)
    assert row(base, rule, 1050).outcome is Outcome.OK
    found = row(base, rule, 1051, why="idle +11 ns")
    assert found.outcome is Outcome.FAILED
    assert found.reason == "crept 5.1 % worse than pinned (at most 5 %); idle +11 ns"
    assert row(replace(base, pinned={}), rule, 1051).outcome is Outcome.OK
    higher = baseline({"busy_pct": [(90, 0, 40)]}, pinned={"busy_pct": 90})
    assert row(higher, Check("busy_pct", abs=9, creep_pct=5), 85.5).outcome is Outcome.OK
    assert row(higher, Check("busy_pct", abs=9, creep_pct=5), 85.4).outcome is Outcome.FAILED
    assert row(higher, Check("busy_pct", abs=9, creep_pct=5), 99).outcome is Outcome.OK


def test_few_steps_pass_with_a_note_and_fail_when_strict() -> None:
    base = baseline({"step_ns": [(100, 0, 40)]})
    found = row(base, Check("step_ns"), 900, steps=4)
    assert (found.outcome, found.reason) == (Outcome.INCONCLUSIVE, "4 steps, 5 are needed")
    assert row(base, Check("step_ns"), 900, steps=4, strict=True).outcome is Outcome.FAILED
    assert row(base, Check("step_ns"), 100, steps=5).outcome is Outcome.OK


def job(step: int = 100 * MS, wait: int = 0, steps: int = 10) -> Side:
    """One rank whose steps compute, wait in a collective, and idle for 10 ms."""
    made = []
    for i in range(steps):
        low = i * 1000 * MS
        busy = low + step - 10 * MS - wait
        made.append(
            MadeStep(low, low + step, compute=[(low, busy)], comm=[(busy, busy + wait)] if wait else [])
        )
    return make_side("tonight", make_set([make_rank(made)]))


def kept(side: Side) -> Baseline:
    (run,) = record(side, Over.MAX, ())
    return Baseline({}, context_of(side, Over.MAX), (run,), {}, default_checks(run)).pinned_now()


def test_a_side_holds_against_its_own_baseline() -> None:
    found = kept(job())
    verdict = check(found, found.checks, job(), Over.MAX)
    assert {r.outcome for r in verdict.rows} == {Outcome.OK}
    assert {"step_ns", "own_ns_max", "compute_ns", "idle_ns", "ranks", "unreadable"} <= {
        r.metric for r in verdict.rows
    }
    assert verdict.notes == ()


def test_a_failing_row_says_what_grew() -> None:
    found = kept(job())
    verdict = check(found, found.checks, job(step=115 * MS, wait=12 * MS), Over.MAX)
    step = next(r for r in verdict.rows if r.metric == "step_ns")
    assert (step.outcome, step.measured, step.worse) == (Outcome.FAILED, 115_000_000, 15_000_000)
    assert step.reason == "exposed communication +12.0 ms; crept 15.0 % worse than pinned (at most 5 %)"


def test_a_metric_that_is_missing_tonight() -> None:
    base = kept(job())
    empty = make_side("tonight", make_set([make_rank([])]))
    verdict = check(base, [Check("step_ns"), Check("memory_peak_bytes", missing="skip")], empty, Over.MAX)
    assert [(r.outcome, r.reason) for r in verdict.rows] == [
        (Outcome.FAILED, "no steps (missing: fail)"),
        (Outcome.SKIPPED, "memory was not captured (missing: skip)"),
    ]
    assert not verdict.computed
    later = check(base, [Check("future_ns", missing="skip"), Check("class.gemm_ns")], job(), Over.MAX)
    assert [r.outcome for r in later.rows] == [Outcome.SKIPPED, Outcome.FAILED]


def test_another_context_is_noted() -> None:
    base = kept(job())
    other = replace(base, context={**base.context, "gpu": ["NVIDIA A100"], "ranks": 2})
    assert check(other, other.checks, job(), Over.MAX).notes == (
        "not the same GPU: NVIDIA H100, in the baseline NVIDIA A100",
        "not the same ranks: 1, in the baseline 2",
    )


def test_settings() -> None:
    rules = (Check("step_ns", rel_pct=2, mad=3),)
    assert with_setting(rules, "step_ns.rel_pct=3") == (Check("step_ns", rel_pct=3, mad=3),)
    assert with_setting(rules, "step_ns.mad=none") == (Check("step_ns", rel_pct=2),)
    assert with_setting(rules, "step_ns.fail=both") == (Check("step_ns", fail="both", rel_pct=2, mad=3),)
    assert with_setting(rules, "class.gemm_ns.abs=1e3")[1] == Check("class.gemm_ns", abs=1000)
    for wrong in (
        "step_ns", "rel_pct=3", "step_ns.rel_pct", "nothing_ns.abs=1", "step_ns.rel=1", "step_ns.abs=-1",
        "step_ns.abs=nan", "step_ns.abs=1e400", "step_ns.fail=never", "=", "step_ns.=1",
        "class.nope_ns.abs=1",
    ):  # fmt: skip
        with pytest.raises(UsageError, match="--set"):
            with_setting(rules, wrong)


# --- the file ---

WRITTEN = """\
{"nsystui_baseline": 1,
 "made": {"version": "1.2.0", "utc": "2026-03-01T02:10:00Z"},
 "context": {"gpu": ["NVIDIA H100 80GB HBM3"], "ranks": 16, "step_name": "train_step", "over": "max"},
 "runs": [
  {"utc": "2026-02-28T02:09:11Z", "reports": 16, "missing": 0, "metrics": \
{"step_ns": [512400000, 900000, 40]}, "weather": "rain"}],
 "pinned": {"step_ns": 509800000},
 "checks": [
  {"metric": "step_ns", "fail": "worse", "rel_pct": 2, "abs": 1000000, "mad": 3, "creep_pct": 5, \
"missing": "fail", "owner": "us"}],
 "later": [1, {"x": null}]}
"""


def test_a_file_is_written_as_it_was_read_unknown_keys_and_all() -> None:
    found = from_text(WRITTEN)
    assert found.runs[0].metrics == {"step_ns": (512400000, 900000, 40)}
    assert found.pinned == {"step_ns": 509800000}
    assert to_text(found) == WRITTEN


def test_a_record_survives_the_file() -> None:
    base = kept(job(wait=5 * MS))
    assert from_text(to_text(base)) == base
    assert base.runs[0].slowest == {"compute": 85 * MS, "exposed_unsplit": 5 * MS, "idle": 10 * MS}
    assert base.runs[0].metrics["step_ns"] == (100 * MS, 0, 10)


def test_the_oldest_runs_are_dropped_and_pinned_stays() -> None:
    runs = [RunRecord(str(n), 1, 0, {"step_ns": Measured(n, 0, 9)}) for n in range(40)]
    base = baseline({"step_ns": [(7, 0, 9)]}, pinned={"step_ns": 7}).added(runs)
    assert [run.utc for run in base.runs] == [str(n) for n in range(10, 40)]
    assert [run.utc for run in base.added(runs[:1], keep=2).runs] == ["39", "0"]
    assert base.pinned == {"step_ns": 7}
    assert base.pinned_now().pinned == {"step_ns": 25}  # the median of 10 to 39 is 24.5


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no JSON"),
        ("[]", "it is no object"),
        ("{}", "no baseline"),
        ('{"nsystui_baseline": true}', "no baseline"),
        ('{"nsystui_baseline": 2}', "newer nsystui"),
        ('{"nsystui_baseline": 1, "runs": {}}', "runs is no list"),
        ('{"nsystui_baseline": 1, "runs": [1]}', "run 1 is no object"),
        ('{"nsystui_baseline": 1, "runs": [{"metrics": {"a": [1, 2]}}]}', "median, MAD, n"),
        ('{"nsystui_baseline": 1, "runs": [{"metrics": {"a": [NaN, 2, 3]}}]}', "no JSON"),
        ('{"nsystui_baseline": 1, "runs": [{"metrics": {"a": [1e400, 2, 3]}}]}', "no number"),
        ('{"nsystui_baseline": 1, "runs": [{"metrics": {"a": ["1", 2, 3]}}]}', "no number"),
        ('{"nsystui_baseline": 1, "runs": [{"metrics": {"a": [1, -2, 3]}}]}', "no number"),
        ('{"nsystui_baseline": 1, "checks": [{}]}', "names no metric"),
        ('{"nsystui_baseline": 1, "checks": [{"metric": "a", "fail": "no"}]}', "neither worse nor both"),
        ('{"nsystui_baseline": 1, "checks": [{"metric": "a", "abs": -1}]}', "no number"),
        ('{"nsystui_baseline": 1, "pinned": {"a": "b"}}', "no number"),
        ("[" * 100_000, "no JSON"),
        ("1" * 5000, "no"),
    ],
)
def test_what_is_no_baseline(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        from_text(text)


def test_moments() -> None:
    assert utc_text(None) is None
    assert utc_text(1_772_244_551_999_999_999) == "2026-02-28T02:09:11Z"
