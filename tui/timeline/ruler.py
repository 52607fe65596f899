"""The time scale: ticks, the steps' boundaries, and the map of the whole capture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tui.intervals import Coverage
from tui.report.columns import Int64, distinct_values
from tui.text import width
from tui.text.times import instant, nearest_instant, show_offset
from tui.timeline.canvas import Canvas
from tui.timeline.glyphs import Glyphs
from tui.timeline.runs import Line
from tui.timeline.viewport import Viewport, rung_above

TICK_CELLS = 12
"""The least distance of two ticks: room for a label and a space."""


@dataclass(frozen=True)
class StepMarks:
    """The steps on the ruler: int64 ns by start, and ``name(i)``, what step i is called."""

    start: Int64
    end: Int64
    name: Callable[[int], str]

    def name_of(self, stretch: tuple[int, int]) -> str:
        """What the step is called that has just this start and end; empty where none has."""
        at = int(np.searchsorted(self.start, stretch[0]))
        found = at < len(self.start) and (int(self.start[at]), int(self.end[at])) == stretch
        return self.name(at) if found else ""


@dataclass(frozen=True)
class Ticks:
    """Tick times (ns, all in sight), what they are offsets from, and their distance."""

    times: list[int]
    origin: int
    interval: int


def ticks(viewport: Viewport, cells: int) -> Ticks:
    """Ticks at round times of the 1-2-5 ladder, at least :data:`TICK_CELLS` apart.

    The origin is a rounder time at or before the left edge, so labels stay put while panning.
    """
    interval = rung_above(viewport.ns_per_cell * TICK_CELLS - 1)
    first = -(-viewport.start // interval) * interval
    start = viewport.start
    # A view across 0 counts from 0, so that a start just before it does not read as minus ten ticks.
    origin = 0 if start < 0 < viewport.end(cells) else start // (10 * interval) * (10 * interval)
    return Ticks(list(range(first, viewport.end(cells), interval)), origin, interval)


def origin_label(viewport: Viewport, cells: int) -> str:
    """The absolute time that the tick labels are offsets from: ``0.820 s``."""
    marks = ticks(viewport, cells)
    return instant(marks.origin, 10 * marks.interval)


def draw_ruler(
    viewport: Viewport, cells: int, glyphs: Glyphs, *, absolute: bool = False, steps: StepMarks | None = None,
    cursor: int | None = None, selection: tuple[int, int] | None = None, selected: str = "",
) -> Line:  # fmt: skip
    """Draw the line of ticks, with the steps' boundaries (beside the labels), the selection and the cursor.

    The left edge has its own time; the other labels are offsets from :func:`origin_label`, or with
    ``absolute`` each tick's own time. A label that the cursor would cut is left out. ``selected``: what
    the selection is called; out of sight, an arrow with that points to it.
    """
    canvas = Canvas(cells, "ruler")
    free = [True] * cells
    marks = ticks(viewport, cells)
    here = viewport.cell(cursor) if cursor is not None and viewport.shows(cursor, cells) else None
    edge = nearest_instant(viewport.start, marks.interval)
    _mark_off_screen(canvas, free, viewport, selection, selected, glyphs)
    if 2 * len(edge) < cells and all(free[: len(edge) + 1]) and not (here and here <= len(edge)):
        canvas.text[0] = glyphs.bar
        canvas.write(1, edge, "ruler.label")
        free[: len(edge) + 2] = [False] * (len(edge) + 2)
    for time in marks.times:
        cell = viewport.cell(time)
        if not free[cell]:
            continue
        label = instant(time, marks.interval) if absolute else show_offset(time - marks.origin)
        if not absolute and time == marks.origin:
            label = "0"
        stop = cell + 1 + len(label)
        canvas.text[cell] = glyphs.bar
        if stop <= cells and all(free[cell:stop]) and not (here is not None and cell < here < stop):
            canvas.write(cell + 1, label)
            free[cell + 1 : stop] = [False] * len(label)
    if steps is not None:
        for cell in _boundaries(steps, viewport, cells):
            if free[cell]:
                canvas.text[cell], canvas.style[cell] = glyphs.bar, "step"
    if selection is not None:
        first, last = max(viewport.cell(selection[0]), 0), min(viewport.cell(selection[1] - 1), cells - 1)
        for cell in range(first, last + 1):
            canvas.style[cell] = "ruler.select"
    if here is not None:
        canvas.text[here], canvas.style[here] = glyphs.cursor, "ruler.cursor"
    return canvas.line()


def _mark_off_screen(
    canvas: Canvas, free: list[bool], viewport: Viewport, selection: tuple[int, int] | None, name: str,
    glyphs: Glyphs,
) -> None:  # fmt: skip
    """Point to a selection out of sight: an arrow with its name at the edge behind which it lies."""
    cells = len(free)
    if selection is None:
        return
    before = selection[1] <= viewport.start
    if not before and selection[0] < viewport.end(cells):
        return
    text = f"{glyphs.earlier} {name}" if before else f"{name} {glyphs.later}"
    text = text if width(text) < cells else glyphs.earlier if before else glyphs.later
    first = 0 if before else cells - width(text)
    canvas.write(first, text, "ruler.away")
    free[first : first + width(text)] = [False] * width(text)


def draw_steps(viewport: Viewport, cells: int, steps: StepMarks | None) -> Line:
    """Draw the steps' names, each in the middle of what is seen of its step."""
    canvas = Canvas(cells)
    if steps is not None:
        first = int(np.searchsorted(steps.end, viewport.start, "right"))
        last = int(np.searchsorted(steps.start, viewport.end(cells), "left"))
        for step in range(first, last) if last - first <= cells else ():
            begin = max(viewport.cell(int(steps.start[step])), 0)
            room = min(viewport.cell(int(steps.end[step])), cells) - begin
            name = steps.name(step)
            if width(name) >= room:
                name = name[len(name.rstrip("0123456789")) :]  # its number alone
            if width(name) < room:
                canvas.write(begin + (room - width(name)) // 2, name, "step.name")
    return canvas.line()


def _boundaries(steps: StepMarks, viewport: Viewport, cells: int) -> list[int]:
    """Cells in which a step begins; none where they would crowd the ruler."""
    inside = steps.start[(steps.start >= viewport.start) & (steps.start < viewport.end(cells))]
    found = distinct_values((inside - viewport.start) // viewport.ns_per_cell)
    return [] if len(found) > cells // 4 else [int(c) for c in found]


def draw_minimap(
    devices: Sequence[Coverage], span: tuple[int, int], viewport: Viewport, shown: int, cells: int,
    glyphs: Glyphs, *, fill: bool = True,
) -> Line:  # fmt: skip
    """Draw the devices' mean busy share over the whole ``span``, and mark what the viewport shows of it.

    The view is ``shown`` cells wide; the map has ``cells``.
    """
    inner = cells - 2
    first, last = span
    length = max(last - first, 1)
    # Bin edges as exact fractions of the span, so that no rounding error accumulates.
    edges = first + np.array([length * c // inner for c in range(inner + 1)] if inner > 0 else [0], np.int64)
    size = np.maximum(np.diff(edges), 1)
    busy = np.zeros(len(size), np.int64)
    for coverage in devices:
        busy += coverage.over(edges)
    level = np.where(busy > 0, np.clip(-(-busy * 8 // (size * max(len(devices), 1))), 1, 8), 0)
    return draw_map(level, span, viewport, shown, cells, glyphs, fill=fill)


def draw_map(
    level: Int64, span: tuple[int, int], viewport: Viewport, shown: int, cells: int, glyphs: Glyphs, *,
    fill: bool = True,
) -> Line:  # fmt: skip
    """Draw ``level``, one of 0 to 8 a cell between the frames, and mark what the viewport shows of it."""
    inner = cells - 2
    canvas = Canvas(cells, "minimap")
    if inner < 4:
        return canvas.line()
    first, last = span
    length = max(last - first, 1)
    canvas.text[:] = [glyphs.frame[0], *(glyphs.up[i] for i in level.tolist()), glyphs.frame[1]]
    canvas.style[0] = canvas.style[-1] = "minimap.frame"
    begin = min(max((viewport.start - first) * inner // length, 0), inner - 1)
    stop = min(max(-(-(viewport.end(shown) - first) * inner // length), begin + 1), inner)
    canvas.style[begin + 1 : stop + 1] = ["minimap.view"] * (stop - begin)
    if not fill and not (begin == 0 and stop == inner):
        canvas.text[begin], canvas.text[stop + 1] = "[]"
    return canvas.line()


def minimap_time(cell: int, cells: int, span: tuple[int, int]) -> int:
    """The time at a cell of the minimap (of a click there)."""
    inner = max(cells - 2, 1)
    first, last = span
    return first + max(last - first, 1) * min(max(cell - 1, 0), inner - 1) // inner
