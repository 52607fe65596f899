"""The tab of CPUs: the functions of the window and of what the cursor is on, the threads, the callers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.export import Export
from tests.support.real import real_export
from tui.analysis.index import Busy
from tui.browse.capture import open_capture
from tui.browse.drawing import Drawing
from tui.browse.page import Page
from tui.browse.pages import TABS, numbered, tab_named
from tui.browse.state import Browse, ReportPlace
from tui.cli import main

MS = 1_000_000


@pytest.fixture
def stalled(export: Export) -> Path:
    """A gap of 40 ms: 30 of them in postprocess on a CPU, the rest off it. Another thread decodes."""
    export.launch((0, MS // 10), (MS // 5, 10 * MS))
    export.launch((50 * MS - 9_000, 50 * MS - 4_000), (50 * MS, 60 * MS))
    export.on_cpu(None, 40 * MS)
    export.on_cpu(50 * MS - 10_000, None)
    export.on_cpu(0, 60 * MS, tid=2, cpu=4)
    for at in range(12, 40, 4):
        export.sample(at * MS, ["postprocess(float const*)", "main"])
    for at in range(2, 58, 2):
        export.sample(at * MS, ["decode", "main"], tid=2)
    export.osrt("read", 3 * MS, 4 * MS, tid=2, callchainId=1)
    export.chain("OSRT", 1, [("__read", "/lib/libc-2.31.so"), "load_batch", "main"])
    return export.write()


def browse_of(path: Path) -> Browse:
    capture = open_capture(path, use_store=False)
    capture.books(Busy.ALL, 100_000)
    browse = Browse(ReportPlace(path), Drawing(), min_gap_ns=100_000)
    browse.open(capture).resize(100, 30)
    browse.tab = next(tab for tab in TABS if tab.name == "CPU")
    return browse


def page_of(browse: Browse) -> Page:
    from threading import Event

    return browse.page_job()(Event())


def rows(page: Page, section: int, *headers: str) -> list[tuple[object, ...]]:
    table = page[section].table
    assert table is not None
    columns = {column.header: column.values for column in table.columns}
    return [tuple(columns[header][row] for header in headers) for row in range(len(table))]


def test_functions_threads_and_callers_of_the_window(stalled: Path) -> None:
    browse = browse_of(stalled)
    page = page_of(browse)
    titles = [section.title for section in page]
    assert titles == [
        f"{what} · GPU work 59.8 ms" for what in ("Functions", "Threads", "Who makes the OS calls")
    ]
    assert rows(page, 0, "function", "samples") == [("decode", 28), ("postprocess(float const*)", 7)]
    assert page[0].lines[0].startswith("35 samples of 2 threads, 109.610 ms on a CPU: 0.0% in functions")
    assert rows(page, 1, "tid", "on CPU %", "hot function") == [
        (2, 100.0, "decode"),
        (1, 83.3, "postprocess(float const*)"),
    ]
    assert rows(page, 2, "caller", "call", "calls") == [("load_batch", "read", 1)]


def test_the_gap_under_the_cursor_comes_first(stalled: Path) -> None:
    browse = browse_of(stalled)
    before = browse.question()
    assert browse.view is not None
    browse.view.go(20 * MS)
    assert browse.question() != before
    page = page_of(browse)
    assert page[0].title == "Functions · GPU 0 idle gap 1 of 1 40.0 ms"
    assert page[0].lines[:2] == ("host code", "thread 1: on a CPU 75.0% of the time")
    assert rows(page, 0, "function", "samples", "%") == [("postprocess(float const*)", 7, 100.0)]
    assert page[0].find is not None
    found = page[0].find(0)
    assert found is not None
    assert found.start.tolist() == [at * MS for at in range(12, 40, 4)]


def test_the_thread_under_the_cursor_comes_first(stalled: Path) -> None:
    browse = browse_of(stalled)
    view = browse.view
    assert view is not None
    while view.at is not None and view.at.lane.thread < 0:
        view.move_line(1)
    page = page_of(browse)
    assert page[0].title == "Functions · thread 1"
    assert page[0].lines[0] == "on a CPU 83.3% of the time"
    assert rows(page, 0, "function", "samples") == [("postprocess(float const*)", 7)]


def test_other_tabs_do_not_depend_on_the_cursor(stalled: Path) -> None:
    browse = browse_of(stalled)
    browse.tab = TABS[0]
    before = browse.question()
    assert browse.view is not None
    browse.view.go(20 * MS)
    assert browse.question() == before


def test_no_samples_and_no_scheduling_are_said(export: Export) -> None:
    export.launch((0, 10), (20, 1_000))
    page = page_of(browse_of(export.write()))
    assert page[0].lines == (
        "capture.sqlite: CPU samples: not captured; nsys profile --sample=process-tree adds it",
    )
    assert page[1].lines == (
        "capture.sqlite: scheduling: not captured; nsys profile --cpuctxsw=process-tree adds it",
    )


def test_it_has_a_digit_only_where_it_has_data(stalled: Path, tmp_path: Path) -> None:
    with_data = open_capture(stalled, use_store=False).report
    other = Export(tmp_path / "other.sqlite")
    other.launch((0, 10), (20, 1_000))
    other.empty("SCHED_EVENTS")
    without = open_capture(other.write(), use_store=False).report
    tab = tab_named("cpu")
    assert tab is not None
    assert (tab.has_data(with_data), tab.has_data(without)) == (True, False)
    assert tab not in numbered(without).values()


def test_the_hot_function_of_a_real_forward_phase(capsys: pytest.CaptureFixture[str]) -> None:
    path = real_export("cpu-2023.4/cpu-samples")
    command = ["view", str(path), "--tab", "CPU", "--size", "80x60", "--no-cache", "--range", "nvtx:forward"]
    assert main(command) == 0
    assert re.search(r"clock reads \(vdso\) +\d+ ", capsys.readouterr().out)
