"""Which synchronisation emptied the queue before a gap, and what it was waiting for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import share
from tui.analysis.faults.pieces import Pieces
from tui.intervals import Stabber
from tui.report.columns import Int64, Positions
from tui.report.model import CallClass, OpKind

HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2


def draining_syncs(case: Case, pieces: Pieces, shadows: bool) -> Int64:
    """Per piece of idle time the synchronisation to blame for its gap: a position in the calls, -1 none.

    One that was waiting when the gap began; with ``shadows`` also the last one before it that emptied the
    queue, as long as no op has been queued behind others since. Only waits of threads that launch work count
    (a watchdog may wait all day), in the process that is responsible for the piece: the thread that waits
    and the one that launches next often differ (PyTorch's main and autograd threads).
    """
    calls, index = case.report.calls, case.index
    found = np.full(len(pieces), -1, np.int64)
    if not len(calls):
        return found
    waits = np.flatnonzero(calls.call_class == CallClass.SYNCHRONISATION)
    waits = waits[np.isin(calls.thread[waits], np.unique(calls.thread[index.launches]))]
    process = index.process_of_thread
    of_piece = np.full(len(pieces), -1, np.int64)
    known = pieces.thread >= 0
    of_piece[known] = process[pieces.thread[known]]
    for one in np.unique(process[calls.thread[waits]]).tolist():
        mine = waits[process[calls.thread[waits]] == one]
        asked = np.flatnonzero(of_piece == one)
        if not len(asked):
            continue
        at = Stabber(calls.start[mine], calls.end[mine]).latest_open(pieces.gap_start[asked])
        waiting = np.where(at >= 0, mine[np.maximum(at, 0)], -1)
        if shadows:
            before = _last_drain(case, pieces, asked, _emptied(case, mine, one), one)
            waiting = np.where(waiting >= 0, waiting, before)
        found[asked] = waiting
    return found


def _emptied(case: Case, waits: Positions, process: int) -> Positions:
    """Those of one process's waits after which nothing launched before was left to run."""
    ops, calls = case.report.ops, case.report.calls
    own = np.flatnonzero((ops.process == process) & (ops.launch >= 0))
    launched = calls.start[ops.launch[own]]
    order = np.argsort(launched, kind="stable")
    reach = np.maximum.accumulate(ops.end[own[order]]) if len(own) else np.zeros(0, np.int64)
    before = np.searchsorted(launched[order], calls.end[waits], "left")
    done = (before > 0) & (np.append(reach, 0)[np.maximum(before - 1, 0)] <= calls.end[waits])
    return waits[done]


def _last_drain(case: Case, pieces: Pieces, asked: Positions, drains: Positions, process: int) -> Int64:
    """Per asked piece the last drain before its gap, unless the host has got ahead of the device since."""
    ops, calls = case.report.ops, case.report.calls
    found = np.full(len(asked), -1, np.int64)
    if not len(drains):
        return found
    drains = drains[np.argsort(calls.end[drains], kind="stable")]
    for device in np.unique(pieces.device[asked]).tolist():
        here = np.flatnonzero(pieces.device[asked] == device)
        start = pieces.gap_start[asked[here]]
        at = np.searchsorted(calls.end[drains], start, "right") - 1
        own = np.flatnonzero((ops.device == device) & (ops.process == process) & (ops.launch >= 0))
        queued = ops.start[own] - calls.end[ops.launch[own]]
        ahead = ops.start[own[queued >= case.limits.lead_ns]]
        last = np.append(ahead, np.iinfo(np.int64).min)[np.searchsorted(ahead, start, "right") - 1]
        drained = drains[np.maximum(at, 0)]
        good = (at >= 0) & (calls.end[drained] > last)
        found[here[good]] = drained[good]
    return found


def what_waits(case: Case, syncs: Int64) -> Iterator[str]:
    """What the thread did just before it waited, where most waits have that in common."""
    report, calls = case.report, case.report.calls
    copies = np.flatnonzero((report.ops.kind == OpKind.MEMCPY) & (report.ops.launch >= 0))
    if not len(copies) or not len(syncs):
        return
    order = np.argsort(report.ops.launch[copies], kind="stable")
    launch = report.ops.launch[copies][order]
    before = np.full(len(syncs), -1, np.int64)
    for thread in np.unique(calls.thread[syncs]).tolist():
        own = np.flatnonzero(calls.thread == thread)
        mine = np.flatnonzero(calls.thread[syncs] == thread)
        place = np.searchsorted(own, syncs[mine])
        before[mine[place > 0]] = own[place[place > 0] - 1]
    at = np.minimum(np.searchsorted(launch, before), len(launch) - 1)
    copied = (before >= 0) & (launch[at] == before)
    row = report.ops.row[copies[order][at]]
    small = copied & (report.copies.bytes[row] <= case.limits.big_copy_bytes)
    for kind, words in (
        (
            DEVICE_TO_HOST,
            "a small device-to-host copy: a value read on the host, as `.item()` or `.cpu()` does",
        ),
        (
            HOST_TO_DEVICE,
            "a small host-to-device copy of pageable memory: a Python number or list made into a tensor",
        ),
    ):
        like = small & (report.copies.copy_kind[row] == kind)
        if like.mean() >= 0.5:
            yield f"{share(float(like.mean()), 1)} of them come right after {words}"
