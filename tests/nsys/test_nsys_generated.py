"""A few generated exports, each report and rule beside nsys's own; `python -m tests.nsys` tries many."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.nsys.__main__ import summary
from tests.nsys.oracle import wording
from tests.nsys.oracle.both import NSYS, Answer, Rows
from tests.nsys.oracle.compare import Difference, differences
from tests.nsys.oracle.draft import Draft
from tests.nsys.oracle.generate import export
from tests.nsys.oracle.questions import RULES, Question
from tests.nsys.oracle.shrink import show, shrink
from tests.nsys.oracle.trial import trial

SUM = Question("osrt_sum", "osrt_sum")
HEADER = ("Time (%)", "Total Time (ns)", "Num Calls", "Avg (ns)", "Name")


@pytest.mark.skipif(NSYS is None, reason="no nsys is on PATH")
@pytest.mark.parametrize("seed", [1, 2, 4, 11])
def test_every_report_and_rule_equals_nsys(seed: int) -> None:
    assert trial(export(seed)) == []


def test_a_seed_is_one_export(tmp_path: Path) -> None:
    paths = [export(7).write(tmp_path / f"{number}.sqlite") for number in range(2)]
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert export(7).rows != export(8).rows


def compared(nsys: Rows, ours: Rows, question: Question = SUM) -> list[tuple[str, str, str]]:
    """The columns that differ with both cells, of answers with these rows."""
    found = differences(question, Answer((HEADER, *nsys)), Answer((HEADER, *ours)))
    return [(item.column, item.nsys.split(" in ")[0], item.ours.split(" in ")[0]) for item in found]


def test_one_cell_is_found() -> None:
    nsys = (("60.0", "6", "1", "6.0", "read"), ("40.0", "4", "2", "2.0", "poll"))
    assert compared(nsys, nsys) == []
    ours = (nsys[0], ("40.0", "4", "2", "2.1", "poll"))
    assert compared(nsys, ours) == [("Avg (ns)", "2.0", "2.1")]


def test_order_and_number_of_rows_are_found() -> None:
    nsys = (("50.0", "5", "1", "5.0", "read"), ("50.0", "5", "1", "5.0", "poll"))
    assert [column for column, _, _ in compared(nsys, nsys[::-1])] == ["(order)"]
    assert [column for column, _, _ in compared(nsys, nsys[:1])] == ["(number of rows)"]
    assert [column for column, _, _ in compared(nsys, ())] == ["(number of rows)"]
    openmp = replace(SUM, nsys="openmp_sum", ours="openmp_sum")
    assert compared(nsys, nsys[::-1], openmp) == []  # nsys itself prints these in any order


def test_the_last_digit_may_differ_only_between_two_printed_figures() -> None:
    def average(nsys: str, ours: str, total: str, count: str) -> list[tuple[str, str, str]]:
        return compared((("100.0", total, count, nsys, "x"),), (("100.0", total, count, ours, "x"),))

    assert average("2164.9", "2164.8", "216485", "100") == []  # 2164.85
    assert average("2164.9", "2164.8", "216484", "99") != []
    assert average("2164.9", "2164.7", "216480", "100") != []
    assert average("73242111089888.8", "73242111089888.9", "219726333269666", "3") == []  # 15 digits


def test_a_failure_of_nsys_says_nothing_and_one_of_ours_all() -> None:
    rows = (HEADER, ("100.0", "6", "1", "6.0", "read"))
    assert list(differences(SUM, Answer(rows, "internal error", failed=True), Answer())) == []
    found = list(differences(SUM, Answer(rows), Answer((), "unexpected error", failed=True)))
    assert [item.column for item in found] == ["(no answer)"]


def test_wordings_leave_the_export_alone() -> None:
    draft = export(12)
    before = show(draft)
    for change in (
        wording.for_nsys,
        wording.for_its_rules,
        wording.for_its_gaps,
        wording.for_its_utilization,
    ):
        change(draft)
    assert show(draft) == before


def test_work_side_by_side_covers_what_it_covered() -> None:
    draft = Draft(1)
    for start, end, context in ((10, 30, 1), (20, 25, 2), (20, 40, 3), (50, 60, 4)):
        row = {"start": start, "end": end, "deviceId": 0, "contextId": context, "globalPid": 1 << 24}
        draft.add("CUPTI_ACTIVITY_KIND_MEMSET", **row)
    later = wording.for_its_utilization(draft).rows["CUPTI_ACTIVITY_KIND_MEMSET"]
    found = [(row["start"] - wording.LATER, row["end"] - wording.LATER, row["contextId"]) for row in later]
    assert found == [(10, 30, 1), (30, 40, 3), (50, 60, 4)]


def test_shrinking_leaves_what_matters() -> None:
    draft = export(4)
    longest = max(row["end"] - row["start"] for row in draft.rows["CUPTI_ACTIVITY_KIND_KERNEL"])

    def differs(smaller: Draft) -> bool:
        kernels = smaller.rows.get("CUPTI_ACTIVITY_KIND_KERNEL", [])
        return any(row["end"] - row["start"] == longest for row in kernels)

    small = shrink(draft, differs)
    assert [(table, len(rows)) for table, rows in small.rows.items()] == [("CUPTI_ACTIVITY_KIND_KERNEL", 1)]


def test_the_summary_states_count_and_seeds() -> None:
    case = Difference("osrt_sum", "Avg (ns)", "2.0 in ...", "2.1 in ...")
    text = summary({("osrt_sum", "Avg (ns)"): [(3, case), (4, case)]}, range(1, 201), 12.3)
    assert text.splitlines() == [
        "osrt_sum | Avg (ns): 2 in 2 exports, seeds 3 4",
        "    seed 3",
        "      nsys 2.0 in ...",
        "      ours 2.1 in ...",
        "200 exports, seeds 1..200: 2 differences in 1 columns, 12 s",
    ]


def test_rules_are_asked_for_all_their_rows() -> None:
    assert {question.report for question in RULES} == {
        "cuda_memcpy_async", "cuda_memcpy_sync", "cuda_memset_sync", "cuda_api_sync", "gpu_gaps",
        "gpu_time_util", "dx12_mem_ops",
    }  # fmt: skip
