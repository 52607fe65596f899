"""The tab of NVTX ranges: labels instead of a row for each number, with host time and device time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.export import Export
from tests.support.real import real_export
from tui.analysis.choices import Choices
from tui.analysis.index import Busy, Index
from tui.analysis.scope import Scope
from tui.analysis.stats import REPORTS
from tui.analysis.work_window import recorded_window
from tui.browse.capture import capture_of
from tui.browse.clock import Clock
from tui.browse.page import Section
from tui.browse.pages.nvtx_tab import nvtx_page
from tui.browse.pages.request import PageRequest
from tui.report import open_report
from tui.text.labels import kind_of_range


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("aten::to, op_id = 999599", "aten::to"),
        ("aten::mm, seq = 3, op_id = 12, sizes = [[2, 3], [3, 4]]", "aten::mm"),
        ("step_12", "step_*"),
        ("ProfilerStep#7", "ProfilerStep#*"),
        ("blocks.9.attn", "blocks.*.attn"),
        ("step[DECODE bs=32]", "step[DECODE bs=*]"),
        ("conv2d fp16", "conv2d fp16"),
        ("12", "*"),
        ("", ""),
        (", seq = 3", ", seq = 3"),
    ],
)
def test_what_differs_from_one_to_the_next_is_left_out(name: str, label: str) -> None:
    assert kind_of_range(name) == label


def page(path: Path) -> Section:
    capture = capture_of(open_report(path, use_store=False))
    with capture.lookups() as index:
        request = PageRequest(capture, index, recorded_window(index), Busy.ALL, 100_000, Clock(0))
        (section,) = nvtx_page(request)
    return section


def rows(section: Section) -> list[tuple[object, ...]]:
    assert section.table is not None
    names = ("label", "total_time_ns", "count", "gpu_proj_ns", "mean_ns")
    by_key = {column.key: column.values for column in section.table.columns}
    return list(zip(*(by_key[name] for name in names if name in by_key), strict=True))


def test_a_label_sums_up_its_names(tmp_path: Path) -> None:
    export = Export(tmp_path / "capture.sqlite")
    for step in range(3):
        at = 1_000 * step
        export.push_pop(f"step_{step}", at, at + 900)
        export.push_pop(f"aten::mm, seq = {step}, op_id = {step * 7}", at + 10, at + 110)
        export.launch((at + 20, at + 30), (at + 200, at + 260), name="gemm")
        export.launch((at + 40, at + 50), (at + 300, at + 350), name="gemm")
    export.push_pop("idle", 3_000, 3_005)
    section = page(export.write())
    assert rows(section) == [
        ("step_*", 2_700, 3, 450, 900),
        ("aten::mm", 300, 3, 450, 100),
        ("idle", 5, 1, None, 5),
    ]
    assert section.find is not None
    found = section.find(1)
    assert found is not None
    assert len(found) == 3
    assert section.details is not None
    pairs = section.details(1)
    assert pairs is not None
    assert pairs[:3] == [("label", "aten::mm"), ("ranges", "3"), ("total", "300 ns")]
    assert pairs[3] == ("aten::mm, seq = 0, op_id = 0", "1 x · 100 ns")
    assert len(pairs) == 6


def test_without_device_work_and_without_ranges(tmp_path: Path) -> None:
    export = Export(tmp_path / "capture.sqlite")
    export.push_pop("alone", 0, 10)
    assert rows(page(export.write())) == [("alone", 10, 1, 10)]
    export = Export(tmp_path / "none.sqlite")
    export.kernel(0, 10)
    section = page(export.write())
    assert rows(section) == []
    assert "no NVTX ranges recorded" in section.empty


def test_the_sums_of_the_reports_of_nsys() -> None:
    """Equal names are one label, so the sums over all labels are those of the raw names."""
    path = real_export("ddp-after-2026.2")
    index = Index(open_report(path, use_store=False))
    scope = Scope(recorded_window(index))
    host = REPORTS["nvtx_sum"].compute(index, Choices(scope))
    device = REPORTS["nvtx_gpu_proj_sum"].compute(index, Choices(scope))
    section = page(path)
    by_key = {column.key: list(column.values) for column in section.table.columns} if section.table else {}
    sums = {column.header: list(column.values) for column in host.columns}
    assert sum(by_key["total_time_ns"]) == sum(sums["Total Time (ns)"])
    assert sum(by_key["count"]) == sum(sums["Instances"])
    projected = {column.header: list(column.values) for column in device.columns}
    assert sum(ns or 0 for ns in by_key["gpu_proj_ns"]) == sum(projected["Total Proj Time (ns)"])
    assert len(by_key["label"]) < len(sums["Instances"]) / 10
