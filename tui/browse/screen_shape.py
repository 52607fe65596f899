"""How a screen is divided: header, timeline, pane, status."""

from __future__ import annotations

from dataclasses import dataclass

PANE_LEAST = 100
"""Cells of the narrowest screen that has room for a pane beside the timeline."""
_PANE_NARROWEST, _PANE_WIDEST = 42, 64
PANE_STEP = 4
"""Cells by which a key makes the pane wider or narrower."""
_PANE_AT_LEAST, _TIMELINE_AT_LEAST = 30, 40
"""Cells that each keeps, whatever width is wanted."""
_ONE_LINE_STATUS = 120
"""Cells from which on one status line holds both what is under the cursor and the keys."""
_TWO_LINES_FROM = 16
"""Lines from which on a narrower screen has two status lines."""


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


def screen_shape(
    width: int,
    height: int,
    *,
    pane: bool = True,
    overlay: bool = False,
    maximised: bool = False,
    wanted: int | None = None,
) -> Shape:
    """Divide a screen: ``overlay`` puts the ``pane`` alone on a narrow one, ``maximised`` on any.

    ``wanted``: cells of a pane beside the timeline; None: as many as suit the screen.
    """
    status = 2 if width < _ONE_LINE_STATUS and height >= _TWO_LINES_FROM else 1
    beside = 0 if width < PANE_LEAST else min(max(width * 3 // 8, _PANE_NARROWEST), _PANE_WIDEST)
    if beside and wanted is not None:
        beside = min(max(wanted, _PANE_AT_LEAST), width - _TIMELINE_AT_LEAST)
    if not pane:
        beside = 0
    elif maximised or (overlay and not beside):
        beside = width
    edge = 1 if 0 < beside < width else 0
    return Shape(width, height, width - beside - edge, beside, edge, status)
