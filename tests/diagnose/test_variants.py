"""The diagnosis is right about captures in many guises; a sample here, all of them by the command."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from itertools import pairwise

import pytest

from fixtures.variants.catalogue import find, variants
from fixtures.variants.part import When
from fixtures.variants.setting import Setting
from fixtures.variants.variant import Variant
from fixtures.variants.waits import HiddenSync, LaunchBlocking
from tui.analysis.diagnosis import diagnose
from tui.analysis.index import Index
from tui.commands.shared.variant_matrix import (
    MARK,
    Judgement,
    confusion,
    figures,
    judge_variant,
    keep,
    summary,
)
from tui.errors import NothingThere
from tui.report import open_report

MS = 1_000_000
HEALTHY = {"plain", "overlapped", "uneven", "logging", "eval", "busy", "hidden-stall", "little"} | {
    "accumulating", "alternating", "graphs", "few-fp32", "files-beside", "remarks",
    "sampled", "steady-memory", "few-faults", "neighbour", "metrics",
}  # fmt: skip
SAMPLE = variants()[::6]
# Percent of the sample; the whole list is in docs/diagnosis.md.
FIRST_RIGHT, NOTHING_FALSE, COST_RIGHT = 97.0, 98.0, 95.0


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """Each variant of the sample with its truth and judgement."""
    path = tmp_path_factory.mktemp("variants") / "variant.sqlite"
    found = []
    for variant in SAMPLE:
        truth = variant.build(path)
        diagnosis = diagnose(Index(open_report(path, use_store=False)))
        found.append((variant, truth, judge_variant(variant.name, truth, diagnosis)))
    return found


def test_the_figures_hold(judged):
    judgements = [judgement for _, _, judgement in judged]
    wrong = "\n".join(j.words() for j in judgements if not j.right)
    first, false, cost = figures(judgements)
    assert first >= FIRST_RIGHT, wrong
    assert false >= NOTHING_FALSE, wrong
    assert cost >= COST_RIGHT, wrong


def test_the_truth_is_what_a_variant_was_made_with(judged):
    for variant, truth, _ in judged:
        if variant.kind in HEALTHY or variant.kind == "lost-kernels":
            assert "-" in truth.first, variant.name
        elif variant.kind == "pair":
            assert set(truth.first) & set(variant.name.split("-", 2)[2].split("+")), variant.name
        else:
            assert truth.first[0] == variant.kind, variant.name


def test_there_are_enough_of_either():
    kinds = Counter("healthy" if v.kind in HEALTHY else "faulty" for v in variants())
    assert kinds["faulty"] >= 150
    assert kinds["healthy"] >= 150
    assert len({v.name for v in variants()}) == len(variants()) >= 320


def test_each_knob_takes_each_value():
    settings = [v.setting for v in variants()]
    assert {s.naming for s in settings} == {
        "plain", "bare", "profiler", "decode", "iteration", "lightning", "none",
    }  # fmt: skip
    assert {s.steps for s in settings} >= {8, 10, 16, 20, 32, 60, 120, 400}
    assert {s.jitter for s in settings} == {0.0, 0.02, 0.05, 0.1, 0.2, 0.3}
    assert {(s.os_calls, s.sync_rows) for s in settings} == {
        (a, b) for a in (True, False) for b in (True, False)
    }
    assert {s.ranks for s in settings} == {1, 2, 3}


def test_the_same_name_gives_the_same_bytes(tmp_path):
    one, two = tmp_path / "one.sqlite", tmp_path / "two.sqlite"
    variant = find("hidden-sync-00-stream-start-every1")
    assert variant.build(one) == variant.build(two)
    assert one.read_bytes() == two.read_bytes()


def test_an_unknown_name_is_an_error():
    with pytest.raises(ValueError, match="no variant 'x'"):
        find("x")


CALLS = """
select r.start, r.end, s.value from CUPTI_ACTIVITY_KIND_RUNTIME r join StringIds s on s.id = r.nameId
where s.value like 'cuda%Synchronize%'"""
OPS = """
select o.start, o.end, r.start from CUPTI_ACTIVITY_KIND_RUNTIME r join
(select start, end, correlationId from CUPTI_ACTIVITY_KIND_KERNEL union all
 select start, end, correlationId from CUPTI_ACTIVITY_KIND_MEMCPY) o on o.correlationId = r.correlationId
order by o.start"""


def query(path, statement):
    with closing(sqlite3.connect(path)) as db:
        return db.execute(statement).fetchall()


@pytest.mark.parametrize("place", ["start", "middle", "end", "between", "several"])
@pytest.mark.parametrize("mechanism", ["stream", "device", "event"])
def test_a_wait_owes_what_is_idle_until_the_next_op_launched_after_it(tmp_path, place, mechanism):
    """The truth of a debt, counted from the written file."""
    setting = Setting(steps=4, kernels=20, step_ns=6 * MS)
    variant = Variant("x", "hidden-sync", setting, lambda: [HiddenSync(mechanism, When(place), 2 * MS)])
    truth = variant.build(tmp_path / "x.sqlite")
    ops = query(tmp_path / "x.sqlite", OPS)
    owed = 0
    for start, end, _ in query(tmp_path / "x.sqlite", CALLS):
        drained = max((op_end for _, op_end, launch in ops if launch < start), default=None)
        following = [op for op in ops if op[2] >= end]
        if drained is not None and following:
            begin = min(op[0] for op in following)
            owed += begin - max(drained, start)
    assert truth.costs["hidden-sync"] == owed > 0
    assert truth.first == ("hidden-sync",)


def test_launches_that_wait_owe_all_that_is_idle_between_kernels(tmp_path):
    setting = Setting(steps=4, kernels=20, step_ns=6 * MS, jitter=0)
    truth = Variant("x", "launch-blocking", setting, lambda: [LaunchBlocking()]).build(tmp_path / "x.sqlite")
    ops = query(tmp_path / "x.sqlite", OPS)
    reach, idle = ops[0][1], 0
    for before, after in pairwise(ops):
        reach = max(reach, before[1])
        idle += max(0, after[0] - reach)
    assert truth.costs["launch-blocking"] == pytest.approx(idle, rel=0.02)


def judgement(name="a", **changed):
    known = {
        "name": name, "kind": "hidden-sync", "expected": ("hidden-sync",), "first": "hidden-sync",
        "truth_ns": 100, "found_ns": 100, "false": (), "called_healthy": False, "whole": True,
    }  # fmt: skip
    return Judgement(**known | changed)


def test_a_judgement_is_wrong_by_any_of_its_three_questions():
    assert judgement().right
    assert judgement(found_ns=109).right
    assert not judgement(found_ns=111).right
    assert not judgement(found_ns=None).right
    assert not judgement(first="-").right
    assert not judgement(false=("gc-pauses",)).right
    healthy = {"expected": ("-",), "first": "-", "truth_ns": 0, "found_ns": None}
    assert judgement(**healthy).right
    assert judgement(**healthy).cost_right is None
    assert not judgement(**healthy, whole=False, called_healthy=True).right
    assert judgement(**healthy, whole=False).right
    # Little enough to be silent about.
    assert judgement(expected=("hidden-sync", "-"), first="-", found_ns=None).cost_right is None


def test_figures_and_table():
    judgements = [
        judgement(),
        judgement("b", first="-", found_ns=None),
        judgement(
            "c", kind="plain", expected=("-",), first="-", truth_ns=0, found_ns=None, called_healthy=True
        ),
        judgement("d", kind="plain", expected=("-",), first="x", truth_ns=0, found_ns=None, false=("x",)),
    ]
    assert figures(judgements) == (50.0, 75.0, 50.0)
    assert confusion(judgements) == [
        ("hidden-sync", "2", "1", "2", "1 of 2", "hidden-sync 1, nothing 1"),
        ("plain", "2", "1", "1", "", "nothing 1, x 1"),
    ]
    assert summary(judgements)[-1] == "called healthy: 1 of 2 runs with nothing wrong"


def test_the_page_keeps_what_stands_before_the_mark(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"# Title\n\n{MARK}\n\nold\n", encoding="utf-8")
    keep([judgement()], page)
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"# Title\n\n{MARK}\n\n1 variant.\n")
    assert "| hidden-sync | 1 | 1 | 1 | 1 of 1 | hidden-sync 1 |" in text
    assert "old" not in text
    page.write_text("# Title\n", encoding="utf-8")
    with pytest.raises(NothingThere):
        keep([judgement()], page)
