"""Two sides compared: what a step of a run is, who is slowest, where it went; by hand, generated, real."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.ranks.sets import small_set
from tests.ranks.test_summarise_property import Story, stories, written
from tests.support.rank_summaries import MadeStep, make_rank, make_set
from tests.support.real import EXPORTS, needs_real, real_export
from tui.analysis.blame import BlameClass
from tui.analysis.index import Index
from tui.ranks.change_words import condition_text, verdict_lines
from tui.ranks.chosen import parse_range
from tui.ranks.collecting import collect
from tui.ranks.compare import Comparison, compare
from tui.ranks.contents import Content, Reason, latest_content, median_content, side_kernels, window_content
from tui.ranks.metrics import METRICS, Series, measure, metric_of
from tui.ranks.rank_set import Member, Rank, RankSet, RankSource, Run
from tui.ranks.reduce import JudgeOptions
from tui.ranks.runs import build_set
from tui.ranks.sides import CLASSES, Over, Side, make_side
from tui.ranks.step_pair import compare_steps, step_content, step_kernels
from tui.ranks.summarise import summarise
from tui.ranks.summary import RankSummary, ReportSummary
from tui.report import open_report
from tui.report.kernels.class_table import KernelClass

US, MS = 1_000, 1_000_000
HOST = (BlameClass.HOST_CODE, None, "data_to_gpu")


def steps(computes: Sequence[int], *, wait: int = 0, idle: int = 10, every: int = 1000) -> list[MadeStep]:
    """Steps in us that compute, then wait for others ``wait`` and transfer 20, then idle."""
    found = []
    for number, compute in enumerate(computes):
        low = number * every * US
        busy, done = low + compute * US, low + (compute + wait + 20) * US
        end = done + idle * US
        found.append(
            MadeStep(
                low, end, compute=[(low, busy)], comm=[(busy, done)], classes={KernelClass.GEMM: busy - low},
                blame={HOST: idle * US},
            )
        )  # fmt: skip
    return found


def values(side: Side, name: str, over: Over = Over.MAX) -> list[float]:
    metric = metric_of(name)
    assert metric is not None
    found = measure(side, metric, over)
    assert isinstance(found, Series), found
    return [value for run in found.runs for value in run.tolist()]


def side(*ranks: RankSummary, text: str | None = None) -> Side:
    options = JudgeOptions(range=parse_range(text)) if text else None
    return make_side("side", make_set(ranks), options)


def test_one_step_of_a_run_is_that_of_its_longest_or_its_median_rank() -> None:
    three = side(make_rank(steps([100, 100])), make_rank(steps([110, 120])), make_rank(steps([130, 90])))
    assert values(three, "step_ns") == [160 * US, 150 * US]
    assert values(three, "step_ns", Over.MEDIAN) == [140 * US, 130 * US]
    assert values(three, "compute_ns") == [130 * US, 120 * US]
    assert values(three, "class.gemm_ns", Over.MEDIAN) == [110 * US, 100 * US]
    assert values(three, "kernels") == [2, 2]
    assert values(three, "load_balance_pct") == [
        pytest.approx(100 * 340 / 390),
        pytest.approx(100 * 310 / 360),
    ]
    assert values(three, "parallel_efficiency_pct")[0] == pytest.approx(100 * 340 / (3 * 160))
    assert values(three, "busy_pct")[0] == pytest.approx(
        100 * 130 / 140
    )  # the median of 120/130, 130/140, 150/160
    assert values(three, "ranks") == [3] and values(three, "unreadable") == [0]
    assert values(three, "window_ns") == [1150 * US]


def test_warm_up_and_unfinished_steps_are_left_out_on_every_rank() -> None:
    slow = make_rank(steps([900, *[100] * 10]), warm_up=1)
    open_end = steps([100] * 11)
    open_end[-1].unfinished = True
    assert values(side(slow, make_rank(open_end)), "step_ns") == [130 * US] * 9


def test_a_rank_that_was_cut_short_does_not_decide_what_counts() -> None:
    found = side(make_rank(steps([100] * 10)), make_rank(steps([100] * 9)), make_rank(steps([500] * 4)))
    assert values(found, "step_ns") == [130 * US] * 9
    assert any("few steps" in note for note in found.notes)


def waiting() -> tuple[list[RankSummary], list[RankSummary]]:
    """Two ranks that take turns, then one that is late by 60 us in every step."""
    even = [steps([100, 110] * 5, wait=0), steps([110, 100] * 5, wait=0)]
    for k in range(10):  # who computes less waits
        early = even[k % 2][k]
        start, done = early.comm[0]
        early.comm[0] = (start, done + 10 * US)
        early.end += 10 * US
    late = [steps([100] * 10, wait=60), steps([160] * 10)]
    return [make_rank(s) for s in even], [make_rank(s) for s in late]


def test_where_it_went() -> None:
    before, after = (side(*ranks) for ranks in waiting())
    found = compare(before, after)
    assert found is not None
    assert found.headline.verdict == "slower"
    assert (found.headline.shift.before, found.headline.shift.after) == (140 * US, 190 * US)
    rows = {row.what: (row.before, row.after) for row in found.latest.step.rows}
    assert rows == {
        "compute": (110 * US, 160 * US), "exposed_transfer": (20 * US, 20 * US), "idle": (10 * US, 10 * US)
    }  # fmt: skip
    assert found.middle is not None
    rows = {row.what: (row.before, row.after) for row in found.middle.step.rows}
    assert rows == {
        "compute": (100 * US, 100 * US), "exposed_transfer": (20 * US, 20 * US),
        "exposed_wait": (10 * US, 60 * US), "idle": (10 * US, 10 * US),
    }  # fmt: skip
    assert found.latest.who == ({"0": 5, "1": 5}, {"1": 10})
    lines = verdict_lines(found)
    assert lines == [
        "slower: step +50.0 us (+35.7 %, 95 % interval +35.7 to +35.7 %): 140.0 us -> 190.0 us",
        "slowest rank (rank 1 in 10 of 10): compute +50.0 us",
        "median rank (rank 0 in 10 of 10): exposed wait +50.0 us",
    ]


def test_idle_time_is_named() -> None:
    (single,) = [make_rank(steps([100] * 8))]
    longer = make_rank(steps([100] * 8, idle=96))
    found = compare(side(single), side(longer))
    assert found is not None and found.middle is None
    assert [(row.what, row.delta) for row in found.latest.idle.rows] == [
        (Reason(BlameClass.HOST_CODE, None, "data_to_gpu"), 86 * US)
    ]
    assert verdict_lines(found)[1] == "of that: idle +86.0 us (host code in data_to_gpu +86.0 us)"


def test_several_runs_are_pooled_and_three_a_side_are_drawn() -> None:
    def runs(*medians: int) -> Side:
        parts = [make_set([make_rank(steps([m, m + 1, m + 2] * 4), pid=m)]) for m in medians]
        members = tuple(member for part in parts for member in part.members)
        made = [
            Run(str(i), tuple(Rank(r.number, r.source, r.host, r.local_rank, r.node, i, r.summary, r.name)
                              for r in part.ranks), RankSource.ORDER, None, None, ())
            for i, part in enumerate(parts)
        ]  # fmt: skip
        return make_side("runs", RankSet(members, tuple(made), ()))

    found = compare(runs(100, 100, 140), runs(100, 100, 140))
    assert found is not None and found.method.runs_drawn and found.method.min_effect_pct == 1
    interval = found.headline.shift.interval_pct
    assert interval is not None and interval.low < -20 and interval.high > 20
    two = compare(runs(100, 140), runs(100, 140))
    assert two is not None and not two.method.runs_drawn and two.method.min_effect_pct == 2
    assert found.headline.counted == (36, 36)


def test_computation_scaling() -> None:
    one, two = side(make_rank(steps([200] * 6))), side(*[make_rank(steps([110] * 6))] * 2)
    found = compare(one, two, same_work=True)
    assert found is not None and found.scaling == pytest.approx(200 / 220)
    unasked = compare(one, two)
    assert unasked is not None and unasked.scaling is None


def test_what_ought_to_be_equal() -> None:
    found = compare(side(make_rank(steps([100] * 6))), side(*[make_rank(steps([100] * 6))] * 2))
    assert found is not None
    said = {c.what: (c.before, c.after, c.same) for c in found.conditions}
    assert said["GPU"] == (("NVIDIA H100",), ("NVIDIA H100",), True)
    assert said["ranks"] == (("1",), ("2",), False)
    assert said["launches per step"] == (("2",), ("2",), True)
    assert said["driver"] == (None, None, None)
    (different,) = [c for c in found.conditions if c.same is False]
    assert condition_text(different) == "ranks 1 -> 2"


def test_without_steps_windows_are_compared() -> None:
    idle = make_rank([])
    found = compare(side(idle), side(make_rank(steps([100] * 6))))
    assert found is not None and found.per == "window"
    assert {row.metric.name for row in found.rows} == {"window_ns"}
    assert found.headline.verdict == "inconclusive"
    assert any("no steps before" in note for note in found.notes)


# --- sums ---


def checked(content: Content) -> None:
    """Every table of a content adds up."""
    assert sum(content.parts.values()) == content.duration
    assert sum(content.idle.values()) == content.parts.get("idle", 0)
    host = content.parts.get("host", 0) if content.host_only else content.duration
    assert sum(content.phases.values()) == host


def checked_sides(before: Side, after: Side) -> Comparison:
    """Whatever is compared, all tables add up."""
    for one in (before, after):
        if one.steps:
            checked(latest_content(one))
            checked(median_content(one))
        found = window_content(one)
        assert sum(found.parts.values()) == found.duration
    made = compare(before, after)
    assert made is not None
    for explained in (made.latest, made.middle):
        if explained is None:
            continue
        for table in (explained.step, explained.idle, explained.phases):
            assert sum(row.delta for row in table.rows) == table.total.delta
    if made.kernels is not None:
        classes, kernels = made.kernels.classes, made.kernels.kernels
        assert sum(c.delta for c in classes) == sum(k.delta for k in kernels)
        for row in (*classes, *kernels):
            assert row.calls_effect is None or row.calls_effect + (row.duration_effect or 0) == row.delta
    return made


def set_of(*summaries: ReportSummary) -> RankSet:
    return build_set([Member(Path(f"r{n}.sqlite"), summary) for n, summary in enumerate(summaries)])


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(pair=st.tuples(stories(), stories()))
def test_generated_captures_add_up(pair: tuple[Story, Story]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = [written(story, Path(folder) / f"{n}.sqlite") for n, story in enumerate(pair)]
        indexes = [Index(open_report(path, use_store=False)) for path in paths]
    summaries = [summarise(index, str(n)) for n, index in enumerate(indexes)]
    if all(summary.ranks for summary in summaries):
        checked_sides(*(make_side("side", set_of(summary)) for summary in summaries))
    for index, summary in zip(indexes, summaries, strict=True):
        for rank in summary.ranks:
            for place in range(len(rank.steps)):
                checked(step_content(rank, place))
                check_kernels(index, rank, place)


def check_kernels(index: Index, rank: RankSummary, place: int) -> None:
    """The kernels of a step by name add up to what the summary knows of their classes."""
    if rank.steps.class_ns is None:
        return
    one = rank.steps.start[[place]], rank.steps.end[[place]]
    found = dict.fromkeys(CLASSES, 0)
    for (cls, _), kernel in step_kernels(index, rank.process, *one).items():
        found[cls] += kernel.total
    assert list(found.values()) == rank.steps.class_ns[place].tolist()


@needs_real
@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.stem)
def test_real_exports_add_up(path: Path, real_reports) -> None:
    index = Index(real_reports(path))
    summary = summarise(index, path.stem)
    if not summary.ranks:
        pytest.skip("no rank in it")
    alone = make_side("side", set_of(summary))
    same = checked_sides(alone, alone)
    assert {row.verdict for row in same.rows} <= {"same", "inconclusive"}
    assert {row.shift.delta for row in same.rows} == {0}
    for rank in summary.ranks:
        places = range(0, len(rank.steps), max(1, len(rank.steps) // 3))
        for place in places:
            checked(step_content(rank, place))
            check_kernels(index, rank, place)
        if len(places) > 1:
            pair = compare_steps(index, rank, places[0], places[1])
            lengths = (rank.steps.end - rank.steps.start)[[places[0], places[1]]]
            assert pair.explained.step.total.delta == int(np.diff(lengths)[0])


def ranks_of(store: Path, name: str) -> RankSet:
    paths = [real_export(f"ranks-mpi-2023.4/{name}-rank{rank}") for rank in range(4)]
    return build_set(collect(paths, cache_dir=store, jobs=1))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store")


@needs_real
def test_a_real_straggler(store: Path) -> None:
    """Four MPI ranks: rank 2 works longer after, the others wait for it in every step."""
    before, after = (make_side(name, ranks_of(store, name)) for name in ("healthy", "straggler"))
    found = checked_sides(before, after)
    step = found.headline
    assert (step.metric.name, step.verdict, step.counted) == ("step_ns", "slower", (39, 39))
    assert (step.shift.before, step.shift.after) == (24_248_839, 29_271_604)
    medians = compare(before, after, over=Over.MEDIAN)
    assert medians is not None and medians.headline.verdict == "slower"
    assert round(medians.headline.shift.delta / MS, 1) == 5.9
    pooled = [float(np.median(one.runs[0].duration)) / MS for one in (before, after)]
    assert [round(value, 1) for value in pooled] == [23.6, 29.2]
    assert found.latest.who[1] == {"2": 39}
    assert found.middle is not None
    waits = {row.what: row for row in found.middle.step.rows}
    assert 6 < waits["exposed_wait"].delta / MS < 8
    own = {row.what: row.delta for row in found.latest.step.rows}
    assert 5.5 < own["host"] / MS < 8.5
    phases = [row.what for row in found.latest.phases.rows[:2]]
    assert phases == ["backward", "forward"]
    assert after.runs[0].late == "rank 2 pinned"
    assert isinstance(measure(after, METRICS["own_ns_max"], Over.MAX), Series)


@needs_real
def test_two_ranks_in_one_file_before_and_after(real_reports) -> None:
    """No NVTX steps: whole windows, and the kernels in them."""
    sides = [
        make_side(name, set_of(summarise(Index(real_reports(real_export(f"ddp-{name}-2026.2"))), name)))
        for name in ("before", "after")
    ]
    found = checked_sides(*sides)
    assert found.per == "window"
    assert (found.headline.shift.before, found.headline.shift.after) == (299_848_812, 299_269_422)
    assert found.kernels is not None
    attention = next(c for c in found.kernels.classes if c.kernel_class is KernelClass.ATTENTION)
    assert (attention.calls_before, attention.calls_after, attention.delta) == (34, 30, -15_780_855)
    assert side_kernels(sides[0], named=True).kernels == {}


def test_chosen_steps_are_compared_by_class_where_names_are_not_read(tmp_path: Path) -> None:
    found = build_set(collect(small_set(tmp_path, 2, steps=8), cache_dir=tmp_path / "store", jobs=1))
    one, other = (
        make_side("s", found, JudgeOptions(range=parse_range(text))) for text in ("step:2", "step:3..")
    )
    assert (one.steps, other.steps) == (1, 6)
    made = checked_sides(one, other)
    assert made.kernels is not None
    assert {(k.before_name, k.calls_before) for k in made.kernels.kernels} == {(None, None)}
    assert {(c.kernel_class.value, c.delta) for c in made.kernels.classes} == {
        ("gemm", 0),
        ("communication", 0),
    }


def test_a_rank_without_a_gpu_beside_one_with(tmp_path: Path) -> None:
    host = make_rank(steps([150] * 8), host_only=True)
    mixed = side(make_rank(steps([100] * 8)), host)
    found = checked_sides(mixed, side(make_rank(steps([100] * 8)), host))
    assert found.headline.verdict == "same"
    rows = {row.what: row.before for row in found.latest.step.rows}
    assert rows["host"] == 160 * US  # its step outside MPI calls
    assert values(mixed, "compute_ns") == [100 * US] * 8
    assert values(mixed, "load_balance_pct") == [100] * 8
    alone = side(host)
    assert measure(alone, METRICS["compute_ns"], Over.MAX) == "no GPU work was recorded"
    assert measure(alone, METRICS["busy_pct"], Over.MAX) == "no GPU work was recorded"
    assert measure(side(make_rank([])), METRICS["step_ns"], Over.MAX) == "no steps"
