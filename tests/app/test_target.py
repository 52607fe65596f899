"""What is said of the thing under the cursor."""

from __future__ import annotations

from pathlib import Path

from tests.support.export import Export
from tui.analysis.index import Busy
from tui.analysis.window import make_scope
from tui.browse.capture import open_capture
from tui.browse.clock import Clock
from tui.browse.gap_story import gap_story
from tui.browse.target import gap_target

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
