"""Frames are made of runs: text of one style.

A style is a name, never a colour. ``"comm.0"`` is text on a slice of that kind; with a bar it names
ink and paper apart: ``"comm.0|"`` is a glyph in the slice's colour on bare ground, ``"|comm.0"`` a
glyph in the ground's colour on the slice, ``"comm.0|graph"`` one slice's colour on another's.
:mod:`tui.timeline.style_colours` turns names into colours.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from tui.text import pad, width


class Run(NamedTuple):
    """Text (safe for a terminal) and the name of its style; "" is plain."""

    text: str
    style: str = ""


Line = list[Run]
"""One row of cells, left to right. Neighbouring runs differ in style."""


@dataclass(frozen=True)
class Frame:
    """A screen: ``rows`` of runs, each exactly ``width`` cells."""

    width: int
    rows: tuple[Line, ...]


def merge(runs: Iterable[Run]) -> Line:
    """The same cells with neighbours of one style joined and empty runs dropped."""
    line: Line = []
    for run in runs:
        if not run.text:
            continue
        if line and line[-1].style == run.style:
            line[-1] = Run(line[-1].text + run.text, run.style)
        else:
            line.append(run)
    return line


def line_width(line: Iterable[Run]) -> int:
    """Cells that a line takes."""
    return sum(width(run.text) for run in line)


def fit_line(line: Iterable[Run], cells: int, style: str = "") -> Line:
    """Exactly ``cells`` wide: cut with an ellipsis or filled up with spaces of ``style``."""
    out: Line = []
    room = cells
    for run in line:
        need = width(run.text)
        if need > room:
            out.append(Run(pad(run.text, room), run.style))
            room = 0
            break
        out.append(run)
        room -= need
    if room:
        out.append(Run(" " * room, style))
    return merge(out)


def crop(line: Iterable[Run], cells: int) -> Line:
    """The first ``cells`` cells of a line that is at least as wide; a wide character cut in half is blank."""
    out: Line = []
    room = cells
    for text, style in line:
        piece = pad(text, min(width(text), room), ellipsis="")
        out.append(Run(piece, style))
        room -= width(piece)
    return merge(out)


def spread(left: Iterable[Run], right: Iterable[Run], cells: int, style: str = "") -> Line:
    """``left`` at the left and ``right`` at the right of ``cells``; the right one gives way first."""
    left, right = list(left), list(right)
    need = line_width(right)
    room = cells - line_width(left) - 2
    if room < need:
        return (
            fit_line(left, cells, style)
            if room < 8
            else merge([*left, Run("  ", style), *fit_line(right, room, style)])
        )
    return merge([*left, Run(" " * (cells - need - line_width(left)), style), *right])


def to_ascii(line: Line) -> Line:
    """The same cells in plain ASCII: a dot becomes ``-``, an ellipsis ``~``, any other character ``?``."""
    if all(run.text.isascii() for run in line):
        return line
    return merge(Run("".join(map(_ascii, run.text)), run.style) for run in line)


def _ascii(character: str) -> str:
    if character.isascii():
        return character
    return {"·": "-", "…": "~"}.get(character, "?" * width(character))


def text_of(line: Iterable[Run]) -> str:
    """The characters of a line, styles left out."""
    return "".join(run.text for run in line)
