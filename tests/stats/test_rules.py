"""The rules on small captures: what they list, what they leave out, and their thresholds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.stats.conftest import rows_of
from tests.support.export import DTOD, DTOH, HTOD, PAGEABLE, PINNED, Export
from tui.analysis.choices import Choices
from tui.analysis.index import Index
from tui.analysis.rules import RULES, choose
from tui.analysis.window import make_scope
from tui.errors import UsageError
from tui.report import open_report

MANAGED = 4


def found(export: Export, rule: str, text: str | None = None, **limits: Any) -> list[dict[str, Any]]:
    report = open_report(export.write(), use_store=False)
    table = RULES[rule].compute(Index(report), Choices(make_scope(report, text), limits=limits)).table
    headers = [column.header for column in table.columns]
    return [dict(zip(headers, row, strict=True)) for row in rows_of(table)]


@pytest.fixture
def export(tmp_path: Path) -> Export:
    return Export(tmp_path / "x.sqlite")


def copy(export: Export, call: str, at: int, length: int = 10, **columns: Any) -> None:
    """A copy and the call that issued it."""
    corr = export.runtime(call, at, at + 1)
    export.memcpy(at + 2, at + 2 + length, corr=corr, **columns)


def test_asynchronous_copies_of_pageable_memory(export: Export) -> None:
    copy(export, "cudaMemcpyAsync_v3020", 0, kind=HTOD, src=PAGEABLE)
    copy(export, "cudaMemcpy2DAsync_ptsz_v7000", 100, 30, kind=DTOH, dst=PAGEABLE)
    copy(export, "cudaMemcpyAsync_v3020", 200, kind=HTOD, src=PINNED)
    copy(export, "cudaMemcpy_v3020", 300, kind=HTOD, src=PAGEABLE)
    export.memcpy(400, 410, src=PAGEABLE, corr=999)  # its call was not recorded: it can't be judged
    rows = found(export, "cuda_memcpy_async")
    assert [(r["Start (ns)"], r["Duration (ns)"], r["Src Kind"], r["Dst Kind"]) for r in rows] == [
        (102, 30, "Device", "Pageable"),
        (2, 10, "Pageable", "Device"),
    ]
    assert rows[1]["API Name"] == "cudaMemcpyAsync_v3020"
    assert list(rows[1]) == [
        "Duration (ns)", "Start (ns)", "Src Kind", "Dst Kind", "Bytes (MB)", "PID", "Device ID", "Context ID",
        "Green Context ID", "Stream ID", "API Name",
    ]  # fmt: skip


def test_blocking_copies_but_small_and_local_ones(export: Export) -> None:
    copy(export, "cudaMemcpy_v3020", 0, kind=HTOD, bytes=64_000)
    copy(export, "cudaMemcpy_v3020", 100, kind=HTOD, bytes=64_001)
    copy(export, "cudaMemcpy_v3020", 200, kind=DTOD, bytes=10**6, srcDeviceId=0, dstDeviceId=0)
    copy(export, "cudaMemcpy_v3020", 300, kind=DTOH, bytes=4)
    copy(export, "cudaMemcpyAsync_v3020", 400, kind=DTOH, bytes=10**6)
    copy(export, "cudaMemcpy_v3020", 500, kind=DTOD, bytes=10**6, srcDeviceId=0, dstDeviceId=1)
    copy(export, "cudaMemcpy_v3020", 600, kind=DTOD, bytes=10**6, srcDeviceId=None, dstDeviceId=None)
    copy(export, "cudaMemcpy_v3020", 700, kind=DTOD, bytes=10**6, srcDeviceId=0, dstDeviceId=None)
    copy(export, "cudaMemcpy_v3020", 800, kind=DTOD, bytes=10**6, srcDeviceId=None, dstDeviceId=0)
    copy(export, "cudaMemcpy_v3020", 900, kind=DTOH, bytes=4, srcDeviceId=1, dstDeviceId=1)
    copy(export, "cuMemcpyHtoD_v2", 1000, kind=HTOD, bytes=10**6)
    copy(export, "cudamemcpy_v3020", 1100, kind=HTOD, bytes=10**6)
    copy(export, "cudaMemcpyasync_v3020", 1200, kind=DTOH, bytes=10**6)
    listed = [102, 302, 502, 602, 802, 1102]
    assert [r["Start (ns)"] for r in found(export, "cuda_memcpy_sync")] == listed
    assert [r["Start (ns)"] for r in found(export, "cuda_memcpy_sync", small_copy=0)] == [2, *listed]


def test_equally_long_copies_are_in_the_order_of_their_calls_as_recorded(export: Export) -> None:
    for corr in (3, 1, 2):
        export.runtime("cudaMemcpy_v3020", 10 * corr, 10 * corr + 5, corr=corr)
    for corr, at in ((2, 200), (3, 300), (1, 100), (3, 350)):
        export.memcpy(at, at + 7, kind=DTOH, corr=corr, greenContextId=corr - 1)
    rows = found(export, "cuda_memcpy_sync")
    assert [(r["Start (ns)"], r["Green Context ID"]) for r in rows] == [
        (300, 2),
        (350, 2),
        (100, None),
        (200, 1),
    ]


def test_blocking_memsets_of_host_memory(export: Export) -> None:
    for at, call, kind in (
        (0, "cudaMemset_v3020", PINNED),
        (100, "cudaMemset_v3020", MANAGED),
        (200, "cudaMemset_v3020", 2),
        (300, "cudaMemsetAsync_v3020", PINNED),
    ):
        export.memset(at + 2, at + 12, corr=export.runtime(call, at, at + 1), kind=kind)
    rows = found(export, "cuda_memset_sync")
    assert [(r["Start (ns)"], r["Memory Kind"]) for r in rows] == [(2, "Pinned"), (102, "Managed")]


def test_waits_for_a_device(export: Export) -> None:
    export.notation(
        "R cudaStreamSynchronize_v3020 0-5, R cudaDeviceSynchronize_v3020 10-30,"
        "R cudaStreamWaitEvent_v3020 40-90, R cudaEventSynchronize_v3020 100-200,"
        "R cudaStreamSynchronize_ptsz_v7000 210-216, R xcudaDeviceSynchronize_v3020 220-320"
    )
    assert [(r["Duration (ns)"], r["API Name"]) for r in found(export, "cuda_api_sync")] == [
        (20, "cudaDeviceSynchronize_v3020"),
        (6, "cudaStreamSynchronize_ptsz_v7000"),
        (5, "cudaStreamSynchronize_v3020"),
    ]


def test_equally_long_waits_are_in_the_order_of_the_file(export: Export) -> None:
    for pid, tid, at in ((100, 1, 10), (50, 60, 10), (50, 55, 10), (100, 1, 2)):
        export.runtime("cudaDeviceSynchronize_v3020", at, at + 5, pid=pid, tid=tid)
    rows = found(export, "cuda_api_sync")
    assert [(r["PID"], r["TID"], r["Start (ns)"]) for r in rows] == [
        (100, 1, 10),
        (50, 60, 10),
        (50, 55, 10),
        (100, 1, 2),
    ]


def test_the_rules_are_named() -> None:
    assert [chosen.rule.name for chosen in choose(["all"])] == [
        "cuda_memcpy_async",
        "cuda_memcpy_sync",
        "cuda_memset_sync",
        "cuda_api_sync",
        "gpu_gaps",
        "gpu_time_util",
        "dx12_mem_ops",
    ]
    with pytest.raises(UsageError, match="did you mean gpu_gaps"):
        choose(["gpu_gap"])
    with pytest.raises(UsageError, match="there are cuda_memcpy_async, "):
        choose(["zzz"])
