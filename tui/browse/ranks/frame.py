"""Draws the ranks view's whole screen: the cells that the explorer shows for the same state and size."""

from __future__ import annotations

from dataclasses import replace

from tui.browse.frame import draw_pane, draw_timeline
from tui.browse.ranks.browse import RanksBrowse
from tui.browse.ranks.lines import RankLines
from tui.browse.ranks.status import ranks_header, ranks_status
from tui.browse.screen_shape import Shape, screen_shape
from tui.timeline.runs import Frame, Line, Run, fit_line, merge, to_ascii


def ranks_shape(
    width: int, height: int, *, pane: bool = True, overlay: bool = False, maximised: bool = False
) -> Shape:
    """How the ranks view divides a screen: lanes need every line, so the status is one line."""
    shape = screen_shape(width, height, pane=pane, overlay=overlay, maximised=maximised)
    return replace(shape, status=1)


def draw_ranks(browse: RanksBrowse, shape: Shape) -> Frame:
    """Draw ``browse`` in ``shape``, to whose size its view is set."""
    lines = RankLines(browse, {})
    lines.alone = shape.timeline == shape.width
    lines.resize(shape.timeline or shape.width, shape.body, browse.view)
    if browse.view is not None:
        browse.go_to_choice()
        lines.fit(browse.view)
    nothing: list[Line] = [[]] * shape.body
    timeline = draw_timeline(browse, lines) if shape.timeline else nothing
    pane = draw_pane(browse, shape) if shape.pane else nothing
    edge = [Run(browse.drawing.glyphs.bar, "pane.edge")] if shape.edge else []
    body = [merge([*left, *edge, *right]) for left, right in zip(timeline, pane, strict=True)]
    status = ranks_status(browse, shape.width, 1, in_pane=not shape.timeline)
    rows = [ranks_header(browse, shape.width), *body, *(fit_line(s, shape.width, "status") for s in status)]
    rows = rows[: shape.height]
    return Frame(shape.width, tuple(map(to_ascii, rows)) if browse.drawing.glyphs.plain else tuple(rows))
