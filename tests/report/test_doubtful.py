"""Rows that can't be true stay out of every sum, and are counted with an example."""

from __future__ import annotations

from tests.report.conftest import Opened
from tests.support.export import Export


def test_lost_timestamps(opened: Opened) -> None:
    report = opened("K 0-0, K 1000000-1000100, K 1000200-1000300")
    assert report.op_span == (1_000_000, 1_000_300)
    assert len(report.ops) == len(report.kernels) == 2
    (doubt,) = report.doubtful
    assert (doubt.kind, doubt.count, doubt.excluded) == ("no timestamp", 1, True)
    assert doubt.example == "CUPTI_ACTIVITY_KIND_KERNEL row 1: start 0, end 0"


def test_zero_length_and_start_at_zero_are_true(opened: Opened) -> None:
    report = opened("K 0-100, K 100-100, K 150-150, K 200-300")
    assert report.ops.start.tolist() == [0, 100, 150, 200]
    assert report.doubtful == ()


def test_end_before_start_null_and_huge_times(export: Export, opened: Opened) -> None:
    export.kernel(50, 40)
    export.kernel(60, 30)
    export.kernel(10, 20)
    export.row("CUPTI_ACTIVITY_KIND_KERNEL", start=None, end=5, deviceId=0, streamId=7, correlationId=1)
    export.row("CUPTI_ACTIVITY_KIND_KERNEL", start=5, end=None, deviceId=0, streamId=7, correlationId=1)
    export.row("CUPTI_ACTIVITY_KIND_KERNEL", start=5, end=2**63 - 1, deviceId=0, streamId=7, correlationId=1)
    report = opened(export)
    assert report.ops.start.tolist() == [10]
    assert {(d.kind, d.count) for d in report.doubtful} == {
        ("ends before it starts", 2),
        ("no timestamp", 1),
        ("no end", 1),
        ("time out of range", 1),
    }


def test_negative_and_large_times_are_kept(opened: Opened) -> None:
    report = opened(f"K -500--400, K {2**53 + 1}-{2**53 + 3}")
    assert report.ops.start.tolist() == [-500, 9007199254740993]
    assert report.ops.end.tolist() == [-400, 9007199254740995]
    assert report.doubtful == ()


def test_values_of_another_type(export: Export, opened: Opened) -> None:
    export.kernel(0, 10)
    export.kernel(20, 30)
    export.sql("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 'soon' WHERE rowid = 1")
    export.sql(
        "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET gridX = 1.5, registersPerThread = x'00' WHERE rowid = 2"
    )
    report = opened(export)
    assert report.ops.start.tolist() == [20]
    assert report.kernels.grid_x.tolist() == [-(2**63)]
    assert report.kernels.registers.tolist() == [-(2**63)]
    kernel = "CUPTI_ACTIVITY_KIND_KERNEL"
    assert [(d.kind, d.count, d.example, d.excluded) for d in report.doubtful] == [
        ("text where a number belongs", 1, f"{kernel} row 1: start 'soon'", True),
        ("a fraction where a whole number belongs", 1, f"{kernel} row 2: gridX 1.5", False),
        ("bytes where a number belongs", 1, f"{kernel} row 2: registersPerThread '...'", False),
    ]


def test_op_without_a_device_has_one_of_its_own(export: Export, opened: Opened) -> None:
    export.kernel(0, 10)
    export.kernel(20, 30, deviceId=None)
    report = opened(export)
    assert [(d.cuda_id, d.ops, d.name) for d in report.devices] == [(-1, 1, None), (0, 1, None)]
    assert [(d.kind, d.count, d.excluded) for d in report.doubtful] == [("no device", 1, False)]


def test_backtrace_rows_are_no_calls(export: Export, opened: Opened) -> None:
    export.launch((0, 5), (10, 20), corr=3)
    export.runtime("cudaLaunchKernel_v7000", 0, 5, corr=3, event_class=67)
    export.runtime("cudaLaunchKernel_v7000", 0, 5, corr=3, event_class=67)
    report = opened(export)
    assert len(report.calls) == 1
    assert any(n.startswith("2 rows that repeat a CUDA call") for n in report.notes)
    assert report.ops.launch.tolist() == [0]


def test_profiler_markers_are_no_os_calls(export: Export, opened: Opened) -> None:
    export.osrt("poll", 0, 10)
    export.osrt("profiling started", 0, 1, event_class=31)
    assert len(opened(export).os_calls) == 1
