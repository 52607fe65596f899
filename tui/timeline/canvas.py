"""What every line of lanes is drawn on, and with: options, gaps and a row of styled cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tui.report.columns import Int64
from tui.timeline.glyphs import UNICODE, Glyphs
from tui.timeline.runs import Line, from_cells
from tui.timeline.slices import SliceId
from tui.timeline.viewport import Viewport

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
    its category. ``gaps``: by device index. ``selection``: [start, end) under study, shaded.
    """

    glyphs: Glyphs = UNICODE
    fill: bool = True
    gaps: Mapping[int, GapMarks] = field(default_factory=dict)
    selection: tuple[int, int] | None = None
    selected: SliceId | None = None


class Canvas:
    """Characters and styles of one line, with the selected range as its ground."""

    def __init__(self, cells: int, viewport: Viewport, options: DrawOptions) -> None:
        self.text = [" "] * cells
        self.ground = [""] * cells
        self.shade: tuple[int, ...] = ()
        if options.selection is not None:
            first = max(viewport.cell(options.selection[0]), 0)
            last = min(viewport.cell(options.selection[1] - 1), cells - 1)
            if first <= last:  # a range out of sight to the left or right shades nothing
                self.ground[first : last + 1] = ["select"] * (last + 1 - first)
                self.shade = (first, last + 1)
        self.style = list(self.ground)

    def ink(self, cell: int, glyph: str, style: str) -> None:
        """A glyph in the style's colour on the ground."""
        self.text[cell] = glyph
        self.style[cell] = f"{style}|{self.ground[cell]}"

    def line(self) -> Line:
        return from_cells(self.text, self.style)
