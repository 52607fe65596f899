"""The numbers of gaps: one meaning of ``gap:3``, whatever part of a report a command looks at.

Gaps are numbered from 1 over the whole capture, through all its devices, whichever window, device or
process is chosen. Those from :data:`DEFAULT_MIN_GAP_NS` up have numbers; shorter ones only where a
smaller threshold is asked for, and then the numbers are those of that threshold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.index import Busy, Index
from tui.analysis.scope import default_window, devices_with_work
from tui.report.columns import Int64
from tui.report.model import Device

DEFAULT_MIN_GAP_NS = 100_000


@dataclass(frozen=True)
class NumberedGaps:
    """One device's gaps in the whole capture that have numbers, by start: ``first``, ``first + 1``, ..."""

    device: Device
    first: int
    start: Int64
    end: Int64

    def __len__(self) -> int:
        return len(self.start)

    def numbers(self, start: Int64, end: Int64) -> Int64:
        """The number of the gap that each of these stretches is (a part of); 0 where there is none."""
        at = np.searchsorted(self.start, start, "right") - 1
        inside = at >= 0
        inside[inside] = end[inside] <= self.end[at[inside]]
        return np.where(inside, self.first + at, 0).astype(np.int64)


def numbering_threshold(min_gap_ns: int) -> int:
    """How long a gap must be to have a number where gaps from ``min_gap_ns`` up are listed."""
    return max(1, min(min_gap_ns, DEFAULT_MIN_GAP_NS))


def numbered_gaps(index: Index, min_gap_ns: int, busy: Busy) -> dict[int, NumberedGaps]:
    """The numbered gaps of every device, by its position in the report."""
    least = numbering_threshold(min_gap_ns)
    if least < DEFAULT_MIN_GAP_NS:  # maybe millions: too many to keep
        return _numbered(index, least, busy)
    return index.once(("numbered gaps", busy), lambda: _numbered(index, least, busy))


def _numbered(index: Index, least: int, busy: Busy) -> dict[int, NumberedGaps]:
    found: dict[int, NumberedGaps] = {}
    first = 1
    for device in devices_with_work(index.report):
        window = default_window(index.report)
        holes = index.coverage(device.index, None, busy).gaps(window.start, window.end)
        long = holes.end - holes.start >= least
        gaps = NumberedGaps(device, first, holes.start[long], holes.end[long])
        found[device.index] = gaps
        first += len(gaps)
    return found
