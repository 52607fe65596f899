"""Long gaps and stretches of low use on small captures. The rows are those that nsys prints."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.stats.test_rules import found
from tests.support.export import Export, global_id
from tui.analysis.choices import Choices
from tui.analysis.filters import time_filter
from tui.analysis.index import Index
from tui.analysis.rules import RULES
from tui.analysis.window import make_scope
from tui.report import open_report

WORKLOADS = ("VULKAN_WORKLOAD", "OPENGL_WORKLOAD", "DX12_WORKLOAD")


@pytest.fixture
def export(tmp_path: Path) -> Export:
    return Export(tmp_path / "x.sqlite")


def draw(
    export: Export, table: str, start: int, end: int, pid: int = 100, gpu: int | None = 0, **more: Any
) -> None:
    """Graphics work."""
    context = "shortContextId" if table.startswith("DX") else "contextId"
    columns = {"globalTid": global_id(pid, 1), "nameId": "draw", "gpu": gpu, context: 5, **more}
    export.row(table, start=start, end=end, eventClass=1, **columns)


def gaps(export: Export, limit: int = 0) -> list[tuple[int, ...]]:
    rows = found(export, "gpu_gaps", gap_ns=limit)
    assert [row["Row#"] for row in rows] == list(range(1, len(rows) + 1))
    return [(r["Start (ns)"], r["Duration (ns)"], r["PID"], r["Device ID"], r["Context ID"]) for r in rows]


def low_use(export: Export, text: str | None = None, **limits: Any) -> list[tuple[Any, ...]]:
    rows = found(export, "gpu_time_util", text, **limits)
    assert [row["Row#"] for row in rows] == list(range(1, len(rows) + 1))
    return [(r["In-Use (%)"], r["Duration (ns)"], r["Start (ns)"], r["PID"], r["Device ID"]) for r in rows]


def test_the_columns(export: Export) -> None:
    export.notation("K 0-100, K 900-1000")
    assert list(found(export, "gpu_gaps", gap_ns=0)[0]) == [
        "Row#", "Duration (ns)", "Start (ns)", "PID", "Device ID", "Context ID",
    ]  # fmt: skip
    assert list(found(export, "gpu_time_util")[0]) == [
        "Row#", "In-Use (%)", "Duration (ns)", "Start (ns)", "PID", "Device ID", "Context ID",
    ]  # fmt: skip


def test_gaps_are_holes_of_the_union_longer_than_the_limit(export: Export) -> None:
    export.notation(
        "K(0,7,0-100), K(0,8,50-200), G(0,7,1000-1100), K(1,7,0-10), K(1,7,500-510), M(0,9,1200-1300)"
    )
    assert [row[:4] for row in gaps(export, 99)] == [
        (200, 800, 100, 0),
        (10, 490, 100, 1),
        (1100, 100, 100, 0),
    ]
    assert [row[:2] for row in gaps(export, 490)] == [(200, 800)]


def test_gaps_of_two_processes_on_one_device_are_each_their_own(export: Export) -> None:
    export.notation(
        "K(0,7,0-10) pid=100, K(0,7,100-110) pid=100, K(0,7,40-50) pid=200, K(0,7,400-410) pid=200"
    )
    assert [(pid, length) for _, length, pid, _, _ in gaps(export)] == [(200, 350), (100, 90)]


def test_equal_gaps_are_by_start_then_kind_then_process_then_device(export: Export) -> None:
    for pid, device, at in ((200, 0, 1), (300, 0, 5), (300, 1, 4), (100, 0, 6)):
        export.kernel(at, at + 1, pid=pid, device=device)
        export.kernel(at + 2, at + 3, pid=pid, device=device)
    for table in ("OPENGL_WORKLOAD", "VULKAN_WORKLOAD"):
        for pid, gpu in ((100, 1), (50, 0)):
            draw(export, table, 4, 5, pid, gpu)
            draw(export, table, 6, 7, pid, gpu)
    owners = [(200, 0), (300, 1), (50, 0), (100, 1), (50, 0), (100, 1), (300, 0), (100, 0)]
    assert [(row[0], *row[2:4]) for row in gaps(export)] == [
        (start, *owner) for start, owner in zip((2, 5, 5, 5, 5, 5, 6, 7), owners, strict=True)
    ]


@pytest.mark.parametrize(
    ("ops", "context"),
    [
        ("K(0,7,0-5) contextId=1, K(0,7,1-2) contextId=2", 1),  # the one that ends last
        ("K(0,7,1-5) contextId=2, K(0,7,0-5) contextId=1", 1),  # both do: the later row
        ("K(0,7,0-5) contextId=1, K(0,7,0-5) contextId=2", 2),
        ("M(0,7,0-5) contextId=1, K(0,7,0-5) contextId=2", 1),  # copies count as later than kernels
        ("S(0,7,0-5) contextId=3, M(0,7,0-5) contextId=1", 3),
    ],
)
def test_a_gap_has_the_context_of_the_op_before_it(export: Export, ops: str, context: int) -> None:
    export.notation(f"{ops}, K(0,7,7-8) contextId=9")
    assert gaps(export) == [(5, 2, 100, 0, context)]


def test_low_use_has_the_context_of_the_op_that_ends_last(export: Export) -> None:
    export.notation("M(0,7,5-7) contextId=3, K(0,7,6-7) contextId=2, K(0,7,0-1) contextId=1")
    assert [row["Context ID"] for row in found(export, "gpu_time_util", chunks=7)] == [2]


def test_graphics_work_is_looked_at_apart(export: Export) -> None:
    export.notation("K(0,7,0-10) contextId=1, K(0,7,40-50) contextId=1")
    for table in WORKLOADS:
        draw(export, table, 0, 10)
        draw(export, table, 20, 30)
        draw(export, table, 100, 110, gpu=None)  # no GPU is recorded
    assert gaps(export) == [(10, 30, 100, 0, 1), *[(10, 10, 100, 0, 5)] * 3]
    export.overhead("CUDA profiling overhead", 12, 14)  # not between ops of graphics
    assert gaps(export) == [(14, 26, 100, 0, 1), *[(10, 10, 100, 0, 5)] * 3, (10, 2, 100, 0, 1)]
    assert low_use(export, chunks=3) == [*[(0.0, 10, 10, 100, 0)] * 3, (0.0, 17, 17, 100, 0)]


def test_graphics_work_on_an_unknown_gpu_is_left_out(export: Export) -> None:
    draw(export, "OPENGL_WORKLOAD", 0, 10, gpu=None)
    draw(export, "OPENGL_WORKLOAD", 20, 30, gpu=None)
    assert gaps(export) == []
    assert low_use(export, chunks=3) == []


def test_an_op_without_length_parts_a_gap(export: Export) -> None:
    export.notation("K(0,7,0-10), K(0,7,20-20), K(0,7,50-60)")
    assert [row[:2] for row in gaps(export)] == [(20, 30), (10, 10)]


def test_graphics_work_alone_is_work(export: Export) -> None:
    draw(export, "OPENGL_WORKLOAD", 0, 10)
    draw(export, "OPENGL_WORKLOAD", 20, 30)
    assert gaps(export) == [(10, 10, 100, 0, 5)]


def test_a_filter_without_an_end_keeps_graphics_work_after_all_else(export: Export) -> None:
    export.notation("K(0,7,0-10), K(0,7,40-50)")
    draw(export, "OPENGL_WORKLOAD", -20, -10)
    draw(export, "OPENGL_WORKLOAD", 200, 210)
    report = open_report(export.write(), use_store=False)
    for text, length in (("45/", 0), ("/45", 0), ("-15/", 210), ("/205", 210)):
        scope = replace(make_scope(report), window=time_filter(report, text))
        found = RULES["gpu_gaps"].compute(Index(report), Choices(scope, limits={"gap_ns": 100}))
        assert found.total_ns == length


def test_the_profilers_own_work_between_the_ops_is_no_gap(export: Export) -> None:
    export.notation("K(0,7,0-10) contextId=2, K(0,7,100-110) contextId=1")
    export.overhead("CUDA profiling overhead", 20, 30)
    export.overhead("CUDA profiling data flush overhead", 40, 50)
    export.overhead("CUDA profiling stop overhead", 60, 70)
    export.overhead("cuda profiling overhead", 80, 85)  # another name
    export.overhead("CUDA profiling overhead", 80, 85, pid=200)  # another process
    export.overhead("CUDA profiling overhead", 80, 111)  # not inside
    export.overhead("CUDA profiling overhead", 80, 110)
    export.overhead("CUDA profiling overhead", 0, 15)
    assert gaps(export) == [
        (70, 30, 100, 0, 1),
        (10, 10, 100, 0, 2),
        (30, 10, 100, 0, 1),
        (50, 10, 100, 0, 1),
    ]
    assert low_use(export, chunks=11, busy_pct=101) == [(45.5, 110, 0, 100, 0)]
    assert low_use(export, chunks=11) == [
        (0.0, 10, 10, 100, 0),
        (0.0, 10, 30, 100, 0),
        (0.0, 10, 50, 100, 0),
        (0.0, 30, 70, 100, 0),
    ]


def test_low_use_is_the_union_and_neighbours_join(export: Export) -> None:
    # ten chunks of 100: busy 0-100, 400-450 (twice at once), 900-1000
    export.notation("K(0,7,0-100), K(0,7,400-450), K(0,8,400-450), K(0,7,900-1000)")
    assert low_use(export, chunks=10, busy_pct=50) == [(0.0, 300, 100, 100, 0), (0.0, 400, 500, 100, 0)]
    assert low_use(export, chunks=10, busy_pct=51) == [(6.3, 800, 100, 100, 0)]


@pytest.mark.parametrize(
    ("ops", "chunks", "rows"),
    [
        ("K 0-1, K 9-10", 4, [(11.1, 9, 0)]),  # 3, 3, 3 and 1
        ("K 0-1, K 4-5", 4, [(25.0, 4, 0)]),  # 2, 2 and 1: no fourth
        ("K 0-1, K 4-5", 30, [(0.0, 3, 1)]),
        ("K 5-5, K 5-5", 30, []),
    ],
)
def test_chunks_are_rounded_up(export: Export, ops: str, chunks: int, rows: list[tuple[Any, ...]]) -> None:
    export.notation(ops)
    assert [row[:3] for row in low_use(export, chunks=chunks, busy_pct=100)] == rows


def test_low_use_is_by_use_as_printed_then_length_then_device_then_process(export: Export) -> None:
    for pid, device, busy, length in (
        (1, 0, 1004, 10_000),
        (2, 0, 2002, 20_000),
        (3, 0, 1001, 10_000),
        (1, 1, 1004, 10_000),
    ):
        export.kernel(0, busy, pid=pid, device=device)
        export.kernel(length, length, pid=pid, device=device)
    assert low_use(export, chunks=1) == [
        (10.0, 10_000, 0, 1, 0),
        (10.0, 10_000, 0, 3, 0),
        (10.0, 10_000, 0, 1, 1),
        (10.0, 20_000, 0, 2, 0),
    ]


def test_a_chunk_just_below_the_threshold_is_listed(export: Export) -> None:
    export.notation("K 0-4996, K 10000-10000")
    assert low_use(export, chunks=1) == [(50.0, 10_000, 0, 100, 0)]


def test_a_chosen_window_is_what_is_cut_into_chunks(export: Export) -> None:
    export.notation("K 0-100, K 900-1000")
    assert [row[1:3] for row in low_use(export, "0/500", chunks=5, busy_pct=50)] == [(400, 100)]
