"""Memory: by kind, what was in use at the peak and who allocated it, unified memory, and contexts."""

from __future__ import annotations

import numpy as np

from tui.analysis.contexts.owners import device_contexts, elsewhere, idle_elsewhere
from tui.analysis.contexts.spans import gpus_with_contexts
from tui.analysis.index import Index
from tui.analysis.memory.allocators import calls_of
from tui.analysis.memory.lifetimes import lifetimes
from tui.analysis.memory.tables import (
    CACHED,
    alive_table,
    device_words,
    doubt_notes,
    pool_table,
    size_words,
    usage_table,
)
from tui.analysis.memory.usage import DeviceUsage, alive_at_peak, device_usages, is_cached
from tui.analysis.metrics.device_busy import idle_spans
from tui.analysis.table import Column, Table, Unit
from tui.analysis.um.address_table import address_table
from tui.analysis.um.cause_table import cause_table, fault_words
from tui.analysis.um.kernel_table import kernel_table
from tui.analysis.um.migrations import unified
from tui.browse.page import Instances, Page, Section
from tui.browse.pages.instances import instances
from tui.browse.pages.request import PageRequest
from tui.report.columns import Positions
from tui.text.numbers import share
from tui.text.times import brief

USAGE = {
    "kind": "kind",
    "device": "GPU",
    "pid": "pid",
    "peak_bytes": "peak",
    "live_end_bytes": "alive at end",
    "growth_per_step_bytes": "growth a step",
    "allocations": "allocated",
    "frees": "freed",
    "largest_bytes": "largest",
}
ALIVE = {
    "bytes": "size",
    "kind": "kind",
    "call": "call",
    "phase": "phase",
    "caller": "caller",
    "allocated_at_ns": "allocated",
    "pid": "pid",
    "variable": "variable",
}
POOLS = {
    "pool": "pool",
    "device": "GPU",
    "in_use_peak_bytes": "in use, peak",
    "reserved_peak_bytes": "reserved, peak",
    "in_use_end_bytes": "in use at end",
    "reserved_end_bytes": "reserved at end",
}
CAUSES = {
    "direction": "direction",
    "cause": "cause",
    "ns": "time",
    "count": "count",
    "bytes": "bytes",
    "rate_gbps": "GB/s",
}
KERNELS = {
    "name": "kernel",
    "fault_ns": "in faults",
    "migration_ns": "migrating",
    "kernel_ns": "run time",
    "faults": "faults",
    "faults_per_ms": "a ms",
}
BLOCKS = {
    "address": "2 MiB at",
    "alternations": "turns",
    "to_device": "to device",
    "to_host": "to host",
    "bytes": "bytes",
}
MOST_ROWS = 100


def memory_page(request: PageRequest) -> Page:
    """Show the memory of the window, of unified memory what moved, and whom the GPUs worked for."""
    sections: list[Section] = []
    if len(lifetimes(request.index)):
        sections += _memory(request)
    request.stop_if_dropped()
    if unified(request.index, request.scope).anything:
        sections += _unified(request)
    request.stop_if_dropped()
    if len(gpus_with_contexts(request.index)):
        sections.append(_contexts(request))
    return sections or [Section("Memory", lines=("nothing recorded in this window",))]


def _memory(request: PageRequest) -> list[Section]:
    index, scope = request.index, request.scope
    table = usage_table(index, scope)
    peaks = next(column.values for column in table.columns if column.key == "peak_at_ns")

    def find(row: int) -> Instances | None:
        return _moment(int(peaks[row]))

    usages = device_usages(index, scope)
    lines = [device_words(usage) for usage in usages]
    lines += [CACHED] if is_cached(index, scope) else []
    made = [
        Section(
            f"Memory · {request.label}", table.pick(USAGE), (*lines, *doubt_notes(index)), find,
            empty="nothing allocated",
        )
    ]  # fmt: skip
    for usage in usages:
        request.stop_if_dropped()
        made.append(_at_peak(request, usage))
    if len(pools := pool_table(index, scope)):
        made.append(Section(f"Memory pools · {request.label}", pools.pick(POOLS)))
    return made


def _moment(time: int) -> Instances:
    return Instances("span", np.zeros(1, np.int64), np.array([time]), np.array([time + 1]))


def _at_peak(request: PageRequest, usage: DeviceUsage) -> Section:
    """What was in use on one device at its peak; a row leads to the call that allocated it."""
    index = request.index
    rows = alive_at_peak(index, request.scope, usage)
    shown = rows[:MOST_ROWS]
    table = alive_table(index, request.scope, None, shown).pick(ALIVE)
    times = lifetimes(index).start[shown].tolist()
    at = [request.clock.at(time, 10**5) for time in times]
    columns = tuple(
        Column(c.header, c.key, Unit.TEXT, at) if c.key == "allocated_at_ns" else c for c in table.columns
    )
    number = "?" if usage.place.number is None else usage.place.number
    when = request.clock.at(usage.peak.at, 10**5)
    left = len(rows) - len(shown)
    lines = (f"{left:,} smaller ones are left out",) if left else ()
    return Section(
        f"In use at the peak · GPU {number}, {size_words(usage.peak.value)} at {when}",
        Table(table.name, table.title, columns),
        lines,
        lambda row: _call(index, shown[row : row + 1]),
        empty="nothing was in use",
    )


def _call(index: Index, rows: Positions) -> Instances | None:
    """The call that made an allocation, else the moment of it."""
    found = lifetimes(index)
    call = calls_of(index, found.process[rows], found.correlation[rows])
    if call[0] < 0:
        return _moment(int(found.start[rows][0]))
    return instances("calls", index.report.calls, call)


def _unified(request: PageRequest) -> list[Section]:
    index, scope, label = request.index, request.scope, request.label
    lines = (fault_words(unified(index, scope)),)
    made = [Section(f"Unified memory · {label}", cause_table(index, scope).pick(CAUSES), lines, least=15)]
    kernels = kernel_table(index, scope)
    if len(kernels):
        note = (kernels.note,) if kernels.note else ()
        made.append(Section(f"Kernels it held up · {label}", kernels.head(MOST_ROWS).pick(KERNELS), note))
    blocks = address_table(index, scope)
    if len(blocks):
        note = (blocks.note,) if blocks.note else ()
        made.append(Section(f"Blocks that moved · {label}", blocks.head(MOST_ROWS).pick(BLOCKS), note))
    return made


def _contexts(request: PageRequest) -> Section:
    """Whom the GPUs worked for, as far as their context switches tell."""
    index, window = request.index, request.window
    lines = []
    for device in index.report.devices:
        found = device_contexts(index, device.index)
        if found is None:
            continue
        other = elsewhere(index, device.index)
        name = f"GPU {device.cuda_id}"
        if other is None:
            lines.append(f"{name}: unknown: {found.note}")
            continue
        ns = other.length(window.start, window.end)
        idle = idle_elsewhere(index, device.index, idle_spans(index, device.index, window.start, window.end))
        words = f"{name}: another process's context was on for {brief(ns)} ({share(ns, window.length)})"
        lines.append(words + (f", {brief(idle)} of it in idle time" if idle is not None else ""))
        if found.note:
            lines.append(found.note)
    return Section(f"Contexts · {request.label}", lines=tuple(lines) or ("none of these GPUs",))
