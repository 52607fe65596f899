"""The timeline: draws its lines, and turns the mouse on them into moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual import events
from textual.cache import LRUCache
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.app.looks import Looks
from tui.browse.navigator import Navigator
from tui.browse.state import Backdrop
from tui.browse.timeline_lines import MAP, Key, TimelineLines
from tui.browse.view import View
from tui.timeline.ruler import minimap_time
from tui.timeline.runs import Line

CACHED_STRIPS = CACHED_LINES = 4096


class Timeline(Widget, can_focus=True):
    """Draws a :class:`View`, to which it gives its size; :meth:`update_view` repaints what changed."""

    DEFAULT_CSS = "Timeline { height: 1fr; width: 1fr; }"

    @dataclass
    class Clicked(Message):
        """A click on ``cell`` (-1: the titles) and ``line`` (0: the first lane, negative above it)."""

        cell: int
        line: int
        again: bool

    @dataclass
    class Moved(Message):
        """The mouse asks for a ``move`` of the navigator."""

        move: Callable[[Navigator], None]

    class Resized(Message):
        """The number of cells or lines has changed."""

    def __init__(self, looks: Looks) -> None:
        super().__init__()
        self.looks = looks
        self.state: View | None = None
        self.backdrop = Backdrop()
        self.note: Sequence[str] = ()
        self._lanes: LRUCache[Key, Line] = LRUCache(CACHED_LINES)
        self._strips: LRUCache[Key, Strip] = LRUCache(CACHED_STRIPS)
        self.lines = TimelineLines(looks.drawing, self._lanes)
        self._keys: list[Key] = []
        self._drag: int | None = None
        self._dragged = False

    # State ---------------------------------------------------------------------------------

    def set_view(self, state: View) -> None:
        """Show the lanes of another report."""
        self.state = state
        self._strips.clear()
        self._lanes.clear()
        self.lay_out()

    def lay_out(self) -> None:
        """Give the lines their size and the view its own."""
        self.lines.resize(self.size.width, self.size.height, self.state)
        if self.state is not None:
            self.state.resize(self.lines.cells, self.lines.lane_lines)

    def update_view(self, backdrop: Backdrop | None = None) -> None:
        """Repaint the lines that have changed since the last time."""
        if backdrop is not None:
            self.backdrop = backdrop
        keys = [self._key(y) for y in range(self.size.height)]
        before, self._keys = self._keys, keys
        stale = [y for y, key in enumerate(keys) if y >= len(before) or before[y] != key]
        if stale:
            self.refresh(*(Region(0, y, self.size.width, 1) for y in stale))

    def _key(self, y: int) -> Key:
        return self.lines.key(y, self.state, self.backdrop, self.note)

    def render_line(self, y: int) -> Strip:
        key = self._key(y)
        strip = self._strips.get(key)
        if strip is None:
            line = self.lines.line(y, self.state, self.backdrop, self.note)
            strip = self._strips[key] = self.looks.strip(line, self.size.width)
        return strip

    # Mouse ---------------------------------------------------------------------------------

    def _cell(self, x: int) -> int:
        return min(max(x - self.lines.gutter, 0), self.lines.cells - 1)

    def _on_map(self, y: int) -> bool:
        return self.lines.head[y : y + 1] == (MAP,)

    def _move(self, move: Callable[[Navigator], None]) -> None:
        self.post_message(self.Moved(move))

    def on_mouse_down(self, event: events.MouseDown) -> None:
        if event.button == 1 and event.x >= self.lines.gutter and not self._on_map(event.y):
            self._drag = self._cell(event.x)
            self._dragged = False
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseEvent) -> None:
        first, last = self._drag, self._cell(event.x)
        if first is not None and (self._dragged or last != first):
            self._dragged = True
            self._move(lambda navigator: navigator.drag(first, last))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self._drag is not None:
            self.release_mouse()
            if self._dragged:
                self.on_mouse_move(event)
            self._drag = None

    def on_click(self, event: events.Click) -> None:
        if self._dragged:
            self._dragged = False
        elif self.state is not None and self._on_map(event.y):
            time = minimap_time(event.x, self.size.width, self.state.span)
            self._move(lambda navigator: navigator.centre(time))
        else:
            cell = self._cell(event.x) if event.x >= self.lines.gutter else -1
            self.post_message(self.Clicked(cell, event.y - len(self.lines.head), event.chain > 1))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._wheel(event, True)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._wheel(event, False)

    def _wheel(self, event: events.MouseEvent, closer: bool) -> None:
        """Zoom; with shift or ctrl, or on the titles: move by lanes."""
        event.stop()
        cell, lanes = self._cell(event.x), event.shift or event.ctrl or event.x < self.lines.gutter
        self._move(lambda navigator: navigator.wheel(cell, closer, lanes))

    def on_resize(self) -> None:
        self.lay_out()
        self.post_message(self.Resized())

    def on_focus(self) -> None:
        self.update_view()

    on_blur = on_focus
