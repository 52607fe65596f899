"""Lines of values that take several rows: the envelope of a quantity, and stacked kinds of one."""

from __future__ import annotations

import numpy as np

from tui.report.columns import Int64
from tui.text import width
from tui.timeline.canvas import Canvas, DrawOptions
from tui.timeline.glyphs import Glyphs
from tui.timeline.runs import Line
from tui.timeline.series import Area, Float64, Level
from tui.timeline.series_scale import MISSING, area_means, area_top, shares, steps
from tui.timeline.stretches import line_of
from tui.timeline.viewport import Viewport

_DOTS = np.array([[0x40, 0x04, 0x02, 0x01], [0x80, 0x20, 0x10, 0x08]])
"""Bits of a braille character: of the left and the right column, from the lowest dot up."""
_BRAILLE = 0x2800
_NOTHING = -1
"""The code of a cell in which it is known that there was nothing."""


def draw_envelope(
    level: Level, top: float, part: int, rows: int, viewport: Viewport, cells: int, glyphs: Glyphs
) -> Line:
    """Dots from the least to the greatest value of each half cell; in ASCII of each cell, in half rows."""
    columns, dots = (1, 2) if glyphs.plain else (2, 4)
    found = level.values.over(_edges(viewport, cells, columns))
    low, high = (_heights(values, top, rows * dots) for values in (found.low, found.high))
    if len(low) < columns * cells:  # a nanosecond has no halves
        low, high = np.repeat(low, columns), np.repeat(high, columns)
    height = dots * (rows - 1 - part) + np.arange(dots)
    set_ = (height >= low[:, None]) & (height <= high[:, None]) & (low >= 0)[:, None]
    style = f"{level.style}|"
    if glyphs.plain:
        return line_of(set_ @ np.array([1, 2]), lambda code: (" .':"[code], style if code else ""))
    codes = (set_.reshape(cells, columns, dots) * _DOTS).sum(axis=(1, 2))
    return line_of(codes, lambda code: (chr(_BRAILLE + code), style) if code else (" ", ""))


def _edges(viewport: Viewport, cells: int, columns: int) -> Int64:
    if viewport.ns_per_cell < columns:
        return viewport.edges(cells)
    return viewport.start + np.arange(columns * cells + 1, dtype=np.int64) * viewport.ns_per_cell // columns


def _heights(values: Float64, top: float, dots: int) -> Int64:
    """The dot, from 0 up, of each value on a scale of ``dots``; MISSING: it is not known."""
    height = np.floor(shares(values, top) * (dots - 1) + 0.5).astype(np.int64)
    return np.where(np.isnan(values), MISSING, height)


def draw_area(area: Area, part: int, rows: int, viewport: Viewport, cells: int, options: DrawOptions) -> Line:
    """Row ``part`` of the stacked means in eighths: two kinds that meet in a cell are ink and paper.

    The peak has its mark, and its words where nothing is drawn beside it.
    """
    glyphs, edges = options.glyphs, viewport.edges(cells)
    means, top = area_means(area, edges), area_top(area, edges, options.in_view)
    floor = 8 * (rows - 1 - part)
    # The sum decides where the stack ends; each kind's share of it where kinds meet.
    stacked = np.cumsum(np.nan_to_num(means, nan=0.0), axis=0)
    reach = np.clip(np.stack([steps(level, top, 8 * rows) for level in stacked]) - floor, 0, 8)
    amounts = np.diff(reach, axis=0, prepend=0)
    height = reach[-1]
    # Of three kinds in one cell the two that fill most of it are drawn.
    ranked = np.argsort(-amounts, axis=0, kind="stable")
    first = ranked[0]
    second = ranked[1] if len(amounts) > 1 else np.zeros_like(first)
    meets = (height == 8) & (np.take_along_axis(amounts, second[None], 0)[0] > 0) & (first != second)
    lower, upper = np.minimum(first, second), np.maximum(first, second)
    ink = np.where(meets, lower, first)
    filled = np.where(meets, np.take_along_axis(reach, lower[None], 0)[0], height)
    paper = np.where(meets, upper + 1, 0)
    kinds = len(amounts) + 1
    nothing = (stacked[-1] <= 0) & ~np.isnan(means).all(axis=0) & (part == rows - 1)

    def look(code: int) -> tuple[str, str]:
        if code == _NOTHING:
            return glyphs.levels[0], f"{area.parts[0].style}.1|"
        code, behind = divmod(code, kinds)
        of, eighths = divmod(code, 9)
        if eighths == 0:
            return " ", ""
        if not options.fill and eighths == 8:
            return glyphs.kinds[of % len(glyphs.kinds)], f"{area.parts[of].style}|"
        over = area.parts[behind - 1].style if behind else ""
        return glyphs.up[eighths], f"{area.parts[of].style}|{over}"

    if not options.fill:  # no paper: a cell has the filling of what fills most of it
        ink, filled, paper = first, height, np.zeros_like(paper)
    line = line_of(np.where(nothing, _NOTHING, (ink * 9 + filled) * kinds + paper), look)
    return _with_peak(line, area, (part, rows), top, viewport, height, options)


def _with_peak(
    line: Line, area: Area, place: tuple[int, int], top: float, viewport: Viewport, height: Int64,
    options: DrawOptions,
) -> Line:  # fmt: skip
    """Mark the peak in the row that it reaches into."""
    if area.peak is None:
        return line
    time, value = area.peak
    part, rows = place
    cell, cells = viewport.cell(time), len(height)
    reached = int(steps(np.array([value]), top, 8 * rows)[0])
    if not 0 <= cell < cells or part != rows - 1 - max(reached - 1, 0) // 8:
        return line
    canvas = Canvas(0)
    for text, style in line:
        canvas.text += list(text)
        canvas.style += [style] * len(text)
    style = area.parts[-1].style
    here = canvas.style[cell].partition("|")[0]
    canvas.put(cell, options.glyphs.peak, f"point|{here}" if here and options.fill else f"{style}|")
    words = area.words(value)
    size = width(words)
    for begin in (cell + 2, cell - 1 - size):
        if begin >= 0 and begin + size < cells and not height[begin : begin + size + 1].any():
            canvas.write(begin, words, f"{style}|")
            break
    return canvas.line()
