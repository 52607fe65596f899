"""How a screen of cells is shared out: header, timeline, pane, status."""

from __future__ import annotations

from dataclasses import dataclass

PANE_LEAST = 100
"""Screens narrower than this have no room for a pane beside the timeline."""
_PANE_NARROWEST, _PANE_WIDEST = 42, 64
ONE_LINE_STATUS = 120
"""Columns from which on one status line holds both what is under the cursor and the keys."""
TWO_LINES_FROM = 16
"""Screen lines that must be there before the status takes two of them."""


@dataclass(frozen=True)
class Shape:
    """Cells of each part of a screen of ``width`` x ``height``; 0 for a part that is not shown."""

    width: int
    height: int
    timeline: int
    pane: int
    edge: int
    """The line between timeline and pane."""
    status: int
    """Lines."""

    @property
    def body(self) -> int:
        """Lines of timeline and pane."""
        return max(self.height - 1 - self.status, 0)


def shape_of(width: int, height: int, *, overlay: bool = False, maximised: bool = False) -> Shape:
    """The parts of a screen. ``overlay``: a narrow one shows the pane alone; ``maximised``: any does."""
    status = 2 if width < ONE_LINE_STATUS and height >= TWO_LINES_FROM else 1
    narrow = width < PANE_LEAST
    if maximised or (narrow and overlay):
        return Shape(width, height, 0, width, 0, status)
    if narrow:
        return Shape(width, height, width, 0, 0, status)
    pane = min(max(width * 3 // 8, _PANE_NARROWEST), _PANE_WIDEST)
    return Shape(width, height, width - pane - 1, pane, 1, status)
