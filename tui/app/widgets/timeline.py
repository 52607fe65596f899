"""The timeline: draws its lines, and tells what the mouse does on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.segment import Segment
from textual import events
from textual.cache import LRUCache
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.app.looks import Looks
from tui.browse.state import Backdrop
from tui.browse.timeline_lines import MAP, Key, TimelineLines
from tui.browse.view import View
from tui.timeline.ruler import minimap_time
from tui.timeline.runs import Line, fit_line

CACHED_STRIPS = CACHED_LINES = 4096


class Timeline(Widget, can_focus=True):
    """Draws a :class:`View`; :meth:`update_view` repaints the lines that changed."""

    DEFAULT_CSS = "Timeline { height: 1fr; width: 1fr; }"

    @dataclass
    class Clicked(Message):
        """A cell was clicked: ``line`` counts lines of lanes from the top, negative above them."""

        cell: int
        line: int
        again: bool

    @dataclass
    class Dragged(Message):
        """Cells ``first`` to ``last`` were dragged over."""

        first: int
        last: int
        done: bool

    @dataclass
    class Wheel(Message):
        """The wheel turned at ``cell``: zoom, or lanes (with shift or ctrl, or in the titles)."""

        cell: int
        closer: bool
        lanes: bool

    @dataclass
    class MapClicked(Message):
        """A time was clicked on the map."""

        at: int

    class Resized(Message):
        """There is another number of cells and lines."""

    def __init__(self, looks: Looks, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
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

    @property
    def cells(self) -> int:
        """Cells of the time axis."""
        return self.lines.cells

    @property
    def lane_lines(self) -> int:
        """Lines of lanes there is room for."""
        return self.lines.lane_lines

    def set_view(self, state: View) -> None:
        """Show another report's lanes."""
        self.state = state
        self._strips.clear()
        self._lanes.clear()
        self._lay_out()

    def _lay_out(self) -> None:
        self.lines.resize(self.size.width, self.size.height, self.state)

    def update_view(self, backdrop: Backdrop | None = None) -> None:
        """Repaint the lines whose content changed since the last time."""
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
        key, width = self._key(y), self.size.width
        strip = self._strips.get(key)
        if strip is None:
            runs = fit_line(self.lines.line(y, self.state, self.backdrop, self.note), width)
            segments = [Segment(run.text, self.looks.style(run.style)) for run in runs]
            strip = self._strips[key] = Strip(segments, width)
        return strip

    # Mouse ---------------------------------------------------------------------------------

    def _cell(self, x: int) -> int:
        return min(max(x - self.lines.gutter, 0), self.cells - 1)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        on_map = self.lines.head[event.y : event.y + 1] == (MAP,)
        if event.button == 1 and event.x >= self.lines.gutter and not on_map:
            self._drag = self._cell(event.x)
            self._dragged = False
            self.capture_mouse()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._drag is not None and (self._dragged or self._cell(event.x) != self._drag):
            self._dragged = True
            self.post_message(self.Dragged(self._drag, self._cell(event.x), False))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        if self._drag is not None:
            self.release_mouse()
            first, self._drag = self._drag, None
            if self._dragged:
                self.post_message(self.Dragged(first, self._cell(event.x), True))

    def on_click(self, event: events.Click) -> None:
        if self._dragged:
            self._dragged = False
        elif self.state is not None and self.lines.head[event.y : event.y + 1] == (MAP,):
            self.post_message(self.MapClicked(minimap_time(event.x, self.size.width, self.state.span)))
        elif event.x < self.lines.gutter:
            self.post_message(self.Clicked(-1, event.y - len(self.lines.head), event.chain > 1))
        else:
            self.post_message(
                self.Clicked(self._cell(event.x), event.y - len(self.lines.head), event.chain > 1)
            )

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._wheel(event, True)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._wheel(event, False)

    def _wheel(self, event: events.MouseEvent, closer: bool) -> None:
        event.stop()
        lanes = event.shift or event.ctrl or event.x < self.lines.gutter
        self.post_message(self.Wheel(self._cell(event.x), closer, lanes))

    def on_resize(self) -> None:
        self._lay_out()
        self.post_message(self.Resized())

    def on_focus(self) -> None:
        self.update_view()

    def on_blur(self) -> None:
        self.update_view()
