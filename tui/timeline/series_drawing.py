"""Lines of values as runs. What a cell shows is worked out for its cells, never for the rows behind them."""

from __future__ import annotations

import numpy as np

from tui.report.columns import Int64
from tui.text import cut
from tui.timeline.canvas import DrawOptions
from tui.timeline.glyphs import Glyphs
from tui.timeline.runs import Line, Run
from tui.timeline.series import Area, Density, Failed, Heat, Level, OnCpu, Pair, Sampled, Series
from tui.timeline.series_scale import MISSING, pair_top, shades, steps, top_of
from tui.timeline.series_tall import draw_area, draw_envelope
from tui.timeline.series_threads import draw_on_cpu, draw_sampled
from tui.timeline.stretches import line_of
from tui.timeline.viewport import Viewport

EIGHTHS = 8
COUNT_STEPS = (1, 2, 10, 100)
"""From how many events on a cell has each of the marks for counts."""


def draw_series(
    series: Series, part: int, rows: int, viewport: Viewport, cells: int, options: DrawOptions
) -> Line:
    """Row ``part`` (from the top) of a line of values that takes ``rows`` rows."""
    edges = viewport.edges(cells)
    if isinstance(series, Level):
        top = top_of(series, edges, options.in_view)
        return _level(series, top, (part, rows), viewport, cells, options.glyphs)
    if isinstance(series, Heat):
        return _heat(series, edges, options)
    if isinstance(series, Pair):
        return _pair(series, part, rows, viewport, cells, options)
    if isinstance(series, Area):
        return draw_area(series, part, rows, viewport, cells, options)
    if isinstance(series, OnCpu):
        return draw_on_cpu(series, edges, options)
    if isinstance(series, Sampled):
        return draw_sampled(series, edges, options)
    if isinstance(series, Density):
        return _density(series, edges, options.glyphs)
    if isinstance(series, Failed):
        return [Run(cut(series.words, cells, options.glyphs.ellipsis).ljust(cells), "note")]
    return [Run(" " * cells)]


def _level(
    level: Level, top: float, place: tuple[int, int], viewport: Viewport, cells: int, glyphs: Glyphs
) -> Line:
    """One row in eighths, or row ``place[0]`` of ``place[1]`` of an envelope."""
    part, rows = place
    if rows > 1:
        return draw_envelope(level, top, part, rows, viewport, cells, glyphs)
    found = level.values.over(viewport.edges(cells))
    mean, high = steps(found.mean, top, EIGHTHS), steps(found.high, top, EIGHTHS)
    above = np.where((mean >= 0) & (high > mean), np.where(2 * high <= EIGHTHS, 1, 2), 0)

    def look(code: int) -> tuple[str, str]:
        height, tint = divmod(code, 3)
        if height - 1 == MISSING:
            return " ", ""
        ink = level.style if height > 1 else f"{level.style}.1"
        return glyphs.levels[height - 1], f"{ink}|{f'{level.style}.{tint - 1}' if tint else ''}"

    return line_of((mean + 1) * 3 + above, look)


def _heat(heat: Heat, edges: Int64, options: DrawOptions) -> Line:
    """Lightness and glyph by the mean."""
    shade = shades(heat.values.over(edges).mean, top_of(heat, edges, options.in_view))

    def look(code: int) -> tuple[str, str]:
        return (" ", "") if code == MISSING else (options.glyphs.shades[code], f"{heat.style}.{code}|")

    return line_of(shade, look)


def _pair(pair: Pair, part: int, rows: int, viewport: Viewport, cells: int, options: DrawOptions) -> Line:
    """Half-blocks in one row, the upper rows and the lower ones in more.

    One row without half-blocks, which need colours, shows the greater of both.
    """
    edges = viewport.edges(cells)
    top = pair_top(pair, edges, options.in_view)
    if rows > 1:
        upper = rows - rows // 2
        first = part < upper
        place = (part, upper) if first else (part - upper, rows - upper)
        return _level(pair.upper if first else pair.lower, top, place, viewport, cells, options.glyphs)
    means = [level.values.over(edges).mean for level in (pair.upper, pair.lower)]
    if options.glyphs.plain or not options.fill:
        height = np.maximum(*(steps(mean, top, EIGHTHS) for mean in means))
        levels, style = options.glyphs.levels, f"{pair.upper.style}|"
        return line_of(height, lambda code: (" ", "") if code == MISSING else (levels[code], style))
    above, below = (shades(mean, top) + 1 for mean in means)

    def look(code: int) -> tuple[str, str]:
        first, second = code // 8 - 1, code % 8 - 1
        if first == MISSING:
            return (" ", "") if second == MISSING else ("▄", f"{pair.lower.style}.{second}|")
        paper = "" if second == MISSING else f"{pair.lower.style}.{second}"
        return "▀", f"{pair.upper.style}.{first}|{paper}"

    return line_of(above * 8 + below, look)


def _density(density: Density, edges: Int64, glyphs: Glyphs) -> Line:
    """A mark where something happened: the bigger, the more."""
    step = np.searchsorted(COUNT_STEPS, density.counts.over(edges), "right")
    return line_of(step, lambda code: (glyphs.counts[code - 1], f"{density.style}|") if code else (" ", ""))
