"""The reports on real exports: equal to what nsys printed, and to a brute force."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.stats.brute import Brute
from tests.stats.conftest import rows_of, table_of
from tests.support.real import EXPORTS, REAL, needs_real, real_export
from tui.report import Report

SUMS = (
    "cuda_gpu_kern_sum",
    "cuda_gpu_kern_sum:base",
    "cuda_gpu_kern_sum:mangled",
    "cuda_gpu_kern_gb_sum",
    "cuda_gpu_mem_time_sum",
    "cuda_gpu_mem_size_sum",
    "cuda_gpu_sum",
    "cuda_api_gpu_sum",
    "cuda_api_sum",
    "osrt_sum",
    "nvtx_sum",
    "nvtx_pushpop_sum",
    "nvtx_startend_sum",
    "cuda_kern_exec_sum",
)

Open = Callable[[Path], Report]


def same_but_for_cut_names(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Whether two rows are equal; nsys cut some names at its column limit."""
    for header, value in theirs.items():
        mine = ours[header]
        if isinstance(value, str) and value.endswith("…"):
            if not mine.startswith(value[:-1]):
                return False
        elif mine != value or type(mine) is not type(value):
            return False
    return list(ours) == list(theirs)


@pytest.mark.parametrize("name", ["fuser-2024.6-a", "fuser-2024.6-b"])
def test_every_row_that_nsys_printed(name: str, opened: Open) -> None:
    expected = (
        json.loads((REAL / "expected" / f"{name}.json").read_text())["reports"] if REAL.exists() else {}
    )
    report = opened(real_export(name))
    walked = 0
    for title, rows in expected.items():
        table = table_of(report, title)
        headers = [column.header for column in table.columns]
        ours = [dict(zip(headers, row, strict=True)) for row in rows_of(table)]
        assert len(ours) == len(rows), title
        for mine, theirs in zip(ours, rows, strict=True):
            assert same_but_for_cut_names(mine, theirs), (title, mine, theirs)
            walked += 1
    assert walked == {"fuser-2024.6-a": 121, "fuser-2024.6-b": 121}[name]


@needs_real
@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.stem)
def test_sums_equal_a_brute_force(path: Path, opened: Open) -> None:
    if path.stem == "no-kernels-2026":
        pytest.skip("no events at all")
    brute, report = Brute(path), opened(path)
    for name in SUMS:
        assert rows_of(table_of(report, name)) == brute.report(name), name


@needs_real
@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.stem)
def test_sums_by_range_equal_a_brute_force(path: Path, opened: Open) -> None:
    brute, report = Brute(path), opened(path)
    if not len(report.ranges):
        pytest.skip("no ranges")
    projected = [row[:12] for row in rows_of(table_of(report, "nvtx_gpu_proj_sum"))]
    assert projected == brute.report("nvtx_gpu_proj_sum")
    assert rows_of(table_of(report, "nvtx_kern_sum")) == brute.report("nvtx_kern_sum")
