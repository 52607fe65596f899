"""A row of styled cells, and what decides how a lane looks on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tui.intervals import Coverage
from tui.report.columns import Int64
from tui.text import width
from tui.timeline.glyphs import UNICODE, Glyphs
from tui.timeline.runs import Line, Run
from tui.timeline.slices import SliceId

SHORTEST_CUT = 4
"""A name is not cut to fewer cells than this; it is left out."""


@dataclass(frozen=True)
class DeviceTime:
    """What a device's time is made of, as far as it is known: the rest of ``window`` is idle."""

    window: tuple[int, int]
    """Start and end (ns) of what is called busy or idle; outside, nothing is."""
    busy: Coverage
    """Work of the kinds that count as busy."""
    not_idle: Coverage
    """The same with work of other APIs and unknown time."""
    unknown: Coverage
    """Work may have run that was not recorded."""


@dataclass(frozen=True)
class GapMarks:
    """A device's idle gaps over the threshold, as drawn on its line: int64 ns, in time order.

    ``cause(i)`` says in words what explains gap i ("host code in data_to_gpu"), "" when unknown yet.
    """

    start: Int64
    end: Int64
    cause: Callable[[int], str]
    unseen: GapMarks | None = None
    """Stretches in which work may have run that was not recorded, with what was launched in each."""
    other: Coverage | None = None
    """When the device did work of another API than CUDA."""
    time: DeviceTime | None = None
    """None: not known yet; then no cell is drawn as idle but those of the gaps."""


@dataclass(frozen=True)
class DrawOptions:
    """What decides how a line looks, besides its lane and the viewport.

    ``fill``: there are colours, so a slice is a run of coloured spaces; without colours, of a glyph that
    depends on its category. ``gaps``: by device index. ``selected``: the slice under the cursor.
    ``in_view``: scales of values end at the greatest value in sight, not of the capture.
    """

    glyphs: Glyphs = UNICODE
    fill: bool = True
    gaps: Mapping[int, GapMarks] = field(default_factory=dict)
    selected: SliceId | None = None
    in_view: bool = False


class Canvas:
    """Characters and styles of one line: one string a cell, "" after a wide character."""

    def __init__(self, cells: int, style: str = "") -> None:
        self.text = [" "] * cells
        self.style = [style] * cells

    def put(self, cell: int, glyph: str, style: str) -> None:
        """Draw a glyph of one cell; the other half of a wide character in that cell becomes blank."""
        if self.text[cell] == "" and cell > 0:
            self.text[cell - 1] = " "
        if self.text[cell + 1 : cell + 2] == [""]:
            self.text[cell + 1] = " "
        self.text[cell], self.style[cell] = glyph, style

    def ink(self, cell: int, glyph: str, style: str) -> None:
        """Draw a glyph in the style's colour on the ground."""
        self.put(cell, glyph, f"{style}|")

    def write(self, cell: int, text: str, style: str | None = None) -> None:
        """Write safe ``text`` from ``cell`` on, in a style of its own or in that of its cells.

        A wide character blanks the cell after it.
        """
        if style is not None:
            self.style[cell : cell + width(text)] = [style] * width(text)
        if text.isascii():
            self.text[cell : cell + len(text)] = text
            return
        for character in text:
            size = width(character)
            if size == 0 and cell > 0:
                self.text[cell - 1] += character
                continue
            self.text[cell] = character
            if size == 2:
                self.text[cell + 1] = ""
            cell += size

    def line(self) -> Line:
        """The cells as runs."""
        if not self.style:
            return []
        line: Line = []
        begin, current = 0, self.style[0]
        for at, style in enumerate(self.style):
            if style != current:
                line.append(Run("".join(self.text[begin:at]), current))
                begin, current = at, style
        line.append(Run("".join(self.text[begin:]), current))
        return line
