"""The holes in each device's busy time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from tui.analysis.busy import scoped_devices
from tui.analysis.index import Busy, Index, Processes
from tui.analysis.scope import Scope
from tui.report.model import Device, Int64

DEFAULT_MIN_GAP_NS = 100_000


class GapKind(IntEnum):
    """Where a gap lies; the values of :attr:`DeviceGaps.kind`."""

    INTERIOR = 0
    """Between two ops, both seen in the window or at its edge."""
    LEADING = 1
    """Reaches back to the window's start."""
    TRAILING = 2
    """Reaches on to the window's end."""


@dataclass(frozen=True)
class DeviceGaps:
    """One device's gaps in a window, by start. All arrays have one length.

    ``start`` and ``end`` are clipped to the window. ``since`` is where the gap really began: the end of
    the work before it, or the window's start where there was none. ``until`` is the start of the op
    that ends it, also beyond the window; :data:`NEVER` where no later op exists.
    """

    device: Device
    processes: Processes
    busy: Busy
    start: Int64
    end: Int64
    since: Int64
    until: Int64
    kind: NDArray[np.uint8]
    """:class:`GapKind`."""
    first_number: int
    """The number of the first gap; gaps are numbered through all devices, from 1."""
    short_count: int
    """Gaps below the threshold: how many ..."""
    short_ns: int
    """... and how long in all. Listed and short gaps add up to the idle time, exactly."""
    min_gap_ns: int = 0
    """The threshold."""

    def __len__(self) -> int:
        return len(self.start)

    @property
    def duration(self) -> Int64:
        return self.end - self.start

    def take(self, which: NDArray[np.bool_]) -> DeviceGaps:
        """Some of the gaps; the number and the figures about short ones stay as they are."""
        arrays = {name: getattr(self, name)[which] for name in ("start", "end", "since", "until", "kind")}
        return replace(self, **arrays)


NEVER = int(np.iinfo(np.int64).max)


def find_gaps(
    index: Index, scope: Scope, min_gap_ns: int = DEFAULT_MIN_GAP_NS, busy: Busy = Busy.ALL
) -> list[DeviceGaps]:
    """Gaps of at least ``min_gap_ns`` (and longer than nothing) of every device in scope."""
    found: list[DeviceGaps] = []
    number = 1
    for device in scoped_devices(index, scope):
        gaps = _all_gaps(index, scope, device, busy)
        length = gaps.duration
        long = length >= min_gap_ns
        gaps = replace(
            gaps.take(long),
            first_number=number,
            short_count=int((~long).sum()),
            short_ns=int(length[~long].sum()),
            min_gap_ns=min_gap_ns,
        )
        number += len(gaps)
        found.append(gaps)
    return found


def short_gaps(index: Index, scope: Scope, gaps: DeviceGaps) -> DeviceGaps:
    """The gaps of the same scope that ``gaps`` leaves out for being short."""
    found = _all_gaps(index, scope, gaps.device, gaps.busy)
    return found.take(found.duration < gaps.min_gap_ns)


def _all_gaps(index: Index, scope: Scope, device: Device, busy: Busy) -> DeviceGaps:
    low, high = scope.window.start, scope.window.end
    coverage = index.coverage(device.index, scope.processes, busy)
    # Hole k lies before merged interval k; the last one lies after them all.
    first = int(np.searchsorted(coverage.end, low, "left"))
    last = int(np.searchsorted(coverage.start, high, "right"))
    since = np.empty(last - first + 1, np.int64)
    since[1:] = coverage.end[first:last]
    since[0] = coverage.end[first - 1] if first else low
    until = np.empty(last - first + 1, np.int64)
    until[:-1] = coverage.start[first:last]
    until[-1] = coverage.start[last] if last < len(coverage) else NEVER
    start, end = np.maximum(since, low), np.minimum(until, high)
    kind = np.full(len(start), GapKind.INTERIOR, np.uint8)
    kind[until > high] = GapKind.TRAILING
    no_earlier = np.zeros(len(start), bool)
    no_earlier[0] = first == 0
    kind[(no_earlier | (since < low)) & (until != NEVER)] = GapKind.LEADING
    whole = DeviceGaps(
        device=device,
        processes=scope.processes,
        busy=busy,
        start=start,
        end=end,
        since=since,
        until=until,
        kind=kind,
        first_number=1,
        short_count=0,
        short_ns=0,
    )
    return whole.take(end > start)
