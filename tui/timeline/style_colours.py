"""From style names to colours, for terminals of any depth.

Blue is compute: products; violet is attention, green what memory limits, grey other kernels. Orange and amber
are what it waits for: communication, synchronisation, idle gaps. No
two categories differ in red against green alone, and each also differs in lightness or glyph.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from tui.timeline.terminal_colours import ANSI_16, GROUND, RGB, contrast, distance, nearest_256, rgb_of_256

__all__ = ["GROUND", "Depth", "Paint", "Theme"]


class Depth(Enum):
    """How many colours there are; ``NONE`` still has bold, reverse and underline."""

    TRUE = "truecolor"
    P256 = "256"
    P16 = "16"
    NONE = "none"


@dataclass(frozen=True)
class Paint:
    """How a style looks. ``None`` is the terminal's own colour.

    ``ink``/``paper`` are already rounded to the depth's palette; ``ink_index``/``paper_index`` are
    their numbers in it (None in true colour).
    """

    ink: RGB | None = None
    paper: RGB | None = None
    bold: bool = False
    italic: bool = False
    underline: bool = False
    reverse: bool = False
    ink_index: int | None = None
    paper_index: int | None = None


Shade = tuple[RGB, int | None]
"""A colour and its number in the depth's palette."""


def _rgb(text: str) -> RGB:
    return int(text[0:2], 16), int(text[2:4], 16), int(text[4:6], 16)


TEXT = _rgb("d5dde5")
BLACK, WHITE = (0, 0, 0), (255, 255, 255)
YELLOWS = (3, 11)
"""Of sixteen colours."""

FILLS: dict[str, tuple[str, int, int]] = {
    # category -> (true colour, one of the 256, one of the sixteen)
    "kernel.gemm.0": ("3d84c6", 68, 4), "kernel.gemm.1": ("69aee6", 75, 12),
    "kernel.gemm.2": ("2a6299", 25, 4), "kernel.attention.0": ("a291f4", 141, 13),
    "kernel.attention.1": ("7f6ae0", 98, 5), "kernel.attention.2": ("c3b8f8", 183, 13),
    "kernel.memory.0": ("86c49b", 114, 10), "kernel.memory.1": ("b7e0c3", 151, 10),
    "kernel.memory.2": ("5f9e77", 71, 2), "kernel.other.0": ("78808c", 244, 8),
    "kernel.other.1": ("98a0ab", 247, 7), "kernel.other.2": ("606874", 242, 8),
    "comm.0": ("f0b429", 214, 11), "comm.1": ("f7cd6b", 221, 11), "comm.2": ("cf9719", 178, 11),
    "busy": ("4f9bdb", 74, 12), "busy.copy": ("d48fc6", 175, 13),
    "busy.other": ("8fb573", 107, 10), "graph": ("12b0a0", 37, 6),
    "copy.h2d": ("eeb4dd", 218, 13), "copy.d2h": ("9d5796", 132, 5),
    "copy.d2d": ("7a6bb5", 97, 5), "copy.h2h": ("8a8a9c", 103, 7), "copy.p2p": ("c9b3ef", 183, 13),
    "copy.other": ("9a9ab0", 146, 7), "memset": ("93a4b0", 145, 7), "range.0": ("5a6b80", 60, 8),
    "range.1": ("7c8190", 103, 7), "range.2": ("4b5d66", 240, 8), "range.3": ("8c97a8", 247, 7),
    "range.4": ("67627e", 242, 8), "range.5": ("74857f", 66, 7), "mark": ("efe0a0", 229, 15),
    "api.sync": ("d27d2d", 172, 3), "api.memory": ("a86a98", 132, 5), "api.copy": ("d48fc6", 175, 13),
    "api.launch": ("6f93b8", 67, 6), "api.other": ("747f8b", 244, 8), "os": ("7d7263", 101, 8),
    "sync": ("b5722a", 130, 3), "other": ("6d7a76", 243, 8), "selected": ("ffffff", 231, 15),
    "select": ("24384d", 24, 4), "point": ("ffffff", 231, 15), "edge": ("0e1318", 233, 0),
    "cpu": ("5f9a8a", 72, 6),
    "found": ("ffe066", 221, 11),
}  # fmt: skip
"""What a slice is filled with, and what ink of that name looks like."""

STATE_LEVELS = 4
"""Lightness levels of a rank's states: how much of a cell went into the state that it shows."""
STATES: dict[str, tuple[str, str, tuple[int, int, int, int], int, int]] = {
    # state -> (true colour of little and of all of a cell; of 256 by level; of sixteen dark and bright)
    "compute": ("244a6e", "4f9bdb", (24, 25, 67, 74), 4, 12),
    "transfer": ("6b5a13", "f0c929", (100, 142, 178, 220), 3, 11),
    "wait": ("5a3a16", "d27d2d", (94, 130, 166, 172), 3, 3),
    "copies": ("5c3f57", "d48fc6", (96, 132, 133, 175), 5, 13),
    "unsplit": ("6b6340", "cfb87a", (101, 143, 179, 180), 3, 11),
    "other": ("46583a", "8fb573", (65, 107, 108, 144), 2, 10),
    "idle": ("4a443c", "9a9184", (239, 242, 245, 248), 8, 7),
}
"""What a rank does, as it is drawn in sets of reports: ``state.compute.0`` to ``state.compute.3``."""

SERIES_LEVELS = 5
"""Lightness levels of values over time: from nothing to the top of the scale."""
SERIES: dict[str, tuple[str, str, str, int, int]] = {
    # number -> (true colour of little, of most and of all; of sixteen dark and bright)
    "0": ("1c3a57", "3d84c6", "6db6f2", 4, 12), "1": ("24475c", "69aee6", "a5d8ff", 6, 14),
    "2": ("24463c", "6fae8c", "a6dbbd", 2, 10), "3": ("4a2f47", "c07fb2", "edb4e0", 5, 13),
    "4": ("4f3d12", "d9a32b", "ffd166", 3, 11), "5": ("333c47", "8b9bae", "c3cfdc", 7, 15),
    "6": ("1d4449", "4fa3a8", "8ad8dc", 6, 14), "7": ("57281c", "d9663d", "ff9f7a", 1, 9),
}  # fmt: skip
"""Values over time: ``series.0`` is the colour, ``series.0.0`` to ``series.0.4`` its lightness levels.

0 compute, 1 tensor cores, 2 memory, 3 PCIe and copies, 4 networks and communication, 5 clocks and power,
6 CPU, 7 faults and warnings.
"""
_USUAL_LEVEL = 3

GROUNDS: dict[str, tuple[str, int, int]] = {"idle": ("3a2410", 52, 3), "unseen": ("2b2446", 54, 5)}
"""What is behind a device's work where it was idle, or may have done what was not recorded."""

PLAIN: dict[str, tuple[str, str, str, int | None, int | None]] = {
    # style -> (ink, paper or the ground that it is, attributes, ink of sixteen, paper of sixteen)
    "gap": ("d98a35", "idle", "", 0, 3),
    "gap.text": ("ffc27a", "idle", "bold", 0, 3),
    "unknown": ("a79dd0", "unseen", "", 0, 5),
    "unknown.text": ("cfc7f2", "unseen", "bold", 15, 5),
    "cursor": ("000000", "ffe066", "bold", 0, 11),
    "loading": ("7f8c99", "", "italic", 7, None),
    "header": ("e8eef4", "18212a", "bold", 15, 4),
    "header.dim": ("9fb0c0", "18212a", "", 7, 4),
    "header.unknown": ("cfc7f2", "18212a", "bold", 13, 4),
    "header.idle": ("ffb35c", "18212a", "bold", 11, 4),
    "ruler": ("7f8d9a", "", "", 7, None),
    "ruler.label": ("c6d1db", "", "", 15, None),
    "ruler.cursor": ("ffe066", "", "bold", 11, None),
    "ruler.away": ("ffe066", "24384d", "bold", 15, 4),
    "ruler.select": ("dfe9f3", "24384d", "", 15, 4),
    "step": ("9fc3e6", "", "", 14, None),
    "step.name": ("bcd8f2", "", "bold", 14, None),
    "title": ("aebbc7", "", "", 7, None),
    "title.device": ("f2f6fa", "", "bold", 15, None),
    "title.thread": ("dbe3ea", "", "bold", 15, None),
    "title.cursor": ("ffe066", "2f3b47", "bold", 11, 8),
    "minimap": ("4f7ea9", "", "", 4, None),
    "minimap.view": ("5b9bd3", "212d38", "", 12, 8),
    "minimap.frame": ("6b7885", "", "", 8, None),
    "status": ("d5dde5", "18212a", "", 15, 4),
    "status.key": ("ffc27a", "18212a", "bold", 11, 4),
    "status.dim": ("8fa0b0", "18212a", "", 7, 4),
    "pane": ("d5dde5", "", "", 15, None),
    "pane.dim": ("8493a1", "", "", 7, None),
    "pane.title": ("f2f6fa", "", "bold", 15, None),
    "pane.name": ("f2f6fa", "", "bold", 15, None),
    "pane.head": ("9fb0c0", "", "underline", 7, None),
    "pane.tab": ("8493a1", "", "", 7, None),
    "pane.tab.active": ("000000", "8cc4f0", "bold", 0, 14),
    "pane.row": ("000000", "8cc4f0", "", 0, 14),
    "pane.chosen": ("f2f6fa", "24384d", "", 15, 8),
    "pane.idle": ("ffb35c", "", "bold", 11, None),
    "pane.unknown": ("cfc7f2", "", "bold", 13, None),
    "pane.busy": ("69aee6", "", "", 12, None),
    "pane.copy": ("d48fc6", "", "", 13, None),
    "pane.edge": ("3a4652", "", "", 8, None),
    "scroll": ("8493a1", "18212a", "", 7, 0),
    "scroll.thumb": ("d5dde5", "3a4652", "", 15, 8),
    "heat": ("d27d2d", "", "", 3, None),
    "pace.median": ("69aee6", "", "", 12, None),
    "pace.slowest": ("f0b429", "", "", 11, None),
    "link": ("ffe066", "", "bold", 11, None),
    "note": ("e0c070", "", "", 11, None),
    "error": ("ff9f6b", "", "bold", 11, None),
}
_REVERSED = {
    "cursor", "title.cursor", "selected", "minimap.view", "pane.tab.active", "pane.row", "pane.chosen",
}  # fmt: skip
"""Styles that are reversed where there are no colours."""


class Theme:
    """How styles look; each is worked out once.

    ``ground``: the terminal's background. Where it is not known, glyphs cut out of a slice use reverse video.
    """

    def __init__(self, depth: Depth = Depth.TRUE, ground: RGB | None = None) -> None:
        self.depth = depth
        self.ground = ground
        self._paints: dict[str, Paint] = {}

    @property
    def fill(self) -> bool:
        """Whether colours show what slices are (else glyphs do)."""
        return self.depth is not Depth.NONE

    def paint(self, style: str) -> Paint:
        """How ``style`` looks. Unknown names look plain."""
        if style not in self._paints:
            self._paints[style] = self._make(style)
        return self._paints[style]

    def _make(self, style: str) -> Paint:
        if self.depth is Depth.NONE:
            return _colourless(style)
        if "|" in style:
            ink, _, paper = style.partition("|")
            return self._pair(ink, paper)
        if style in PLAIN:
            return self._plain(style)
        fill = self._colour(style)
        if fill is None:
            return Paint()
        text = self._ink_on(fill)
        shown = self._rounded(text, 0 if text == BLACK else 15)
        return Paint(shown[0], fill[0], style == "selected", ink_index=shown[1], paper_index=fill[1])

    def _ink_on(self, fill: Shade) -> RGB:
        """Black or white, whichever reads better; never white on yellow, which is a bright one as often."""
        return BLACK if self.depth is Depth.P16 and fill[1] in YELLOWS else _readable(fill[0])

    def _pair(self, ink_name: str, paper_name: str) -> Paint:
        """Ink and paper apart; an empty name is the ground."""
        ink, paper = self._colour(ink_name), self._colour(paper_name)
        if ink_name == "" and paper is not None:
            if self.ground is None:
                return Paint(paper[0], None, reverse=True, ink_index=paper[1])
            ink = self._rounded(self.ground)
        if ink_name == "edge" and paper is not None:
            dark = _readable(paper[0]) == BLACK
            ink = self._rounded(tuple(c // 3 for c in paper[0]) if dark else GROUND)  # type: ignore[arg-type]
        if ink_name == "point" and paper is not None:
            ink = self._rounded(self._ink_on(paper))
        return Paint(
            ink[0] if ink else None, paper[0] if paper else None, ink_index=ink[1] if ink else None,
            paper_index=paper[1] if paper else None,
        )  # fmt: skip

    def _plain(self, style: str) -> Paint:
        ink_text, paper_text, _, ink_16, paper_16 = PLAIN[style]
        ink = self._rounded(_rgb(ink_text), ink_16)
        if paper_text in GROUNDS:
            paper = self._colour(paper_text) or (None, None)
        else:
            paper = self._rounded(_rgb(paper_text), paper_16) if paper_text else (None, None)
        if paper_16 is None and self.depth is Depth.P16:
            paper = (None, None)
        return Paint(ink[0], paper[0], ink_index=ink[1], paper_index=paper[1], **_attributes(style))

    def _colour(self, name: str) -> Shade | None:
        """A category's colour in this depth."""
        if (known := FILLS.get(name) or GROUNDS.get(name)) is not None:
            true, index, sixteen = known
            return self._chosen(_rgb(true), index, sixteen)
        if name.startswith("nvtx."):
            return self._rounded(rgb_of_256(int(name[5:])))
        if name.startswith("state."):
            return self._state(*name.split(".")[1:])
        if name.startswith("series."):
            return self._series(*name.split(".")[1:])
        return None

    def _series(self, number: str, level: str = str(_USUAL_LEVEL)) -> Shade | None:
        """The colour of a value over time, the lighter the greater it is."""
        if number not in SERIES:
            return None
        least, usual, most, dark, bright = SERIES[number]
        at = int(level)
        low, high, part = (least, usual, at / 3) if at <= _USUAL_LEVEL else (usual, most, 1.0)
        mixed = [round(a + (b - a) * part) for a, b in zip(_rgb(low), _rgb(high), strict=True)]
        return self._rounded((mixed[0], mixed[1], mixed[2]), (8, dark, dark, bright, bright)[at])

    def _state(self, state: str, level: str) -> Shade:
        """The colour of a rank's state, the lighter the more of the cell went into it."""
        few, all_, of_256, dark, bright = STATES[state]
        at = int(level)
        part = at / (STATE_LEVELS - 1)
        mixed = [round(a + (b - a) * part) for a, b in zip(_rgb(few), _rgb(all_), strict=True)]
        return self._chosen((mixed[0], mixed[1], mixed[2]), of_256[at], bright if part > 0.5 else dark)

    def _chosen(self, colour: RGB, index: int, sixteen: int) -> Shade:
        """``colour``, or the entry of the palette that was chosen for it."""
        if self.depth is Depth.TRUE:
            return colour, None
        entry = index if self.depth is Depth.P256 else sixteen
        return rgb_of_256(entry), entry

    def _rounded(self, colour: RGB, sixteen: int | None = None) -> Shade:
        """``colour``, or the entry that looks most like it (of sixteen: the one given, where one is)."""
        if self.depth is Depth.TRUE:
            return colour, None
        if self.depth is Depth.P256:
            index = nearest_256(colour)
            return rgb_of_256(index), index
        if sixteen is None:
            sixteen = min(range(16), key=lambda i: distance(colour, ANSI_16[i]))
        return ANSI_16[sixteen], sixteen


def _readable(paper: RGB) -> RGB:
    """Black or white, whichever reads better on ``paper``."""
    return BLACK if contrast(BLACK, paper) >= contrast(WHITE, paper) else WHITE


def _attributes(style: str) -> dict[str, Any]:
    return dict.fromkeys(PLAIN[style][2].split(), True)


def _colourless(style: str) -> Paint:
    """Attributes alone: what must be noticed is bold or reversed."""
    if style in _REVERSED or style.endswith("|select") or "found" in style.split("|"):
        return Paint(reverse=True)
    return Paint(**_attributes(style)) if style in PLAIN else Paint()
