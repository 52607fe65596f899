"""Bars: one line of styled runs (header, tabs, status), and the edge between timeline and pane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.app.looks import Looks
from tui.browse.pages import Tab
from tui.browse.pane import tabs_line
from tui.timeline.runs import Line, Run


class Bar(Widget):
    """Shows one line; repaints only when it changed."""

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

    def render_line(self, y: int) -> Strip:
        return self.looks.strip(self.line, self.size.width, self.ground)


class Tabs(Bar):
    """The names of the pane's tabs around the current one; a click chooses."""

    @dataclass
    class Chosen(Message):
        """``tab`` was clicked."""

        tab: Tab

    def __init__(self, looks: Looks, tabs: Sequence[Tab]) -> None:
        super().__init__(looks, "pane")
        self._tabs = tabs
        self._current = tabs[0]
        self._spots: list[tuple[int, int, Tab]] = []

    def choose(self, tab: Tab, tabs: Sequence[Tab]) -> None:
        """Name these tabs, those that the report has data for, with ``tab`` as the current one among them."""
        if tab is not self._current or list(self._tabs) != list(tabs):
            self._tabs, self._current = tabs, tab
            self.on_resize()

    def on_resize(self) -> None:
        line, self._spots = tabs_line(self._tabs, self._current, self.size.width)
        self.show(line)

    def on_click(self, event: events.Click) -> None:
        for first, stop, tab in self._spots:
            if first <= event.x < stop:
                self.post_message(self.Chosen(tab))


class Edge(Widget):
    """The edge between timeline and pane."""

    DEFAULT_CSS = "Edge { width: 1; height: 1fr; }"

    def __init__(self, looks: Looks) -> None:
        super().__init__()
        self.looks = looks

    def render_line(self, y: int) -> Strip:
        return self.looks.strip([Run(self.looks.glyphs.bar, "pane.edge")], 1)
