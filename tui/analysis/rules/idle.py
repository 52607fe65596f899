"""Devices without work: long holes, and stretches of low use. Per process and device."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tui.analysis.choices import Choices
from tui.analysis.index import Index
from tui.analysis.rules.rule import Limit, Rule, RuleFinding
from tui.analysis.scope import Scope
from tui.analysis.stats.rounding import printed, quotient
from tui.analysis.stats.select import op_rows, take
from tui.analysis.stats.std9 import ident, time
from tui.analysis.table import Column, Unit
from tui.intervals import Coverage
from tui.report.columns import NULL, Int64
from tui.text.times import parse_duration

GAP = Limit("gap_ns", "--gap", "TIME", "500ms", "longer gaps", parse_duration)
CHUNKS = Limit("chunks", "--chunks", "N", "30", "chunks", least=1)
UTILIZATION = Limit("busy_pct", "--utilization", "PCT", "50", "less busy chunks", most=100)


class Use(NamedTuple):
    """The ops of one process on one device, merged."""

    pid: int
    device: int
    busy: Coverage


def has_ops(index: Index, scope: Scope) -> bool:
    """Whether device work was recorded."""
    return bool(len(take(index.report.ops.start, op_rows(index.report, scope))))


def uses(index: Index, scope: Scope) -> Iterator[Use]:
    """Each process on each device in scope, by pid and device number."""
    report = index.report
    ops, rows = report.ops, op_rows(report, scope)
    process, device = take(ops.process, rows), take(ops.device, rows)
    start, end = take(ops.start, rows), take(ops.end, rows)
    pids = [p.pid for p in report.processes] + [NULL]
    numbers = [d.cuda_id for d in report.devices] + [NULL]
    pairs = sorted(
        set(zip(process.tolist(), device.tolist(), strict=True)), key=lambda p: (pids[p[0]], numbers[p[1]])
    )
    for p, d in pairs:
        mine = (process == p) & (device == d)
        yield Use(pids[p], numbers[d], Coverage(start[mine], end[mine]))


def gpu_gaps(index: Index, choices: Choices) -> RuleFinding:
    """Holes between a device's ops that are longer than the limit."""
    starts, ends, owners = [], [], []
    for use in uses(index, choices.scope):
        since, until = use.busy.end[:-1], use.busy.start[1:]
        long = until - since > GAP.of(choices)
        starts.append(since[long])
        ends.append(until[long])
        owners += [(use.pid, use.device)] * int(long.sum())
    start, end = joined(starts), joined(ends)
    return stretches(GPU_GAPS, start, end, owners, ())


GPU_GAPS = Rule(
    "gpu_gaps",
    "Long idle gaps",
    gpu_gaps,
    "CUDA trace",
    has_ops,
    "For so long the device had no kernel, copy, memset or graph of this process.",
    "`nsystui gaps` names what the host was doing in each. Common causes: loading data, a blocking call, "
    "compilation, checkpoints.",
    "Graphs that were traced whole count as work (nsys shows them as gaps).",
    (GAP,),
)


def gpu_time_util(index: Index, choices: Choices) -> RuleFinding:
    """Stretches in which a device is busy for less than the limit."""
    starts, ends, used, owners = [], [], [], []
    for use in uses(index, choices.scope):
        low, high = int(use.busy.start[0]), int(use.busy.end[-1])
        if choices.scope.window.chosen:
            low, high = choices.scope.window.start, choices.scope.window.end
        edges = chunk_edges(low, high, CHUNKS.of(choices))
        busy = use.busy.over(edges)
        weak = busy * 100 < UTILIZATION.of(choices) * np.diff(edges)
        first, last = runs(weak)
        total = np.concatenate(([0], np.cumsum(busy)))
        starts.append(edges[first])
        ends.append(edges[last])
        used.append(total[last] - total[first])
        owners += [(use.pid, use.device)] * len(first)
    start, end, busy = joined(starts), joined(ends), joined(used)
    share = Column(
        "In-Use (%)", "in_use_pct", Unit.PCT, printed(quotient(busy * 100, np.maximum(end - start, 1), 1), 1)
    )
    return stretches(GPU_TIME_UTIL, start, end, owners, (share,))


GPU_TIME_UTIL = Rule(
    "gpu_time_util",
    "Stretches of low use",
    gpu_time_util,
    "CUDA trace",
    has_ops,
    "The time from the first to the last op is cut into equal chunks; in these, neighbours joined, the "
    "device was in use for less than the threshold.",
    "Launch more at a time: larger batches, fused kernels, CUDA graphs, several streams; `nsystui gaps` "
    "tells what the host was doing.",
    "Use is the union of the ops, so it never passes 100 %; nsys adds up ops that overlap.",
    (CHUNKS, UTILIZATION),
)


def chunk_edges(low: int, high: int, chunks: int) -> Int64:
    """``chunks`` + 1 edges from ``low`` to ``high``, as even as whole nanoseconds allow."""
    return np.array([low + (high - low) * i // chunks for i in range(chunks + 1)], np.int64)


def runs(marked: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """First position and the one after the last of each run of marked neighbours."""
    steps = np.diff(np.concatenate(([False], marked, [False])).astype(np.int8))
    return np.flatnonzero(steps == 1), np.flatnonzero(steps == -1)


def joined(parts: list[Int64]) -> Int64:
    """The parts as one array."""
    return np.concatenate([np.zeros(0, np.int64), *parts])


def stretches(
    rule: Rule, start: Int64, end: Int64, owners: list[tuple[int, int]], more: tuple[Column, ...]
) -> RuleFinding:
    """Stretches of time on devices as a finding, longest first."""
    length = end - start
    columns = (
        *more,
        time("Duration (ns)", length),
        time("Start (ns)", start),
        ident("PID", np.array([pid for pid, _ in owners], np.int64)),
        ident("Device ID", np.array([device for _, device in owners], np.int64)),
    )
    return rule.finding(columns, length, start)
