"""What a reader of any figure must know about the capture: doubtful data, and time spent blocked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.grouping import combined
from tui.analysis.index import Index
from tui.analysis.scope import Scope, Window
from tui.analysis.stats.select import host_processes
from tui.analysis.unseen_notes import unseen_notes
from tui.report.columns import NULL
from tui.report.model import CallClass, OpKind, Report
from tui.text.times import show_duration

_CONTAINED = 10
"""How many later ops of its stream an op must contain for its times to be doubtful."""


@dataclass(frozen=True)
class JoinSummary:
    """How the report's ops and launches fit together."""

    ops: int
    linked: int
    not_recorded: int
    """Ops whose launch is not in the file."""
    skewed: int
    """Ops that start before their launch call does: the host's and the device's clocks disagree."""


def join_summary(index: Index) -> JoinSummary:
    """Count the ops of all kinds that have a launch, that have none, and that start before theirs."""
    ops, calls = index.report.ops, index.report.calls
    linked = np.flatnonzero(ops.launch >= 0)
    skewed = int((ops.start[linked] < calls.start[ops.launch[linked]]).sum())
    return JoinSummary(len(ops), len(linked), len(ops) - len(linked), skewed)


def capture_notes(index: Index) -> list[str]:
    """What the report lacks, launches that were not recorded, clock skew, implausible rows."""
    report = index.report
    notes = list(report.notes)
    if len(report.calls) and not len(report.os_calls):
        notes.append("no OS calls recorded: host code includes waiting in them (nsys profile --trace=osrt)")
    join = join_summary(index)
    if join.not_recorded:
        notes.append(f"{join.not_recorded:,} of {join.ops:,} ops have no recorded launch call")
    if join.skewed:
        notes.append(
            f"{join.skewed:,} ops start before their launch call does: the clocks of host and device disagree"
        )
    crossing = int(index.crossing_ranges.sum())
    if crossing:
        notes.append(
            f"{crossing:,} NVTX ranges end on another thread than they began on: which thread's work is "
            "theirs is not recorded, so each owns no work"
        )
    return notes + unseen_notes(index) + _doubtful_ops(index)


def outside_note(report: Report, window: Window) -> str | None:
    """What was recorded before and after the default window, where that is a twentieth of it or more."""
    if window.chosen or report.op_span is None or report.span is None:
        return None
    before, after = window.start - report.span[0], report.span[1] - window.end
    if 20 * (before + after) < window.length:
        return None
    return (
        f"not in this window: {show_duration(before)} recorded before it, {show_duration(after)} after it "
        "(--range / takes them in)"
    )


def _doubtful_ops(index: Index) -> list[str]:
    """Ops that contain many later ones of their own stream, where work runs one after the other.

    Kernels of graphs are left out: they may run side by side under one stream number.
    """
    report = index.report
    ops = report.ops
    if not (ops.end[:-_CONTAINED] > ops.start[_CONTAINED:]).any():
        return []  # no op contains so many later ones even of all streams
    serial = np.ones(len(ops), bool)
    in_graph = report.kernels.graph_node
    serial[ops.kind == OpKind.KERNEL] = (in_graph == NULL) | (in_graph == 0)
    serial &= ops.kind != OpKind.GRAPH
    members = np.flatnonzero(serial)
    stream, _ = combined(ops.process[members], ops.device[members], ops.context[members], ops.stream[members])
    order = np.argsort(stream, kind="stable")  # keeps the ops of each stream by start
    members, stream = members[order], stream[order]
    first = np.flatnonzero(np.append(True, stream[1:] != stream[:-1]))
    last = np.append(first[1:], len(members))
    rows = []
    for low, high in zip(first.tolist(), last.tolist(), strict=True):
        start, end = ops.start[members[low:high]], ops.end[members[low:high]]
        inside = np.searchsorted(start, end, "left") - np.arange(len(start)) - 1
        rows += [(int(members[low + i]), int(inside[i])) for i in np.flatnonzero(inside >= _CONTAINED)]
    return [
        f"{report.strings[int(ops.name[op])]} at {ops.start[op]} ns (row {ops.rowid[op]}) lasts over "
        f"{count:,} later ops of its own stream: its times are doubtful, and so is the busy time they make"
        for op, count in rows[:3]
    ] + ([f"... and {len(rows) - 3:,} more such ops"] if len(rows) > 3 else [])


def blocking_ns(index: Index, scope: Scope) -> int:
    """Host time spent in calls that wait for the device, summed over threads, clipped to the window.

    Those are synchronisations and copies that return when the data has moved; asynchronous copies and
    ``cudaStreamWaitEvent`` block nothing. Where devices are chosen: of the processes that use them.
    """
    calls, window = index.report.calls, scope.window
    begun = int(np.searchsorted(calls.start, window.end, "left"))
    kind = calls.call_class[:begun]
    waits = np.flatnonzero((kind == CallClass.SYNCHRONISATION) | (kind == CallClass.BLOCKING_COPY))
    processes = host_processes(index.report, scope)
    if processes is not None:
        waits = waits[np.isin(index.process_of_thread[calls.thread[waits]], processes)]
    inside = np.minimum(calls.end[waits], window.end) - np.maximum(calls.start[waits], window.start)
    return int(np.maximum(inside, 0).sum())
