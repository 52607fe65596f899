"""Cells of the CUDA reports that nsys fills in ways of its own: the rows are those that it prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stats.test_reports import capture, records
from tests.support.export import Export, global_id


@pytest.fixture
def export(tmp_path: Path) -> Export:
    return Export(tmp_path / "x.sqlite")


def test_the_priority_of_a_call_is_that_of_its_thread(tmp_path: Path, export: Export) -> None:
    export.thread_name(100, 1, "main", priority=-7)
    export.row("ThreadNames", nameId="other", priority=None, globalTid=global_id(100, 2))
    for tid in (1, 2, 3):
        export.runtime("cudaFree_v3020", tid, tid + 1, tid=tid)
    rows = records(capture(tmp_path, export=export), "cuda_api_trace")
    assert [(r["Tid"], r["T-Pri"], r["Thread Name"]) for r in rows] == [
        (1, -7, "main"),
        (2, None, "other"),
        (3, None, None),
    ]


def test_no_green_context_is_blank(tmp_path: Path, export: Export) -> None:
    for at, context in ((0, 0), (10, None), (20, 5)):
        export.kernel(at, at + 1, greenContextId=context)
        export.memcpy(at + 2, at + 3, greenContextId=context)
        export.memset(at + 4, at + 5, greenContextId=context)
    rows = records(capture(tmp_path, export=export), "cuda_gpu_trace")
    assert [r["GreenCtx"] for r in rows] == [None] * 6 + [5] * 3


def test_kernels_of_one_call_are_in_the_order_of_the_file(tmp_path: Path, export: Export) -> None:
    for corr in (3, 1, 2):
        export.runtime("cudaLaunchKernel_v7000", 10, 15, corr=corr)
    for corr, at in ((2, 200), (3, 350), (1, 100), (3, 300)):
        export.kernel(at, at + 7, corr=corr)
    rows = records(capture(tmp_path, export=export), "cuda_kern_exec_trace")
    assert [r["Kernel Start (ns)"] for r in rows] == [200, 350, 100, 300]


def test_launches_of_one_average_as_printed_are_by_thread_device_and_names(
    tmp_path: Path, export: Export
) -> None:
    for pid, tid, device, call, name in (
        (200, 1, 0, "cudaB_v7000", "z"),
        (200, 1, 0, "cudaB_v7000", "a"),
        (200, 1, 0, "cudaA_v7000", "z"),
        (200, 1, 1, "cudaA_v7000", "z"),
        (200, 9, 0, "cudaA_v7000", "z"),
        (100, 5, 0, "cudaA_v7000", "b"),
    ):
        corr = export.runtime(call, 1000, 1005, pid=pid, tid=tid)
        export.kernel(1010, 1020, pid=pid, device=device, name=name, corr=corr)
    for at in range(2000, 4500, 100):  # 25 kernels of 20.04 ns on average
        corr = export.runtime("cudaA_v7000", at, at + 5, pid=300)
        export.kernel(at + 10, at + (21 if at == 2000 else 20), pid=300, corr=corr)
    rows = records(capture(tmp_path, export=export), "cuda_kern_exec_sum")
    assert {r["TAvg (ns)"] for r in rows} == {20.0}
    assert [(r["PID"], r["TID"], r["DevId"], r["API Name"], r["Kernel Name"]) for r in rows] == [
        (100, 5, 0, "cudaA", "b"),
        (200, 1, 0, "cudaA", "z"),
        (200, 1, 0, "cudaB", "a"),
        (200, 1, 0, "cudaB", "z"),
        (200, 1, 1, "cudaA", "z"),
        (200, 9, 0, "cudaA", "z"),
        (300, 1, 0, "cudaA", "k"),
    ]


def test_averages_are_those_of_the_double(tmp_path: Path) -> None:
    kernels = [f"K {10_000 * i}-{10_000 * i + (2164 if i < 15 else 2165)}" for i in range(100)]
    (row,) = records(capture(tmp_path, ", ".join(kernels)), "cuda_gpu_kern_sum")
    assert (row["Total Time (ns)"], row["Avg (ns)"]) == (216_485, 2164.8)


def test_no_fault_of_traced_processors_is_a_fact(tmp_path: Path, export: Export) -> None:
    export.kernel(0, 1)
    assert records(capture(tmp_path, export=export), "um_total_sum") == []
    export.empty("CUDA_UM_CPU_PAGE_FAULT_EVENTS", "CUDA_UM_GPU_PAGE_FAULT_EVENTS")
    (row,) = records(capture(tmp_path, export=export), "um_total_sum")
    assert list(row.values()) == [None, None, 0, None, None, None]
