"""The time scale: ticks, the steps' boundaries, and the map of the whole capture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tui.intervals import Coverage
from tui.report.columns import Int64
from tui.text import width
from tui.text.times import instant, show_offset
from tui.timeline.glyphs import Glyphs
from tui.timeline.runs import Line, Run, from_cells, write
from tui.timeline.viewport import Viewport, rung_above

TICK_CELLS = 12
"""The least distance of two ticks: room for a label and a space."""


@dataclass(frozen=True)
class StepMarks:
    """Step boundaries on the ruler: int64 ns by start, and what each step is called."""

    start: Int64
    end: Int64
    names: Sequence[str]


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
    cursor: int | None = None, selection: tuple[int, int] | None = None,
) -> Line:  # fmt: skip
    """The tick line. ``absolute`` labels every tick with its own time; the default with its offset from
    :func:`origin_label`. Step boundaries (where no label
    stands), the selected range and the cursor are marked; a label that the cursor would cut gives way."""
    text = [" "] * cells
    style = ["ruler"] * cells
    labelled = [False] * cells
    marks = ticks(viewport, cells)
    here = viewport.cell(cursor) if cursor is not None and viewport.shows(cursor, cells) else None
    for time in marks.times:
        cell = viewport.cell(time)
        label = instant(time, marks.interval) if absolute else show_offset(time - marks.origin)
        if not absolute and time == marks.origin:
            label = "0"
        label = glyphs.tick + label
        cut = here is not None and cell < here < cell + len(label)
        if cell + len(label) <= cells and not cut:
            write(text, cell, label)
            labelled[cell : cell + len(label)] = [True] * len(label)
        else:
            text[cell] = glyphs.tick
    if steps is not None:
        for cell in _boundaries(steps, viewport, cells):
            if text[cell] == glyphs.tick or not labelled[cell]:
                text[cell], style[cell] = glyphs.step, "step"
    if selection is not None:
        first, last = max(viewport.cell(selection[0]), 0), min(viewport.cell(selection[1] - 1), cells - 1)
        for cell in range(first, last + 1):
            style[cell] = "ruler.select"
    if here is not None:
        text[here], style[here] = glyphs.cursor, "ruler.cursor"
    return from_cells(text, style)


def draw_steps(viewport: Viewport, cells: int, steps: StepMarks | None, glyphs: Glyphs) -> Line:
    """The steps' names, each in the middle of what is seen of its step."""
    text = [" "] * cells
    style = [""] * cells
    if steps is not None and len(steps.start):
        left, right = viewport.start, viewport.end(cells)
        first = int(np.searchsorted(steps.end, left, "right"))
        last = int(np.searchsorted(steps.start, right, "left"))
        if last - first <= cells:
            for step in range(first, last):
                begin = max(viewport.cell(int(steps.start[step])), 0)
                stop = min(viewport.cell(int(steps.end[step])), cells)
                room = stop - begin - 1
                name = next(
                    (n for n in (steps.names[step], _number(steps.names[step])) if width(n) <= room), ""
                )
                if not name:
                    continue
                at = begin + (stop - begin - width(name)) // 2
                write(text, at, name)
                style[at : at + width(name)] = ["step.name"] * width(name)
    return from_cells(text, style)


def _number(name: str) -> str:
    """The counter that a step's name ends in, which tells it apart where the name does not fit."""
    return name[len(name.rstrip("0123456789")) :]


def _boundaries(steps: StepMarks, viewport: Viewport, cells: int) -> list[int]:
    """Cells in which a step begins; none where they would crowd the ruler."""
    inside = steps.start[(steps.start >= viewport.start) & (steps.start < viewport.end(cells))]
    found = np.unique((inside - viewport.start) // viewport.ns_per_cell)
    return [] if len(found) > cells // 4 else [int(c) for c in found]


def draw_minimap(
    devices: Sequence[Coverage], span: tuple[int, int], viewport: Viewport, shown: int, cells: int,
    glyphs: Glyphs, *, fill: bool = True,
) -> Line:  # fmt: skip
    """``cells`` cells over the whole ``span``: the devices' mean busy share as the height of a block,
    with the part that the viewport shows (``shown`` cells of it) marked."""
    inner = cells - 2
    if inner < 4:
        return [Run(" " * cells, "minimap")]
    first, last = span
    length = max(last - first, 1)
    # Bin edges as exact fractions of the span, so that no rounding error accumulates.
    edges = first + np.array([length * c // inner for c in range(inner + 1)], np.int64)
    size = np.maximum(np.diff(edges), 1)
    busy = np.zeros(inner, np.int64)
    for coverage in devices:
        busy += coverage.over(edges)
    level = np.where(busy > 0, np.clip(-(-busy * 8 // (size * max(len(devices), 1))), 1, 8), 0)
    text = [glyphs.frame[0], *(glyphs.up[i] for i in level.tolist()), glyphs.frame[1]]
    style = ["minimap.frame", *["minimap"] * inner, "minimap.frame"]
    begin = min(max((viewport.start - first) * inner // length, 0), inner - 1)
    stop = min(max(-(-(viewport.end(shown) - first) * inner // length), begin + 1), inner)
    for cell in range(begin + 1, stop + 1):
        style[cell] = "minimap.view"
    if not fill and not (begin == 0 and stop == inner):
        text[begin], text[stop + 1] = glyphs.view[0], glyphs.view[1]
    return from_cells(text, style)


def minimap_time(cell: int, cells: int, span: tuple[int, int]) -> int:
    """The time that a cell of the minimap stands for (a click there)."""
    inner = max(cells - 2, 1)
    first, last = span
    return first + max(last - first, 1) * min(max(cell - 1, 0), inner - 1) // inner
