"""Update the screen in few bytes: write only cells and attributes that changed.

Textual writes each run with all its attributes and a reset, and all that may have changed. Over a slow link
that is most of what a key press costs. This module keeps Textual's model of the screen, remembers what the
terminal shows, and replaces the last step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import takewhile
from typing import NamedTuple

from rich.color import ColorSystem
from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui.app.textual_private import ChopsUpdate, CompositorUpdate, LayoutUpdate
from tui.text import width
from tui.text.drift import drifts, is_sure, steadied
from tui.timeline.terminal_colours import nearest_256

LIMIT = 60 * 1024
"""Bytes of an update above which its specks get colours of the fixed palette, which are half as long."""
SPECK = 2
"""Cells of the longest speck: a run so short that the eye can't tell two near colours apart."""

_ATTRIBUTES = {
    "bold": "1", "dim": "2", "italic": "3", "underline": "4", "blink": "5", "reverse": "7", "strike": "9"
}  # fmt: skip
_SHOWN_ON_BLANKS = {"4", "7", "9"}
"""Codes of the attributes that show on a blank."""


class Pen(NamedTuple):
    """The SGR codes of one style."""

    ink: str = "39"
    paper: str = "49"
    attributes: frozenset[str] = frozenset()


PLAIN = Pen()


class Painter:
    """Turn segments into text with escape codes; keep the codes of every style."""

    def __init__(self, color_system: ColorSystem) -> None:
        self._color_system = color_system
        self._pens: dict[Style | None, Pen] = {None: PLAIN}

    def pen(self, style: Style | None) -> Pen:
        """Return the codes of a style in the colours that the terminal has."""
        pen = self._pens.get(style)
        if pen is None:
            assert style is not None
            ink, paper = style.color, style.bgcolor
            pen = self._pens[style] = Pen(
                ";".join(ink.downgrade(self._color_system).get_ansi_codes()) if ink else PLAIN.ink,
                ";".join(paper.downgrade(self._color_system).get_ansi_codes(False)) if paper else PLAIN.paper,
                frozenset(code for name, code in _ATTRIBUTES.items() if getattr(style, name)),
            )
        return pen

    def ground(self, strips: Iterable[Strip]) -> str:
        """Return the paper of most cells."""
        cells: Counter[str] = Counter()
        for strip in strips:
            for text, style, _ in strip:
                cells[self.pen(style).paper] += len(text)
        return max(cells, key=cells.__getitem__, default=PLAIN.paper)

    def text(
        self, segments: Iterable[Segment], now: Pen = PLAIN, ground: str | None = None, at: int = 0
    ) -> tuple[str, Pen]:
        """Return (``segments`` as text, the last pen), with escape codes only where the pen changes.

        Given ``ground``, specks get palette colours, except for a paper of that colour. ``at`` is the column
        of the first cell: text that terminals draw differently wide is kept in place by columns.
        """
        out: list[str] = []
        for text, style, control in segments:
            if control or not text:
                continue
            wanted = self.pen(style)
            if ground is not None and len(text) <= SPECK:
                paper = wanted.paper if wanted.paper == ground else _coarse(wanted.paper)
                wanted = wanted._replace(ink=_coarse(wanted.ink), paper=paper)
            if text.isspace() and wanted.attributes.isdisjoint(_SHOWN_ON_BLANKS) and not now.attributes:
                wanted = Pen(now.ink, wanted.paper)  # the ink of a blank does not show
            codes = _codes(now, wanted)
            if codes:
                out.append(f"\x1b[{codes}m")
            out.append(steadied(text, at))
            at += width(text)
            now = wanted
        return "".join(out), now


def _coarse(colour: str) -> str:
    """Return the code of the palette colour nearest to a 24-bit one; other codes as they are."""
    kind, _, levels = colour.partition(";2;")
    if not levels:
        return colour
    red, green, blue = map(int, levels.split(";"))
    return f"{kind};5;{nearest_256((red, green, blue))}"


def _codes(now: Pen, wanted: Pen) -> str:
    """Return the SGR codes that change one pen into another."""
    codes: list[str] = []
    if now.attributes - wanted.attributes:
        codes.append("0")
        now = PLAIN
    codes += sorted(wanted.attributes - now.attributes)
    if wanted.ink != now.ink:
        codes.append(wanted.ink)
    if wanted.paper != now.paper:
        codes.append(wanted.paper)
    return ";".join(codes)


class Shown:
    """What the terminal shows, as far as we know: one strip per line."""

    def __init__(self) -> None:
        self._lines: dict[int, Strip] = {}

    def forget(self) -> None:
        """Forget everything: the terminal has another size, or another program wrote to it."""
        self._lines.clear()

    def put(self, x: int, y: int, strip: Strip) -> tuple[int, Strip] | None:
        """Put ``strip`` at column ``x`` of line ``y``; return (column, part) to write, None if nothing."""
        right = x + strip.cell_length
        line = self._lines.get(y, Strip([], 0))
        if (missing := right - line.cell_length) > 0:
            line = Strip.join([line, Strip([Segment(_UNKNOWN * missing)], missing)])
        now = Strip.join([line.crop(0, x), strip, line.crop(right, line.cell_length)])
        self._lines[y] = now
        span = changed(line, now)  # of the whole line: a wide character cut in half changes beside the strip
        if span is None:
            return None
        if not (is_sure(line.text) and is_sure(now.text)):
            now = self._lines[y] = now.simplify()  # a name in one piece drifts as one
            span = with_drifts(line, now, *span)
        return span[0], now.crop(*span)


_UNKNOWN = "\N{NO-BREAK SPACE}"
"""Marks cells that were never written; unlike the cells of our strips, it has no style."""


class Frugal(CompositorUpdate):
    """An update of Textual's, written in fewer bytes."""

    def __init__(self, update: ChopsUpdate | LayoutUpdate, painter: Painter, shown: Shown) -> None:
        self._update = update
        self._painter = painter
        self._shown = shown

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from self._update.__rich_console__(console, options)

    def render_segments(self, console: Console) -> str:
        """Return the update as text for the terminal; it begins and ends with plain attributes."""
        pieces = [(y, piece) for x, y, strip in self._pieces() if (piece := self._shown.put(x, y, strip))]
        text = self._text(pieces)
        if 3 * len(text) > LIMIT and len(text.encode("utf-8", "replace")) > LIMIT:
            text = self._text(pieces, self._painter.ground(strip for _, (_, strip) in pieces))
        return text

    def _text(self, pieces: Iterable[tuple[int, tuple[int, Strip]]], ground: str | None = None) -> str:
        """Return (line, (column, strip)) pieces as text; ``ground`` as in :meth:`Painter.text`."""
        out: list[str] = []
        pen = PLAIN
        for y, (x, strip) in pieces:
            text, pen = self._painter.text(strip, pen, ground, x)
            out.append(f"\x1b[{y + 1};{x + 1}H{text}")
        if pen != PLAIN:
            out.append("\x1b[0m")
        return "".join(out)

    def _pieces(self) -> Iterable[tuple[int, int, Strip]]:
        """Yield (column, line, strip) for everything that may have changed."""
        update = self._update
        if isinstance(update, LayoutUpdate):
            for y, line in enumerate(update.strips, update.region.y):
                yield update.region.x, y, Strip.join(list(line))
            return
        for y, x1, x2 in update.spans:
            for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
                if strip is not None and x < x2 and end > x1:
                    left, right = max(x, x1), min(end, x2)
                    whole = left == x and right == end
                    yield left, y, strip if whole else strip.crop(left - x, right - x)


def changed(old: Strip, new: Strip) -> tuple[int, int] | None:
    """Return the cells in which two lines differ, from the first to behind the last; None: nowhere."""
    size = new.cell_length
    if old.cell_length != size:
        return 0, size
    first = _common(list(old), list(new), 1)
    if first == size:
        return None if old.text == new.text else (size, size)  # a mark at the end, which has no cell
    last = size - _common(list(old), list(new), -1)
    return min(first, last), max(first, last)


def with_drifts(old: Strip, new: Strip, first: int, last: int) -> tuple[int, int]:
    """Return the cells ``first`` to ``last`` and those that must be written with them.

    A part whose width terminals disagree on is written as a whole: we don't know where its characters are.
    So are the cells behind that it may spill into. Segments of one style must be joined.
    """
    parts = [*_drifting(old, spill=False), *_drifting(new, spill=True)]
    while True:
        touched = [part for part in parts if part[0] <= last and part[1] >= first]
        wider = min([first, *(p[0] for p in touched)]), max([last, *(p[2] for p in touched)])
        if wider == (first, last):
            return first, min(last, new.cell_length)
        first, last = wider


def _drifting(strip: Strip, *, spill: bool) -> Iterable[tuple[int, int, int]]:
    """Yield (first cell, behind the last, behind the last that may be spilt into) of each drifting part."""
    column = 0
    for text, _, _ in strip:
        for part in drifts(text):
            start = column + part.column
            yield start, start + part.room, start + max(part.room, part.reach if spill else 0)
        column += width(text)


def _common(before: list[Segment], after: list[Segment], step: int) -> int:
    """Return how many cells look the same at the beginning (``step`` 1) or at the end (-1)."""
    cells = 0
    for old, new in zip(before[::step], after[::step], strict=False):
        if old.style != new.style:
            break
        if old.text != new.text:
            pairs = zip(old.text[::step], new.text[::step], strict=False)
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            return cells + width(new.text[::step][:same])
        cells += width(new.text)
    return cells
