"""The lower part of the ranks view: who is late where, who needs how long in which step, the pace of all."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tui.browse.ranks.scene import UNKNOWN, Scene
from tui.report.columns import Int64
from tui.text import pad
from tui.text.times import brief
from tui.timeline.canvas import Canvas
from tui.timeline.glyphs import Glyphs
from tui.timeline.runs import Line, Run

PACE_ROWS = 4
"""Lines of the pace chart, its title included."""


class Pace(NamedTuple):
    """One entry a matched step: own times in ns, UNKNOWN where no rank has it."""

    median: Int64
    slowest: Int64
    warm_up: int
    """How many leading steps are warm-up."""

    @property
    def bounds(self) -> tuple[int, int]:
        """The least median and the greatest own time. Warm-up does not count: it is longer by far."""
        known = self.median != UNKNOWN
        steady = known & (np.arange(len(known)) >= min(self.warm_up, len(known) - 1))
        steady = steady if steady.any() else known
        if not steady.any():
            return 0, 1
        return int(self.median[steady].min()), int(self.slowest[steady].max())


def pace_of(scene: Scene) -> Pace:
    """The median and the slowest own time of every step."""
    own = [(at, own_of(scene, at)) for at, facts in enumerate(scene.ranks) if facts.own is not None]
    steps = max((len(times) for _, times in own), default=0)
    table = np.full((max(len(own), 1), steps), UNKNOWN, np.int64)
    for row, (_, times) in enumerate(own):
        table[row, : len(times)] = times
    known = table != UNKNOWN
    some = known.any(axis=0)
    middle = np.full(steps, UNKNOWN, np.int64)
    if some.any():
        middle[some] = np.nanmedian(np.where(known, table, np.nan)[:, some], axis=0).astype(np.int64)
    warm_up = max((scene.ranks[at].rank.summary.warm_up for at, _ in own), default=0)
    return Pace(middle, table.max(axis=0, initial=UNKNOWN), warm_up)


def binned(values: Int64, cells: int) -> Int64:
    """One value a cell: the values themselves, or the largest of each cell where there are more."""
    if len(values) <= cells:
        return values
    first = np.arange(cells) * len(values) // cells
    largest: Int64 = np.maximum.reduceat(values, first)
    return largest


def heat_line(values: Int64, low: int, high: int, cells: int, glyphs: Glyphs) -> Line:
    """Draw ``values`` between ``low`` (nothing) and ``high`` (a full block); UNKNOWN is blank."""
    shown = binned(values, cells)
    level = np.clip(-(-(shown - low) * 8 // max(high - low, 1)), 0, 8)
    level = np.where(shown == UNKNOWN, 0, level)
    text = "".join(glyphs.up[i] for i in level.tolist())
    return [Run(pad(text, cells), "heat")]


def lateness_of(scene: Scene, at: int) -> Int64:
    """The lateness of a rank at every operation of the main communicator."""
    if at < 0 or scene.main_communicator < 0:
        return np.zeros(0, np.int64)
    return scene.lateness(at, scene.main_communicator)


def own_of(scene: Scene, at: int) -> Int64:
    """The own time of a rank by matched step of its run."""
    facts = scene.ranks[at]
    columns = facts.columns
    found = np.full(int(columns.max()) + 1 if len(columns) else 0, UNKNOWN, np.int64)
    if facts.own is not None:
        placed = columns >= 0
        found[columns[placed]] = facts.own[placed]
    return found


def pace_lines(pace: Pace, cells: int, gutter: int, glyphs: Glyphs) -> list[Line]:
    """Draw the pace of all ranks: a column a step, the slowest above the median."""
    steps = int((pace.median != UNKNOWN).sum())
    title = f" pace over {steps} steps (own time: - median rank, = slowest)"
    lines: list[Line] = [[Run(title, "pane.title")]]
    known = pace.median != UNKNOWN
    if not known.any():
        return lines
    low, high = pace.bounds
    rows = PACE_ROWS - 1
    scale = max(high - low, 1)

    def row_of(values: Int64) -> Int64:
        shown = binned(values, cells)
        inside = np.clip(shown, low, high)
        place: Int64 = ((high - inside) * (rows - 1) * 2 // scale + 1) // 2
        return np.where(shown == UNKNOWN, -1, place)

    middle, slowest = row_of(pace.median), row_of(pace.slowest)
    for row in range(rows):
        value = high - scale * row // max(rows - 1, 1)
        canvas = Canvas(cells)
        for cell in np.flatnonzero(middle == row).tolist():
            canvas.put(cell, "-", "pace.median")
        for cell in np.flatnonzero(slowest == row).tolist():
            canvas.put(cell, "=", "pace.slowest")
        lines.append([Run(pad(f"{brief(value):>{max(gutter - 1, 1)}}", gutter), "title"), *canvas.line()])
    return lines
