"""The flame of the window, in the place of the lanes."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.app.looks import Looks
from tui.browse.flame_view import Flame
from tui.timeline.runs import Line

HEAD = 2
"""Lines above the first row."""


class FlameView(Widget, can_focus=True):
    """Draws a :class:`Flame` and moves its cursor."""

    DEFAULT_CSS = "FlameView { height: 1fr; width: 1fr; display: none; }"

    @dataclass
    class Moved(Message):
        """The cursor is on another node, or the picture has changed; ``said`` is why it has not."""

        said: str = ""

    class Leave(Message):
        """Show the lanes again."""

    @dataclass
    class ListEvents(Message):
        """List the ranges of a node."""

        node: int

    def __init__(self, looks: Looks) -> None:
        super().__init__()
        self.looks = looks
        self.flame: Flame | None = None
        self._drawn: list[Line] = []

    def show(self, flame: Flame) -> None:
        """Draw another flame."""
        self.flame = flame
        self._moved(True)

    def render_line(self, y: int) -> Strip:
        if self.flame is None:
            return Strip.blank(self.size.width)
        if y == 0 or y >= len(self._drawn):
            drawing = self.looks.drawing
            self._drawn = self.flame.lines(*self.size, drawing.glyphs, fill=drawing.fill)
        return self.looks.strip(self._drawn[y] if y < len(self._drawn) else [], self.size.width)

    def _moved(self, moved: bool, said: str = "") -> None:
        self._drawn = []
        self.refresh()
        self.post_message(self.Moved("" if moved else said))

    # Keys ----------------------------------------------------------------------------------

    def action_across(self, step: int) -> None:
        """Go to the range beside this one."""
        if self.flame is not None:
            self._moved(self.flame.across(step), "no range beside it there")

    def action_outward(self) -> None:
        if self.flame is not None:
            self._moved(self.flame.outward(), "this is the outermost range shown: u shows more")

    def action_deeper(self) -> None:
        if self.flame is not None:
            self._moved(self.flame.deeper(), "no range inside it")

    def action_closer(self) -> None:
        if self.flame is not None:
            self._moved(self.flame.closer(), "it fills the width already")

    def action_farther(self) -> None:
        if self.flame is not None:
            self._moved(self.flame.farther(), "all ranges are shown")

    def action_turn(self) -> None:
        if self.flame is not None:
            self.flame.turn()
            self._moved(True)

    def action_node_events(self) -> None:
        if self.flame is not None and self.flame.node >= 0:
            self.post_message(self.ListEvents(self.flame.node))

    def action_flame_leave(self) -> None:
        self.post_message(self.Leave())

    # Mouse ---------------------------------------------------------------------------------

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on a node; the second click lets it fill the width."""
        flame = self.flame
        if flame is None or event.y < HEAD:
            return
        node = flame.at(event.x, event.y - HEAD, self.size.width)
        if node >= 0:
            again, flame.node = node == flame.node, node
            if again:
                flame.closer()
            self._moved(True)

    def on_resize(self) -> None:
        self._drawn = []
