"""The scroll bar beside a list."""

from __future__ import annotations

from tui.timeline.runs import Run


def thumb(height: int, total: int, top: float) -> tuple[int, int]:
    """Return (first line, line after the last) of the thumb: ``height`` of ``total`` lines are shown."""
    if total <= height or height <= 0:
        return 0, max(height, 0)
    size = max(1, height * height // total)
    first = round((height - size) * min(max(top / (total - height), 0), 1))
    return first, first + size


def bar_cell(y: int, height: int, total: int, top: float, full: str = " ") -> Run:
    """Draw line ``y`` of the bar; ``full`` fills the thumb where there are no colours."""
    first, stop = thumb(height, total, top)
    return Run(full, "scroll.thumb") if first <= y < stop else Run(" ", "scroll")
