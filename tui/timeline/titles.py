"""The column of the lanes' titles."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tui.text import cut, pad, width
from tui.timeline.canvas import SHORTEST_CUT
from tui.timeline.glyphs import Glyphs
from tui.timeline.lane import LaneKind, LaneLine
from tui.timeline.runs import Line, Run, to_ascii

TITLE_LEAST, TITLE_MOST = 8, 24
_TAIL = re.compile(r"(?: \d+)?(?: · [^·]+)?$")


def title_width(lines: Sequence[LaneLine]) -> int:
    """Cells that the widest title takes, with a space at its end."""
    return max((3 + width(line.lane.title) + 1 for line in lines), default=TITLE_LEAST)


def draw_title(line: LaneLine, cells: int, glyphs: Glyphs, *, cursor: bool = False) -> Line:
    """The title column of one line: fold mark and title on a lane's first row, blank on the others."""
    lane = line.lane
    styles = {LaneKind.DEVICE: "title.device", LaneKind.THREAD: "title.thread"}
    style = "title.cursor" if cursor else "title" if line.sub else styles.get(lane.kind, "title")
    if line.sub:
        return [Run(" " * cells, style)]
    foldable = bool(lane.children) or line.folded or (lane.depth > 0 and lane.loaded and lane.height > 1)
    mark = (glyphs.closed if line.folded else glyphs.opened) if foldable else " "
    lead = f"{' ' * (1 + lane.depth)}{mark}{'' if lane.depth else ' '}"
    text = lead + cut_title(lane.title, cells - len(lead) - 1, glyphs.ellipsis)
    title = [Run(pad(text, cells), style)]
    return to_ascii(title) if glyphs.plain else title


def cut_title(title: str, cells: int, ellipsis: str) -> str:
    """The title in ``cells``. Its end, which differs between lanes (``4243 · OS``), is not cut."""
    tail = _TAIL.search(title)
    assert tail is not None
    room = cells - width(tail[0])
    if width(title) <= cells or not tail[0] or room < SHORTEST_CUT:
        return cut(title, cells, ellipsis)
    return cut(title[: tail.start()], room, ellipsis) + tail[0]
