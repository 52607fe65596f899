"""The names of the pane's tabs, as many as there is room for around the current one."""

from __future__ import annotations

from collections.abc import Sequence

from textual import events
from textual.message import Message

from tui.app.looks import Looks
from tui.app.widgets.bar import Bar
from tui.timeline.runs import Line, Run


class Tabs(Bar):
    """One line; a click chooses."""

    class Chosen(Message):
        """The tab ``number`` was clicked."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, looks: Looks, names: Sequence[str], *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(looks, "pane", id=id)
        self.names = list(names)
        self.current = 0
        self._spots: list[tuple[int, int, int]] = []

    def choose(self, number: int) -> None:
        """Mark tab ``number`` as the current one."""
        self.current = number
        self._lay_out()

    def on_resize(self) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        room = self.size.width
        gap = 2 if sum(len(n) + 2 for n in self.names) <= room else 1
        first = 0
        while (
            first < self.current
            and sum(len(n) + gap for n in self.names[first : self.current + 1]) > room - 2
        ):
            first += 1
        line: Line = [Run(" " if first == 0 else "<", "pane.dim")]
        at = 1
        self._spots = []
        for number in range(first, len(self.names)):
            name = self.names[number]
            self._spots.append((at, at + len(name), number))
            line.append(Run(name, "pane.tab.active" if number == self.current else "pane.tab"))
            line.append(Run(" " * gap, "pane"))
            at += len(name) + gap
        self.show(line)

    def on_click(self, event: events.Click) -> None:
        for first, stop, number in self._spots:
            if first <= event.x < stop:
                self.post_message(self.Chosen(number))
