"""One lane's line as runs. The cost grows with the cells, never with the events.

What a cell shows: nothing; a slice that fills it (with its name, where that fits); the end of a slice
or the start of one, in eighths; two slices that meet; one short slice; or, where it holds more than
that, the exact share of covered time as the height of a block, never less than the lowest.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np

from tui.report.columns import Bool, Int64, Positions
from tui.text import cut, width
from tui.timeline.canvas import SHORTEST_CUT, Canvas, DrawOptions
from tui.timeline.compose import INK_EDGE, OccupiedCells, Place, compose
from tui.timeline.device_line import draw_summary
from tui.timeline.glyphs import Glyphs
from tui.timeline.lane import LaneLine
from tui.timeline.runs import Line, Run, to_ascii
from tui.timeline.series_drawing import draw_series
from tui.timeline.slice_labels import Catalogue
from tui.timeline.slices import Row, SliceId
from tui.timeline.viewport import Viewport


def draw_lane_row(
    line: LaneLine, viewport: Viewport, cells: int, catalogue: Catalogue | None, options: DrawOptions
) -> Line:
    """The line's ``cells`` cells (titles are drawn apart). Pure: equal arguments, equal runs.

    A lane not loaded yet is loaded when it can be, else drawn as "loading".
    """
    lane = line.lane
    if line.series is not None:
        drawn = draw_series(line.series, line.part, line.rows, viewport, cells, options)
    elif not lane.ready and line.sub:
        drawn = Canvas(cells).line()
    elif not lane.ready:
        drawn = [Run(("loading" + options.glyphs.ellipsis).ljust(cells)[:cells], "loading")]
    elif (summary := lane.summary) is not None:
        gaps = options.gaps.get(lane.device)
        drawn = draw_summary(summary, viewport, cells, gaps, options, Place(line.part, line.rows))
    elif (row := line.row) is None or catalogue is None:
        drawn = Canvas(cells).line()
    else:
        drawn = _RowCanvas(cells, row, catalogue, options).draw(viewport, Place(line.part, line.rows))
    return to_ascii(drawn) if options.glyphs.plain else drawn


class _RowCanvas(Canvas):
    """A line that shows one row of slices."""

    def __init__(self, cells: int, row: Row, catalogue: Catalogue, options: DrawOptions) -> None:
        super().__init__(cells)
        self._row = row
        self._catalogue = catalogue
        self._options = options

    def draw(self, viewport: Viewport, place: Place) -> Line:
        """Names are in the first line of a row that takes several, points in the last."""
        edges = viewport.edges(len(self.text))
        found = compose(self._row, edges, viewport.ns_per_cell, self._options.glyphs, place)
        if found is not None:
            self._slices(found, named=place.part == 0)
        if len(self._row.point) and place.last:
            self._points(edges)
        return self.line()

    def _slices(self, found: OccupiedCells, *, named: bool) -> None:
        """Draw characters, styles and names of the occupied cells."""
        solid = (found.paper >= 0) & (found.glyph == " ")
        inks, papers = self._styles(found.ink), self._styles(found.paper)
        symbols, glyphs = found.glyph.tolist(), self._options.glyphs
        if not self._options.fill:
            symbols = [_without_colour(*cell, glyphs) for cell in zip(symbols, inks, papers, strict=True)]
        for at, symbol, full, ink, paper in zip(
            found.at.tolist(), symbols, solid.tolist(), inks, papers, strict=True
        ):
            if full:
                self.text[at], self.style[at] = symbol, paper
            elif ink == paper:  # a line between slices that meet and have one colour
                self.text[at], self.style[at] = glyphs.bar, f"edge|{paper}"
            else:
                self.text[at], self.style[at] = symbol, f"{ink}|{paper}"
        if named:
            self._names(found, solid)

    def _styles(self, slices: Positions) -> list[str]:
        """The style of each slice; "" for the ground."""
        styles, selected = [""] * len(slices), self._options.selected
        real = np.flatnonzero(slices >= 0)
        if len(real):
            index = self._row.index[slices[real]]
            found = self._catalogue.styles(self._row.table, index)
            if selected is not None and selected.table == self._row.table:
                for at in np.flatnonzero(index == selected.index).tolist():
                    found[at] = "selected"
            if len(real) == len(slices):
                return found
            for at, style in zip(real.tolist(), found, strict=True):
                styles[at] = style
        for at in np.flatnonzero(slices == INK_EDGE).tolist():
            styles[at] = "edge"
        return styles

    def _names(self, found: OccupiedCells, solid: Bool) -> None:
        """Write the names of slices into the cells that they fill from end to end."""
        at, paper = found.at, found.paper
        joins = solid[1:] & solid[:-1] & (paper[1:] == paper[:-1]) & (at[1:] == at[:-1] + 1)
        begins = np.flatnonzero(solid & ~np.concatenate(([False], joins)))
        size = np.flatnonzero(solid & ~np.concatenate((joins, [False]))) - begins + 1
        named = np.flatnonzero(size > 1)
        begins = begins[named]
        for first, cells, index in zip(
            at[begins].tolist(), size[named].tolist(), self._row.index[paper[begins]].tolist(), strict=True
        ):
            full, short = self._catalogue.labels(SliceId(self._row.table, index))
            glyphs = self._options.glyphs
            if self._options.fill and cells > SHORTEST_CUT and self.text[first - 1 : first] != [glyphs.edge]:
                first, cells = first + 1, cells - 1  # a space between a slice's edge and its name
            self.write(first, _fitted(full, short, cells, glyphs.ellipsis))

    def _points(self, edges: Int64) -> None:
        """Draw a mark in every cell that holds an event without length, with its name where that fits."""
        row, glyphs = self._row, self._options.glyphs
        bounds = np.searchsorted(row.point, edges, "left")
        marked = np.flatnonzero(bounds[1:] > bounds[:-1]).tolist()
        for cell, stop in pairwise([*marked, len(self.text)]):
            position = int(bounds[cell])
            point_id = row.point_id(position)
            under = self.style[cell].rpartition("|")[2]
            if under:
                self.put(cell, glyphs.point, f"point|{under}")
                continue
            style = "selected" if point_id == self._options.selected else self._catalogue.style(point_id)
            self.ink(cell, glyphs.point, style)
            free = next(
                (c for c in range(cell + 1, stop) if self.text[c] != " " or "|" in self.style[c]), stop
            )
            room = free - cell - 2
            if int(bounds[cell + 1]) - position == 1 and room >= SHORTEST_CUT:
                label = cut(self._catalogue.labels(point_id)[1], room, glyphs.ellipsis)
                self.write(cell + 1, label, f"{style}|")


def _without_colour(glyph: str, ink: str, paper: str, glyphs: Glyphs) -> str:
    """The character of a cell where there are no colours: fillings, and blocks not cut out of a colour."""
    if not paper:
        return glyph
    if glyph == " ":
        return glyphs.fill(paper)
    if ink:
        return glyph
    return glyphs.thin_right if glyph in glyphs.left[5:] else glyphs.fill(paper)


@lru_cache(maxsize=2048)
def _fitted(full: str, short: str, cells: int, ellipsis: str) -> str:
    """As much of a name as fits; empty where that would not be worth reading."""
    if width(full) <= cells:
        return full
    if width(short) <= cells:
        return short
    return cut(short, cells, ellipsis) if cells >= SHORTEST_CUT else ""
