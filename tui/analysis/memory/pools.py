"""Memory pools of cudaMallocAsync: what is in use of them, and what they hold reserved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.grouping import combined
from tui.analysis.index import Index
from tui.analysis.memory.levels import Level, Peak
from tui.analysis.memory.places import Place, places_of
from tui.analysis.scope import Scope
from tui.analysis.stats.extra import of_chosen_processes
from tui.report.columns import NULL, Int64
from tui.report.extra.tables import MEMORY_POOLS, MEMORY_USAGE

_DESTROYED = 2
_IN_USE, _RESERVED, _THRESHOLD = (
    "localMemoryPoolUtilizedSize",
    "localMemoryPoolSize",
    "localMemoryPoolReleaseThreshold",
)


@dataclass(frozen=True)
class Pool:
    """One pool of one process: sizes as its events told them, each up to the next."""

    place: Place
    process: int
    address: int
    events: int
    in_use: Level
    reserved: Level
    in_use_peak: Peak
    reserved_peak: Peak
    release_threshold: int | None
    """What the pool keeps when everything in it is released; None: unknown."""


def pools(index: Index, scope: Scope) -> list[Pool]:
    """The pools in scope that any event names."""
    columns = index.once("memory pools", lambda: _events(index))
    time, process, device, address, in_use, reserved, threshold = columns
    place, places = places_of(index.report, process, device)
    group, first = combined(place, process, address)
    window = scope.window
    chosen = of_chosen_processes(index.report, scope, process[first])
    rows = []
    for number in np.flatnonzero(chosen).tolist():
        where = places[place[first[number]]]
        if scope.devices is not None and where.device not in scope.devices:
            continue
        mine = np.flatnonzero(group == number)
        levels = []
        for values in (in_use, reserved):
            known = mine[values[mine] != NULL]
            levels.append(Level(time[known], values[known]))
        told = threshold[mine][threshold[mine] != NULL]
        rows.append(
            Pool(
                where,
                int(process[first[number]]),
                int(address[first[number]]),
                int(((time[mine] >= window.start) & (time[mine] <= window.end)).sum()),
                levels[0],
                levels[1],
                levels[0].peak(window.start, window.end),
                levels[1].peak(window.start, window.end),
                int(told[-1]) if len(told) else None,
            )
        )
    return rows


def _events(index: Index) -> tuple[Int64, ...]:
    """(time, process, device, address, in use, reserved, threshold) of what names a pool, by time."""
    usage, own = index.report.extra_rows(MEMORY_USAGE), index.report.extra_rows(MEMORY_POOLS)
    gone = own["operationType"] == _DESTROYED
    parts: list[tuple[Int64, ...]] = []
    for rows, name, none in (
        (usage, "localMemoryPoolAddress", np.zeros(len(usage), bool)),
        (own, "address", gone),
    ):
        address = rows[name]
        named = np.flatnonzero((address != NULL) & (address != 0))
        sizes = [np.where(none, 0, rows[column])[named] for column in (_IN_USE, _RESERVED)]
        sizes = [np.where(size < 0, NULL, size) for size in sizes]
        parts.append(
            (
                rows["start"][named], rows["globalPid"][named], rows["deviceId"][named], address[named],
                sizes[0], sizes[1], rows[_THRESHOLD][named],
            )
        )  # fmt: skip
    joined = [np.concatenate(column) for column in zip(*parts, strict=True)]
    order = np.argsort(joined[0], kind="stable")
    return tuple(column[order] for column in joined)
