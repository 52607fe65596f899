"""The names of the pane's tabs, as many as there is room for around the current one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.message import Message

from tui.app.looks import Looks
from tui.app.widgets.bar import Bar
from tui.browse.pages import Tab
from tui.browse.pane import tabs_line


class Tabs(Bar):
    """One line; a click chooses."""

    @dataclass
    class Chosen(Message):
        """The tab ``number`` was clicked."""

        number: int

    def __init__(self, looks: Looks, tabs: Sequence[Tab], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(looks, "pane", id=id)
        self.tabs = tabs
        self.current = 0
        self._spots: list[tuple[int, int, Tab]] = []

    def choose(self, number: int) -> None:
        """Mark tab ``number`` as the current one."""
        self.current = number
        self._lay_out()

    def on_resize(self) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        line, self._spots = tabs_line(self.tabs, self.tabs[self.current], self.size.width)
        self.show(line)

    def on_click(self, event: events.Click) -> None:
        for first, stop, tab in self._spots:
            if first <= event.x < stop:
                self.post_message(self.Chosen(self.tabs.index(tab)))
