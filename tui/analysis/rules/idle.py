"""Devices without work, for each process on each device: long gaps, and stretches of low use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.grouping import combined
from tui.analysis.index import Index
from tui.analysis.rule_limits import CHUNKS, GAP, UTILIZATION
from tui.analysis.rules.rule import Rule, RuleFinding
from tui.analysis.scope import Scope
from tui.analysis.stats.lazy import OwnerIds
from tui.analysis.stats.rounding import printed, quotient
from tui.analysis.stats.select import op_rows, take
from tui.analysis.stats.std9 import ident
from tui.analysis.table import Column, Unit
from tui.intervals import Coverage, Spans
from tui.report.columns import Int64


class Use(NamedTuple):
    """The use of one device by one process."""

    pid: int
    device: int
    busy: Coverage


Stretches = list[tuple[Use, Spans]]
"""Stretches of time that a rule found, for each process on each device."""


def has_ops(index: Index, scope: Scope) -> bool:
    """Return whether device work was recorded."""
    return bool(len(take(index.report.ops.start, op_rows(index.report, scope))))


def uses(index: Index, scope: Scope) -> Iterator[Use]:
    """Yield each process on each device in scope, by pid and device number."""
    report, ids = index.report, OwnerIds(index.report)
    ops, rows = report.ops, op_rows(report, scope)
    process, device = take(ops.process, rows), take(ops.device, rows)
    start, end = take(ops.start, rows), take(ops.end, rows)
    groups, first = combined(process, device)
    pids, numbers = ids.process_pid[process[first]], ids.device[device[first]]
    names = list(zip(pids.tolist(), numbers.tolist(), strict=True))
    for group in sorted(range(len(names)), key=names.__getitem__):
        mine = groups == group
        yield Use(*names[group], Coverage(start[mine], end[mine]))


def gpu_gaps(index: Index, choices: Choices) -> RuleFinding:
    """List gaps between a device's ops that are longer than the limit."""
    found: Stretches = []
    for use in uses(index, choices.scope):
        start, end = use.busy.end[:-1], use.busy.start[1:]
        long = end - start > GAP.of(choices)
        found.append((use, Spans(start[long], end[long])))
    return finding_of_stretches(GPU_GAPS, found)


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
)


def gpu_time_util(index: Index, choices: Choices) -> RuleFinding:
    """List stretches in which a device is busy for less than the limit."""
    found: Stretches = []
    for use in uses(index, choices.scope):
        low, high = int(use.busy.start[0]), int(use.busy.end[-1])
        if choices.scope.window.chosen:
            low, high = choices.scope.window.start, choices.scope.window.end
        chunks = CHUNKS.of(choices)
        edges = np.array([low + (high - low) * i // chunks for i in range(chunks + 1)], np.int64)
        weak = use.busy.over(edges) * 100 < UTILIZATION.of(choices) * np.diff(edges)
        turns = np.flatnonzero(np.diff(np.concatenate(([False], weak, [False]))))
        found.append((use, Spans(edges[turns[::2]], edges[turns[1::2]])))
    busy = joined([use.busy.between(*spans) for use, spans in found])
    length = joined([spans.end - spans.start for _, spans in found])
    share = printed(quotient(busy * 100, np.maximum(length, 1), 1), 1)
    return finding_of_stretches(GPU_TIME_UTIL, found, (Column("In-Use (%)", "in_use_pct", Unit.PCT, share),))


GPU_TIME_UTIL = Rule(
    "gpu_time_util",
    "Stretches of low use",
    gpu_time_util,
    "CUDA trace",
    has_ops,
    "The time from the first to the last op is cut into equal chunks; in these, neighbours joined, the "
    "device was in use for less than the threshold.",
    "Launch more at a time: larger batches, fused kernels, CUDA graphs, several streams; `nsystui gaps` "
    "shows what the host was doing.",
    "Use is the union of the ops, so it never passes 100 %; nsys adds up ops that overlap.",
)


def joined(parts: list[Int64]) -> Int64:
    """Return the parts as one array."""
    return np.concatenate([np.zeros(0, np.int64), *parts])


def finding_of_stretches(rule: Rule, found: Stretches, before: tuple[Column, ...] = ()) -> RuleFinding:
    """Return these stretches as a finding."""
    start = joined([spans.start for _, spans in found])
    end = joined([spans.end for _, spans in found])
    columns = (
        ident("PID", joined([np.full(len(spans.start), use.pid) for use, spans in found])),
        ident("Device ID", joined([np.full(len(spans.start), use.device) for use, spans in found])),
    )
    return rule.finding(start, end - start, columns, before)
