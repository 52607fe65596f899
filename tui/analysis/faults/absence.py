"""Since when the host was away: a device with work queued falls idle only some time after."""

from __future__ import annotations

import re

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.pieces import Pieces
from tui.report.columns import Bool, Int64


def away_since(case: Case, pieces: Pieces) -> Int64:
    """Return for each piece when its process last launched something before the gap began; ns.

    The gap's start, where no launch came before it.
    """
    since = pieces.gap_start.copy()
    process = case.index.process_of_thread[pieces.thread]
    for one in np.unique(process[process >= 0]).tolist():
        times = case.index.launch_times(one)
        if not len(times):
            continue
        mine = np.flatnonzero(process == one)
        at = np.searchsorted(times, since[mine], "right") - 1
        since[mine] = np.where(at >= 0, times[np.maximum(at, 0)], since[mine])
    return since


def calls_between(case: Case, process: Int64, start: Int64, end: Int64, pattern: re.Pattern[str]) -> Bool:
    """Return in which ``[start, end)`` a thread of ``process`` that uses CUDA begins such an OS call."""
    report = case.report
    found = np.zeros(len(start), bool)
    using = np.unique(report.calls.thread)
    fits = case.names_like(report.os_calls.name, pattern) & np.isin(report.os_calls.thread, using)
    owner = case.index.process_of_thread[report.os_calls.thread[fits]]
    times = report.os_calls.start[fits]
    for one in np.unique(owner).tolist():
        mine, own = process == one, np.sort(times[owner == one])
        found[mine] = np.searchsorted(own, end[mine]) > np.searchsorted(own, start[mine])
    return found
