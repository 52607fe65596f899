"""What is said of the thing under the cursor."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.export import Export
from tui.analysis.events import export_table
from tui.analysis.index import Busy, Index
from tui.analysis.window import make_scope
from tui.browse.capture import open_capture
from tui.browse.clock import Clock
from tui.browse.details import describe, name_of
from tui.browse.gap_story import gap_story
from tui.browse.search import search
from tui.browse.target import gap_target
from tui.timeline.slices import SliceId

MS = 1_000_000
CLOCK = Clock(0)


def test_a_gap_has_the_number_that_a_range_gives_it(tmp_path: Path) -> None:
    """Gaps are numbered through all devices: two on GPU 0, then two on GPU 1."""
    export = Export(tmp_path / "x.sqlite")
    for device in (0, 1):
        for start in (0, 5, 9):
            export.kernel(start * MS, (start + 1) * MS, device=device)
    capture = open_capture(export.write(), use_store=False)
    books = capture.books(Busy.ALL, 100_000)
    titles = [[gap_target(capture, books[device], gap).words[0] for gap in (0, 1)] for device in (0, 1)]
    assert titles == [
        ["GPU 0 idle gap 1 of 4", "GPU 0 idle gap 2 of 4"],
        ["GPU 1 idle gap 3 of 4", "GPU 1 idle gap 4 of 4"],
    ]
    assert gap_story(capture, books[1], 0, CLOCK)[0] == ("gap", "3 of 4 on GPU 1")
    assert (make_scope(capture.report, "gap:3").window.start, books[1].gaps.start[0]) == (1 * MS, 1 * MS)


def test_a_synchronisation_without_a_label_has_one_name(tmp_path: Path) -> None:
    """The lanes, the details and the search call it the same."""
    export = Export(tmp_path / "x.sqlite")
    export.kernel(0, 10)
    export.sync(10, 20, kind=9)
    capture = open_capture(export.write(), use_store=False)
    sync = SliceId("syncs", 0)
    assert capture.tree.catalogue is not None
    assert capture.tree.catalogue.labels(sync) == ("synchronisation, kind 9",) * 2
    assert name_of(capture.report, sync) == "synchronisation, kind 9"
    assert dict(describe(Index(capture.report), sync, CLOCK))["name"] == "synchronisation, kind 9"
    found = search(capture.report, "KIND 9")
    assert [found.id(i) for i in range(len(found))] == [sync]


def test_the_path_of_details_is_that_of_an_export(tmp_path: Path) -> None:
    """A start/end range that its own thread ends is part of it."""
    export = Export(tmp_path / "x.sqlite").notation('N(59,0-100,"step"), R cudaFree 20-25, O poll 30-35')
    export.start_end("load", 10, 60)
    export.mark("m", 40)
    capture = open_capture(export.write(), use_store=False)
    report = capture.report
    paths = export_table(report, make_scope(report)).columns[-1].values[:]
    assert paths[2:] == ["step > load"] * 3
    for thing in (SliceId("calls", 0), SliceId("os_calls", 0), SliceId("marks", 0)):
        assert dict(describe(Index(capture.report), thing, CLOCK))["NVTX"] == "step > load"


@pytest.mark.parametrize(
    ("thing", "labels"),
    [
        ("ops", "name start end duration kind device stream context process correlation short|name "
                "mangled|name grid block registers/thread static|shared dynamic|shared local/thread "
                "green|context launch launched call|took latency thread NVTX"),
        ("calls", "name start end duration class thread correlation returned issued first|op op|starts NVTX"),
        ("ranges", "name start end duration style domain thread level GPU|work _ _ children"),
        ("marks", "name start domain thread NVTX"),
        ("os_calls", "name start end duration thread NVTX"),
        ("syncs", "name start end duration device process stream context correlation"),
        ("other:MPI_OTHER_EVENTS", "name start end duration table thread class"),
    ],
)  # fmt: skip
def test_what_details_say_of_each_kind_of_event(thing: str, labels: str, tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite").notation(
        'K 10-20 corr=1, R cudaLaunchKernel_v7000 0-5 corr=1, N(59,0-30,"a"), N(34,3-NULL,"m"),'
        "O poll 0-9, Y 21-22"
    )
    event = {"start": 1, "end": 2, "globalTid": None, "textId": export.string("MPI_Init", 900)}
    export.rows["MPI_OTHER_EVENTS"] = [event]
    capture = open_capture(export.write(), use_store=False)
    pairs = describe(Index(capture.report), SliceId(thing, 0), CLOCK)
    assert [label.replace(" ", "|") or "_" for label, _ in pairs] == labels.split()
