"""What the tabs count is what the header names: the work window, not everything recorded."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tests.support.export import Export
from tests.support.real import real_export
from tui.analysis.index import Busy
from tui.browse.capture import Capture, capture_of
from tui.browse.clock import Clock
from tui.browse.listing import RowEvents
from tui.browse.page import Instances, Page, Section
from tui.browse.pages.api_tab import api_page
from tui.browse.pages.events_tab import events_page
from tui.browse.pages.nvtx_tab import nvtx_page
from tui.browse.pages.os_tab import os_page
from tui.browse.pages.request import PageRequest
from tui.report import open_report


def opened(path: Path) -> Capture:
    return capture_of(open_report(path, use_store=False))


def first_section(
    capture: Capture, build: Callable[[PageRequest], Page], subject: RowEvents | None = None
) -> Section:
    with capture.lookups() as index:
        request = PageRequest(capture, index, capture.home, Busy.ALL, 100_000, Clock(0), subject=subject)
        return build(request)[0]


def counts(section: Section) -> dict[str, tuple[int, int]]:
    """Return name -> (count, total in ns)."""
    assert section.table is not None
    column = {c.header: list(c.values) for c in section.table.columns}
    names = column["name" if "name" in column else "range"]
    return dict(zip(names, zip(column["count"], column["total"], strict=True), strict=True))


def early_calls(path: Path) -> Path:
    """A long allocation, a range and an OS call before the first kernel, and shorter ones beside it."""
    export = Export(path)
    export.runtime("cudaMalloc_v3020", 0, 5_000)
    export.osrt("fopen", 100, 3_000)
    export.push_pop("setup", 0, 5_500)
    export.launch((6_000, 6_100), (7_000, 9_000), name="gemm")
    export.runtime("cudaMalloc_v3020", 7_500, 7_600)
    export.osrt("fopen", 8_000, 8_050)
    export.push_pop("setup", 7_100, 7_200)
    return export.write()


def test_what_ended_before_the_gpu_work_is_not_in_its_window(tmp_path: Path) -> None:
    capture = opened(early_calls(tmp_path / "a.sqlite"))
    assert (capture.home.start, capture.home.end) == (7_000, 9_000)
    api = first_section(capture, api_page)
    assert counts(api) == {"cudaMalloc": (1, 100)}
    assert api.find is not None
    found = api.find(0)
    assert found is not None
    assert found.start.tolist() == [7_500]
    assert counts(first_section(capture, os_page)) == {"fopen": (1, 50)}
    nvtx = first_section(capture, nvtx_page).table
    assert nvtx is not None
    assert [list(c.values) for c in nvtx.columns if c.header in ("label", "count")] == [["setup"], [1]]


def test_a_list_of_events_keeps_to_the_window_that_it_names(tmp_path: Path) -> None:
    capture = opened(early_calls(tmp_path / "a.sqlite"))
    calls = capture.report.calls
    both = np.array([0, 2])
    everyone = RowEvents("cudaMalloc", Instances("calls", both, calls.start[both], calls.end[both]))
    section = first_section(capture, events_page, everyone)
    assert section.lines[0].startswith("cudaMalloc · GPU work")
    assert section.table is not None
    assert list(section.table.columns[1].values) == [100]


def test_real_calls_are_those_of_the_window() -> None:
    """The allocation that takes 234 ms ends before the first kernel starts."""
    path = real_export("cloverleaf-2024.5")
    shown = counts(first_section(opened(path), api_page))
    with sqlite3.connect(path) as export:
        rows = export.execute(
            "select s.value, count(*), sum(r.end - r.start) from CUPTI_ACTIVITY_KIND_RUNTIME r"
            " join StringIds s on s.id = r.nameId where r.start < 875746050 and r.end > 533338240 group by 1"
        ).fetchall()
    assert shown == {name.partition("_v")[0]: (count, ns) for name, count, ns in rows}
    assert shown["cudaMalloc"] == (43, 756_696)
