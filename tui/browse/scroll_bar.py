"""The bar beside a list that is longer than its place."""

from __future__ import annotations

from tui.timeline.runs import Run

TRACK, THUMB = "scroll", "scroll.thumb"


def thumb(height: int, total: int, top: float) -> tuple[int, int]:
    """(first line, line behind the last) of the thumb: ``height`` of ``total`` lines show, from ``top``."""
    if total <= height or height <= 0:
        return 0, max(height, 0)
    size = max(1, height * height // total)
    first = round((height - size) * min(max(top / (total - height), 0), 1))
    return first, first + size


def bar_cell(y: int, height: int, total: int, top: float, full: str = " ") -> Run:
    """What stands in line ``y`` of the bar; ``full`` fills the thumb where colours can't."""
    first, stop = thumb(height, total, top)
    return Run(full, THUMB) if first <= y < stop else Run(" ", TRACK)
