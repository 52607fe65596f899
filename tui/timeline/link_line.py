"""The link between a call and the op that it issued, drawn over a lane: how long the op was queued."""

from __future__ import annotations

from dataclasses import dataclass

from tui.text import width
from tui.text.times import brief
from tui.timeline.glyphs import Glyphs
from tui.timeline.runs import Line, Run, crop, merge
from tui.timeline.slices import SliceId
from tui.timeline.viewport import Viewport

STYLE = "link"


@dataclass(frozen=True)
class Link:
    """``since``: when the call returned; ``until``: when the op started (ns). ``lane``: the op's, its key."""

    call: SliceId
    op: SliceId
    since: int
    until: int
    lane: str

    @property
    def words(self) -> str:
        """``queued 1.23 ms``."""
        return f"queued {brief(self.until - self.since)}"


def draw_link(line: Line, link: Link, viewport: Viewport, cells: int, glyphs: Glyphs) -> Line:
    """Return a lane's line with the arrow from the call's return to the op, over what is drawn there."""
    first, stop = max(viewport.cell(link.since), 0), min(viewport.cell(link.until), cells)
    if stop - first < 2 or link.until <= link.since:
        return line
    room = stop - first - 1
    text = f" {link.words} "
    if width(text) + 2 > room:
        text = ""
    before = (room - width(text)) // 2
    stroke = "-" if glyphs.plain else "─"
    arrow = stroke * before + text + stroke * (room - before - width(text))
    head = glyphs.later if viewport.cell(link.until) <= cells else stroke
    total = sum(width(run.text) for run in line)
    return merge([*crop(line, first), Run(arrow + head, STYLE), *_after(line, stop, total)])


def _after(line: Line, first: int, total: int) -> Line:
    """Return the cells of a line from ``first`` on; a wide character that is cut in half is blank."""
    out: Line = []
    at = 0
    for run in line:
        for character in run.text:
            size = width(character)
            if at >= first:
                out.append(Run(character, run.style))
            elif at + size > first:
                out.append(Run(" " * (at + size - first), run.style))
            at += size
    return merge(out) if first < total else []
