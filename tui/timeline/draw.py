"""One lane's line as runs. Cost goes with the cells, never with the events: every slice is found by
binary search from a cell's edges, and covered time comes from prefix sums.

What a cell shows: nothing; a slice that fills it (with its name, where that fits); the end of a slice
or the start of one, in eighths; two slices that meet; one short slice; or, where it holds more than
that, the exact share of covered time as the height of a block, never less than the lowest.
"""

from __future__ import annotations

import numpy as np

from tui.text import cut, width
from tui.timeline.canvas import SHORTEST_CUT, Canvas, DrawOptions, GapMarks
from tui.timeline.catalogue import Catalogue
from tui.timeline.compose import INK_EDGE, NOTHING, Cells, compose
from tui.timeline.lane import LaneLine
from tui.timeline.rows import Int64, Row
from tui.timeline.runs import Line, Run, to_ascii, write
from tui.timeline.summary import draw_summary
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
        return Canvas(cells, viewport, options).line()
    return _draw_row(row, viewport, cells, catalogue, options)


def _draw_row(row: Row, viewport: Viewport, cells: int, catalogue: Catalogue, options: DrawOptions) -> Line:
    canvas = Canvas(cells, viewport, options)
    edges = viewport.edges(cells)
    found = compose(row, edges, viewport.ns_per_cell, options.glyphs)
    if found is not None:
        _paint(canvas, found, row, catalogue, options)
    if len(row.point):
        _points(canvas, row, edges, catalogue, options)
    return canvas.line()


def _paint(canvas: Canvas, found: Cells, row: Row, catalogue: Catalogue, options: DrawOptions) -> None:
    """Characters, styles and names of the occupied cells, a run of equal ones at a time."""
    at, ink, paper = found.at, found.ink, found.paper
    new = np.ones(len(at), bool)
    new[1:] = (at[1:] != at[:-1] + 1) | (ink[1:] != ink[:-1]) | (paper[1:] != paper[:-1])
    new[1:] |= (found.glyph[1:] == " ") != (found.glyph[:-1] == " ")
    new |= np.isin(at, canvas.shade)  # the selected range begins or ends within a run
    begins = np.flatnonzero(new)
    ends = np.append(begins[1:], len(at))
    text = "".join(found.glyph.tolist())
    styles: dict[int, str] = {}

    def style_of(position: int) -> str:
        known = styles.get(position)
        if known is None:
            slice_id = row.slice_id(position)
            known = "selected" if slice_id == options.selected else catalogue.style(slice_id)
            styles[position] = known
        return known

    for begin, stop, first, over, under in zip(
        begins.tolist(),
        ends.tolist(),
        at[begins].tolist(),
        ink[begins].tolist(),
        paper[begins].tolist(),
        strict=True,
    ):
        size = stop - begin
        glyphs = text[begin:stop]
        ground = canvas.ground[first]
        if under == NOTHING:
            style = f"{style_of(over)}|{ground}"
        elif over >= 0:
            style = f"{style_of(over)}|{style_of(under)}"
            if style_of(over) == style_of(under):
                glyphs, style = options.glyphs.divider * size, f"edge|{style_of(under)}"
        elif over == INK_EDGE:
            style = f"edge|{style_of(under)}"
        elif glyphs[0] == " ":
            style = style_of(under)
            if not options.fill:
                glyphs = options.glyphs.fill(style) * size
            canvas.text[first : first + size] = glyphs
            canvas.style[first : first + size] = [style] * size
            _name(canvas, first, size, *catalogue.labels(row.slice_id(under)), options)
            continue
        else:
            style = f"{ground}|{style_of(under)}"
            if not options.fill:  # without colours a block can't be cut out of its own colour
                thin = glyphs in options.glyphs.left[5:]
                glyphs = (options.glyphs.thin_right if thin else options.glyphs.fill(style_of(under))) * size
        canvas.text[first : first + size] = glyphs
        canvas.style[first : first + size] = [style] * size


def _name(canvas: Canvas, first: int, size: int, full: str, short: str, options: DrawOptions) -> None:
    """The slice's name in its ``size`` cells from ``first``: full, short or cut, or none."""
    room = size
    if options.fill and room > SHORTEST_CUT and canvas.text[first - 1 : first] != [options.glyphs.edge]:
        first, room = first + 1, room - 1  # a space between a slice's edge and its name
    label = full if width(full) <= room else short
    if width(label) > room:
        if room < SHORTEST_CUT:
            return
        label = cut(label, room, options.glyphs.ellipsis)
    write(canvas.text, first, label)


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
        if under and under != "select":
            canvas.text[cell], canvas.style[cell] = options.glyphs.point, f"point|{under}"
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
                canvas.style[c] = f"{style}|{canvas.ground[c]}"
