"""What lies where on a device's line: busy and idle stretches, and its listed gaps."""

from __future__ import annotations

import numpy as np

from tui.intervals import Coverage, previous_index
from tui.timeline.draw import GapMarks


def busy_at(coverage: Coverage, time: int) -> tuple[int, int] | None:
    """The merged busy stretch of a device that holds ``time``."""
    i = int(np.searchsorted(coverage.start, time, "right")) - 1
    if i >= 0 and time < coverage.end[i]:
        return int(coverage.start[i]), int(coverage.end[i])
    return None


def idle_at(coverage: Coverage, time: int) -> tuple[int, int] | None:
    """The idle stretch between two busy ones that holds ``time``, however short."""
    i = int(np.searchsorted(coverage.start, time, "right"))
    if 0 < i < len(coverage.start) and time >= coverage.end[i - 1]:
        return int(coverage.end[i - 1]), int(coverage.start[i])
    return None


def gap_at(gaps: GapMarks, time: int, tolerance: int = 0) -> int | None:
    """Position of the listed gap at ``time``, or of the longest one within the cell."""
    first = int(np.searchsorted(gaps.end, time, "right"))
    last = int(np.searchsorted(gaps.start, time + max(tolerance, 1), "left")) - 1
    if last < first:
        return None
    return first + int((gaps.end[first : last + 1] - gaps.start[first : last + 1]).argmax())


def next_gap(gaps: GapMarks, time: int) -> int | None:
    """Position of the first listed gap that starts after ``time``."""
    i = int(np.searchsorted(gaps.start, time, "right"))
    return i if i < len(gaps.start) else None


def previous_gap(gaps: GapMarks, time: int) -> int | None:
    """Position of the last listed gap that starts before ``time``."""
    i = previous_index(gaps.start, time)
    return i if i >= 0 else None
