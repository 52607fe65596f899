"""The column of the lanes' titles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from tui.text import cut, pad, width
from tui.timeline.canvas import SHORTEST_CUT
from tui.timeline.glyphs import Glyphs
from tui.timeline.lane import LaneKind, LaneLine
from tui.timeline.runs import Line, Run, to_ascii


class Scale(NamedTuple):
    """The upper end of a line's scale in words; ``in_view``: it is the greatest value in sight."""

    top: str
    in_view: bool


IN_VIEW = " *"
"""Follows the title of a line whose scale ends at the greatest value in sight."""
TITLE_LEAST, TITLE_MOST = 8, 24
_TAIL = re.compile(r"(?: \d+)?(?: · [^·]+)?$")


def title_width(lines: Sequence[LaneLine]) -> int:
    """Cells that the widest title takes, with a space at its end."""
    return max((3 + width(line.title) + 1 for line in lines), default=TITLE_LEAST)


def draw_title(
    line: LaneLine, cells: int, glyphs: Glyphs, *, cursor: bool = False, scale: Scale | None = None
) -> Line:
    """The title column of one line: fold mark and title on a lane's first row, blank on the others.

    Each line of values has its title, and in several rows the ends of its ``scale``.
    """
    lane = line.lane
    styles = {LaneKind.DEVICE: "title.device", LaneKind.THREAD: "title.thread"}
    first = line.sub == 0 and line.part == 0
    style = "title.cursor" if cursor else styles.get(lane.kind, "title") if first else "title"
    if not first and (line.part or line.series is None):
        return _finished(_with_scale(" " * cells, line, cells, scale), style, glyphs)
    mark = (glyphs.closed if line.folded else glyphs.opened) if first and _marked(line) else " "
    lead = f"{' ' * (1 + lane.depth)}{mark}{'' if lane.depth else ' '}"
    star = IN_VIEW if scale is not None and scale.in_view else ""
    text = lead + cut_title(line.title, cells - len(lead) - len(star) - 1, glyphs.ellipsis) + star
    return _finished(_with_scale(pad(text, cells), line, cells, scale), style, glyphs)


def _marked(line: LaneLine) -> bool:
    """Whether a lane's first line has the mark of a fold."""
    lane = line.lane
    if lane.kind is LaneKind.SERIES:
        return lane.folds
    return bool(lane.children) or line.folded or (lane.depth > 0 and lane.loaded and lane.height > 1)


def _with_scale(text: str, line: LaneLine, cells: int, scale: Scale | None) -> str:
    """The ends of the scale at the right: its top beside the title where that leaves room, else below it."""
    if scale is None or line.rows < 2:
        return text
    title = 2 + line.lane.depth + width(line.title)
    beside = title + 2 + width(scale.top) + 1 <= cells
    at = 0 if beside else 1
    words = "0" if line.part == line.rows - 1 else scale.top if line.part == at else ""
    room = cells - width(words) - 1
    return pad(pad(text, room, ellipsis="") + words, cells) if words and room > 0 else text


def _finished(text: str, style: str, glyphs: Glyphs) -> Line:
    return to_ascii([Run(text, style)]) if glyphs.plain else [Run(text, style)]


def cut_title(title: str, cells: int, ellipsis: str) -> str:
    """The title in ``cells``. Its end, which differs between lanes (``4243 · OS``), is not cut."""
    tail = _TAIL.search(title)
    assert tail is not None
    room = cells - width(tail[0])
    if width(title) <= cells or not tail[0] or room < SHORTEST_CUT:
        return cut(title, cells, ellipsis)
    return cut(title[: tail.start()], room, ellipsis) + tail[0]
