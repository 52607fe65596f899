"""The forms in which reports name kernels. The names are those that nsys prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stats.test_reports import capture, records
from tests.support.export import Export, global_id
from tui.analysis.stats import REPORTS

PUSH_POP, START_END = 59, 60
WITH_RANGES = (
    "cuda_gpu_kern_sum",
    "cuda_gpu_kern_gb_sum",
    "cuda_gpu_sum",
    "cuda_api_gpu_sum",
    "cuda_gpu_trace",
    "cuda_kern_exec_trace",
    "cuda_kern_exec_sum",
)


@pytest.fixture
def export(tmp_path: Path) -> Export:
    return Export(tmp_path / "x.sqlite")


def launch(export: Export, at: int, name: str = "k", tid: int = 1, length: int = 5, **names: str) -> None:
    corr = export.runtime("cudaLaunchKernel_v7000", at, at + length, tid=tid)
    export.kernel(at + 1000, at + 1001, corr=corr, name=name, **names)


def test_which_reports_take_which_options() -> None:
    takes = {name: report.options for name, report in REPORTS.items() if report.options}
    assert {name for name, options in takes.items() if "nvtx-name" in options} == set(WITH_RANGES)
    assert takes["nvtx_kern_sum"] == ("base", "mangled")
    assert all(set(options) >= {"base", "mangled"} for name, options in takes.items() if name in WITH_RANGES)


@pytest.mark.parametrize("report", WITH_RANGES)
@pytest.mark.parametrize(
    ("options", "name"),
    [
        ("", "k<int>(int)"),
        (":base", "k"),
        (":mangled", "_Z1kIiEvT_"),
        (":base:mangled", "k"),
        (":mangled:base", "k"),
        (":nvtx-name", "step/k<int>(int)"),
        (":nvtx-name:base", "step/k"),
        (":mangled:nvtx-name", "step/_Z1kIiEvT_"),
        (":nvtx-name:nvtx-name", "step/k<int>(int)"),
    ],
)
def test_each_form(tmp_path: Path, export: Export, report: str, options: str, name: str) -> None:
    export.nvtx(PUSH_POP, 0, 100, "step")
    launch(export, 10, "k<int>(int)", short="k", mangled="_Z1kIiEvT_")
    export.memcpy(3000, 3001, corr=export.runtime("cudaMemcpy_v3020", 20, 25))
    rows = records(capture(tmp_path, export=export), f"{report}{options}")
    column = next(c for c in ("Kernel Name", "Operation", "Name") if c in rows[0])
    others = {"[CUDA memcpy Host-to-Device]", "cudaLaunchKernel", "cudaMemcpy"}
    assert [row[column] for row in rows if row[column] not in others] == [name]


def test_the_range_is_the_one_around_the_launch_that_starts_last(tmp_path: Path, export: Export) -> None:
    export.nvtx(PUSH_POP, 0, 1000, "outer")
    export.nvtx(PUSH_POP, 100, 200, "inner")
    expected = []
    for at, name in (
        (0, "outer"),
        (110, "inner"),
        (195, "inner"),
        (196, "outer"),
        (995, "outer"),
        (996, None),
    ):
        launch(export, at)
        expected.append(f"{name}/k" if name else "k")
    export.nvtx(PUSH_POP, 300, 350, "short")  # recorded first
    export.nvtx(PUSH_POP, 300, 400, "long")
    export.nvtx(PUSH_POP, 410, 440, "one")
    export.nvtx(PUSH_POP, 430, 490, "other")  # they cross
    export.nvtx(START_END, 500, 600, "start/end")
    export.domain(5, "domain")
    export.nvtx(PUSH_POP, 610, 690, "of a domain", domain=5)
    export.nvtx(PUSH_POP, 700, 750, "elsewhere", tid=2)
    export.nvtx(START_END, 760, 800, "ends elsewhere", endGlobalTid=global_id(100, 2))
    export.nvtx(PUSH_POP, 810, 850, None)
    for at, name in (
        (310, "short"),
        (434, "other"),
        (510, "start/end"),
        (620, "of a domain"),
        (710, "outer"),
        (770, "outer"),
        (820, None),
    ):
        launch(export, at)
        expected.append(f"{name}/k" if name else "k")
    export.kernel(5000, 5001)  # without a launch
    rows = records(capture(tmp_path, export=export), "cuda_gpu_trace:nvtx-name")
    names = {row["Start (ns)"] - 1000: row["Name"] for row in rows}
    starts = [0, 110, 195, 196, 995, 996, 310, 434, 510, 620, 710, 770, 820, 4000]
    assert names == dict(zip(starts, [*expected, "k"], strict=True))


def test_an_open_range_ends_with_the_last_range(tmp_path: Path, export: Export) -> None:
    export.nvtx(PUSH_POP, 100, None, "open")
    export.nvtx(PUSH_POP, 200, 300, "last")
    export.mark("mark", 400)
    for at in (150, 210, 310, 410):
        launch(export, at)
    rows = records(capture(tmp_path, export=export), "cuda_gpu_trace:nvtx-name")
    assert [row["Name"] for row in rows] == ["open/k", "last/k", "k", "k"]


def test_kernels_of_one_name_are_one_row_whatever_is_range_and_whatever_kernel(
    tmp_path: Path, export: Export
) -> None:
    export.nvtx(PUSH_POP, 0, 100, "a")
    export.nvtx(PUSH_POP, 200, 300, "a/b")
    launch(export, 10, "b/c")
    launch(export, 210, "c")
    rows = records(capture(tmp_path, export=export), "cuda_gpu_kern_sum:nvtx-name")
    assert [(row["Instances"], row["Name"]) for row in rows] == [(2, "a/b/c")]
    rows = records(capture(tmp_path, export=export), "cuda_kern_exec_sum:nvtx-name")
    assert [(row["Count"], row["Kernel Name"]) for row in rows] == [(2, "a/b/c")]


def test_without_ranges_names_are_plain(tmp_path: Path, export: Export) -> None:
    launch(export, 10)
    export.drop("NVTX_EVENTS")
    rows = records(capture(tmp_path, export=export), "cuda_gpu_trace:nvtx-name")
    assert [row["Name"] for row in rows] == ["k"]
