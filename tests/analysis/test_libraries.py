"""Calls of cuDNN and cuBLAS: whose work a launch does, and what a gap is named after."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from fixtures.trace import global_id
from tests.support.export import Export
from tui.analysis.index import Index
from tui.analysis.library_calls import library_of_ops, library_words
from tui.cli import main
from tui.report import open_report


def call(export: Export, table: str, name: str, start: int, end: int, tid: int = 1) -> None:
    export.row(table, start=start, end=end, eventClass=7, globalTid=global_id(100, tid), nameId=name)


@pytest.fixture
def export(tmp_path: Path) -> Export:
    """A convolution 100-400 that calls a product 150-300; launches in both, after them, by another thread."""
    made = Export(tmp_path / "x.sqlite")
    made.push_pop("forward", 90, 500)
    call(made, "CUDNN_EVENTS", "cudnnConvolutionForward", 100, 400)
    call(made, "CUBLAS_EVENTS", "cublasSgemm_v2", 150, 300)
    made.launch((0, 5), (10, 50), name="first")
    made.launch((200, 210), (220, 230), name="gemm")
    made.launch((350, 360), (370, 380), name="conv")
    made.launch((450, 455), (460, 470), name="relu")
    made.launch((200, 205), (480, 490), name="other", tid=2)
    return made


def test_kernels_know_the_innermost_call(export: Export) -> None:
    index = Index(open_report(export.write(), use_store=False))
    found = library_of_ops(index, np.arange(5)).tolist()
    assert [library_words(index, one) if one >= 0 else None for one in found] == [
        None,
        "cublasSgemm_v2 (cuBLAS)",
        "cudnnConvolutionForward (cuDNN)",
        None,
        None,
    ]


def test_gaps_are_named_after_the_call(export: Export, capsys: pytest.CaptureFixture[str]) -> None:
    """50-220: 40 outside, 10 in forward, 50 in the convolution, 50 and 20 of latency in the product."""
    assert main(["gaps", str(export.write()), "--no-cache", "-f", "json", "--min-gap", "0"]) == 0
    gap = json.loads(capsys.readouterr().out)["devices"][0]["gaps"][0]
    assert {(part["class"], part["phase"]): part["ns"] for part in gap["blame"]} == {
        ("host code", None): 40,
        ("host code", "forward"): 10,
        ("host code", "forward · cudnnConvolutionForward"): 50,
        ("host code", "forward · cublasSgemm_v2"): 50,
        ("launch latency", "forward · cublasSgemm_v2"): 20,
    }


def test_without_libraries_phases_are_as_before(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.push_pop("forward", 90, 500)
    export.launch((0, 5), (10, 50))
    export.launch((200, 210), (220, 230))
    assert main(["gaps", str(export.write()), "--no-cache", "-f", "json", "--min-gap", "0"]) == 0
    (gap,) = json.loads(capsys.readouterr().out)["devices"][0]["gaps"]
    assert [(part["class"], part["phase"], part["ns"]) for part in gap["blame"]] == [
        ("host code", "forward", 110),
        ("host code", None, 40),
        ("launch latency", "forward", 20),
    ]


def test_time_per_name(export: Export, capsys: pytest.CaptureFixture[str]) -> None:
    for report, name, ns in (
        ("cudnn_api_sum", "cudnnConvolutionForward", 300),
        ("cublas_api_sum", "cublasSgemm_v2", 150),
    ):
        assert main(["stats", str(export.write()), "--no-cache", "-r", report, "-f", "csv"]) == 0
        assert capsys.readouterr().out.splitlines()[1].split(",")[1:3] == [str(ns), "1"], name


def test_lanes_are_called_after_libraries(export: Export, capsys: pytest.CaptureFixture[str]) -> None:
    for table, name in (
        ("UCP_SUBMIT_EVENTS", "ucp_tag_send_nbx"),
        ("UCP_PROGRESS_EVENTS", "ucp_tag_recv_nbx"),
    ):
        export.row(table, start=100, end=120, globalTid=global_id(100, 1), textId=name)
    assert main(["view", str(export.write()), "--no-cache", "--size", "120x40"]) == 0
    out = capsys.readouterr().out
    for title in ("cuDNN", "cuBLAS", "UCX submit", "UCX progress"):
        assert f"   {title} " in out
