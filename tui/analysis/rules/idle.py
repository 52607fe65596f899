"""Devices without work, for each process on each device: long gaps, and stretches of low use."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.index import Index
from tui.analysis.rule_limits import CHUNKS, GAP, UTILIZATION
from tui.analysis.rules.rule import Rule, RuleFinding
from tui.analysis.rules.uses import Use, kinds_of_work, uses
from tui.analysis.scope import Scope
from tui.analysis.stats.rounding import printed, quotient
from tui.analysis.stats.std9 import ident
from tui.analysis.table import Column, Unit
from tui.report.columns import Int64


class Stretches(NamedTuple):
    """Stretches of time of one process on one device, each with the context to print and its busy time."""

    use: Use
    start: Int64
    end: Int64
    context: Int64
    busy: Int64


def has_work(index: Index, scope: Scope) -> bool:
    """Return whether device work was recorded."""
    return any(len(work.start) for work in kinds_of_work(index.report, scope))


def gpu_gaps(index: Index, choices: Choices) -> RuleFinding:
    """List gaps between a device's ops that are longer than the limit."""
    found = []
    for use in uses(index, choices.scope):
        start, end = use.gaps()
        long = end - start > GAP.of(choices)
        start, end = start[long], end[long]
        found.append(Stretches(use, start, end, use.context_before(start), np.zeros_like(start)))
    start, end = joined(found, lambda one: one.start), joined(found, lambda one: one.end)
    order = np.lexsort((start, start - end))
    return GPU_GAPS.finding(start, end - start, owner_columns(found), order=order, numbered=True)


GPU_GAPS = Rule(
    "gpu_gaps",
    "Long idle gaps",
    gpu_gaps,
    "GPU work",
    has_work,
    "For so long the device had no kernel, copy, memset or graph of this process. Vulkan, OpenGL and DX12 "
    "work is looked at apart. The profiler's own overhead between the ops is no gap.",
    "`nsystui gaps` names what the host was doing in each. Common causes: loading data, a blocking call, "
    "compilation, checkpoints.",
    "Graphs that were traced whole count as work (nsys shows them as gaps), and so do ops that start at or "
    "before the time 0 (nsys leaves them out). Longest first, then by start, as in nsys.",
    options=("gap",),
)


def gpu_time_util(index: Index, choices: Choices) -> RuleFinding:
    """List stretches in which a device is busy for less than the limit."""
    found = []
    window = choices.scope.window
    for use in sorted(uses(index, choices.scope), key=attrgetter("kind", "device", "pid")):
        low, high = use.first, use.last
        if window.chosen and not window.touching:
            low, high = window.start, window.end
        edges, busy = chunk_edges(low, high, CHUNKS.of(choices)), use.busy()
        weak = busy.over(edges) * 100 < UTILIZATION.of(choices) * np.diff(edges)
        turns = np.flatnonzero(np.diff(np.concatenate(([False], weak, [False]))))
        start, end = edges[turns[::2]], edges[turns[1::2]]
        context = np.full(len(start), use.last_context)
        found.append(Stretches(use, start, end, context, busy.between(start, end)))
    start, end = joined(found, lambda one: one.start), joined(found, lambda one: one.end)
    tenths = quotient(joined(found, lambda one: one.busy) * 100, np.maximum(end - start, 1), 1)
    share = Column("In-Use (%)", "in_use_pct", Unit.PCT, printed(tenths, 1))
    order = np.lexsort((end - start, tenths))
    return GPU_TIME_UTIL.finding(
        start, end - start, owner_columns(found), (share,), order=order, numbered=True
    )


GPU_TIME_UTIL = Rule(
    "gpu_time_util",
    "Stretches of low use",
    gpu_time_util,
    "GPU work",
    has_work,
    "The time from the first to the last op is cut into equal chunks; in these, neighbours joined, the "
    "device was in use for less than the threshold, the profiler's own overhead included.",
    "Launch more at a time: larger batches, fused kernels, CUDA graphs, several streams; `nsystui gaps` "
    "shows what the host was doing.",
    "Use is the union of the ops, so it never passes 100 %; nsys adds up ops that overlap. Graphs that were "
    "traced whole count as work, and so do ops that start at or before the time 0, which nsys leaves out; it "
    "lists graphics work on an unknown GPU as no use at all. "
    "Least used first, then the shorter ones, as in nsys.",
    options=("threshold", "chunks"),
)


def chunk_edges(low: int, high: int, chunks: int) -> Int64:
    """The edges of equal chunks, rounded up to whole nanoseconds: the last may be shorter, some left out."""
    size = -((low - high) // chunks)
    edges = np.minimum(low + size * np.arange(chunks + 1, dtype=np.int64), high)
    return edges[: int(np.searchsorted(edges, high)) + 1]


def joined(found: list[Stretches], column: Callable[[Stretches], Int64]) -> Int64:
    """Return one column of all stretches."""
    return np.concatenate([np.zeros(0, np.int64), *map(column, found)])


def owner_columns(found: list[Stretches]) -> tuple[Column, ...]:
    """Return whose the stretches are."""

    def owner(value: Callable[[Use], Any]) -> Int64:
        return joined(found, lambda one: np.full(len(one.start), value(one.use), np.int64))

    return (
        ident("PID", owner(attrgetter("pid"))),
        ident("Device ID", owner(attrgetter("device"))),
        ident("Context ID", joined(found, lambda one: one.context), rank=1),
    )
