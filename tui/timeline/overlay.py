"""The cursor, and the ground of the selection, on a line that is drawn already."""

from __future__ import annotations

from tui.report.columns import Bool
from tui.text import cut, width
from tui.timeline.glyphs import Glyphs
from tui.timeline.runs import Line, Run, merge

FOUND = "found"
"""The colour of what a search found."""


def with_cursor(line: Line, cell: int, glyphs: Glyphs, fill: bool) -> Line:
    """The line with the cursor on ``cell``."""
    out: Line = []
    at = 0
    for run in line:
        size = width(run.text)
        if not at <= cell < at + size:
            out.append(run)
            at += size
            continue
        column = at
        for character in run.text:
            here = column <= cell < column + max(width(character), 1)
            shown = character if fill or not here or character not in (" ", "") else glyphs.point
            out.append(Run(shown, "cursor" if here else run.style))
            column += width(character)
        at += size
    return merge(out)


def shaded(line: Line, first: int, stop: int) -> Line:
    """The line with the selection's ground in cells ``first`` to ``stop``; slices stay as they are."""
    out: Line = []
    at = 0
    for run in line:
        size = width(run.text)
        begin, end = (min(max(cell - at, 0), size) for cell in (first, stop))
        if end <= begin:
            out.append(run)
        else:
            before, inside = len(cut(run.text, begin, "")), len(cut(run.text, end, ""))
            head, middle, tail = run.text[:before], run.text[before:inside], run.text[inside:]
            parts = (Run(head, run.style), Run(middle, _on_range(run.style)), Run(tail, run.style))
            out += [part for part in parts if part.text]
        at += size
    return out


def pointed_out(line: Line, held: Bool, glyph: str = "") -> Line:
    """The line with the ink of :data:`FOUND` in the cells of ``held``; in blank ones stands ``glyph``."""
    out: Line = []
    at = 0
    for run in line:
        size = width(run.text)
        if not held[at : at + size].any():
            out.append(run)
            at += size
            continue
        for character in run.text:
            cells = max(width(character), 1)
            if held[at : at + cells].any():
                shown = glyph if glyph and character == " " else character
                out.append(Run(shown, _found(run.style, shown)))
            else:
                out.append(Run(character, run.style))
            at += width(character)
    return merge(out)


def _found(style: str, character: str) -> str:
    """The style of a cell that holds what was searched for: its slice, or the part of it, in that colour."""
    ink, bar, paper = style.partition("|")
    if not bar:
        return FOUND if style else f"{FOUND}|"
    return f"{FOUND}|{paper}" if ink or character != " " else f"|{FOUND}"


def _on_range(style: str) -> str:
    """A style with the selection for bare ground: see the notation in :mod:`tui.timeline.runs`."""
    ink, bar, paper = style.partition("|")
    return f"{ink or 'select'}{bar}{paper or 'select'}" if bar else ink or "select"
