"""The part of the timeline that is on the screen: a start and a scale, and the moves between them.

The scale is whole nanoseconds per cell and the start is always a multiple of it, so a cell shows
the same bin of time wherever it is on the screen: panning moves pictures, it never changes them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

STEPS = (1, 2, 5)
"""Mantissas of the zoom ladder."""
SHORT = 10_000
"""Windows of fewer ns are shown with as much again on either side: one short op isn't all there is."""
LEAST_ROOM = 500
"""The least on either side of them, ns: a window may have no length at all."""


def rung_above(ns_per_cell: int) -> int:
    """The next coarser scale of the 1-2-5 ladder."""
    decade: int = 10 ** (len(str(ns_per_cell)) - 1)
    return next(step * decade for step in (*STEPS, 10) if step * decade > ns_per_cell)


def rung_below(ns_per_cell: int) -> int:
    """The next finer scale of the 1-2-5 ladder; 1 ns is the finest."""
    decade: int = 10 ** (len(str(ns_per_cell - 1)) - 1)
    return max(step * decade for step in STEPS if step == 1 or step * decade < ns_per_cell)


def fitting_scale(length: int, width: int) -> int:
    """The finest scale of two digits at which ``length`` ns fit ``width`` cells, one to spare for alignment.

    Finer than the ladder, so that what is fitted fills the width; zooming goes on from the next rung.
    """
    need = -(-max(length, 1) // max(width - 1, 1))
    decade: int = 10 ** max(len(str(need)) - 2, 0)
    return -(-need // decade) * decade


@dataclass(frozen=True)
class Viewport:
    """``start`` ns (a multiple of the scale) at the left edge, ``ns_per_cell`` >= 1."""

    start: int
    ns_per_cell: int

    @classmethod
    def at(cls, start: int, ns_per_cell: int) -> Viewport:
        """The viewport of that scale whose first cell holds ``start``."""
        return cls(start // ns_per_cell * ns_per_cell, ns_per_cell)

    @classmethod
    def fit(cls, start: int, end: int, width: int) -> Viewport:
        """[start, end] as large as it goes in ``width`` cells."""
        return cls.at(start, fitting_scale(end - start, width))

    @classmethod
    def of_window(cls, start: int, end: int, width: int) -> Viewport:
        """A window as large as it goes, a short one with room around it."""
        room = max(end - start, LEAST_ROOM) if end - start < SHORT else 0
        return cls.fit(start - room, end + room, width)

    @classmethod
    def fit_with_margin(cls, start: int, end: int, width: int) -> Viewport:
        """[start, end] with a margin of about a tenth on either side."""
        scale = fitting_scale((end - start) * 5 // 4, width)
        spare = width - -(-(end - start) // scale)
        return cls.at(start - max(spare, 0) // 2 * scale, scale)

    def end(self, width: int) -> int:
        """Time at the right edge of ``width`` cells."""
        return self.start + width * self.ns_per_cell

    def edges(self, width: int) -> NDArray[np.int64]:
        """``width + 1`` int64 ns: cell c holds [edges[c], edges[c + 1])."""
        return self.start + np.arange(width + 1, dtype=np.int64) * self.ns_per_cell

    def cell(self, time: int) -> int:
        """The cell that holds ``time``; negative or past the width when out of sight."""
        return (time - self.start) // self.ns_per_cell

    def time(self, cell: int) -> int:
        """Time at the left edge of ``cell``."""
        return self.start + cell * self.ns_per_cell

    def shows(self, time: int, width: int) -> bool:
        return 0 <= self.cell(time) < width

    def pan(self, cells: int) -> Viewport:
        return Viewport(self.start + cells * self.ns_per_cell, self.ns_per_cell)

    def scaled(self, ns_per_cell: int, about: int) -> Viewport:
        """Another scale; ``about`` stays in the cell where it is."""
        return Viewport((about // ns_per_cell - self.cell(about)) * ns_per_cell, ns_per_cell)

    def zoom_in(self, about: int) -> Viewport:
        return self.scaled(rung_below(self.ns_per_cell), about)

    def zoom_out(self, about: int) -> Viewport:
        return self.scaled(rung_above(self.ns_per_cell), about)

    def reveal(self, time: int, width: int) -> Viewport:
        """The same scale with ``time`` in sight: unmoved if it is already, else centred on it."""
        return self if self.shows(time, width) else self.pan(self.cell(time) - width // 2)

    def clamp(self, span: tuple[int, int], width: int) -> Viewport:
        """The nearest viewport no coarser than ``span`` needs, and at most half a screen past its ends.

        A short ``span`` may have room around it.
        """
        first, last = span
        scale = min(self.ns_per_cell, rung_above(fitting_scale(max(last - first, 3 * SHORT), width)))
        view = self if scale == self.ns_per_cell else self.scaled(scale, (first + last) // 2)
        lowest, highest = (time // scale - width // 2 for time in span)
        return Viewport(min(max(view.start // scale, lowest), max(highest, lowest)) * scale, scale)
