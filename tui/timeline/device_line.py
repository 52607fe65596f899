"""A device's line: how busy each cell is, the idle gaps with their length and cause, and what is unknown."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tui.report.columns import Int64
from tui.text import cut, width
from tui.text.times import brief
from tui.timeline.canvas import SHORTEST_CUT, Canvas, DrawOptions, GapMarks
from tui.timeline.compose import eighths
from tui.timeline.runs import Line
from tui.timeline.slices import Summary
from tui.timeline.viewport import Viewport


def draw_summary(
    summary: Summary, viewport: Viewport, cells: int, gaps: GapMarks | None, options: DrawOptions
) -> Line:
    """Draw busy shares as blocks, in the colour of what filled more of a cell, and the idle gaps."""
    canvas = Canvas(cells)
    edges = viewport.edges(cells)
    per_cell = viewport.ns_per_cell
    busy = summary.busy.over(edges)
    work = summary.kernels.over(edges)
    foreign = np.zeros(cells, bool)
    if gaps is not None and gaps.other is not None:
        other = gaps.other.over(edges)
        foreign = (other > 0) & (busy == 0)
        busy = np.where(foreign, other, busy)
    level = np.where(busy > 0, np.clip(eighths(busy, per_cell), 1, 8), 0)
    style = np.where(2 * work >= busy, "busy", np.where(foreign, "busy.other", "busy.copy"))
    for cell in np.flatnonzero(level).tolist():
        canvas.ink(cell, options.glyphs.up[level[cell]], str(style[cell]))
    if gaps is not None and len(gaps.start):
        _stretches(canvas, gaps, viewport, level, options, _IDLE)
    if gaps is not None and gaps.unseen is not None:
        _stretches(canvas, gaps.unseen, viewport, level, options, _UNSEEN)
    first = np.searchsorted(summary.point, edges, "left")
    for cell in np.flatnonzero((first[1:] > first[:-1]) & (level == 0)).tolist():
        canvas.ink(cell, options.glyphs.point, "busy")
    return canvas.line()


class _Look(NamedTuple):
    """What a kind of stretch is called, and its styles."""

    word: str
    style: str
    text: str


_IDLE, _UNSEEN = _Look("idle", "gap", "gap.text"), _Look("unknown", "unknown", "unknown.text")


def _stretches(
    canvas: Canvas, gaps: GapMarks, viewport: Viewport, level: Int64, options: DrawOptions, look: _Look
) -> None:
    """Draw gaps (or unknown stretches): a line in the cells that they fill, with their length and cause."""
    glyph = options.glyphs.gap if look is _IDLE else options.glyphs.unknown
    cells = len(canvas.text)
    left, right = viewport.start, viewport.end(cells)
    first = int(np.searchsorted(gaps.end, left, "right"))
    last = int(np.searchsorted(gaps.start, right, "left"))
    wide = np.flatnonzero(gaps.end[first:last] - gaps.start[first:last] >= viewport.ns_per_cell) + first
    for gap in wide.tolist():  # at most one a cell
        begin = max(-((viewport.start - int(gaps.start[gap])) // viewport.ns_per_cell), 0)
        stop = min((int(gaps.end[gap]) - viewport.start) // viewport.ns_per_cell, cells)
        for cell in np.flatnonzero(level[begin:stop] == 0).tolist():
            canvas.text[begin + cell], canvas.style[begin + cell] = glyph, look.style
        _words(canvas, gaps, gap, (begin, stop), options, look)


def _words(
    canvas: Canvas, gaps: GapMarks, gap: int, cells: tuple[int, int], options: DrawOptions, look: _Look
) -> None:
    """Write length and cause into the middle of a gap, as much as fits."""
    begin, stop = cells
    room = stop - begin
    if room < SHORTEST_CUT:
        return
    length = brief(int(gaps.end[gap] - gaps.start[gap]))
    wordings = [f" {look.word} {length} ", f" {length} ", length]
    if room > width(wordings[0]) + SHORTEST_CUT:
        wordings[:0] = _with_cause(
            f" {look.word} {length} {options.glyphs.dot} ", gaps.cause(gap), room, options
        )
    text = next((words for words in wordings if width(words) <= room), "")
    canvas.write(begin + (room - width(text)) // 2, text, look.text)


def _with_cause(length: str, cause: str, room: int, options: DrawOptions) -> list[str]:
    """The length with its cause: whole, with the phase cut, or without the phase; the best first."""
    if not cause:
        return []
    what, inside, _ = cause.partition(" in ")
    wordings = [f"{length}{cause} "]
    left = room - width(length) - 1
    if inside and left >= width(what + inside) + SHORTEST_CUT:
        wordings.append(f"{length}{cut(cause, left, options.glyphs.ellipsis)} ")
    wordings.append(f"{length}{what} ")
    if left >= 2 * SHORTEST_CUT:
        wordings.append(f"{length}{cut(what, left, options.glyphs.ellipsis)} ")
    return wordings
