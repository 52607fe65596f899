"""A row of styled cells, and what decides how a lane looks on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tui.report.columns import Int64
from tui.timeline.glyphs import UNICODE, Glyphs
from tui.timeline.runs import Line, from_cells
from tui.timeline.slices import SliceId

SHORTEST_CUT = 4
"""A name is not cut to fewer cells than this; it is left out."""


@dataclass(frozen=True)
class GapMarks:
    """A device's idle gaps over the threshold, as drawn on its line: int64 ns, in time order.

    ``cause(i)`` says in words what explains gap i ("host code in data_to_gpu"), "" when unknown yet.
    """

    start: Int64
    end: Int64
    cause: Callable[[int], str]


@dataclass(frozen=True)
class DrawOptions:
    """What besides lanes and viewport decides how a line looks.

    ``fill``: there are colours, so a slice is a run of coloured spaces; without, of a glyph that tells
    its category. ``gaps``: by device index. ``selected``: the slice under the cursor.
    """

    glyphs: Glyphs = UNICODE
    fill: bool = True
    gaps: Mapping[int, GapMarks] = field(default_factory=dict)
    selected: SliceId | None = None


class Canvas:
    """Characters and styles of one line."""

    def __init__(self, cells: int) -> None:
        self.text = [" "] * cells
        self.style = [""] * cells

    def put(self, cell: int, glyph: str, style: str) -> None:
        """A glyph of one cell; the other half of a wide character that stood there becomes blank."""
        if self.text[cell] == "" and cell > 0:
            self.text[cell - 1] = " "
        if self.text[cell + 1 : cell + 2] == [""]:
            self.text[cell + 1] = " "
        self.text[cell], self.style[cell] = glyph, style

    def ink(self, cell: int, glyph: str, style: str) -> None:
        """A glyph in the style's colour on the ground."""
        self.put(cell, glyph, f"{style}|")

    def line(self) -> Line:
        return from_cells(self.text, self.style)
