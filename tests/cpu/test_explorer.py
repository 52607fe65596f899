"""What the explorer says of CPUs: on the device's line, of a gap, of a call, and in the Blame tab."""

from __future__ import annotations

from pathlib import Path
from threading import Event

import pytest

from tests.support.export import Export
from tui.analysis.index import Busy
from tui.browse.capture import GapBook, open_capture
from tui.browse.clock import Clock
from tui.browse.details import describe
from tui.browse.drawing import Drawing
from tui.browse.gap_story import gap_story
from tui.browse.pages import TABS
from tui.browse.state import Browse, ReportPlace
from tui.cli import main
from tui.timeline.slices import SliceId

MS = 1_000_000
LIBC = "/lib/libc-2.31.so"


def gap_of(export: Export, start: int, end: int) -> None:
    """A gap from ``start`` to ``end`` at whose end a launch is late."""
    export.launch((start - 2 * MS, start - MS), (start - MS, start))
    export.launch((end - 9_000, end - 4_000), (end, end + MS))


@pytest.fixture
def computing(export: Export) -> Path:
    """A gap of 40 ms in postprocess, on a CPU but for a moment in which another thread took it."""
    gap_of(export, 10 * MS, 50 * MS)
    export.on_cpu(None, 20 * MS)
    export.on_cpu(20 * MS + 5_000, 22 * MS, tid=2)
    export.on_cpu(22 * MS + 5_000, None)
    for at in range(12, 40, 4):
        export.sample(at * MS, ["void app::postprocess<float>(float const*)", "main"])
    return export.write()


@pytest.fixture
def sleeping(export: Export) -> Path:
    """A gap of 40 ms of host code during which the thread did not run but for 4 ms; samples of that."""
    gap_of(export, 10 * MS, 50 * MS)
    export.on_cpu(None, 14 * MS)
    export.on_cpu(50 * MS - 20_000, None)
    for at in (11, 12, 13):
        export.sample(at * MS, ["setup", "main"])
    return export.write()


@pytest.fixture
def reading(export: Export) -> Path:
    """A gap of 40 ms in a read that load_batch made."""
    gap_of(export, 10 * MS, 50 * MS)
    export.osrt("read", 10 * MS + 5_000, 49 * MS, callchainId=3)
    export.chain("OSRT", 3, [("__read", LIBC), "load_batch(int)", "main"])
    return export.write()


def told(path: Path) -> tuple[Browse, GapBook]:
    capture = open_capture(path, use_store=False)
    books = capture.books(Busy.ALL, 100_000)
    assert all(book.told is None for book in books.values())
    assert capture.untold(Busy.ALL, 100_000)
    capture.tell(Busy.ALL, 100_000)
    assert not capture.untold(Busy.ALL, 100_000)
    browse = Browse(ReportPlace(path), Drawing(), min_gap_ns=100_000)
    browse.open(capture).resize(160, 30)
    return browse, capture.books(Busy.ALL, 100_000)[0]


def story(browse: Browse, book: GapBook) -> list[str]:
    assert browse.capture is not None
    pairs = gap_story(browse.capture, book, 0, Clock(0))
    labels = [label for label, _ in pairs]
    first = labels.index("blame")
    last = labels.index("thread")
    return [value.strip() for _, value in pairs[first:last]]


def test_the_line_and_the_story_name_the_hot_function(computing: Path) -> None:
    browse, book = told(computing)
    assert book.marks.cause(0) == "host code: postprocess()"
    said = story(browse, book)
    assert said[0].startswith("39.991 ms  100.0%  host code")
    assert said[1] == "on a CPU 95.0% of it"
    assert said[2] == "void app::postprocess<float>(float const*) of app: 7 of 7 samples"
    assert said[-1] == "probably preempted for 2.00 ms of the time off a CPU"


def test_a_thread_that_did_not_run_has_no_hot_function(sleeping: Path) -> None:
    browse, book = told(sleeping)
    assert book.marks.cause(0) == "host code, off CPU"
    assert story(browse, book)[1] == "on a CPU 10.0% of it: it waits in something that was not traced"


def test_a_call_is_named_with_who_made_it(reading: Path) -> None:
    browse, book = told(reading)
    assert book.marks.cause(0) == "read: load_batch()"
    assert story(browse, book)[1] == "called by load_batch(int) of app"


def test_the_view_says_it_on_the_line(computing: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(computing), "--size", "160x12", "--pane", "none", "--no-cache"]) == 0
    assert "idle 40.0 ms · host code: postprocess()" in capsys.readouterr().out


def test_without_such_tables_nothing_is_asked(export: Export) -> None:
    gap_of(export, 10 * MS, 50 * MS)
    capture = open_capture(export.write(), use_store=False)
    books = capture.books(Busy.ALL, 100_000)
    assert not capture.untold(Busy.ALL, 100_000)
    assert books[0].marks.cause(0) == "host code"


def test_a_file_that_went_away_is_no_error(computing: Path) -> None:
    capture = open_capture(computing, use_store=False)
    capture.books(Busy.ALL, 100_000)
    computing.unlink()
    capture.tell(Busy.ALL, 100_000)
    assert capture.books(Busy.ALL, 100_000)[0].marks.cause(0) == "host code"


def test_details_of_a_call_have_its_backtrace(reading: Path) -> None:
    browse, _ = told(reading)
    assert browse.capture is not None
    with browse.capture.lookups() as index:
        pairs = describe(index, SliceId("os_calls", 0), Clock(0))
    assert pairs[-4:] == [
        ("called by", "load_batch(int)"),
        ("backtrace", "__read  libc-2.31.so"),
        ("", "load_batch(int)  app"),
        ("", "main  app"),
    ]


def test_a_backtrace_that_is_not_read_yet_is_said_to_come(reading: Path) -> None:
    with open_capture(reading, use_store=False).lookups() as index:
        pairs = describe(index, SliceId("os_calls", 0), Clock(0))
    assert pairs[-1] == ("backtrace", "still being read: once more in a moment")


def test_details_of_a_call_say_how_long_its_thread_ran(computing: Path) -> None:
    browse, _ = told(computing)
    assert browse.capture is not None
    with browse.capture.lookups() as index:
        pairs = dict(describe(index, SliceId("calls", 0), Clock(0)))
    assert pairs["on a CPU"] == "1.000 ms  100.0%"


def test_the_blame_tab_divides_host_code(sleeping: Path) -> None:
    browse, _ = told(sleeping)
    browse.tab = TABS[1]
    page = browse.page_job()(Event())
    table = page[0].table
    assert table is not None
    columns = {column.header: list(column.values) for column in table.columns}
    rows = list(zip(columns["class"], columns["call"], columns["idle"], strict=True))
    assert rows == [
        ("host code, off CPU", None, 36 * MS - 20_000),
        ("host code", "setup()", 4 * MS + 11_000),
        ("launch latency", "cudaLaunchKernel", 9_000),
    ]
    assert sum(columns["idle"]) == 40 * MS
