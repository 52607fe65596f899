"""What is laid over a drawn line: the cursor, and the ground of the selection."""

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
    """The line with the range's ground in cells ``first`` to ``stop``, slices left as they are."""
    out: Line = []
    at = 0
    for run in line:
        size = width(run.text)
        before, inside = min(max(first - at, 0), size), min(max(stop - at, 0), size)
        if inside <= before:
            out.append(run)
        else:
            head = cut(run.text, before, "")
            middle = cut(run.text, inside, "")[len(head) :]
            tail = run.text[len(head) + len(middle) :]
            parts = (Run(head, run.style), Run(middle, _on_range(run.style)), Run(tail, run.style))
            out += [part for part in parts if part.text]
        at += size
    return out


def _on_range(style: str) -> str:
    """A style whose bare ground is the range's: see the notation in :mod:`tui.timeline.runs`."""
    if style == "":
        return "select"
    if style.endswith("|"):
        return f"{style}select"
    return f"select{style}" if style.startswith("|") else style
