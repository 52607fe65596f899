"""NVTX rows: what is a range, a mark, a domain; nesting; open ranges."""

from __future__ import annotations

import pytest

from tests.report.conftest import Opened
from tests.support.export import Export, global_id
from tui.report import RangeStyle, Report


def shown(report: Report) -> dict[str, tuple[int, int, int, str | None]]:
    """name -> (start, end, level, parent's name)."""
    r = report.ranges
    return {
        report.strings[r.name[i]]: (
            int(r.start[i]),
            int(r.end[i]),
            int(r.level[i]),
            None if r.parent[i] < 0 else report.strings[r.name[r.parent[i]]],
        )
        for i in range(len(r))
    }


def test_a_domain_row_is_no_range(export: Export, opened: Opened) -> None:
    for i in range(4):
        export.push_pop(f"cub::{i}", 10 * i, 10 * i + 5, domain=1)
    export.domain(1, "CCCL", 5)
    export.push_pop("other process", 100, 105, pid=200, domain=1)
    report = opened(export)
    assert len(report.ranges) == 5
    named = [None if d < 0 else report.strings[d] for d in report.ranges.domain]
    assert named == ["CCCL"] * 4 + ["domain 1"]


def test_open_range_lasts_to_the_end_of_the_capture(opened: Opened) -> None:
    report = opened('N(59,100-NULL,"epoch"), N(59,200-300,"step"), K 900-1000')
    assert shown(report) == {"epoch": (100, 1000, 0, None), "step": (200, 300, 1, "epoch")}
    assert report.ranges.unfinished.tolist() == [True, False]


def test_open_range_that_is_the_last_event(opened: Opened) -> None:
    report = opened('K 0-10, N(59,100-NULL,"late")')
    assert shown(report) == {"late": (100, 100, 0, None)}


def test_popped_in_the_wrong_order(opened: Opened) -> None:
    report = opened("N A 0-100, N B 50-150")
    assert shown(report) == {"A": (0, 100, 0, None), "B": (50, 150, 1, None)}


def test_nesting_is_per_thread_and_inclusive(opened: Opened) -> None:
    report = opened("N a 0-100, N b 0-100, N c 100-100, N d 10-20 tid=2, N e 0-50, N f 50-100")
    found = shown(report)
    assert found["a"] == (0, 100, 0, None)
    assert found["b"] == (0, 100, 1, "a")
    assert found["e"] == (0, 50, 2, "b")
    assert found["f"] == (50, 100, 2, "b")
    assert found["c"] == (100, 100, 3, "f")
    assert found["d"] == (10, 20, 0, None)


def test_start_end_ranges_stand_outside(export: Export, opened: Opened) -> None:
    export.push_pop("outer", 0, 100)
    export.start_end("req", 10, 200, end_tid=2)
    export.start_end("open", 20, None)
    report = opened(export)
    assert shown(report)["req"] == (10, 200, 0, None)
    assert report.ranges.style.tolist() == [RangeStyle.PUSH_POP, RangeStyle.START_END, RangeStyle.START_END]
    threads = [None if t < 0 else report.threads[t].tid for t in report.ranges.end_thread]
    assert threads == [None, 2, None]


def test_string_table_forms_and_marks(export: Export, opened: Opened) -> None:
    export.nvtx(70, 0, 10, "pp")
    export.nvtx(71, 5, 15, "se")
    export.mark("here", 7)
    export.nvtx(33, 0, None, "a category")
    export.nvtx(36, 3, None, "?")
    report = opened(export)
    assert shown(report) == {"pp": (0, 10, 0, None), "se": (5, 15, 0, None)}
    assert report.marks.start.tolist() == [7]
    assert "1 NVTX rows of the unknown type 36 are left out" in report.notes


def test_same_start_longer_first(opened: Opened) -> None:
    report = opened("N short 0-10, N long 0-100")
    assert [report.strings[i] for i in report.ranges.name] == ["long", "short"]


@pytest.mark.parametrize("names", [True, False])
def test_thread_and_process_names(export: Export, opened: Opened, names: bool) -> None:
    export.push_pop("a", 0, 10, pid=7, tid=7)
    export.push_pop("b", 0, 10, pid=7, tid=8)
    export.nvtx(39, 0, None, "nvtx name", pid=7, tid=8)
    if names:
        export.process(7, "python3")
        export.thread_name(7, 8, "pt_autograd_0")
        export.thread_name(7, 7, "main")
    report = opened(export)
    assert [(p.pid, p.name) for p in report.processes] == [(7, "python3" if names else None)]
    expected = [(7, "main"), (8, "pt_autograd_0")] if names else [(7, None), (8, "nvtx name")]
    assert [(t.tid, t.name) for t in report.threads] == expected
    assert report.threads[1].global_tid == global_id(7, 8)
