"""Draws a whole screen: the cells that the explorer shows for the same state, size and tab."""

from __future__ import annotations

from threading import Event

from tui.browse.late_lanes import load_in_sight
from tui.browse.pane import Pane, tabs_line
from tui.browse.screen_shape import Shape
from tui.browse.scroll_bar import bar_cell
from tui.browse.state import Browse
from tui.browse.status import header, status_lines
from tui.browse.timeline_lines import TimelineLines
from tui.timeline.legend import legend_line
from tui.timeline.runs import Frame, Line, Run, crop, fit_line, merge, to_ascii


def draw_frame(browse: Browse, shape: Shape, *, legend: bool = False) -> Frame:
    """Draw ``browse`` in ``shape``, to whose size its view is set; ``legend``: explain the colours below."""
    nothing: list[Line] = [[]] * shape.body
    lines = _sized(browse, shape)
    timeline = draw_timeline(browse, lines) if shape.timeline else nothing
    pane = draw_pane(browse, shape) if shape.pane else nothing
    edge = [Run(browse.drawing.glyphs.bar, "pane.edge")] if shape.edge else []
    body = [merge([*left, *edge, *right]) for left, right in zip(timeline, pane, strict=True)]
    status = status_lines(browse, shape.width, shape.status, in_pane=not shape.timeline)
    if legend:
        used = {run.style for line in body for run in line}
        status[-1] = legend_line(used, browse.drawing.glyphs, browse.drawing.fill)
    status = [fit_line(line, shape.width, "status") for line in status]
    rows = [header(browse, shape.width), *body, *status][: shape.height]
    return Frame(shape.width, tuple(map(to_ascii, rows)) if browse.drawing.glyphs.plain else tuple(rows))


def _sized(browse: Browse, shape: Shape) -> TimelineLines:
    """Give the view its size, behind a pane that covers the timeline too, and go to what was chosen."""
    lines = TimelineLines(browse.drawing, {})
    lines.resize(shape.timeline or shape.width, shape.body, browse.view)
    if browse.view is not None:
        browse.view.resize(lines.cells, lines.lane_lines)
        browse.go_to_choice()
        if load_in_sight(browse):
            lines.resize(shape.timeline or shape.width, shape.body, browse.view)
            browse.view.resize(lines.cells, lines.lane_lines)
    return lines


def draw_timeline(browse: Browse, lines: TimelineLines) -> list[Line]:
    """Draw the timeline's lines, each as wide as their area."""
    backdrop = browse.backdrop()
    return [fit_line(lines.line(y, browse.view, backdrop), lines.width) for y in range(lines.height)]


def draw_pane(browse: Browse, shape: Shape) -> list[Line]:
    """Draw the side pane: tabs, then as much of the page as there is room for."""
    height = max(shape.body - 1, 0)
    pane = Pane(browse.drawing)
    pane.focused = not shape.timeline
    pane.width = shape.pane
    pane.show(browse.page_job()(Event()) if browse.ready else None)
    barred = pane.length > height
    tabs = fit_line(tabs_line(browse.offered_tabs, browse.tab, shape.pane)[0], shape.pane, "pane")
    lines: list[Line] = [tabs]
    for y in range(height):
        line = pane.line(y)
        if barred:  # it covers the last cell
            line = [*crop(line, shape.pane - 1), bar_cell(y, height, pane.length, 0, browse.drawing.thumb)]
        lines.append(line)
    return lines[: shape.body]
