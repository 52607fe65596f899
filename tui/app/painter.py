"""Updates of the screen in few bytes: only cells that changed, only attributes that changed.

Textual writes every run with all of its attributes and a reset, and whatever may have changed as a whole.
Over a thin link that is most of what a key costs. These updates keep Textual's model of the screen, remember
what the terminal shows, and replace the last step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from rich.color import ColorSystem
from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from tui.app.textual_private import ChopsUpdate, CompositorUpdate, LayoutUpdate
from tui.text import width
from tui.timeline.palette import nearest_256

LIMIT = 60 * 1024
"""Bytes beyond which an update's specks get the nearest colours of the fixed palette: half as long."""
SPECK = 2
"""Runs of up to so many cells: too small for the eye to tell two near colours apart."""

_ATTRIBUTES = (
    ("bold", "1"),
    ("dim", "2"),
    ("italic", "3"),
    ("underline", "4"),
    ("blink", "5"),
    ("reverse", "7"),
    ("strike", "9"),
)
_SHOWN_ON_BLANKS = {"4", "7", "9"}
"""Attributes that a blank shows: with them its ink matters."""


class Pen(NamedTuple):
    """SGR codes of one style: ink, paper, and the attributes that are set."""

    ink: str = "39"
    paper: str = "49"
    attributes: frozenset[str] = frozenset()


PLAIN = Pen()


class Painter:
    """Turns segments into text with escapes; remembers the codes of every style."""

    def __init__(self, color_system: ColorSystem) -> None:
        self._color_system = color_system
        self._pens: dict[Style | None, Pen] = {None: PLAIN}
        self._coarser: dict[str, str] = {}

    def pen(self, style: Style | None) -> Pen:
        """The codes of a style, its colours brought down to what the terminal has."""
        pen = self._pens.get(style)
        if pen is None:
            assert style is not None
            ink, paper = style.color, style.bgcolor
            pen = self._pens[style] = Pen(
                ";".join(ink.downgrade(self._color_system).get_ansi_codes()) if ink else PLAIN.ink,
                ";".join(paper.downgrade(self._color_system).get_ansi_codes(False)) if paper else PLAIN.paper,
                frozenset(code for name, code in _ATTRIBUTES if getattr(style, name)),
            )
        return pen

    def coarse(self, pen: Pen, ground: str) -> Pen:
        """The pen in the nearest colours of the fixed palette; a paper of ``ground`` stays as it is."""
        return Pen(self._coarse(pen.ink), pen.paper if pen.paper == ground else self._coarse(pen.paper),
                   pen.attributes)  # fmt: skip

    def _coarse(self, colour: str) -> str:
        known = self._coarser.get(colour)
        if known is None:
            kind, _, levels = colour.partition(";2;")
            known = colour
            if levels:
                red, green, blue = map(int, levels.split(";"))
                known = f"{kind};5;{nearest_256((red, green, blue))}"
            self._coarser[colour] = known
        return known

    def ground(self, strips: Iterable[Strip]) -> str:
        """The paper that most cells have."""
        cells: Counter[str] = Counter()
        for strip in strips:
            for text, style, _ in strip:
                cells[self.pen(style).paper] += len(text)
        return max(cells, key=cells.__getitem__, default=PLAIN.paper)

    def text(
        self, segments: Iterable[Segment], now: Pen = PLAIN, ground: str | None = None
    ) -> tuple[str, Pen]:
        """(``segments`` with the escapes that lead from one pen to the next, the last pen).

        ``ground``: given, specks are written in coarse colours, but for this paper.
        """
        out: list[str] = []
        for text, style, control in segments:
            if control or not text:
                continue
            wanted = self.pen(style)
            if ground is not None and len(text) <= SPECK:
                wanted = self.coarse(wanted, ground)
            if text.isspace() and wanted.attributes.isdisjoint(_SHOWN_ON_BLANKS) and not now.attributes:
                wanted = Pen(now.ink, wanted.paper)  # a blank has no ink
            codes = _codes(now, wanted)
            if codes:
                out.append(f"\x1b[{codes}m")
            out.append(text)
            now = wanted
        return "".join(out), now


def _codes(now: Pen, wanted: Pen) -> str:
    """The SGR codes that change one pen into another."""
    if now == wanted:
        return ""
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
    """What the terminal shows, a strip a line, as far as it is known."""

    def __init__(self) -> None:
        self._lines: dict[int, Strip] = {}

    def forget(self) -> None:
        """The terminal may show anything (another size, another program): write everything again."""
        self._lines.clear()

    def put(self, x: int, y: int, strip: Strip) -> tuple[int, Strip] | None:
        """Note ``strip`` at column ``x`` of line ``y``: (column, the part not there yet); None: all is."""
        right = x + strip.cell_length
        line = self._lines.get(y)
        if line is None or line.cell_length < right:
            known = [] if line is None else [line]
            length = 0 if line is None else line.cell_length
            line = Strip.join([*known, Strip([Segment(_UNKNOWN * (right - length))], right - length)])
        now = Strip.join([line.crop(0, x), strip, line.crop(right, line.cell_length)])
        self._lines[y] = now
        span = changed(line, now)  # of the whole line: a wide character cut in half changes beside the strip
        return (span[0], now.crop(*span)) if span is not None else None


_UNKNOWN = "\N{NO-BREAK SPACE}"
"""Stands in a line for cells never written; it has no style, as no strip of ours has."""


class Frugal(CompositorUpdate):
    """What Textual's update shows, in fewer bytes."""

    def __init__(self, update: ChopsUpdate | LayoutUpdate, painter: Painter, shown: Shown) -> None:
        self._update = update
        self._painter = painter
        self._shown = shown

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from self._update.__rich_console__(console, options)

    def render_segments(self, console: Console) -> str:
        """The update as text for the terminal; it begins and ends with plain attributes."""
        news = [(y, piece) for x, y, strip in self._pieces() if (piece := self._shown.put(x, y, strip))]
        text = self._written(news)
        if 3 * len(text) > LIMIT and len(text.encode("utf-8", "replace")) > LIMIT:
            text = self._written(news, self._painter.ground(strip for _, (_, strip) in news))
        return text

    def _written(self, pieces: Iterable[tuple[int, tuple[int, Strip]]], ground: str | None = None) -> str:
        """(line, (column, strip)) pieces as text; ``ground`` as for :meth:`Painter.text`."""
        out: list[str] = []
        pen = PLAIN
        for y, (x, strip) in pieces:
            text, pen = self._painter.text(strip, pen, ground)
            out.append(f"\x1b[{y + 1};{x + 1}H{text}")
        if pen != PLAIN:
            out.append("\x1b[0m")
        return "".join(out)

    def _pieces(self) -> Iterable[tuple[int, int, Strip]]:
        """(column, line, strip) of everything that may have changed."""
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
    """The cells in which two strips of one width differ, from the first to behind the last; None: nowhere."""
    if old.cell_length != new.cell_length:
        return 0, new.cell_length
    before, after = list(old), list(new)
    first = _common(before, after)
    if first == new.cell_length:
        return None
    last = _common_end(before, after)
    return min(first, new.cell_length - last), max(first, new.cell_length - last)


def _common(before: list[Segment], after: list[Segment]) -> int:
    """Cells at the beginning that look the same."""
    cells = 0
    for old, new in zip(before, after, strict=False):
        if old.style != new.style:
            break
        if old.text != new.text:
            same = next((i for i, (a, b) in enumerate(zip(old.text, new.text, strict=False)) if a != b), None)
            same = min(len(old.text), len(new.text)) if same is None else same
            cells += width(new.text[:same])
            break
        cells += width(new.text)
    return cells


def _common_end(before: list[Segment], after: list[Segment]) -> int:
    """Cells at the end that look the same."""
    cells = 0
    for old, new in zip(reversed(before), reversed(after), strict=False):
        if old.style != new.style:
            break
        if old.text != new.text:
            tails = zip(reversed(old.text), reversed(new.text), strict=False)
            same = next((i for i, (a, b) in enumerate(tails) if a != b), None)
            same = min(len(old.text), len(new.text)) if same is None else same
            cells += width(new.text[len(new.text) - same :])
            break
        cells += width(new.text)
    return cells
