"""The timeline's lines: map, steps, ruler and lanes, one line of the screen each.

A line depends on nothing but its :meth:`TimelineLines.key`, and is painted again only when that changes:
moving the cursor repaints the ruler and one or two lanes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np

from tui.browse.drawing import Drawing
from tui.browse.state import Backdrop
from tui.browse.view import View
from tui.text import pad
from tui.text.times import brief
from tui.timeline.canvas import DrawOptions
from tui.timeline.draw import draw_lane_row
from tui.timeline.lane import LaneLine
from tui.timeline.link_line import draw_link
from tui.timeline.overlay import pointed_out, shaded, with_cursor
from tui.timeline.ruler import draw_minimap, draw_ruler, draw_steps, origin_label
from tui.timeline.runs import Line, Run
from tui.timeline.series_words import scale_of
from tui.timeline.slices import SliceId
from tui.timeline.titles import TITLE_LEAST, TITLE_MOST, Scale, draw_title, title_width
from tui.timeline.viewport import Viewport

MAP, STEPS, RULER = "map", "steps", "ruler"
HEADS: tuple[tuple[int, tuple[str, ...]], ...] = ((9, (MAP, STEPS, RULER)), (5, (RULER,)), (0, ()))
"""(least height, the lines above the lanes)."""
Key = tuple[object, ...]


class LaneCache(Protocol):
    """Keeps the cells of lanes by all that they depend on."""

    def get(self, key: Key) -> Line | None: ...

    def __setitem__(self, key: Key, line: Line) -> None: ...


class TimelineLines:
    """Draws the lines of an area of ``width`` x ``height`` cells. ``gutter``: cells of the title column."""

    def __init__(self, drawing: Drawing, cells: LaneCache) -> None:
        self.drawing = drawing
        self.width = self.height = 0
        self.gutter = 12
        self._cells = cells

    def resize(self, width: int, height: int, state: View | None) -> None:
        """Give the area its size; the title column takes what the titles of all lanes need."""
        self.width, self.height = width, height
        lanes = state.tree.walk() if state is not None else ()
        lines = [LaneLine(lane, sub, False) for lane in lanes for sub in range(max(len(lane.series), 1))]
        wanted = title_width(lines)
        self.gutter = min(max(wanted, TITLE_LEAST), TITLE_MOST, max(1, width // 4))

    @property
    def cells(self) -> int:
        """Cells of the time axis."""
        return max(1, self.width - self.gutter)

    @property
    def head(self) -> tuple[str, ...]:
        """The lines above the lanes: fewer in a low area."""
        return next(parts for least, parts in HEADS if self.height >= least)

    @property
    def lane_lines(self) -> int:
        """How many lines of lanes there is room for."""
        return max(1, self.height - len(self.head))

    def key(self, y: int, state: View | None, backdrop: Backdrop, note: Sequence[str] = ()) -> Key:
        """Return everything on which line ``y`` depends."""
        if state is None:
            return (y, self.width, *note)
        view, head = state.viewport, self.head
        if y < len(head):
            marked = (state.cursor, state.chosen, state.highlight, backdrop.clock) if head[y] == RULER else ()
            searched = backdrop.found if head[y] == MAP else None
            return (head[y], view, self.width, self.gutter, backdrop.version, searched, *marked)
        number = state.number_at(y - len(head))
        if number is None:
            return (self.width,)
        line, here = state.lines[number], number == state.line
        cursor = (view.cell(state.cursor), state.picked) if here else None
        chosen = state.chosen if state.in_area(line.lane) else None
        return (
            *self._lane_key(state, line, None, backdrop),
            self.gutter,
            chosen,
            backdrop.found,
            state.link if state.link is not None and state.link.lane == line.lane.key else None,
            here,
            cursor,
        )

    def _lane_key(self, state: View, line: LaneLine, picked: SliceId | None, backdrop: Backdrop) -> Key:
        """Return everything on which the cells of a lane depend, besides selection and cursor."""
        lane = line.lane
        return (
            lane.key, line[1:], lane.ready, state.viewport, state.in_view, self.cells, backdrop.version,
            picked,
        )  # fmt: skip

    def line(self, y: int, state: View | None, backdrop: Backdrop, note: Sequence[str] = ()) -> Line:
        """Draw line ``y``; while there is nothing to show, ``note`` is in the middle of the area."""
        if state is None:
            middle = self.height // 2 - 1
            text = note[y - middle] if 0 <= y - middle < len(note) else ""
            return [Run(pad(text, self.width, "center"), "loading" if y > middle else "pane.title")]
        view, head = state.viewport, self.head
        if y < len(head):
            if head[y] == RULER:
                return self._ruler(state, backdrop)
            if head[y] == STEPS:
                return [Run(" " * self.gutter), *draw_steps(view, self.cells, backdrop.steps)]
            return self._overview(state, backdrop)
        number = state.number_at(y - len(head))
        if number is None:
            return []
        return self._lane(state, state.lines[number], number == state.line, backdrop)

    def _overview(self, state: View, backdrop: Backdrop) -> Line:
        """Draw the overview, and where on it the search found anything."""
        devices, glyphs, fill = backdrop.devices, self.drawing.glyphs, self.drawing.fill
        line = draw_minimap(devices, state.span, state.viewport, self.cells, self.width, glyphs, fill=fill)
        if backdrop.found is None or self.width < 6:
            return line
        held = np.zeros(self.width, bool)
        held[1:-1] = backdrop.found.in_bins(state.span, self.width - 2)
        return pointed_out(line, held, glyphs.up[1])

    def _ruler(self, state: View, backdrop: Backdrop) -> Line:
        """Draw the ruler in the user's times: everything on it is moved by the clock's zero."""
        view, zero = state.viewport, backdrop.clock.zero
        steps, chosen = backdrop.steps, state.chosen or state.highlight
        shifted = Viewport(view.start - zero, view.ns_per_cell)
        if steps is not None:
            steps = replace(steps, start=steps.start - zero, end=steps.end - zero)
        line = draw_ruler(
            shifted,
            self.cells,
            self.drawing.glyphs,
            steps=steps,
            cursor=state.cursor - zero,
            selection=(chosen[0] - zero, chosen[1] - zero) if chosen is not None else None,
            selected=_name_of(chosen, backdrop) if chosen is not None else "",
        )
        base = origin_label(shifted, self.cells)
        label = next((t for t in (f" base {base}", f" {base}") if len(t) < self.gutter), f" {base}")
        return [Run(pad(label, self.gutter), "ruler.label"), *line]

    def _lane(self, state: View, line: LaneLine, here: bool, backdrop: Backdrop) -> Line:
        view = state.viewport
        cells = self._drawn(state, line, state.picked if here else None, backdrop)
        catalogue = state.tree.catalogue
        if backdrop.found is not None and catalogue is not None:
            held = backdrop.found.cells(line, catalogue.report, view, self.cells)
            cells = cells if held is None else pointed_out(cells, held)
        if state.link is not None and line.lane.key == state.link.lane and line.sub == 0:
            cells = draw_link(cells, state.link, view, self.cells, self.drawing.glyphs)
        if state.chosen is not None and state.in_area(line.lane):
            first, last = view.cell(state.chosen[0]), view.cell(state.chosen[1] - 1)
            cells = shaded(cells, max(first, 0), min(last + 1, self.cells))
        if here and view.shows(state.cursor, self.cells):
            cells = self._marked(cells, view.cell(state.cursor))
        return [*self._title(line, here, self._scale(state, line)), *cells, *self._aside(line)]

    def _marked(self, cells: Line, cell: int) -> Line:
        """Draw the cursor on a cell of a lane."""
        return with_cursor(cells, cell, self.drawing.glyphs, self.drawing.fill)

    def _title(self, line: LaneLine, here: bool, scale: Scale | None = None) -> Line:
        """Draw the title column of a lane's line."""
        return draw_title(line, self.gutter, self.drawing.glyphs, cursor=here, scale=scale)

    def _scale(self, state: View, line: LaneLine) -> Scale | None:
        """Return the scale of a line of values whose title says it."""
        series = line.series
        if series is None or not (line.rows > 1 or state.in_view):
            return None
        return scale_of(series, state.viewport, self.cells, state.in_view)

    def _aside(self, line: LaneLine) -> Line:
        """Draw what stands at the right of a lane's line."""
        return []

    def _drawn(self, state: View, line: LaneLine, picked: SliceId | None, backdrop: Backdrop) -> Line:
        """Draw the lane's cells without selection and cursor, which change more often than they do."""
        key = self._lane_key(state, line, picked, backdrop)
        cells = self._cells.get(key)
        if cells is None:
            drawing, in_view = self.drawing, state.in_view
            options = DrawOptions(drawing.glyphs, drawing.fill, backdrop.gaps, picked, in_view)
            cells = draw_lane_row(line, state.viewport, self.cells, state.tree.catalogue, options)
            self._cells[key] = cells
        return cells


def _name_of(stretch: tuple[int, int], backdrop: Backdrop) -> str:
    """Return what to call a selection: the step that it is, else its length."""
    name = backdrop.steps.name_of(stretch) if backdrop.steps is not None else ""
    return name or f"selection {brief(stretch[1] - stretch[0])}"
