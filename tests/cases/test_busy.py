"""Busy and idle: kernels that overlap, copies, zero lengths, odd orders."""

from __future__ import annotations

import pytest

from tests.cases.conftest import Capture, figures
from tests.support.export import Export
from tui.analysis.busy import DeviceBusy, device_busy
from tui.analysis.gaps import DeviceGaps, find_gaps
from tui.analysis.index import Busy, Index
from tui.analysis.notes import capture_notes
from tui.analysis.window import make_scope
from tui.errors import UsageError
from tui.report import Report


def busy(report: Report, mode: Busy = Busy.ALL) -> list[DeviceBusy]:
    index = Index(report)
    return device_busy(index, make_scope(report), mode)


def gaps(report: Report, mode: Busy = Busy.ALL) -> list[DeviceGaps]:
    index = Index(report)
    return find_gaps(index, make_scope(report), 0, mode)


def holes(found: DeviceGaps) -> list[tuple[int, int]]:
    return list(zip(found.start.tolist(), found.end.tolist(), strict=True))


def test_two_streams_at_once_are_busy_once(capture: Capture) -> None:
    report = capture("K(0,7,0-100) K(0,9,0-100) K(0,7,150-200)")
    (row,) = busy(report)
    assert (row.busy_ns, row.idle_ns, row.busy_pct) == (150, 50, 75.0)
    assert figures(report, "cuda_gpu_kern_sum")[0]["total_time_ns"] == 250


def test_a_hole_in_one_stream_is_no_gap_of_the_device(capture: Capture) -> None:
    report = capture("K(0,7,0-1) K(0,7,50-51) K(0,8,0-51)", unit=1_000_000)
    assert busy(report)[0].idle_ns == 0
    assert holes(gaps(report)[0]) == []


def test_copies_are_busy_but_no_kernels(capture: Capture) -> None:
    report = capture("K(0,7,0-10) M(0,9,10-60) K(0,7,70-80)")
    (row,) = busy(report)
    assert (row.kernel_ns, row.copy_only_ns, row.idle_ns) == (20, 50, 10)
    assert holes(gaps(report)[0]) == [(60, 70)]


def test_kernels_only_has_one_gap_that_was_mostly_copying(capture: Capture) -> None:
    report = capture("K(0,7,0-10) M(0,9,10-60) K(0,7,70-80)")
    index = Index(report)
    (found,) = gaps(report, Busy.KERNELS)
    assert holes(found) == [(10, 70)]
    assert index.coverage(0).between(found.start, found.end).tolist() == [50]
    assert busy(report, Busy.KERNELS)[0].busy_ns == 20


def test_one_row_a_device_whatever_its_streams_are_called(capture: Capture) -> None:
    report = capture(
        "K(0,7,0-80) K(0,7,94-100)"
        " K(1,17,0-80) K(1,17,94-100) K(2,17,0-80) K(2,17,94-100) K(3,17,0-80) K(3,17,94-100)"
    )
    assert [(r.device.cuda_id, r.busy_ns, r.idle_ns) for r in busy(report)] == [
        (0, 86, 14),
        (1, 86, 14),
        (2, 86, 14),
        (3, 86, 14),
    ]


def test_devices_without_work_are_neither_shown_nor_found(capture: Capture) -> None:
    report = capture(" ".join(f"K({d},7,0-10)" for d in range(1, 8)))
    assert [r.device.cuda_id for r in busy(report)] == [1, 2, 3, 4, 5, 6, 7]
    with pytest.raises(UsageError, match="1, 2, 3, 4, 5, 6, 7"):
        make_scope(report, devices=[0])


def test_rows_of_no_length_count_but_split_no_gap(capture: Capture) -> None:
    report = capture("K 0-100, K 100-100, K 150-150, K 200-300")
    (row,) = busy(report)
    assert (row.busy_ns, row.idle_ns) == (200, 100)
    assert holes(gaps(report)[0]) == [(100, 200)]
    (row_sum,) = figures(report, "cuda_gpu_kern_sum")
    assert [row_sum[k] for k in ("instances", "min_ns", "avg_ns", "med_ns")] == [4, 0, 50, 50]
    assert len(report.ops) == 4


def test_a_row_without_timestamps_is_reported_and_stretches_no_window(capture: Capture) -> None:
    report = capture("K 0-0, K 1000000-1000100, K 1000200-1000300")
    scope = make_scope(report)
    assert (scope.window.start, scope.window.end) == (1_000_000, 1_000_300)
    assert busy(report)[0].busy_ns == 200
    (doubt,) = report.doubtful
    assert (doubt.count, doubt.excluded) == (1, True)
    assert "no timestamp" in doubt.kind


def test_nothing_is_rounded_to_microseconds(capture: Capture) -> None:
    report = capture("K 100700-100900, K 101050-101250")
    assert figures(report, "cuda_gpu_kern_sum")[0]["total_time_ns"] == 400
    assert busy(report)[0].busy_ns == 400
    assert holes(gaps(report)[0]) == [(100_900, 101_050)]


def test_a_row_that_swallows_later_ones_of_its_stream_is_named(export: Export, capture: Capture) -> None:
    export.kernel(0, 3_400_000, name="endless")
    for i in range(1, 51):
        export.kernel(1000 * i, 1000 * i + 100)
    report = capture(export)
    assert busy(report)[0].busy_ns == 3_400_000
    (note,) = [n for n in capture_notes(Index(report)) if "stream" in n]
    assert "endless" in note
    assert " 50 later ops" in note


def test_rows_come_in_any_order(capture: Capture) -> None:
    report = capture("K(0,7,1200-1300) K(0,9,0-1000) K(0,7,300-400) K(0,7,100-200)")
    assert busy(report)[0].busy_ns == 1100
    assert holes(gaps(report)[0]) == [(1000, 1200)]


def test_synchronisation_rows_are_no_device_work(capture: Capture) -> None:
    report = capture("K 0-100, K 900-1000, Y 0-1000")
    assert busy(report)[0].busy_ns == 200


def test_a_report_of_api_calls_has_no_device(capture: Capture) -> None:
    report = capture("R cudaGetDeviceCount 0-10")
    assert len(figures(report, "cuda_api_sum")) == 1
    assert busy(report) == []
    assert "no GPU work" in make_scope(report).window.label
