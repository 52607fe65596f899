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
    assert rows[1]["API Name"] == "cudaMemcpyAsync"


def test_blocking_copies_but_small_and_local_ones(export: Export) -> None:
    copy(export, "cudaMemcpy_v3020", 0, kind=HTOD, bytes=65_536)
    copy(export, "cudaMemcpy_v3020", 100, kind=HTOD, bytes=65_537)
    copy(export, "cudaMemcpy_v3020", 200, kind=DTOD, bytes=10**6)
    copy(export, "cudaMemcpy_v3020", 300, kind=DTOH, bytes=4)
    copy(export, "cudaMemcpyAsync_v3020", 400, kind=DTOH, bytes=10**6)
    copy(export, "cudaMemcpy_v3020", 500, kind=DTOD, bytes=10**6, srcDeviceId=0, dstDeviceId=1)
    assert [r["Start (ns)"] for r in found(export, "cuda_memcpy_sync")] == [102, 302, 502]
    assert [r["Start (ns)"] for r in found(export, "cuda_memcpy_sync", small_copy=0)] == [2, 102, 302, 502]


def test_blocking_memsets_of_host_memory(export: Export) -> None:
    for at, call, kind in (
        (0, "cudaMemset_v3020", PINNED),
        (100, "cudaMemset_v3020", MANAGED),
        (200, "cudaMemset_v3020", 2),
        (300, "cudaMemsetAsync_v3020", PINNED),
    ):
        export.memset(at + 2, at + 12, corr=export.runtime(call, at, at + 1), kind=kind)
    rows = found(export, "cuda_memset_sync")
    assert [(r["Start (ns)"], r["Mem Kind"]) for r in rows] == [(2, "Pinned"), (102, "Managed")]


def test_waits_for_a_device(export: Export) -> None:
    export.notation(
        "R cudaStreamSynchronize_v3020 0-5, R cudaDeviceSynchronize_v3020 10-30,"
        "R cudaStreamWaitEvent_v3020 40-90, R cudaEventSynchronize_v3020 100-200"
    )
    assert [(r["Duration (ns)"], r["API Name"]) for r in found(export, "cuda_api_sync")] == [
        (20, "cudaDeviceSynchronize"),
        (5, "cudaStreamSynchronize"),
    ]


def test_gaps_are_holes_of_the_union_longer_than_the_limit(export: Export) -> None:
    export.notation(
        "K(0,7,0-100), K(0,8,50-200), G(0,7,1000-1100), K(1,7,0-10), K(1,7,500-510), M(0,9,1200-1300)"
    )
    rows = found(export, "gpu_gaps", gap_ns=99)
    assert [(r["Start (ns)"], r["Duration (ns)"], r["Device ID"]) for r in rows] == [
        (200, 800, 0),
        (10, 490, 1),
        (1100, 100, 0),
    ]
    assert [r["Duration (ns)"] for r in found(export, "gpu_gaps", gap_ns=490)] == [800]


def test_gaps_of_two_processes_on_one_device_are_each_their_own(export: Export) -> None:
    export.notation(
        "K(0,7,0-10) pid=100, K(0,7,100-110) pid=100, K(0,7,40-50) pid=200, K(0,7,400-410) pid=200"
    )
    rows = found(export, "gpu_gaps", gap_ns=0)
    assert [(r["PID"], r["Duration (ns)"]) for r in rows] == [(200, 350), (100, 90)]


def test_low_use_is_the_union_and_neighbours_join(export: Export) -> None:
    # ten chunks of 100: busy 0-100, 400-450 (twice at once), 900-1000
    export.notation("K(0,7,0-100), K(0,7,400-450), K(0,8,400-450), K(0,7,900-1000)")
    rows = found(export, "gpu_time_util", chunks=10, busy_pct=50)
    assert [(r["Start (ns)"], r["Duration (ns)"], r["In-Use (%)"]) for r in rows] == [
        (500, 400, 0.0),
        (100, 300, 0.0),
    ]
    rows = found(export, "gpu_time_util", chunks=10, busy_pct=51)
    assert [(r["Start (ns)"], r["Duration (ns)"], r["In-Use (%)"]) for r in rows] == [(100, 800, 6.3)]


def test_a_chosen_window_is_what_is_cut_into_chunks(export: Export) -> None:
    export.notation("K 0-100, K 900-1000")
    rows = found(export, "gpu_time_util", "0/500", chunks=5, busy_pct=50)
    assert [(r["Start (ns)"], r["Duration (ns)"]) for r in rows] == [(100, 400)]


def test_the_rules_are_named() -> None:
    assert [rule.name for rule in choose(["all"])] == [
        "cuda_memcpy_async",
        "cuda_memcpy_sync",
        "cuda_memset_sync",
        "cuda_api_sync",
        "gpu_gaps",
        "gpu_time_util",
    ]
    with pytest.raises(UsageError, match="did you mean gpu_gaps"):
        choose(["gpu_gap"])
    with pytest.raises(UsageError, match="there are cuda_memcpy_async, "):
        choose(["zzz"])
