"""Small captures that nsys 2023.4.4 was asked about: the same rows, names spelled as later releases do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.stats.conftest import rows_of, table_of
from tests.support.export import Export
from tui.report import open_report

Cells = list[tuple[Any, ...]]

TRACE = ("RangeId", "Lvl", "NumChild", "ParentId", "RangeStack")
SUMS = ("Range", "Total Time (ns)", "Instances")
KERNELS = ("NVTX Range", "Style", "NVTX Inst", "Kern Inst", "Total Time (ns)", "Kernel Name")


@pytest.fixture
def export(tmp_path: Path) -> Export:
    return Export(tmp_path / "x.sqlite")


def cells(export: Export, name: str, *columns: str) -> Cells:
    """These columns of our report on an export."""
    table = table_of(open_report(export.write(), use_store=False), name)
    places = [[column.header for column in table.columns].index(column) for column in columns]
    return [tuple(row[place] for place in places) for row in rows_of(table)]


def launch(export: Export, at: int, start: int, length: int = 15, name: str = "k", **owner: int) -> None:
    """A call of 3 ns and its kernel."""
    corr = export.runtime("cudaLaunchKernel_v7000", at, at + 3, **owner)
    export.kernel(start, start + length, corr=corr, name=name, pid=owner.get("pid", 100))


def start_end(export: Export, name: str, start: int, end: int | None, **owner: Any) -> None:
    """A start/end range that its own thread ended, as nsys records it: without an ending thread."""
    export.start_end(name, start, end, endGlobalTid=None, **owner)


# --- the parent of a range ---------------------------------------------------------------------


def test_a_projected_range_may_be_inside_a_start_end_range(export: Export) -> None:
    export.push_pop("a", 0, 100)
    start_end(export, "s", 5, 60)
    export.push_pop("b", 10, 50)
    launch(export, 22, 30)
    assert cells(export, "nvtx_gpu_proj_trace", *TRACE) == [
        (1, 0, 1, None, ":1"),
        (2, 1, 1, 1, ":1:2"),
        (3, 2, 0, 2, ":1:2:3"),
    ]
    assert cells(export, "nvtx_pushpop_trace", *TRACE) == [(1, 0, 1, None, ":1"), (3, 1, 0, 1, ":1:3")]


def test_of_crossing_ranges_the_shorter_is_the_parent(export: Export) -> None:
    export.push_pop("a", 0, 100)
    export.push_pop("b", 10, 200)
    export.push_pop("c", 20, 30)
    launch(export, 22, 40)
    expected = [(1, 0, 1, None, ":1"), (2, 0, 0, None, ":2"), (3, 1, 0, 1, ":1:3")]
    assert cells(export, "nvtx_pushpop_trace", *TRACE) == expected
    assert cells(export, "nvtx_gpu_proj_trace", *TRACE) == expected


@pytest.mark.parametrize("first", ["push/pop", "start/end"])
def test_of_equally_short_ranges_the_first_row_is_the_parent(export: Export, first: str) -> None:
    if first == "push/pop":
        export.push_pop("a", 10, 110)
        start_end(export, "s", 0, 100)
    else:
        start_end(export, "s", 10, 110)
        export.push_pop("a", 0, 100)
    export.push_pop("c", 20, 30)
    launch(export, 22, 40)
    assert cells(export, "nvtx_gpu_proj_trace", *TRACE) == [
        (1, 0, 1, None, ":1"),
        (2, 0, 0, None, ":2"),
        (3, 1, 0, 1, ":1:3"),
    ]


def test_children_without_device_work_are_no_rows_and_do_not_count(export: Export) -> None:
    export.push_pop("a", 0, 100)
    export.push_pop("busy", 10, 40)
    export.push_pop("idle", 50, 60)
    launch(export, 20, 30)
    assert cells(export, "nvtx_gpu_proj_trace", *TRACE) == [(1, 0, 1, None, ":1"), (2, 1, 0, 1, ":1:2")]
    assert cells(export, "nvtx_gpu_proj_sum", "Range", "Avg Num Child") == [(":a", 1.0), (":busy", 0.0)]
    assert [row[2] for row in cells(export, "nvtx_pushpop_trace", *TRACE)] == [2, 0, 0]


def test_an_empty_range_is_inside_the_shorter_of_two_that_touch(export: Export) -> None:
    export.push_pop("a", 1, 10)
    export.push_pop("b", 10, 110)
    export.push_pop("z", 10, 10)
    assert cells(export, "nvtx_pushpop_trace", *TRACE) == [
        (1, 0, 1, None, ":1"),
        (3, 1, 0, 1, ":1:3"),
        (2, 0, 0, None, ":2"),
    ]


def test_ranges_of_the_same_bounds_are_kept_in_the_order_of_their_rows(export: Export) -> None:
    """Nsys drops them from the push/pop trace, with all inside, and leaves their place blank in the other."""
    for name in "abc":
        export.push_pop(name, 0, 100)
    export.push_pop("d", 10, 20)
    launch(export, 12, 30)
    expected = [(1, 0, 1, None, ":1"), (2, 1, 1, 1, ":1:2"), (3, 2, 1, 2, ":1:2:3"), (4, 3, 0, 3, ":1:2:3:4")]
    assert cells(export, "nvtx_pushpop_trace", *TRACE) == expected
    assert cells(export, "nvtx_gpu_proj_trace", *TRACE) == expected


# --- the order of rows -------------------------------------------------------------------------


def test_the_projection_is_listed_by_id_and_the_push_pop_trace_by_start_and_length(export: Export) -> None:
    export.push_pop("late", 50, 90)
    export.push_pop("inner", 10, 30)
    export.push_pop("outer", 10, 40)
    launch(export, 60, 100)
    launch(export, 20, 300)
    assert [row[0] for row in cells(export, "nvtx_gpu_proj_trace", "RangeId")] == [1, 2, 3]
    assert [row[0] for row in cells(export, "nvtx_pushpop_trace", "RangeId")] == [2, 3, 1]


def test_equal_times_on_several_threads_stand_by_level_and_by_the_path_of_ids(export: Export) -> None:
    export.push_pop("P1", 1, 100, tid=2)
    export.push_pop("P2", 1, 100, tid=1)
    export.push_pop("Q2", 2, 90, tid=1)
    export.push_pop("Q1", 2, 90, tid=2)
    export.push_pop("z2", 5, 10, tid=1)
    export.push_pop("z1", 5, 10, tid=2)
    export.push_pop("z0", 5, 10, tid=9)
    assert cells(export, "nvtx_pushpop_trace", "NameTree", "RangeStack") == [
        (":P1", ":1"),
        (":P2", ":2"),
        ("--:Q1", ":1:4"),
        ("--:Q2", ":2:3"),
        (":z0", ":7"),
        ("----:z1", ":1:4:6"),
        ("----:z2", ":2:3:5"),
    ]


def test_equal_totals_stand_by_name_and_style_whatever_their_count(export: Export) -> None:
    export.push_pop("b", 0, 10)
    export.push_pop("a", 20, 25)
    export.push_pop("a", 30, 35)
    start_end(export, "a", 40, 50)
    start_end(export, "A", 60, 70)
    for at in (1, 21, 31, 41, 61):
        launch(export, at, 100 + at, 3)
    assert cells(export, "nvtx_sum", "Range", "Style", "Instances") == [
        (":A", "StartEnd", 1),
        (":a", "PushPop", 2),
        (":a", "StartEnd", 1),
        (":b", "PushPop", 1),
    ]
    assert cells(export, "nvtx_gpu_proj_sum", "Range", "Style") == [
        (":a", "PushPop"),
        (":A", "StartEnd"),
        (":a", "StartEnd"),
        (":b", "PushPop"),
    ]
    assert cells(export, "nvtx_kern_sum", *KERNELS) == [
        (":A", "StartEnd", 1, 1, 3, "k"),
        (":a", "PushPop", 2, 2, 6, "k"),
        (":a", "StartEnd", 1, 1, 3, "k"),
        (":b", "PushPop", 1, 1, 3, "k"),
    ]


# --- ranges that were never closed -------------------------------------------------------------


def test_an_open_range_ends_with_the_last_range_and_in_sums_with_any_row(export: Export) -> None:
    export.push_pop("a", 0, None)
    export.push_pop("b", 10, 50)
    export.push_pop("late", 70, 75, tid=2)
    export.start_end("other", 5, 90, end_tid=9)
    export.mark("m", 500)
    export.nvtx(76, 950, None, None, domain=1)
    launch(export, 22, 40)
    launch(export, 300, 400)
    assert cells(export, "nvtx_pushpop_trace", "RangeId", "End (ns)") == [(1, 75), (2, 50), (3, 75)]
    columns = ("RangeId", "Orig Duration (ns)", "NumGPUOps", "Projected Duration (ns)")
    assert cells(export, "nvtx_gpu_proj_trace", *columns) == [(1, 90, 1, 15), (2, 40, 1, 15)]
    assert cells(export, "nvtx_kern_sum", *KERNELS) == [
        ("", "", 0, 1, 15, "k"),
        (":a", "PushPop", 1, 1, 15, "k"),
        (":b", "PushPop", 1, 1, 15, "k"),
    ]
    assert cells(export, "nvtx_sum", *SUMS) == [
        (":a", 950, 1),
        (":other", 85, 1),
        (":b", 40, 1),
        (":late", 5, 1),
    ]
    table = table_of(open_report(export.path, use_store=False), "nvtx_gpu_proj_trace")
    assert table.note == (
        "1 ranges were still open when the capture ended; they count up to the end of the last range, 90 ns"
    )


def test_lengths_are_unknown_where_nothing_was_closed(export: Export) -> None:
    export.push_pop("a", 5, None)
    export.push_pop("a", 10, None)
    export.mark("m", 500)
    launch(export, 22, 40)
    columns = ("Time (%)", "Total Time (ns)", "Instances", "Med (ns)", "Max (ns)", "StdDev (ns)", "Range")
    assert cells(export, "nvtx_pushpop_sum", *columns) == [(None, None, 2, None, None, 0.0, ":a")]
    columns = (
        "Start (ns)",
        "End (ns)",
        "Duration (ns)",
        "DurChild (ns)",
        "DurNonChild (ns)",
        "Lvl",
        "NumChild",
    )
    assert cells(export, "nvtx_pushpop_trace", *columns) == [
        (5, None, None, 0, None, 0, 0),
        (10, None, None, 0, None, 0, 0),
    ]
    assert cells(export, "nvtx_gpu_proj_trace", *TRACE) == []
    assert cells(export, "nvtx_kern_sum", *KERNELS) == [("", "", 0, 1, 15, "k")]
    table = table_of(open_report(export.path, use_store=False), "nvtx_sum")
    assert table.note is not None
    assert table.note.endswith("; how long they took is unknown, as no range was closed")


def test_each_trace_looks_only_at_the_ranges_that_it_lists(export: Export) -> None:
    export.push_pop("a", 5, None)
    start_end(export, "s", 20, 90)
    launch(export, 22, 40)
    assert cells(export, "nvtx_pushpop_trace", "End (ns)") == [(None,)]
    assert cells(export, "nvtx_gpu_proj_trace", "RangeId", "Orig Duration (ns)", "Lvl") == [
        (1, 85, 0),
        (2, 70, 1),
    ]


# --- kernels by range --------------------------------------------------------------------------


def test_a_kernel_is_one_kernel_though_ranges_of_one_name_count_its_time_twice(export: Export) -> None:
    export.push_pop("a", 0, 100)
    export.push_pop("a", 10, 50)
    launch(export, 22, 40)
    launch(export, 60, 80, 25)
    corr = export.runtime("cudaGraphLaunch_v10000", 30, 33)
    for start in (200, 210, 220):
        export.kernel(start, start + 5, corr=corr, name="k")
    columns = ("NVTX Inst", "Kern Inst", "Total Time (ns)", "Avg (ns)", "Med (ns)", "StdDev (ns)")
    assert cells(export, "nvtx_kern_sum", *columns) == [(2, 5, 85, 9.4, 5.0, 7.3)]
    columns = ("Total Proj Time (ns)", "Total GPU Ops", "Avg Range Lvl", "Avg Num Child")
    assert cells(export, "nvtx_gpu_proj_sum", *columns) == [(370, 5, 0.5, 0.5)]


def test_kernels_of_a_capture_with_nvtx_rows_but_no_range_stand_under_a_blank_one(export: Export) -> None:
    launch(export, 10, 30)
    assert cells(export, "nvtx_kern_sum", *KERNELS) == []
    export.mark("m", 5)
    assert cells(export, "nvtx_kern_sum", *KERNELS) == [("", "", 0, 1, 15, "k")]


def test_an_api_call_must_lie_within_a_range_bounds_included(export: Export) -> None:
    corr = export.runtime("cudaLaunchKernel_v7000", 10, 13)
    export.kernel(20, 30, corr=corr)
    for name, start, end in (("before", 1, 11), ("after", 11, 13), ("same", 10, 13), ("short", 10, 12)):
        export.push_pop(name, start, end)
    assert cells(export, "nvtx_gpu_proj_trace", "Name", "RangeId") == [(":same", 3)]


def test_correlation_ids_of_two_processes_do_not_meet(export: Export) -> None:
    for pid, name in ((100, "a"), (200, "b")):
        export.push_pop(name, 1, 100, pid=pid)
        export.runtime("cudaLaunchKernel_v7000", 10, 12, corr=5, pid=pid)
    export.kernel(50, 60, corr=5, pid=100)
    export.kernel(70, 81, corr=5, pid=200)
    columns = ("Name", "PID", "Projected Start (ns)", "Projected Duration (ns)")
    assert cells(export, "nvtx_gpu_proj_trace", *columns) == [(":a", 100, 50, 10), (":b", 200, 70, 11)]


def test_an_op_counts_once_though_two_calls_have_its_correlation_id(export: Export) -> None:
    """Nsys would count the kernel in `b` as well, and twice where both calls are in one range."""
    export.push_pop("a", 0, 100)
    export.push_pop("b", 200, 300)
    export.runtime("cudaLaunchKernel_v7000", 10, 12, corr=5)
    export.runtime("cudaMemcpy_v3020", 210, 220, corr=5)
    export.kernel(50, 60, corr=5, name="k")
    assert cells(export, "nvtx_kern_sum", *KERNELS) == [(":a", "PushPop", 1, 1, 10, "k")]


def test_kernels_without_a_launch_keep_their_process(export: Export) -> None:
    """Nsys pools both in one row without a PID."""
    export.push_pop("a", 0, 100)
    export.kernel(40, 50, corr=77, name="o")
    export.kernel(60, 71, corr=78, name="o", pid=200)
    columns = ("NVTX Range", "PID", "TID", "Kern Inst", "Total Time (ns)")
    assert cells(export, "nvtx_kern_sum", *columns) == [("", 100, None, 1, 10), ("", 200, None, 1, 11)]


# --- names -------------------------------------------------------------------------------------


def test_names_that_print_alike_are_one_row(export: Export) -> None:
    export.domain(1, "D")
    export.domain(2, "D")
    export.push_pop("x", 40, 50, domain=1)
    export.push_pop("x", 60, 71, domain=2)
    export.push_pop("x", 80, 92, domain=4)  # no row names this one
    export.push_pop("x", 100, 113)
    export.push_pop("", 0, 10)
    export.push_pop(None, 20, 31)
    assert cells(export, "nvtx_sum", *SUMS) == [
        (":", 21, 2),
        ("D:x", 21, 2),
        (":x", 13, 1),
        ("domain 4:x", 12, 1),
    ]
