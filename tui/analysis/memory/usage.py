"""How much memory each process has of each kind on each device, and each device in all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.index import Index
from tui.analysis.memory.growth import growth_per_step, late_growth, step_starts
from tui.analysis.memory.levels import Level, Peak, levels
from tui.analysis.memory.lifetimes import USAGE_KINDS, Group, Lifetimes, lifetimes
from tui.analysis.memory.places import Place, capacity
from tui.analysis.scope import Scope
from tui.analysis.stats.extra import of_chosen_processes
from tui.report.columns import NULL, Bool, Int64, Positions
from tui.report.importing.global_ids import pid_of

SEGMENT = 2 << 20
"""Caching allocators ask for multiples of this."""
_SEGMENTS = 0.9
"""The share of the allocations that must be multiples of it."""
_RARE = 0.1
"""Releases per allocation, below which memory is kept for reuse."""
_FEW = 3


@dataclass(frozen=True)
class Usage:
    """The memory of one kind of one process in one place, in a window."""

    group: Group
    level: Level
    allocations: int
    """Made in the window."""
    frees: int
    end: int
    """Bytes alive when the window ends."""
    peak: Peak
    largest: int | None
    """The largest allocation that was alive in the window; None: none was."""
    growth: float | None
    """Bytes a step; None: fewer than ten steps."""

    @property
    def pid(self) -> int | None:
        return None if self.group.process == NULL else pid_of(self.group.process)


@dataclass(frozen=True)
class DeviceUsage:
    """The memory in use on one device: device memory and arrays of all processes in scope."""

    place: Place
    level: Level
    peak: Peak
    end: int
    capacity: int | None
    growth: float | None
    """Bytes a step of the process that uses most; None: unknown."""
    late_growth: float | None
    """The same of the later half of the steps."""

    @property
    def pct(self) -> float | None:
        """The peak in percent of what the device has."""
        return 100 * self.peak.value / self.capacity if self.capacity else None


def chosen_groups(index: Index, scope: Scope, found: Lifetimes) -> Bool:
    """Which groups are in scope: of the chosen devices, and host memory of processes that use them."""
    process = np.array([group.process for group in found.groups], np.int64)
    device = np.array([group.place.device for group in found.groups], np.intp)
    host = np.array([group.on_host for group in found.groups], bool)
    chosen = of_chosen_processes(index.report, scope, process)
    if scope.devices is not None:
        chosen &= host | np.isin(device, scope.devices)
    return chosen


def usages(index: Index, scope: Scope) -> list[Usage]:
    """The memory in scope, by place, process and kind; host memory last."""
    found, window = lifetimes(index), scope.window
    chosen = np.flatnonzero(chosen_groups(index, scope, found))
    if not len(chosen):
        return []
    count = len(found.groups)
    inside = (found.start >= window.start) & (found.start <= window.end)
    made = np.bincount(found.group[inside], minlength=count)
    inside = (found.releases >= window.start) & (found.releases <= window.end)
    freed = np.bincount(found.release_group[inside], minlength=count)
    alive = (found.start <= window.end) & (found.end > window.start)
    largest = np.full(count, -1, np.int64)
    np.maximum.at(largest, found.group[alive], found.size[alive])
    into = np.full(count, -1, np.intp)
    into[chosen] = np.arange(len(chosen))
    rows = []
    for at, level in zip(chosen.tolist(), levels(found, into), strict=True):
        group = found.groups[at]
        rows.append(
            Usage(
                group,
                level,
                int(made[at]),
                int(freed[at]),
                int(level.at(np.array([window.end]))[0]),
                level.peak(window.start, window.end),
                int(largest[at]) if largest[at] >= 0 else None,
                growth_per_step(level, step_starts(index, group.process, window)),
            )
        )
    return sorted(rows, key=_order)


def _order(row: Usage) -> tuple[bool, bool, int, int, int]:
    place = row.group.place
    number = -1 if place.number is None else place.number
    return row.group.on_host, place.device < 0, number, row.group.process, row.group.kind


def device_usages(index: Index, scope: Scope) -> list[DeviceUsage]:
    """The memory in use on each device in scope that any allocation names."""
    found, window = lifetimes(index), scope.window
    chosen = chosen_groups(index, scope, found)
    into = np.full(len(found.groups), -1, np.intp)
    places: list[Place] = []
    for at in np.flatnonzero(chosen).tolist():
        group = found.groups[at]
        if group.kind in USAGE_KINDS:
            if group.place not in places:
                places.append(group.place)
            into[at] = places.index(group.place)
    rows = []
    for at, level in enumerate(levels(found, into)):
        starts = _steps_on(index, found, into == at, scope)
        rows.append(
            DeviceUsage(
                places[at],
                level,
                level.peak(window.start, window.end),
                int(level.at(np.array([window.end]))[0]),
                capacity(index.report, places[at].device) if places[at].device >= 0 else None,
                growth_per_step(level, starts),
                late_growth(level, starts),
            )
        )
    return sorted(rows, key=lambda row: (row.place.device < 0, row.place.number or 0))


def _steps_on(index: Index, found: Lifetimes, groups: Bool, scope: Scope) -> Int64:
    """The starts of the steps of the process that allocates most in some groups."""
    sizes: dict[int, int] = {}
    for at in np.flatnonzero(groups).tolist():
        process = found.groups[at].process
        sizes[process] = sizes.get(process, 0) + int(found.size[found.group == at].sum())
    return step_starts(index, max(sizes, key=lambda process: sizes[process]), scope.window)


def alive_at(index: Index, scope: Scope, time: int, device: Place | None = None) -> Positions:
    """The allocations in scope that are alive at a time, the largest first; ``device``: only its own."""
    found = lifetimes(index)
    chosen = chosen_groups(index, scope, found)
    if device is not None:
        chosen &= np.array([group.place == device and not group.on_host for group in found.groups], bool)
    rows = np.flatnonzero((found.start <= time) & (found.end > time) & chosen[found.group])
    return _largest_first(found, rows)


def alive_at_peak(index: Index, scope: Scope, usage: DeviceUsage) -> Positions:
    """What is in use on a device at its peak, the largest first.

    Of several changes at the instant of the peak those count that lead to it.
    """
    rows = alive_at(index, scope, usage.peak.at, usage.place)
    found = lifetimes(index)
    in_use = np.array([group.kind in USAGE_KINDS for group in found.groups], bool)
    if int(found.size[rows][in_use[found.group[rows]]].sum()) == usage.peak.value:
        used: Positions = rows[in_use[found.group[rows]]]
        return used
    chosen = chosen_groups(index, scope, found) & in_use
    chosen &= np.array([group.place == usage.place for group in found.groups], bool)
    mine = np.flatnonzero(chosen[found.group])
    last = _row_of_peak(found, mine, usage.peak)
    rows = mine[(found.began[mine] <= last) & (found.ended[mine] > last)]
    return _largest_first(found, rows)


def _largest_first(found: Lifetimes, rows: Positions) -> Positions:
    ordered: Positions = rows[np.lexsort((rows, -found.size[rows]))]
    return ordered


def _row_of_peak(found: Lifetimes, mine: Positions, peak: Peak) -> int:
    """The row of the export's events at which allocations ``mine`` first add up to their peak."""
    rows = np.concatenate((found.began[mine], found.ended[mine]))
    change = np.concatenate((found.size[mine], -found.size[mine]))
    order = np.lexsort((change, rows))
    return int(rows[order][np.flatnonzero(np.cumsum(change[order]) == peak.value)[0]])


def is_cached(index: Index, scope: Scope) -> bool:
    """Whether the device memory in scope looks like the segments of a caching allocator."""
    found = lifetimes(index)
    chosen = chosen_groups(index, scope, found)
    chosen &= np.array([group.kind in USAGE_KINDS for group in found.groups], bool)
    mine = chosen[found.group]
    size = found.size[mine & (found.size > 0)]
    released = np.count_nonzero(chosen[found.release_group])
    if len(size) < _FEW or released > _RARE * len(size):
        return False
    return float(np.mean(size % SEGMENT == 0)) >= _SEGMENTS
