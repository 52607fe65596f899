"""Both ends of what belongs together: a kernel and its launch, a range and its device work, some lanes."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import numpy as np
import pytest

from tests.app.conftest import US
from tests.support.export import Export
from tui.analysis.index import Busy, Index
from tui.analysis.range_work import launched_in, range_work
from tui.browse.capture import open_capture
from tui.browse.drawing import Drawing
from tui.browse.inspection import inspect
from tui.browse.jumps import Jumps
from tui.browse.linking import Linker
from tui.browse.navigator import Navigator
from tui.browse.state import Browse, ReportPlace
from tui.browse.timeline_lines import TimelineLines
from tui.report import open_report
from tui.report.columns import NULL
from tui.report.model import Report
from tui.timeline.glyphs import ASCII, UNICODE
from tui.timeline.lane import LaneKind
from tui.timeline.link_line import Link, draw_link
from tui.timeline.runs import Run, text_of
from tui.timeline.slices import SliceId
from tui.timeline.viewport import Viewport


@pytest.fixture
def links(browse: Browse) -> Linker:
    return Linker(browse, Jumps(browse))


def to_lane(browse: Browse, title: str) -> None:
    view = browse.view
    assert view is not None
    view.go_line(next(i for i, line in enumerate(view.lines) if line.lane.title.startswith(title)))


def to_thread(browse: Browse) -> None:
    view = browse.view
    assert view is not None
    view.go_line(next(i for i, line in enumerate(view.lines) if line.lane.kind is LaneKind.THREAD))


def far(path: Path) -> Browse:
    """A call of 10 us at 0 whose kernel of 100 us starts at 900 ms; NVTX around the call."""
    export = Export(path)
    export.push_pop("outer", 0, 50 * US)
    export.push_pop("inner", 5 * US, 40 * US)
    export.launch((10 * US, 20 * US), (900_000 * US, 900_100 * US), name="late")
    export.launch((30 * US, 35 * US), (900_200 * US, 900_300 * US), name="later")
    export.push_pop("after", 60 * US, 70 * US)
    capture = open_capture(export.write(), use_store=False)
    capture.books(Busy.ALL, 100_000)
    browse = Browse(ReportPlace(path), Drawing(), lambda action: f"<{action}>", min_gap_ns=100_000)
    browse.open(capture).resize(100, 30)
    return browse


# -- launches ---------------------------------------------------------------------------------------------


def test_both_ends_are_framed_with_the_way_between_them(tmp_path: Path) -> None:
    browse = far(tmp_path / "far.sqlite")
    view, links = browse.view, Linker(browse, Jumps(browse))
    assert view is not None
    to_lane(browse, "s7")
    view.fit(900_000 * US, 900_100 * US)
    view.go(900_000 * US)
    links.follow()
    assert view.cursor == 10 * US
    assert view.viewport.shows(10 * US, 100)
    assert view.viewport.shows(900_100 * US, 100)
    assert browse.message == "cudaLaunchKernel_v7000 · call 10.000 us · queued 899.980 ms · op 100.000 us"
    assert view.link is not None
    assert (view.link.since, view.link.until) == (20 * US, 900_000 * US)
    lines = TimelineLines(Drawing(), {})
    lines.resize(112, 30, view)
    drawn = [text_of(lines.line(y, view, browse.backdrop())) for y in range(30)]
    arrow = next(line for line in drawn if "queued 900 ms" in line)
    assert "─▸" in arrow
    viewport = view.viewport
    links.follow()
    assert (view.cursor, view.viewport) == (900_000 * US, viewport)  # both are in sight: nothing moves
    view.clear()
    assert view.link is None


def test_in_sight_nothing_moves_and_an_op_that_starts_early_says_so(browse: Browse, links: Linker) -> None:
    view = browse.view
    assert view is not None
    before = view.viewport
    to_lane(browse, "copies")
    view.go(306 * US)
    links.follow()
    assert (view.cursor, view.viewport) == (302 * US, before)
    assert (
        browse.message
        == "cudaMemcpyAsync_v3020 · call 6.000 us · the op starts 3.000 us before it returns · op 23.000 us"
    )


def test_the_arrow_is_drawn_over_the_lane() -> None:
    link = Link(SliceId("calls", 0), SliceId("ops", 0), 100, 400, "x")
    line = [Run("abcdefghij", "kernel.0"), Run(" " * 40, "")]
    drawn = draw_link(line, link, Viewport(0, 10), 50, UNICODE)
    assert (
        text_of(drawn)
        == "abcdefghij" + "─" * 7 + " queued 300 ns ".center(15, "─") + "─" * 7 + "▸" + " " * 10
    )
    assert text_of(draw_link(line, link, Viewport(0, 40), 50, ASCII))[:12] == "ab------->  "
    assert draw_link(line, link, Viewport(0, 1000), 50, UNICODE) == line
    assert draw_link(line, Link(link.call, link.op, 400, 100, "x"), Viewport(0, 10), 50, UNICODE) == line
    beyond = text_of(draw_link(line, link, Viewport(0, 5), 50, UNICODE))
    assert beyond[20:].strip("─ ") == "queued 300 ns"
    assert len(beyond) == 50


# -- ranges -----------------------------------------------------------------------------------------------


def test_a_range_leads_to_its_work_and_back(tmp_path: Path) -> None:
    browse = far(tmp_path / "far.sqlite")
    view, links = browse.view, Linker(browse, Jumps(browse))
    assert view is not None
    to_lane(browse, "NVTX")
    view.fit(0, 50 * US)
    view.go(6 * US)
    links.follow()
    assert view.cursor == 900_000 * US
    assert view.highlight == (900_000 * US, 900_300 * US)
    assert view.viewport.shows(5 * US, 100)
    said = "inner launched 2 ops, 200 us of GPU time over 300 us · <launch-link> comes back"
    assert browse.message == said
    links.follow()
    assert view.cursor == 5 * US
    assert browse.message == "inner launched it"
    assert view.highlight is None
    to_thread(browse)
    view.fit(0, 100 * US)
    view.go(61 * US)
    links.follow()
    assert browse.message == "this range launched no recorded device work"


def test_enter_on_a_range_says_what_it_launched_and_holds(browse: Browse) -> None:
    view = browse.view
    assert view is not None
    to_thread(browse)
    view.go(1 * US)
    found = inspect(browse)
    assert found is not None
    title, pairs = found
    assert title == "NVTX range"
    at = next(i for i, (label, _) in enumerate(pairs) if label == "GPU work")
    assert pairs[at][1] == "3 ops, 293 us in all, over 295 us"
    assert pairs[at + 1][1] == "from 305 us after the range began"
    assert [value.split() for _, value in pairs[at + 2 : at + 5]] == [
        ["1", "x", "170", "us", "gemm<float>[x]"],
        ["1", "x", "100", "us", "relu"],
        ["1", "x", "23.0", "us", "[CUDA", "memcpy", "Host-to-Device]"],
    ]
    children = next(i for i, (label, _) in enumerate(pairs) if label == "children")
    assert pairs[children][1] == "2 ranges, 580 us; 320 us outside them"
    assert [value.split()[-1] for _, value in pairs[children + 1 :]] == ["data", "forward"]


def brute(report: Report) -> list[tuple[int, int, int, int]]:
    """(ops, their time, first start, last end) of each range, op by op."""
    found = []
    ranges, ops, calls = report.ranges, report.ops, report.calls
    for row in range(len(ranges)):
        mine = []
        for op in range(len(ops)):
            call = int(ops.launch[op])
            inside = call >= 0 and calls.thread[call] == ranges.thread[row]
            if inside and ranges.start[row] <= calls.start[call] and calls.end[call] <= ranges.end[row]:
                mine.append((int(ops.start[op]), int(ops.end[op])))
        first = min((s for s, _ in mine), default=NULL)
        last = max((e for _, e in mine), default=NULL)
        found.append((len(mine), sum(e - s for s, e in mine), first, last))
    return found


@pytest.mark.parametrize("seed", range(6))
def test_the_work_of_ranges_is_that_of_brute_force(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    export = Export(tmp_path / "random.sqlite")

    def nest(low: int, high: int, depth: int, tid: int) -> None:
        at = low
        while at < high - 4 and depth < 4:
            end = int(rng.integers(at + 2, high))
            export.push_pop(f"r{int(rng.integers(4))}", at, end, tid=tid)
            nest(at + 1, end - 1, depth + 1, tid)
            at = end + int(rng.integers(1, 6))

    for tid in (1, 2):
        nest(0, 200, 0, tid)
        for _ in range(4):
            start = int(rng.integers(0, 150))
            export.start_end("free", start, start + int(rng.integers(5, 60)), tid=tid)
    for _ in range(40):
        start, device = int(rng.integers(0, 190)), int(rng.integers(300, 900))
        end = start + int(rng.integers(0, 5))
        length = int(rng.integers(0, 30))
        export.launch((start, end), (device, device + length), tid=int(rng.integers(1, 3)), stream=7)
    report = open_report(export.write(), use_store=False)
    work = range_work(Index(report))
    expected = brute(report)
    columns = (work.ops, work.gpu_ns, work.first, work.last)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == expected
    assert [len(launched_in(report, row)) for row in range(len(report.ranges))] == [e[0] for e in expected]


def test_ranges_on_the_device_and_back(browse: Browse, links: Linker) -> None:
    view = browse.view
    assert view is not None
    links.project()
    assert browse.message == "put the cursor on a thread: T shows its NVTX ranges on the device's time"
    to_lane(browse, "NVTX")
    before = [(line.lane.key, line.lane.title) for line in view.lines]
    links.project()
    assert browse.message == "NVTX ranges on the device: from the first to the last op that each launched"
    lane = next(line.lane for line in view.lines if line.lane.title == "NVTX on GPU")
    (row,) = lane.rows  # data launched nothing; forward: gemm and relu
    assert row.start.tolist() == [330 * US, 1330 * US, 2330 * US]
    assert row.end.tolist() == [600 * US, 1600 * US, 2600 * US]
    heading = next(line.lane for line in view.lines if line.lane.thread >= 0)
    assert heading.title.endswith("on GPU")
    assert heading.rows[0].start.tolist() == [305 * US, 1305 * US, 2305 * US]  # train_step: from the copy on
    links.project()
    assert browse.message == "NVTX ranges in host time"
    assert [(line.lane.key, line.lane.title) for line in view.lines] == before


# -- areas ------------------------------------------------------------------------------------------------


def test_an_area_sums_up_its_lanes_alone(browse: Browse) -> None:
    view, navigator = browse.view, Navigator(browse)
    assert view is not None
    to_lane(browse, "s7")
    view.go(400 * US)
    navigator.range_start()
    view.go(1000 * US)
    assert browse.area == ()
    whole = browse.question()
    view.move_line(1)
    assert [lane.title for lane in browse.area] == ["s7", "copies"]
    assert browse.question() != whole
    section = browse.page_job()(Event())[0]
    assert section.title == "Selected lanes"
    assert section.table is not None
    rows = list(section.table.rows())
    # gemm from 400 to 500 and relu from 500 to 600, both cut to the range; no copy before 1305.
    assert rows[0][:4] == ("  s7", 2, 200 * US, 200 * US)
    assert rows[0][5] == "gemm<float>[x]"
    assert rows[1][:4] == ("  copies", 0, 0, 0)
    assert rows[1][5] is None
    assert section.find is not None
    found = section.find(0)
    assert found is not None
    assert found.start.tolist() == [330 * US, 500 * US]
    assert section.find(1) is None
    view.clear()
    assert browse.area == ()
    view.select(0, 10)
    assert browse.area == ()


def test_an_area_shades_its_lanes_alone(browse: Browse) -> None:
    view = browse.view
    assert view is not None
    to_lane(browse, "s7")
    view.go(0)
    view.toggle_anchor()
    view.go(300 * US)
    view.move_line(1)
    lines = TimelineLines(Drawing(), {})
    lines.resize(112, 30, view)
    head = len(lines.head)
    shaded = [
        any(run.style.endswith("select") for run in lines.line(head + n, view, browse.backdrop())[1:])
        for n in range(len(view.lines))
    ]
    titles = [line.lane.title for line in view.lines]
    chosen = [title for title, is_shaded in zip(titles, shaded, strict=True) if is_shaded]
    assert list(dict.fromkeys(chosen)) == ["s7", "copies"]
