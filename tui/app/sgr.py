"""Frames in fewer bytes: each change of style says only what changes.

Textual begins every run of cells with all of its style and ends it with a reset. Between neighbours
most of that repeats: a frame of short slices is two thirds style. What the terminal shows is the
same; what goes over a slow link is about half.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from tui.timeline.palette import nearest_256

LIMIT = 60 * 1024
"""Bytes beyond which a frame's single cells get the nearest colour of the fixed palette: half as long."""
_SPECK = 2
"""Runs of up to so many cells: too small for the eye to tell two near colours apart."""

_SGR = re.compile(r"\x1b\[([0-9;]*)m")
_DETOUR = re.compile(r"(?:\x1b\[\d+;\d+H|[\r\n])+(?=\x1b\[\d+;\d+H)")
"""Moves of the cursor that another one follows at once."""
_MOVE = re.compile(r"\x1b\[\d+;\d+H|[\r\n]")
_ON = frozenset({"1", "2", "3", "4", "5", "6", "7", "8", "9", "21"})
_OFF = {
    "22": {"1", "2"}, "23": {"3"}, "24": {"4", "21"}, "25": {"5", "6"}, "27": {"7"}, "28": {"8"}, "29": {"9"},
}  # fmt: skip
_INKS = frozenset(f"{tens}{n}" for tens in (3, 9) for n in range(8))
_PAPERS = frozenset(f"{tens}{n}" for tens in (4, 10) for n in range(8))
_KEPT = 8192


class Pen(NamedTuple):
    """How a terminal writes: attributes and colours, as the parameters that set them."""

    attributes: frozenset[str] = frozenset()
    ink: str = ""
    paper: str = ""


PLAIN = Pen()


class Shortener:
    """Rewrites what is written to a terminal. Each text begins and ends with a plain pen."""

    def __init__(self) -> None:
        self._set: dict[tuple[Pen, str], Pen | None] = {}
        self._change: dict[tuple[Pen, Pen], str] = {}
        self._coarser: dict[Pen, Pen] = {}

    def shorten(self, text: str) -> str:
        """The same cells in fewer bytes; ``text`` itself where it holds a style that is not understood."""
        parts = _SGR.split(text)
        if len(parts) < 5:
            return text
        short = self._join(parts, None)
        if short is not None and 3 * len(short) > LIMIT and len(short.encode("utf-8", "replace")) > LIMIT:
            papers = Counter(found for found in re.findall(r"48;2;\d+;\d+;\d+", text))
            short = self._join(parts, max(papers, key=papers.__getitem__, default=""))
        return text if short is None else short

    def _join(self, parts: list[str], ground: str | None) -> str | None:
        """Texts and the parameters between them, joined again; None for a style that is not understood.

        ``ground``: coarsen the colours of specks, but for this one, which is behind everything.
        """
        have = want = PLAIN
        out = [_DETOUR.sub("", parts[0])]
        for parameters, plain in zip(parts[1::2], parts[2::2], strict=True):
            known = self._set.get((want, parameters), ...)
            if known is ...:
                known = self._learn(want, parameters)
            if known is None:
                return None
            want = known
            if not plain:
                continue
            if "\x1b" in plain or "\n" in plain:
                plain = _DETOUR.sub("", plain)
                move = _MOVE.match(plain)
                if move is not None and move.end() == len(plain):  # nothing is written: the style can wait
                    out.append(plain)
                    continue
            pen = want if ground is None or len(plain) > _SPECK else self._coarse(want, ground)
            if have != pen:
                change = self._change.get((have, pen))
                if change is None:
                    change = self._change[have, pen] = difference(have, pen)
                out.append(change)
                have = pen
            out.append(plain)
        if have != PLAIN:
            out.append("\x1b[0m")
        return "".join(out)

    def _coarse(self, pen: Pen, ground: str) -> Pen:
        known = self._coarser.get(pen)
        if known is None:
            paper = pen.paper if pen.paper == ground else coarse(pen.paper)
            known = self._coarser[pen] = Pen(pen.attributes, coarse(pen.ink), paper)
        return known

    def _learn(self, pen: Pen, parameters: str) -> Pen | None:
        if len(self._set) > _KEPT:
            self._set.clear()
            self._change.clear()
            self._coarser.clear()
        found = self._set[pen, parameters] = taken(pen, parameters)
        return found


def taken(pen: Pen, parameters: str) -> Pen | None:
    """``pen`` after the terminal got ``parameters``; None where one of them is unknown."""
    attributes, ink, paper = pen
    codes = parameters.split(";") if parameters else ["0"]
    at = 0
    while at < len(codes):
        code = codes[at].lstrip("0") or "0"
        at += 1
        if code == "0":
            attributes, ink, paper = PLAIN
        elif code in _ON:
            attributes |= {code}
        elif code in _OFF:
            attributes -= _OFF[code]
        elif code in ("38", "48"):
            size = {"5": 2, "2": 4}.get(codes[at] if at < len(codes) else "")
            if size is None or at + size > len(codes):
                return None
            colour = ";".join([code, *codes[at : at + size]])
            at += size
            ink, paper = (colour, paper) if code == "38" else (ink, colour)
        elif code == "39":
            ink = ""
        elif code == "49":
            paper = ""
        elif code in _INKS:
            ink = code
        elif code in _PAPERS:
            paper = code
        else:
            return None
    return Pen(attributes, ink, paper)


def coarse(colour: str) -> str:
    """The nearest colour of the fixed palette for one given in full; others as they are."""
    kind, _, levels = colour.partition(";2;")
    if not levels:
        return colour
    red, green, blue = map(int, levels.split(";"))
    return f"{kind};5;{nearest_256((red, green, blue))}"


def difference(have: Pen, want: Pen) -> str:
    """The shortest sequence that takes a terminal from one pen to the other; "" where they are equal."""
    if have == want:
        return ""
    afresh = "\x1b[" + ";".join(["0", *sorted(want.attributes), *filter(None, (want.ink, want.paper))]) + "m"
    if have.attributes - want.attributes:
        return afresh
    codes = sorted(want.attributes - have.attributes)
    if have.ink != want.ink:
        codes.append(want.ink or "39")
    if have.paper != want.paper:
        codes.append(want.paper or "49")
    return min("\x1b[" + ";".join(codes) + "m", afresh, key=len)
