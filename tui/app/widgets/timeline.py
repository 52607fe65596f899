"""The timeline: map, steps, ruler and lanes, one line of the screen each.

Every line is a pure function of what it shows, so a line is painted again only when that changed: moving
the cursor repaints the ruler and one or two lanes.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.app.looks import Looks
from tui.browse.state import Backdrop
from tui.browse.view import View
from tui.text import cut, pad, width
from tui.timeline.draw import DrawOptions, draw_lane_row
from tui.timeline.frame import TITLE_LEAST, TITLE_MOST, draw_title, title_width, with_cursor
from tui.timeline.lane import LaneLine
from tui.timeline.ruler import draw_minimap, draw_ruler, draw_steps, minimap_time, origin_label
from tui.timeline.runs import Line, Run, fit_line
from tui.timeline.slices import SliceId
from tui.timeline.viewport import Viewport

MAP, STEPS, RULER = "map", "steps", "ruler"
HEADS: tuple[tuple[int, tuple[str, ...]], ...] = ((9, (MAP, STEPS, RULER)), (5, (RULER,)), (0, ()))
"""(lines that there must be, what stands above the lanes then)."""
CACHED_STRIPS = CACHED_LINES = 4096
Key = tuple[object, ...]


class Timeline(Widget, can_focus=True):
    """Draws a :class:`View`; :meth:`update_view` repaints the lines that changed."""

    DEFAULT_CSS = "Timeline { height: 1fr; width: 1fr; }"

    class Clicked(Message):
        """A cell was clicked: ``line`` counts lines of lanes from the top, negative above them."""

        def __init__(self, cell: int, line: int, again: bool) -> None:
            super().__init__()
            self.cell = cell
            self.line = line
            self.again = again

    class Dragged(Message):
        """Cells ``first`` to ``last`` were dragged over."""

        def __init__(self, first: int, last: int, done: bool) -> None:
            super().__init__()
            self.first = first
            self.last = last
            self.done = done

    class Wheel(Message):
        """The wheel turned at ``cell``: zoom, or lanes (with shift or ctrl, or in the titles)."""

        def __init__(self, cell: int, closer: bool, lanes: bool) -> None:
            super().__init__()
            self.cell = cell
            self.closer = closer
            self.lanes = lanes

    class MapClicked(Message):
        """A time was clicked on the map."""

        def __init__(self, at: int) -> None:
            super().__init__()
            self.at = at

    class Resized(Message):
        """There is another number of cells and lines."""

    def __init__(self, looks: Looks, *, id: str | None = None) -> None:  # noqa: A002 (Textual's name)
        super().__init__(id=id)
        self.looks = looks
        self.state: View | None = None
        self.backdrop = Backdrop()
        self.note: Sequence[str] = ()
        self._keys: list[Key] = []
        self._strips: OrderedDict[Key, Strip] = OrderedDict()
        self._lanes: OrderedDict[Key, Line] = OrderedDict()
        self._gutter = 12
        self._drag: int | None = None
        self._dragged = False

    # State ---------------------------------------------------------------------------------

    @property
    def cells(self) -> int:
        """Cells of the time axis."""
        return max(1, self.size.width - self._gutter)

    @property
    def lane_lines(self) -> int:
        """Lines of lanes there is room for."""
        return max(1, self.size.height - len(self.head))

    @property
    def head(self) -> tuple[str, ...]:
        """What stands above the lanes: less where there are few lines."""
        return next(parts for least, parts in HEADS if self.size.height >= least)

    def set_view(self, state: View) -> None:
        """Show another report's lanes."""
        self.state = state
        self._strips.clear()
        self._lanes.clear()
        self._fit_gutter()

    def _fit_gutter(self) -> None:
        wanted = TITLE_LEAST
        if self.state is not None:
            wanted = title_width([LaneLine(lane, 0, False) for lane in self.state.tree.walk()])
        self._gutter = min(max(wanted, TITLE_LEAST), TITLE_MOST, max(1, self.size.width // 4))

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
        """Everything that line ``y`` shows."""
        state, backdrop = self.state, self.backdrop
        if state is None:
            return (y, self.size.width, *self.note)
        view, head = state.viewport, self.head
        if y < len(head):
            marked = (state.cursor, state.chosen, state.spot, backdrop.clock) if head[y] == RULER else ()
            return (head[y], view, self.size.width, self._gutter, backdrop.version, *marked)
        number = state.top + y - len(head)
        if number >= len(state.lines):
            return (self.size.width,)
        line = state.lines[number]
        here = number == state.line
        return (
            line.lane.key, line.sub, line.folded, line.lane.ready, view, self.cells, self._gutter,
            backdrop.version, state.chosen, here and (view.cell(state.cursor), state.picked, self.has_focus),
        )  # fmt: skip

    # Drawing -------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        key = self._key(y)
        strip = self._strips.get(key)
        if strip is None:
            runs = fit_line(self._draw(y), self.size.width)
            strip = Strip([Segment(run.text, self.looks.style(run.style)) for run in runs], self.size.width)
            self._strips[key] = strip
            while len(self._strips) > CACHED_STRIPS:
                self._strips.popitem(last=False)
        else:
            self._strips.move_to_end(key)
        return strip

    def _draw(self, y: int) -> Line:
        state, backdrop, glyphs = self.state, self.backdrop, self.looks.glyphs
        if state is None:
            middle = self.size.height // 2 - 1
            note = self.note[y - middle] if 0 <= y - middle < len(self.note) else ""
            return [Run(pad(note, self.size.width, "center"), "loading" if y > middle else "pane.title")]
        view, head = state.viewport, self.head
        if y < len(head):
            if head[y] == RULER:
                return self._ruler(state)
            if head[y] == STEPS:
                return [Run(" " * self._gutter), *draw_steps(view, self.cells, backdrop.steps, glyphs)]
            fill = self.looks.theme.fill
            return draw_minimap(
                backdrop.devices, state.span, view, self.cells, self.size.width, glyphs, fill=fill
            )
        number = state.top + y - len(head)
        if number >= len(state.lines):
            return []
        return self._lane(state, state.lines[number], number == state.line)

    def _ruler(self, state: View) -> Line:
        """The ruler in the user's times: everything on it is moved by the clock's zero."""
        view, zero = state.viewport, self.backdrop.clock.zero
        steps, chosen = self.backdrop.steps, state.chosen or state.spot
        shifted = Viewport(view.start - zero, view.ns_per_cell)
        line = draw_ruler(
            shifted,
            self.cells,
            self.looks.glyphs,
            steps=replace(steps, start=steps.start - zero, end=steps.end - zero)
            if steps is not None
            else None,
            cursor=state.cursor - zero,
            selection=(chosen[0] - zero, chosen[1] - zero) if chosen is not None else None,
        )
        return [Run(pad(" " + origin_label(shifted, self.cells), self._gutter), "ruler.label"), *line]

    def _lane(self, state: View, line: LaneLine, here: bool) -> Line:
        cells = self._cells_of(state, line, state.picked if here else None)
        if state.chosen is not None:
            view = state.viewport
            first, last = view.cell(state.chosen[0]), view.cell(state.chosen[1] - 1)
            cells = shaded(cells, max(first, 0), min(last + 1, self.cells))
        if here and state.viewport.shows(state.cursor, self.cells):
            cells = with_cursor(
                cells, state.viewport.cell(state.cursor), self.looks.glyphs, self.looks.theme.fill
            )
        return [*draw_title(line, self._gutter, self.looks.glyphs, cursor=here), *cells]

    def _cells_of(self, state: View, line: LaneLine, picked: SliceId | None) -> Line:
        """The lane's cells without range and cursor, which change more often than they do."""
        backdrop = self.backdrop
        key = (
            line.lane.key,
            line.sub,
            line.folded,
            line.lane.ready,
            state.viewport,
            self.cells,
            backdrop.version,
            picked,
        )
        cells = self._lanes.get(key)
        if cells is None:
            options = DrawOptions(
                glyphs=self.looks.glyphs, fill=self.looks.theme.fill, gaps=backdrop.gaps, selected=picked
            )
            cells = draw_lane_row(line, state.viewport, self.cells, state.tree.catalogue, options)
            self._lanes[key] = cells
            while len(self._lanes) > CACHED_LINES:
                self._lanes.popitem(last=False)
        return cells

    # Mouse ---------------------------------------------------------------------------------

    def _cell(self, x: int) -> int:
        return min(max(x - self._gutter, 0), self.cells - 1)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        on_map = self.head[event.y : event.y + 1] == (MAP,)
        if event.button == 1 and event.x >= self._gutter and not on_map:
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
        elif self.state is not None and self.head[event.y : event.y + 1] == (MAP,):
            self.post_message(self.MapClicked(minimap_time(event.x, self.size.width, self.state.span)))
        elif event.x < self._gutter:
            self.post_message(self.Clicked(-1, event.y - len(self.head), event.chain > 1))
        else:
            self.post_message(self.Clicked(self._cell(event.x), event.y - len(self.head), event.chain > 1))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._wheel(event, True)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._wheel(event, False)

    def _wheel(self, event: events.MouseEvent, closer: bool) -> None:
        event.stop()
        lanes = event.shift or event.ctrl or event.x < self._gutter
        self.post_message(self.Wheel(self._cell(event.x), closer, lanes))

    def on_resize(self) -> None:
        self._fit_gutter()
        self.post_message(self.Resized())

    def on_focus(self) -> None:
        self.update_view()

    def on_blur(self) -> None:
        self.update_view()


def shaded(line: Line, first: int, stop: int) -> Line:
    """The line with the range's ground in cells ``first`` to ``stop``, slices left as they are."""
    out: Line = []
    at = 0
    for run in line:
        size = width(run.text)
        before, inside = min(max(first - at, 0), size), min(max(stop - at, 0), size)
        if inside <= before:
            out.append(run)
        else:
            head = cut(run.text, before, "")
            middle = cut(run.text, inside, "")[len(head) :]
            tail = run.text[len(head) + len(middle) :]
            parts = (Run(head, run.style), Run(middle, _on_range(run.style)), Run(tail, run.style))
            out += [part for part in parts if part.text]
        at += size
    return out


def _on_range(style: str) -> str:
    """A style whose bare ground is the range's: see the notation in :mod:`tui.timeline.runs`."""
    if style == "":
        return "select"
    if style.endswith("|"):
        return f"{style}select"
    return f"select{style}" if style.startswith("|") else style
