"""Reports for drawing: said in the short notation, written as a real export, opened."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.export import Export
from tui.report import Report, open_report
from tui.timeline.canvas import DrawOptions
from tui.timeline.draw import draw_lane_row
from tui.timeline.lane import Lane, LaneLine, LaneTree
from tui.timeline.lane_building import build_lanes
from tui.timeline.runs import text_of
from tui.timeline.viewport import Viewport

Opened = Callable[[str], Report]


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    """A report from events in the short notation."""

    def make(events: str) -> Report:
        return open_report(Export(tmp_path / "x.sqlite").notation(events).write(), use_store=False)

    return make


class Picture:
    """Lanes of a report drawn as plain text, one lane's line at a time."""

    def __init__(self, report: Report, viewport: Viewport, cells: int, options: DrawOptions) -> None:
        self.tree: LaneTree = build_lanes(report)
        self.viewport = viewport
        self.cells = cells
        self.options = options

    def lane(self, title: str) -> Lane:
        return next(lane for lane in self.tree.walk() if lane.title == title)

    def rows(self, title: str) -> list[str]:
        lane = self.lane(title)
        return [
            text_of(
                draw_lane_row(
                    LaneLine(lane, sub, False), self.viewport, self.cells, self.tree.catalogue, self.options
                )
            )
            for sub in range(lane.height)
        ]

    def row(self, title: str) -> str:
        (row,) = self.rows(title)
        return row


@pytest.fixture
def picture(opened: Opened) -> Callable[..., Picture]:
    """Draw events: ``picture(events, ns_per_cell, cells, start=0)``."""

    def make(
        events: str, ns_per_cell: int, cells: int, start: int = 0, options: DrawOptions | None = None
    ) -> Picture:
        return Picture(
            opened(events), Viewport.at(start, ns_per_cell), cells, options or DrawOptions(fill=False)
        )

    return make
