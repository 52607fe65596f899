"""Every row that nsys printed for the real exports is ours, but for the differences that are meant."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from tests.nsys.meant import MEANT, PENDING
from tests.nsys.printed import EXPORTS, LIMITS, Walked
from tests.nsys.walk import Outcome, walk
from tui.analysis.rules import RULES
from tui.analysis.stats import REPORTS

NAMES = [name for name in (*REPORTS, *RULES, *LIMITS) if name not in PENDING]

needs_printed = pytest.mark.skipif(not EXPORTS, reason="what nsys printed is not beside this checkout")


@cache
def export(name: str) -> Walked:
    return Walked(name)


@cache
def outcome(name: str, report: str) -> Outcome:
    walked = export(name)
    return walk(walked, walked.printed[report], walked.ours(report), MEANT)


@needs_printed
@pytest.mark.parametrize("report", NAMES)
@pytest.mark.parametrize("name", EXPORTS)
def test_every_row_that_nsys_printed(name: str, report: str) -> None:
    found = outcome(name, report)
    assert not found.wrong, "\n".join([f"{len(found.wrong)} differences", *found.wrong[:10]])


@needs_printed
def test_each_meant_difference_is_met() -> None:
    met = {difference for name in EXPORTS for report in NAMES for difference in outcome(name, report).met}
    assert [one.why for one in MEANT if one not in met and not PENDING.issuperset(one.reports)] == []


@needs_printed
def test_all_that_nsys_printed_is_walked() -> None:
    printed = [one for name in EXPORTS for one in export(name).printed.values()]
    assert {one.report for one in printed} <= {*NAMES, *PENDING}
    assert sum(len(row) for one in printed for row in one.rows) >= 268_000


@needs_printed
@pytest.mark.parametrize("name", [name for name in EXPORTS if name.startswith("ddp")])
def test_kernels_without_a_launch_are_pooled_there_and_by_process_here(name: str) -> None:
    walked = export(name)
    pooled = [row for row in walked.printed["nvtx_kern_sum"].rows if row["PID"] is None]
    ours = [row for row in walked.ours("nvtx_kern_sum") if row["NVTX Range"] is None and row["TID"] is None]
    for column in ("Kern Inst", "Total Time (ns)"):
        sums: Counter[str] = Counter()
        for row in ours:
            sums[row["Kernel Name"]] += row[column]
        assert dict(sums) == {row["Kernel Name"]: row[column] for row in pooled}
    assert all(row["PID"] for row in ours)
