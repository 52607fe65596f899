"""Memory as tables: by kind, what was alive at a time, over time, by pool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tui.analysis.index import Index
from tui.analysis.memory.allocators import allocators
from tui.analysis.memory.lifetimes import kind_words, lifetimes
from tui.analysis.memory.places import Place
from tui.analysis.memory.pools import Pool, pools
from tui.analysis.memory.usage import (
    DeviceUsage,
    Usage,
    alive_at,
    alive_at_peak,
    device_usages,
    is_cached,
    usages,
)
from tui.analysis.scope import Scope
from tui.analysis.stats.extra import addresses, pids
from tui.analysis.table import Column, Table, Unit
from tui.intervals import NEVER
from tui.report.columns import NULL, Int64, Positions
from tui.text.numbers import plural, rounded, show_size
from tui.text.times import show_time

CACHED = (
    "device memory comes in multiples of 2 MiB that are rarely released: segments of a caching allocator, "
    "not tensors"
)


def usage_table(index: Index, scope: Scope) -> Table:
    """One row a (device, process, kind) of allocated memory; host memory has no device."""
    rows = usages(index, scope)
    columns = (
        _device([row.group.place for row in rows]),
        Column("PID", "pid", Unit.ID, [row.pid for row in rows]),
        Column("Kind", "kind", Unit.TEXT, [kind_words(index.report, row.group.kind) for row in rows]),
        Column("Allocations", "allocations", Unit.COUNT, [row.allocations for row in rows]),
        Column("Frees", "frees", Unit.COUNT, [row.frees for row in rows]),
        Column("Alive at end (B)", "live_end_bytes", Unit.BYTES, [row.end for row in rows]),
        Column("Peak (B)", "peak_bytes", Unit.BYTES, [row.peak.value for row in rows]),
        Column("Peak at (ns)", "peak_at_ns", Unit.NS, [row.peak.at for row in rows]),
        Column("Largest (B)", "largest_bytes", Unit.BYTES, [row.largest for row in rows], rank=1, blank="-"),
        Column("Growth a step (B)", "growth_per_step_bytes", Unit.BYTES, _growth(rows), rank=1),
    )
    return Table("memory", "Memory", columns, "; ".join(usage_notes(index, scope)) or None)


def _growth(rows: Sequence[Usage]) -> list[int | None]:
    return [None if row.growth is None else round(row.growth) for row in rows]


def _device(places: Sequence[Place]) -> Column:
    return Column("Device", "device", Unit.ID, [place.number for place in places], blank="-")


def usage_notes(index: Index, scope: Scope) -> list[str]:
    """What the figures of :func:`usage_table` mean: peaks of devices, pools, doubtful rows."""
    notes = [device_words(usage) for usage in device_usages(index, scope)]
    if is_cached(index, scope):
        notes.append(CACHED)
    notes += [_pool_words(pool) for pool in pools(index, scope)][:_POOLS]
    return notes + doubt_notes(index)


_POOLS = 4
"""More pools than this are no sentences."""


def device_words(usage: DeviceUsage) -> str:
    """``GPU 0: 61.2 GB in use at its peak, 76.5% of 80.0 GB, at 1.200 s``."""
    words = f"GPU {_number(usage.place)}: {size_words(usage.peak.value)} in use at the peak"
    if usage.capacity and usage.pct is not None:
        words += f", {rounded(usage.pct, 1)}% of {size_words(usage.capacity)}"
    words += f", at {show_time(usage.peak.at)}"
    if usage.growth is not None and round(usage.growth):
        words += f"; {round(usage.growth):,} B more at each step"
    return words


def _number(place: Place) -> str:
    return "?" if place.number is None else str(place.number)


def size_words(size: float) -> str:
    """A size in its largest unit: ``61.2 GB``, ``335.5 MB``, ``944 B``."""
    for scale, unit in ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if abs(size) >= scale:
            return f"{size / scale:.1f} {unit}"
    return f"{size:.0f} B"


def _pool_words(pool: Pool) -> str:
    name = f"pool {addresses(np.array([pool.address]))[0]} of GPU {_number(pool.place)}"
    in_use, reserved = size_words(pool.in_use_peak.value), size_words(pool.reserved_peak.value)
    return f"{name}: {in_use} in use, {reserved} reserved at most"


def doubt_notes(index: Index) -> list[str]:
    """The rows that contradict others, in words."""
    return [
        f"{plural(doubt.count, 'row')}: {doubt.kind}{' (left out)' if doubt.excluded else ''}, "
        f"first: {doubt.example}"
        for doubt in lifetimes(index).doubtful
    ]


def device_documents(index: Index, scope: Scope) -> list[dict[str, Any]]:
    """The memory in use on each device, for JSON."""
    return [
        {
            "device": usage.place.number,
            "capacity_bytes": usage.capacity,
            "peak_bytes": usage.peak.value,
            "peak_at_ns": usage.peak.at,
            "peak_pct": None if usage.pct is None else round(usage.pct, 1),
            "live_end_bytes": usage.end,
            "growth_per_step_bytes": None if usage.growth is None else round(usage.growth),
        }
        for usage in device_usages(index, scope)
    ]


def alive_table(index: Index, scope: Scope, time: int | None, chosen: Positions | None = None) -> Table:
    """The allocations alive at ``time``, else in use at each device's peak; the largest first.

    Where nothing is in use on any device, at the peak of all memory: that of the host. ``chosen``: these
    allocations instead.
    """
    found, report = lifetimes(index), index.report
    if chosen is not None:
        rows, note = chosen, ""
    elif time is not None:
        rows = alive_at(index, scope, time)
        note = f"{show_size(int(found.size[rows].sum()))} alive at {show_time(time)}"
    else:
        peaks = device_usages(index, scope)
        parts = [alive_at_peak(index, scope, usage) for usage in peaks]
        notes = [device_words(usage) for usage in peaks]
        if not peaks and (others := usages(index, scope)):
            top = max(others, key=lambda usage: usage.peak.value)
            parts = [alive_at(index, scope, top.peak.at)]
            notes = [f"no device memory; at the peak of {kind_words(report, top.group.kind)} memory, "
                     f"{show_time(top.peak.at)}"]  # fmt: skip
        rows = np.concatenate((np.zeros(0, np.intp), *parts))
        rows = rows[np.lexsort((rows, -found.size[rows]))]
        note = "; ".join(notes)
    made = allocators(index, rows)
    ends = found.end[rows]
    groups = [found.groups[g] for g in found.group[rows].tolist()]
    columns = (
        _device([group.place for group in groups]),
        Column("PID", "pid", Unit.ID, pids(found.process[rows])),
        Column("Kind", "kind", Unit.TEXT, [kind_words(report, group.kind) for group in groups]),
        Column("Size (B)", "bytes", Unit.BYTES, found.size[rows]),
        Column("Address", "address", Unit.TEXT, addresses(found.address[rows]), rank=3),
        Column("Allocated (ns)", "allocated_at_ns", Unit.NS, found.start[rows]),
        Column("Freed (ns)", "freed_at_ns", Unit.NS, np.where(ends == NEVER, NULL, ends), rank=1, blank="-"),
        Column("Call", "call", Unit.TEXT, [who.call for who in made]),
        Column("Phase", "phase", Unit.TEXT, [who.phase for who in made], blank="-"),
        Column("Caller", "caller", Unit.TEXT, [who.caller for who in made], rank=1, blank="-"),
        Column("Thread", "thread", Unit.TEXT, [who.thread for who in made], rank=2),
        Column("Variable", "variable", Unit.TEXT, _variables(index, rows), rank=2, blank="-"),
    )
    return Table("alive", "Allocations alive", columns, note or None)


def _variables(index: Index, rows: Positions) -> list[str | None]:
    found = lifetimes(index)
    return [found.strings[code] if code >= 0 else None for code in found.name[rows].tolist()]


def series_table(index: Index, scope: Scope, every: int | None) -> Table:
    """The bytes alive over time, by time: at each change, or the most in each stretch of ``every`` ns.

    A row of the window's start says what was alive already.
    """
    window = scope.window
    names: list[tuple[Place, int | None, str]] = []
    times, whose, values = ([np.zeros(0, np.int64)] for _ in range(3))
    for row in usages(index, scope):
        if every is None:
            time, value = _changes(row, window.start, window.end)
        else:
            time = np.arange(window.start, window.end, every)
            _, _, value = row.level.over(np.append(time, window.end))
        times.append(time)
        values.append(value)
        whose.append(np.full(len(time), len(names)))
        names.append((row.group.place, row.pid, kind_words(index.report, row.group.kind)))
    time, owner, value = map(np.concatenate, (times, whose, values))
    order = np.lexsort((owner, time))
    time, value = time[order], value[order]
    owners = [names[at] for at in owner[order].tolist()]
    columns = (
        Column("Time (ns)", "time_ns", Unit.NS, time),
        _device([place for place, _, _ in owners]),
        Column("PID", "pid", Unit.ID, [pid for _, pid, _ in owners]),
        Column("Kind", "kind", Unit.TEXT, [kind for _, _, kind in owners]),
        Column("Alive (B)" if every is None else "Most alive (B)", "live_bytes", Unit.BYTES, value),
    )
    return Table("series", "Memory over time", columns, "; ".join(doubt_notes(index)) or None)


def _changes(row: Usage, low: int, high: int) -> tuple[Int64, Int64]:
    """(time, bytes alive from then on) at the start of a window and at each later change in it."""
    inside = row.level.times[(row.level.times > low) & (row.level.times <= high)]
    time = np.unique(np.append(low, inside))
    return time, row.level.at(time)


def pool_table(index: Index, scope: Scope) -> Table:
    """One row a memory pool."""
    rows = pools(index, scope)
    process = np.array([pool.process for pool in rows], np.int64)
    end = np.array([scope.window.end])
    sizes: dict[str, tuple[str, list[int | None]]] = {
        "In use, peak (B)": ("in_use_peak_bytes", [pool.in_use_peak.value for pool in rows]),
        "Reserved, peak (B)": ("reserved_peak_bytes", [pool.reserved_peak.value for pool in rows]),
        "In use at end (B)": ("in_use_end_bytes", [int(pool.in_use.at(end)[0]) for pool in rows]),
        "Reserved at end (B)": ("reserved_end_bytes", [int(pool.reserved.at(end)[0]) for pool in rows]),
        "Keeps (B)": ("release_threshold_bytes", [pool.release_threshold for pool in rows]),
    }
    columns = (
        _device([pool.place for pool in rows]),
        Column("PID", "pid", Unit.ID, pids(process)),
        Column("Pool", "pool", Unit.TEXT, addresses(np.array([pool.address for pool in rows], np.int64))),
        Column("Events", "events", Unit.COUNT, [pool.events for pool in rows]),
        *(Column(header, key, Unit.BYTES, values) for header, (key, values) in sizes.items()),
    )
    return Table("pools", "Memory pools", columns)
