"""What NVTX says of an event: names that a program gave, payloads but for their texts, NCCL's operations."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.support.payloads import NcclExport, global_id
from tui.analysis.given_names import given_names
from tui.analysis.index import Index
from tui.browse.nvtx_details import nvtx_pairs
from tui.cli import main
from tui.report import open_report

KERNEL = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL()"


@pytest.fixture
def export(tmp_path: Path) -> NcclExport:
    found = NcclExport(tmp_path / "x.sqlite")
    found.describe()
    found.row("TARGET_INFO_NVTX_CUDA_DEVICE", name="left", hwId=0, vmId=1, deviceId=0)
    found.row(
        "TARGET_INFO_NVTX_CUDA_CONTEXT", name="main", hwId=0, vmId=1, processId=100, deviceId=0, contextId=1
    )
    found.row(
        "TARGET_INFO_NVTX_CUDA_STREAM",
        name="comm \x1b[31m", hwId=0, vmId=1, processId=100, deviceId=0, contextId=1, streamId=9,
    )  # fmt: skip
    found.call("ncclCommInitRank", 0, 10, "init", (77, 8, 3, 0))
    found.call("ncclAllReduce", 20, 30, "reduce", (77, 4096, 2))
    corr = found.runtime("cudaLaunchKernelExC_v11060", 25, 26)
    found.kernel(100, 200, corr=corr, name=KERNEL, stream=9)
    found.kernel(300, 400, name="k", stream=7)
    return found


def index_of(export: NcclExport) -> Index:
    return Index(open_report(export.write(), use_store=False))


def test_a_kernel(export: NcclExport) -> None:
    index = index_of(export)
    assert nvtx_pairs(index, "ops", 0) == [
        ("device is", "left"), ("context is", "main"), ("stream is", "comm ␛[31m"), ("operations", "1"),
        ("Message size [bytes]", "4,096 B"), ("communicator", "0x4d"), ("No. of ranks", "8"),
    ]  # fmt: skip
    assert [label for label, _ in nvtx_pairs(index, "ops", 1)] == ["device is", "context is"]


def test_payloads_and_categories(export: NcclExport) -> None:
    thread = global_id(100, 1)
    export.row("NVTX_EVENTS", start=0, eventType=33, category=5, text="weights", domainId=1, globalTid=thread)
    export.row("NVTX_EVENTS", start=0, eventType=33, category=5, text="else", domainId=0, globalTid=thread)
    export.push_pop("step", 1000, 1010, domainId=1, category=5, jsonText='{"token": "hunter2", "n": 3}')
    export.push_pop("step", 1020, 1030, category=5)
    export.push_pop("step", 1040, 1050, category=6)
    index = index_of(export)
    rows = np.flatnonzero(index.report.ranges.start >= 1000).tolist()
    assert nvtx_pairs(index, "ranges", rows[0]) == [
        ("category is", "weights"), ("token", "a text of 7 characters"), ("n", "3"),
    ]  # fmt: skip
    assert nvtx_pairs(index, "ranges", rows[1]) == [("category is", "else")]
    assert nvtx_pairs(index, "ranges", rows[2]) == []
    reduced = int(np.flatnonzero(index.report.ranges.start == 20)[0])
    assert ("Reduction operation", "Max") in nvtx_pairs(index, "ranges", reduced)


def test_lanes_and_info(export: NcclExport, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(export.write())
    assert main(["view", path, "--size", "160x40", "--no-cache"]) == 0
    out = capsys.readouterr().out
    assert "left · GPU 0" in out
    assert "· s9" in out
    assert "\x1b" not in out
    assert main(["info", path, "-f", "json", "--no-cache"]) == 0
    names = json.loads(capsys.readouterr().out)["given_names"]
    assert [(row["kind"], row["pid"], row["stream"]) for row in names] == [
        ("device", None, None), ("context", 100, None), ("stream", 100, 9),
    ]  # fmt: skip


def test_no_names(tmp_path: Path) -> None:
    export = NcclExport(tmp_path / "x.sqlite")
    export.kernel(0, 10)
    assert not given_names(open_report(export.write(), use_store=False))
