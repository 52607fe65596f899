"""Which launch and which range a kernel belongs to."""

from __future__ import annotations

import numpy as np
import pytest

from tests.cases.conftest import Capture, figures
from tests.support.export import Export
from tests.support.phases import phase_of_ops
from tui.analysis.index import Index
from tui.analysis.notes import blocking_ns, capture_notes, join_summary
from tui.analysis.phases import call_range_pairs, op_range_pairs
from tui.analysis.window import make_scope
from tui.errors import UsageError
from tui.report import Report


def phases(report: Report) -> list[str | None]:
    found = phase_of_ops(Index(report)).tolist()
    return [report.strings[int(report.ranges.name[r])] if r >= 0 else None for r in found]


def test_a_kernel_belongs_to_the_range_that_launched_it(capture: Capture) -> None:
    report = capture("N fwd 0-100, N bwd 100-600, R cudaLaunchKernel 50-55 corr=1, K 250-350 corr=1")
    assert phases(report) == ["fwd"]


def test_processes_that_share_a_correlation_id_stay_apart(capture: Capture) -> None:
    report = capture(
        "R cudaLaunchKernel 0-5 corr=1 pid=100, R cudaLaunchKernel 0-5 corr=1 pid=200,"
        ' N(59,0-6,"A") pid=100, N(59,0-6,"B") pid=200,'
        " K(0,7,10-20) corr=1 pid=100, K(1,7,10-20) corr=1 pid=200"
    )
    assert phases(report) == ["A", "B"]
    assert join_summary(Index(report)).linked == 2
    assert sorted(report.ops.launch.tolist()) == [0, 1]


def test_every_nesting_level_counts(export: Export, capture: Capture) -> None:
    export.push_pop("outer", 0, 100)
    export.push_pop("inner", 10, 90)
    export.push_pop("too short", 20, 30)
    export.launch((25, 40), (200, 300))
    export.kernel(300, 310, corr=99)
    report = capture(export)
    index = Index(report)
    pairs = [
        (o, report.strings[int(report.ranges.name[r])])
        for ops, ranges in op_range_pairs(index)
        for o, r in zip(ops.tolist(), ranges.tolist(), strict=True)
    ]
    assert pairs == [(0, "inner"), (0, "outer")]
    calls = [
        (c, r) for cs, rs in call_range_pairs(index, index.launches) for c, r in zip(cs, rs, strict=True)
    ]
    assert len(calls) == 2
    assert phases(report) == ["inner", None]


def test_containment_includes_its_bounds(capture: Capture) -> None:
    report = capture('N(59,10-20,"exact"), R cudaLaunchKernel 10-20 corr=1, K 30-40 corr=1')
    assert phases(report) == ["exact"]


def test_a_range_that_changes_threads_owns_no_kernel(export: Export, capture: Capture) -> None:
    export.start_end("req", 0, 1000, tid=1, end_tid=2)
    export.launch((90, 95), (100, 200), tid=1)
    report = capture(export)
    assert phases(report) == [None]
    assert [(r["instances"], r["total_time_ns"]) for r in figures(report, "nvtx_sum")] == [(1, 1000)]


def test_a_start_end_range_of_one_thread_owns_its_kernels(export: Export, capture: Capture) -> None:
    export.start_end("req", 0, 1000, tid=1)
    export.launch((90, 95), (100, 200), tid=1)
    assert phases(capture(export)) == ["req"]


def test_domain_rows_are_no_ranges(export: Export, capture: Capture) -> None:
    export.domain(1, "CCCL", at=5)
    for i in range(4):
        export.push_pop("cub::DeviceReduce", 10 * i, 10 * i + 5, domain=1)
    report = capture(export)
    assert len(report.ranges) == 4
    assert {report.strings[int(d)] for d in report.ranges.domain} == {"CCCL"}


def test_an_open_range_lasts_to_the_end_of_the_capture(capture: Capture) -> None:
    report = capture('N(59,100-NULL,"epoch"), N(59,200-300,"step"), K 900-1000')
    epoch = report.ranges.start.tolist().index(100)
    assert (int(report.ranges.end[epoch]), bool(report.ranges.unfinished[epoch])) == (1000, True)
    assert Index(report).range_at(report.ops.start[:1], int(report.ranges.thread[0])).tolist() == [epoch]


def test_ranges_popped_in_the_wrong_order(capture: Capture) -> None:
    report = capture('N(59,0-100,"A"), N(59,50-150,"B"), K 0-10')
    index = Index(report)
    open_at = index.range_at(np.array([75, 25, 125]), 0)
    assert [report.strings[int(report.ranges.name[r])] for r in open_at.tolist()] == ["B", "A", "B"]
    assert (report.ranges.end - report.ranges.start).tolist() == [100, 100]


def test_host_blocking_time_counts_calls_that_wait(capture: Capture) -> None:
    report = capture(
        "R cudaMemcpy_v3020 0-100, R cudaMemcpyAsync_v3020 100-105, R cudaStreamWaitEvent_v3020 110-111,"
        " R cudaStreamSynchronize_v3020 120-170"
    )
    assert blocking_ns(Index(report), make_scope(report)) == 150


def test_api_time_outside_the_window_is_no_share_of_it(capture: Capture) -> None:
    report = capture("K 500-600, R cudaDeviceSynchronize 0-450")
    with pytest.raises(UsageError, match="0/600 ns"):
        make_scope(report, "700/800")
    assert [r["total_time_ns"] for r in figures(report, "cuda_api_sum")] == [450]
    assert blocking_ns(Index(report), make_scope(report)) == 0  # of the window 500-600
    assert blocking_ns(Index(report), make_scope(report, "0/600")) == 450


def test_a_kernel_without_api_row_counts_and_says_so(capture: Capture) -> None:
    report = capture("R cudaLaunchKernel 0-5 corr=1, K 10-20 corr=2")
    index = Index(report)
    join = join_summary(index)
    assert (join.ops, join.linked, join.not_recorded) == (1, 0, 1)
    assert report.ops.launch.tolist() == [-1]
    assert len(figures(report, "cuda_gpu_kern_sum")) == 1


def test_a_kernel_before_its_launch_is_clock_skew(capture: Capture) -> None:
    report = capture("R cudaLaunchKernel 1000-1010 corr=1, K 995-1100 corr=1")
    index = Index(report)
    assert join_summary(index).skewed == 1
    assert any("clocks" in note for note in capture_notes(index))


def test_backtrace_rows_double_no_launch(export: Export, capture: Capture) -> None:
    export.runtime("cudaLaunchKernel_v7000", 0, 5, corr=1)
    export.runtime("cudaLaunchKernel_v7000", 0, 5, corr=1, event_class=67)
    export.kernel(10, 20, corr=1)
    report = capture(export)
    assert len(report.calls) == 1
    assert join_summary(Index(report)).linked == 1


def test_a_copy_of_managed_memory_has_no_launch(export: Export, capture: Capture) -> None:
    export.memcpy(0, 10, kind=11, corr=None)
    report = capture(export)
    assert join_summary(Index(report)).not_recorded == 1
    assert make_scope(report).window.length == 10
