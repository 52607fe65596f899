"""One lane's line as runs. Cost goes with the cells, never with the events: every slice is found by
binary search from a cell's edges, and covered time comes from prefix sums.

What a cell shows: nothing; a slice that fills it (with its name, where that fits); the end of a slice
or the start of one, in eighths; two slices that meet; one short slice; or, where it holds more than
that, the exact share of covered time as the height of a block, never less than the lowest.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from tui.report.columns import Bool, Int64, Positions
from tui.text import cut, width
from tui.timeline.canvas import SHORTEST_CUT, Canvas, DrawOptions, GapMarks
from tui.timeline.catalogue import Catalogue
from tui.timeline.compose import INK_EDGE, OccupiedCells, compose
from tui.timeline.device_line import draw_summary
from tui.timeline.glyphs import Glyphs
from tui.timeline.lane import LaneLine
from tui.timeline.runs import Line, Run, to_ascii, write
from tui.timeline.slices import Row, SliceId
from tui.timeline.viewport import Viewport

__all__ = ["DrawOptions", "GapMarks", "draw_lane_row"]


def draw_lane_row(
    line: LaneLine, viewport: Viewport, cells: int, catalogue: Catalogue | None, options: DrawOptions
) -> Line:
    """The line's ``cells`` cells (titles are drawn apart). Pure: equal arguments, equal runs.

    A lane not loaded yet is loaded when it can be, else drawn as "loading".
    """
    drawn = _draw(line, viewport, cells, catalogue, options)
    return to_ascii(drawn) if options.glyphs.plain else drawn


def _draw(
    line: LaneLine, viewport: Viewport, cells: int, catalogue: Catalogue | None, options: DrawOptions
) -> Line:
    lane = line.lane
    if not lane.ready:
        return [Run(("loading" + options.glyphs.ellipsis).ljust(cells)[:cells], "loading")]
    summary = lane.summary
    if summary is not None:
        return draw_summary(summary, viewport, cells, options.gaps.get(lane.device), options)
    row = line.row
    if row is None or catalogue is None:
        return Canvas(cells).line()
    return _draw_row(row, viewport, cells, catalogue, options)


def _draw_row(row: Row, viewport: Viewport, cells: int, catalogue: Catalogue, options: DrawOptions) -> Line:
    canvas = Canvas(cells)
    edges = viewport.edges(cells)
    found = compose(row, edges, viewport.ns_per_cell, options.glyphs)
    if found is not None:
        _paint(canvas, found, row, catalogue, options)
    if len(row.point):
        _points(canvas, row, edges, catalogue, options)
    return canvas.line()


def _paint(
    canvas: Canvas, found: OccupiedCells, row: Row, catalogue: Catalogue, options: DrawOptions
) -> None:
    """Characters, styles and names of the occupied cells."""
    solid = (found.paper >= 0) & (found.glyph == " ")
    inks = _styles(row, found.ink, catalogue, options)
    papers = _styles(row, found.paper, catalogue, options)
    glyphs = found.glyph.tolist()
    if not options.fill:
        glyphs = [_without_colour(*cell, options.glyphs) for cell in zip(glyphs, inks, papers, strict=True)]
    for at, glyph, full, ink, paper in zip(
        found.at.tolist(), glyphs, solid.tolist(), inks, papers, strict=True
    ):
        if full:
            canvas.text[at], canvas.style[at] = glyph, paper
        elif ink == paper:  # where slices of one colour meet, a line tells them apart
            canvas.text[at], canvas.style[at] = options.glyphs.divider, f"edge|{paper}"
        else:
            canvas.text[at], canvas.style[at] = glyph, f"{ink}|{paper}"
    _names(canvas, found, solid, row, catalogue, options)


def _styles(row: Row, slices: Positions, catalogue: Catalogue, options: DrawOptions) -> list[str]:
    """The style of each slice; "" for the ground."""
    styles = [""] * len(slices)
    real = np.flatnonzero(slices >= 0)
    if len(real):
        index = row.index[slices[real]]
        found = catalogue.styles(row.table, index)
        if options.selected is not None and options.selected.table == row.table:
            for at in np.flatnonzero(index == options.selected.index).tolist():
                found[at] = "selected"
        if len(real) == len(slices):
            return found
        for at, style in zip(real.tolist(), found, strict=True):
            styles[at] = style
    for at in np.flatnonzero(slices == INK_EDGE).tolist():
        styles[at] = "edge"
    return styles


def _without_colour(glyph: str, ink: str, paper: str, glyphs: Glyphs) -> str:
    """What stands for a cell where colours can't: fillings, and blocks not cut out of a colour."""
    if not paper:
        return glyph
    if glyph == " ":
        return glyphs.fill(paper)
    if ink:
        return glyph
    return glyphs.thin_right if glyph in glyphs.left[5:] else glyphs.fill(paper)


def _names(
    canvas: Canvas, found: OccupiedCells, solid: Bool, row: Row, catalogue: Catalogue, options: DrawOptions
) -> None:
    """Names in the slices that fill cells from end to end."""
    at, paper = found.at, found.paper
    joins = solid[1:] & solid[:-1] & (paper[1:] == paper[:-1]) & (at[1:] == at[:-1] + 1)
    begins = np.flatnonzero(solid & ~np.concatenate(([False], joins)))
    size = np.flatnonzero(solid & ~np.concatenate((joins, [False]))) - begins + 1
    named = np.flatnonzero(size > 1)
    slices = paper[begins[named]]
    for first, cells, index in zip(
        at[begins[named]].tolist(), size[named].tolist(), row.index[slices].tolist(), strict=True
    ):
        _name(canvas, first, cells, *catalogue.labels(SliceId(row.table, index)), options)


def _name(canvas: Canvas, first: int, size: int, full: str, short: str, options: DrawOptions) -> None:
    """The slice's name in its ``size`` cells from ``first``: full, short or cut, or none."""
    if options.fill and size > SHORTEST_CUT and canvas.text[first - 1 : first] != [options.glyphs.edge]:
        first, size = first + 1, size - 1  # a space between a slice's edge and its name
    write(canvas.text, first, _fitted(full, short, size, options.glyphs.ellipsis))


@lru_cache(maxsize=2048)
def _fitted(full: str, short: str, cells: int, ellipsis: str) -> str:
    """As much of a name as fits; empty where that would not be worth reading."""
    if width(full) <= cells:
        return full
    if width(short) <= cells:
        return short
    return cut(short, cells, ellipsis) if cells >= SHORTEST_CUT else ""


def _points(canvas: Canvas, row: Row, edges: Int64, catalogue: Catalogue, options: DrawOptions) -> None:
    """Events without length: a mark in every cell that holds one, with the name where there is room."""
    bounds = np.searchsorted(row.point, edges, "left")
    marked = np.flatnonzero(bounds[1:] > bounds[:-1]).tolist()
    for order, cell in enumerate(marked):
        position = int(bounds[cell])
        point_id = row.point_id(position)
        style = "selected" if point_id == options.selected else catalogue.style(point_id)
        _, _, paper = canvas.style[cell].partition("|")
        under = canvas.style[cell] if "|" not in canvas.style[cell] else paper
        if under:
            canvas.put(cell, options.glyphs.point, f"point|{under}")
            continue
        canvas.ink(cell, options.glyphs.point, style)
        stop = marked[order + 1] if order + 1 < len(marked) else len(canvas.text)
        free = next(
            (c for c in range(cell + 1, stop) if canvas.text[c] != " " or "|" in canvas.style[c]), stop
        )
        room = free - cell - 2
        if int(bounds[cell + 1]) - position == 1 and room >= SHORTEST_CUT:
            label = cut(catalogue.labels(point_id)[1], room, options.glyphs.ellipsis)
            write(canvas.text, cell + 1, label)
            for c in range(cell + 1, cell + 1 + width(label)):
                canvas.style[c] = f"{style}|"
