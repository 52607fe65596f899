"""The holes in each device's busy time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from tui.analysis.busy import scoped_devices
from tui.analysis.gap_numbers import DEFAULT_MIN_GAP_NS, numbered_gaps
from tui.analysis.index import Busy, Index, Processes
from tui.analysis.scope import Scope
from tui.intervals import Coverage
from tui.report.columns import Int64, Positions
from tui.report.model import Device

_AT_A_TIME = 1 << 17


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
    number: Int64
    """The number of each gap (a part of it, where the window cuts it); 0: it has none."""
    numbered: int
    """How many gaps have numbers, through all devices."""
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

    def listed_number(self, gap: int) -> int | None:
        """The number that ``gap:K`` means one gap by; None: it has none."""
        return int(self.number[gap]) or None

    def counted(self, gap: int) -> str:
        """``3 of 4``: the gap's number, and how many have one; empty where it has none."""
        number = self.listed_number(gap)
        return "" if number is None else f"{number} of {self.numbered}"


NEVER = int(np.iinfo(np.int64).max)


def find_gaps(
    index: Index, scope: Scope, min_gap_ns: int = DEFAULT_MIN_GAP_NS, busy: Busy = Busy.ALL
) -> list[DeviceGaps]:
    """Gaps of at least ``min_gap_ns`` (and longer than nothing) of every device in scope."""
    found: list[DeviceGaps] = []
    numbered = numbered_gaps(index, min_gap_ns, busy)
    total = sum(map(len, numbered.values()))
    for device in scoped_devices(index, scope):
        holes = _Holes.of(index, scope, device, busy)
        gaps = holes.take(np.flatnonzero(holes.length >= max(min_gap_ns, 1)))
        listed = int(gaps.duration.sum())
        found.append(
            replace(
                gaps,
                number=numbered[device.index].numbers(gaps.start, gaps.end),
                numbered=total,
                short_count=int(np.count_nonzero(holes.length)) - len(gaps),
                short_ns=int(holes.length.sum()) - listed,
                min_gap_ns=min_gap_ns,
            )
        )
    return found


def short_gaps(index: Index, scope: Scope, gaps: DeviceGaps) -> Iterator[DeviceGaps]:
    """The gaps of the same scope that ``gaps`` leaves out for being short, some at a time."""
    holes = _Holes.of(index, scope, gaps.device, gaps.busy)
    short = np.flatnonzero((holes.length > 0) & (holes.length < gaps.min_gap_ns))
    for low in range(0, len(short), _AT_A_TIME):
        yield holes.take(short[low : low + _AT_A_TIME])


@dataclass(frozen=True)
class _Holes:
    """All holes of a device in a window, of no length where busy time meets the window's edge.

    Hole k lies before busy interval ``first + k``, the last one after them all. Kept as the busy
    intervals themselves: a launch-bound capture has millions of holes, of which few are asked for.
    """

    scope: Scope
    device: Device
    busy: Busy
    coverage: Coverage
    first: int
    length: Int64
    """Clipped to the window."""

    @classmethod
    def of(cls, index: Index, scope: Scope, device: Device, busy: Busy) -> _Holes:
        low, high = scope.window.start, scope.window.end
        coverage = index.coverage(device.index, scope.processes, busy)
        first = int(np.searchsorted(coverage.end, low, "left"))
        last = int(np.searchsorted(coverage.start, high, "right"))
        length = np.empty(last - first + 1, np.int64)
        if first == last:
            length[0] = high - low
        else:
            np.subtract(coverage.start[first + 1 : last], coverage.end[first : last - 1], out=length[1:-1])
            length[0] = max(int(coverage.start[first]) - low, 0)
            length[-1] = max(high - int(coverage.end[last - 1]), 0)
        return cls(scope, device, busy, coverage, first, length)

    def take(self, which: Positions) -> DeviceGaps:
        """Some of the holes as gaps."""
        low, high = self.scope.window.start, self.scope.window.end
        after = self.first + which  # the busy interval that follows each
        since = np.full(len(after), low, np.int64)
        since[after > 0] = self.coverage.end[after[after > 0] - 1]
        until = np.full(len(after), NEVER, np.int64)
        until[after < len(self.coverage)] = self.coverage.start[after[after < len(self.coverage)]]
        kind = np.full(len(after), GapKind.INTERIOR, np.uint8)
        kind[until > high] = GapKind.TRAILING
        kind[((after == 0) | (since < low)) & (until != NEVER)] = GapKind.LEADING
        return DeviceGaps(
            device=self.device,
            processes=self.scope.processes,
            busy=self.busy,
            start=np.maximum(since, low),
            end=np.minimum(until, high),
            since=since,
            until=until,
            kind=kind,
            number=np.zeros(len(after), np.int64),
            numbered=0,
            short_count=0,
            short_ns=0,
        )
