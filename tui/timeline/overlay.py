"""The cursor, and the ground of the selection, on a line that is drawn already."""

from __future__ import annotations

from tui.text import cut, width
from tui.timeline.glyphs import Glyphs
from tui.timeline.runs import Line, Run, merge


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


def _on_range(style: str) -> str:
    """A style with the selection for bare ground: see the notation in :mod:`tui.timeline.runs`."""
    ink, bar, paper = style.partition("|")
    return f"{ink or 'select'}{bar}{paper or 'select'}" if bar else ink or "select"
