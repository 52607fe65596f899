"""The holes in what each device did or may have done, and the numbers that ``gap:3`` means them by.

Gaps are numbered from 1 over the whole capture, through all its devices, whichever window, device or
process is chosen. Those from :data:`DEFAULT_MIN_GAP_NS` up have numbers, and at least the ten longest of each
device; shorter ones only where a smaller threshold is asked for, and then the numbers are those of that
threshold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum

import numpy as np

from tui.analysis.accounts import not_idle
from tui.analysis.busy import scoped_devices
from tui.analysis.index import Busy, Index, Processes
from tui.analysis.scope import DEFAULT_MIN_GAP_NS, Scope, devices_with_work
from tui.analysis.work_window import work_window
from tui.intervals import NEVER, Coverage
from tui.report.columns import Int64, Positions, UInt8
from tui.report.model import Device

AT_LEAST = 10
"""So many gaps are listed, if there are that many, however short."""
_AT_A_TIME = 1 << 17
"""How many short gaps are explained at a time."""


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

    ``start`` and ``end`` are clipped to the window. ``since`` is the end of the work before the gap, which
    may lie before the window; the window's start where there was none. ``until`` is the start of the op
    that ends it, also beyond the window; :data:`NEVER` where no later op exists.
    """

    device: Device
    processes: Processes
    busy: Busy
    start: Int64
    end: Int64
    since: Int64
    until: Int64
    kind: UInt8
    """:class:`GapKind`."""
    number: Int64
    """The number of each gap, or of the whole gap that the window cuts; 0: it has none."""
    numbered: int = 0
    """How many gaps have numbers, through all devices."""
    short_count: int = 0
    """How many gaps are below the threshold."""
    short_ns: int = 0
    """How long these are in all. Listed and short gaps add up to the idle time, exactly."""
    at_least: int = 0
    """So many of the longest are listed however short."""
    min_gap_ns: int = 0
    """The threshold; see :attr:`below`."""

    def __len__(self) -> int:
        return len(self.start)

    @property
    def duration(self) -> Int64:
        return self.end - self.start

    @property
    def below(self) -> int:
        """How many of the gaps are shorter than the threshold: they are among the ten longest."""
        return int((self.duration < self.min_gap_ns).sum())

    def listed_number(self, gap: int) -> int | None:
        """The ``K`` with which ``gap:K`` means this gap; None: it has no number."""
        return int(self.number[gap]) or None

    def counted(self, gap: int) -> str:
        """``3 of 4``: the gap's number, and how many have one; empty where it has none."""
        return f"{self.number[gap]} of {self.numbered}" if self.number[gap] else ""


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
        """The number of the gap that contains each ``[start, end)``; 0 where there is none."""
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
        return _find_numbered(index, least, busy)
    return index.once(("numbered gaps", busy), lambda: _find_numbered(index, least, busy))


def _find_numbered(index: Index, least: int, busy: Busy) -> dict[int, NumberedGaps]:
    found: dict[int, NumberedGaps] = {}
    first = 1
    for device in devices_with_work(index.report):
        window = work_window(index)
        holes = not_idle(index, device.index, None, busy).gaps(window.start, window.end)
        long = _listed(holes.end - holes.start, least, AT_LEAST)
        found[device.index] = gaps = NumberedGaps(device, first, holes.start[long], holes.end[long])
        first += len(gaps)
    return found


def find_gaps(
    index: Index,
    scope: Scope,
    min_gap_ns: int = DEFAULT_MIN_GAP_NS,
    busy: Busy = Busy.ALL,
    at_least: int = AT_LEAST,
) -> list[DeviceGaps]:
    """Gaps of at least ``min_gap_ns`` of every device in scope.

    With the default threshold also the ``at_least`` longest, however short.
    """
    found: list[DeviceGaps] = []
    numbered = numbered_gaps(index, min_gap_ns, busy)
    total = sum(map(len, numbered.values()))
    for device in scoped_devices(index, scope):
        holes = _Holes.of(index, scope, device, busy)
        gaps = holes.as_gaps(_listed(holes.length, min_gap_ns, at_least))
        found.append(
            replace(
                gaps,
                number=numbered[device.index].numbers(gaps.start, gaps.end),
                numbered=total,
                short_count=int(np.count_nonzero(holes.length)) - len(gaps),
                short_ns=int(holes.length.sum() - gaps.duration.sum()),
                min_gap_ns=min_gap_ns,
                at_least=at_least,
            )
        )
    return found


def _listed(length: Int64, min_gap_ns: int, at_least: int) -> Positions:
    """Which holes are gaps of a list: those of at least ``min_gap_ns`` and longer than nothing.

    With the default threshold also shorter ones, up to the ``at_least`` longest (the first of equals): a run
    that is nothing but short gaps would list none.
    """
    long: Positions = np.flatnonzero(length >= max(min_gap_ns, 1))
    if min_gap_ns != DEFAULT_MIN_GAP_NS or len(long) >= at_least:
        return long
    some = np.flatnonzero(length)
    if len(some) > at_least:
        least = np.partition(length[some], len(some) - at_least)[len(some) - at_least]
        longer = some[length[some] > least]
        equal = some[length[some] == least][: at_least - len(longer)]
        some = np.sort(np.concatenate((longer, equal)))
    return some


def short_gaps(index: Index, scope: Scope, gaps: DeviceGaps) -> Iterator[DeviceGaps]:
    """The gaps of the same scope that are too short for ``gaps``, some at a time."""
    holes = _Holes.of(index, scope, gaps.device, gaps.busy)
    short = np.setdiff1d(
        np.flatnonzero(holes.length),
        _listed(holes.length, gaps.min_gap_ns, gaps.at_least),
        assume_unique=True,
    )
    for low in range(0, len(short), _AT_A_TIME):
        yield holes.as_gaps(short[low : low + _AT_A_TIME])


def every_gap(index: Index, scope: Scope, device: Device) -> Iterator[DeviceGaps]:
    """All gaps of one device in a scope, however short and without numbers, some at a time."""
    holes = _Holes.of(index, scope, device, Busy.ALL)
    some = np.flatnonzero(holes.length)
    for low in range(0, len(some), _AT_A_TIME):
        yield holes.as_gaps(some[low : low + _AT_A_TIME])


@dataclass(frozen=True)
class _Holes:
    """All holes of a device in a window; one at the window's edge may have no length.

    Hole k lies before busy interval ``first + k``, the last one after them all. Only their lengths are
    stored: a launch-bound capture has millions of holes, of which few become gaps.
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
        coverage = not_idle(index, device.index, scope.processes, busy)
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

    def as_gaps(self, which: Positions) -> DeviceGaps:
        """The gaps that some of the holes are, still without numbers."""
        low, high = self.scope.window.start, self.scope.window.end
        after = self.first + which  # the busy interval that follows each
        since = np.full(len(after), low, np.int64)
        since[after > 0] = self.coverage.end[after[after > 0] - 1]
        until = np.full(len(after), NEVER, np.int64)
        ends = after < len(self.coverage)
        until[ends] = self.coverage.start[after[ends]]
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
        )
