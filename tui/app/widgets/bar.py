"""Bars: one line of styled runs (header, tabs, status), and the line between timeline and pane."""

from __future__ import annotations

from rich.segment import Segment
from textual.strip import Strip
from textual.widget import Widget

from tui.app.looks import Looks
from tui.timeline.runs import Line, fit_line


class Bar(Widget):
    """Shows a line; repaints only when it changed."""

    DEFAULT_CSS = "Bar { height: 1; }"

    def __init__(self, looks: Looks, ground: str, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self.looks = looks
        self.ground = ground
        self.line: Line = []

    def show(self, line: Line) -> None:
        """Replace the line."""
        if line != self.line:
            self.line = line
            self.refresh()

    @property
    def room(self) -> int:
        """Cells there are."""
        return self.size.width

    def render_line(self, y: int) -> Strip:
        runs = fit_line(self.line, self.size.width, self.ground)
        return Strip([Segment(run.text, self.looks.style(run.style)) for run in runs], self.size.width)


class Edge(Widget):
    """The line between timeline and pane."""

    DEFAULT_CSS = "Edge { width: 1; height: 1fr; }"

    def __init__(self, looks: Looks) -> None:
        super().__init__()
        self.looks = looks

    def render_line(self, y: int) -> Strip:
        return Strip([Segment(self.looks.glyphs.bar, self.looks.style("pane.edge"))], 1)
