"""What a reader of any figure must know about the capture: doubtful data, and time spent blocked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.cuda_events import readable_waits
from tui.analysis.damage import damage_notes
from tui.analysis.diagnostics import report_notes
from tui.analysis.files.accesses import readable_accesses
from tui.analysis.gap_context import deep_note
from tui.analysis.index import Index
from tui.analysis.scope import Scope, Window
from tui.analysis.stats.select import host_processes
from tui.analysis.unseen_notes import unseen_notes
from tui.report.model import CallClass, Report
from tui.text.times import show_duration


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
    notes = report_notes(report)
    if len(report.calls) and not len(report.os_calls):
        notes.append("no OS calls recorded: host code includes waiting in them (nsys profile --trace=osrt)")
    join = join_summary(index)
    if join.not_recorded:
        notes.append(f"{join.not_recorded:,} of {join.ops:,} ops have no recorded launch call")
    if join.skewed:
        notes.append(
            f"{join.skewed:,} ops start before their launch call does: the clocks of host and device disagree"
        )
    readable_accesses(index)
    readable_waits(index)
    notes += damage_notes(index)
    if note := deep_note(index):
        notes.append(note)
    crossing = int(index.crossing_ranges.sum())
    if crossing:
        notes.append(
            f"{crossing:,} NVTX ranges end on another thread than they began on: which thread's work is "
            "theirs is not recorded, so each owns no work"
        )
    return notes + unseen_notes(index)


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
