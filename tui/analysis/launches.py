"""From device work to the calls that issued it: what was not recorded, and what blocked the host."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.stats.select import host_processes
from tui.report.model import CallClass


@dataclass(frozen=True)
class JoinSummary:
    """How the report's ops and launches fit together."""

    ops: int
    linked: int
    not_recorded: int
    """Ops whose launch is not in the file: they count, their launch is unknown."""
    skewed: int
    """Ops that start before their launch call does: the host's and the device's clocks disagree."""


def join_summary(index: Index) -> JoinSummary:
    """Count linked, orphaned and clock-skewed ops of all kinds."""
    ops, calls = index.report.ops, index.report.calls
    linked = np.flatnonzero(ops.launch >= 0)
    skewed = int((ops.start[linked] < calls.start[ops.launch[linked]]).sum())
    return JoinSummary(len(ops), len(linked), len(ops) - len(linked), skewed)


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
