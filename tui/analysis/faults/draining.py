"""Waits for the device: which one emptied the queue before a gap, what it waited for, and the final one.

A wait that returns with the device drained starts a *debt*: the device idles until the next op that is
launched after it, whatever the host does meanwhile and however long that takes.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import share_of
from tui.analysis.faults.pieces import Pieces
from tui.intervals import Stabber
from tui.report.columns import Int64, Positions
from tui.report.model import CallClass, OpKind
from tui.text.times import show_duration

_TO_HOST = 2
"""The kind of a copy to the host."""
_SMALL_COPIES = {
    2: "a small device-to-host copy: a value read on the host, as `.item()` or `.cpu()` does",
    1: "a small host-to-device copy of pageable memory: a Python number or list made into a tensor",
}
"""By kind of copy."""


def drain_calls(case: Case) -> Positions:
    """The calls that wait for the device, of threads that launch work: positions in the calls.

    They are synchronisations and blocking copies of single values to the host; large copies are faults of
    their own.
    """
    calls = case.report.calls
    kind = calls.call_class
    waits = np.flatnonzero((kind == CallClass.SYNCHRONISATION) | (kind == CallClass.BLOCKING_COPY))
    copies = np.flatnonzero((case.report.ops.kind == OpKind.MEMCPY) & (case.report.ops.launch >= 0))
    row = case.report.ops.row[copies]
    small = case.report.copies.bytes[row] <= case.limits.big_copy_bytes
    to_host = case.report.copies.copy_kind[row] == _TO_HOST
    reads = np.zeros(len(calls), bool)
    reads[case.report.ops.launch[copies[small & to_host]]] = True
    waits = waits[(kind[waits] == CallClass.SYNCHRONISATION) | reads[waits]]
    launching = np.isin(calls.thread[waits], np.unique(calls.thread[case.index.launches]))
    found: Positions = waits[launching]
    return found


def debts(case: Case, pieces: Pieces) -> Int64:
    """Return for each piece of idle time the wait whose debt its gap is: a position in the calls, -1 none.

    The wait was open when the gap began, or began as the device ran out; it returned before the gap ended,
    and the op that ends the gap was launched after that.
    """
    calls, index = case.report.calls, case.index
    found = np.full(len(pieces), -1, np.int64)
    waits = drain_calls(case)
    of_piece = index.process_of_thread[pieces.thread]
    of_wait = index.process_of_thread[calls.thread[waits]]
    launched = _launch_of_gap(case, pieces)
    for process in np.unique(of_wait).tolist():
        mine = waits[of_wait == process]
        asked = np.flatnonzero((of_piece == process) & (pieces.gap_end > pieces.gap_start))
        if not len(asked):
            continue
        at = Stabber(calls.start[mine], calls.end[mine]).latest_open(pieces.gap_start[asked])
        wait = np.where(at >= 0, mine[np.maximum(at, 0)], -1)
        owed = (wait >= 0) & (launched[asked] >= calls.end[wait]) & (calls.end[wait] < pieces.gap_end[asked])
        found[asked] = np.where(owed, wait, -1)
    return found


def _launch_of_gap(case: Case, pieces: Pieces) -> Int64:
    """Return when the op that ends each piece's gap was launched, as its pieces tell; the gap's end if not.

    Time from the launch on is launch latency.
    """
    launched = pieces.gap_end.copy()
    latency = np.flatnonzero(pieces.cause == BlameClass.LAUNCH_LATENCY)
    if len(latency):
        first = np.full(int(pieces.gap.max()) + 1, np.iinfo(np.int64).max)
        np.minimum.at(first, pieces.gap[latency], pieces.start[latency])
        launched = np.minimum(launched, first[pieces.gap])
    return launched


def draining_syncs(case: Case, pieces: Pieces, include_earlier: bool) -> Int64:
    """Return for each piece of idle time the wait to blame for its gap: a position in the calls, -1 none.

    It was open when the gap began; with ``include_earlier`` it may also be the last one before the gap that
    emptied the queue, as long as no op has been queued behind others since. Only threads that launch work
    count (a watchdog may wait all day), but all of the process that is responsible for the piece: in PyTorch
    one thread waits and another, autograd's, launches next.
    """
    calls, index = case.report.calls, case.index
    found = np.full(len(pieces), -1, np.int64)
    if not len(calls):
        return found
    waits = np.flatnonzero(calls.call_class == CallClass.SYNCHRONISATION)
    waits = waits[np.isin(calls.thread[waits], np.unique(calls.thread[index.launches]))]
    of_piece = index.process_of_thread[pieces.thread]
    of_wait = index.process_of_thread[calls.thread[waits]]
    for process in np.unique(of_wait).tolist():
        mine = waits[of_wait == process]
        asked = np.flatnonzero(of_piece == process)
        if not len(asked):
            continue
        at = Stabber(calls.start[mine], calls.end[mine]).latest_open(pieces.gap_start[asked])
        waiting = np.where(at >= 0, mine[np.maximum(at, 0)], -1)
        if include_earlier:
            before = _last_drain(case, pieces, asked, _emptied(case, mine, process), process)
            waiting = np.where(waiting >= 0, waiting, before)
        found[asked] = waiting
    return found


def _emptied(case: Case, waits: Positions, process: int) -> Positions:
    """Return those of one process's waits at whose end everything launched before had run."""
    ops, calls = case.report.ops, case.report.calls
    own = np.flatnonzero((ops.process == process) & (ops.launch >= 0))
    launched = calls.start[ops.launch[own]]
    order = np.argsort(launched, kind="stable")
    reach = np.maximum.accumulate(ops.end[own[order]]) if len(own) else np.zeros(0, np.int64)
    before = np.searchsorted(launched[order], calls.end[waits], "left")
    done = (before > 0) & (np.append(reach, 0)[np.maximum(before - 1, 0)] <= calls.end[waits])
    return waits[done]


def _last_drain(case: Case, pieces: Pieces, asked: Positions, drains: Positions, process: int) -> Int64:
    """Return for each asked piece the last drain before its gap; -1 where the host got ahead again since."""
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


def reasons_for_waits(case: Case, syncs: Int64) -> Iterator[str]:
    """Yield what the thread did just before it waited, where most waits have that in common."""
    report, calls = case.report, case.report.calls
    copies = np.flatnonzero((report.ops.kind == OpKind.MEMCPY) & (report.ops.launch >= 0))
    if not len(copies) or not len(syncs):
        return
    before = np.full(len(syncs), -1, np.int64)
    for thread in np.unique(calls.thread[syncs]).tolist():
        own = np.flatnonzero(calls.thread == thread)
        mine = np.flatnonzero(calls.thread[syncs] == thread)
        place = np.searchsorted(own, syncs[mine])
        before[mine[place > 0]] = own[place[place > 0] - 1]
    copied = np.full(len(calls), -1, np.int64)
    copied[report.ops.launch[copies[::-1]]] = report.ops.row[copies[::-1]]  # of several the first
    row = np.where(before >= 0, copied[before], -1)
    small = (row >= 0) & (report.copies.bytes[row] <= case.limits.big_copy_bytes)
    for kind, words in _SMALL_COPIES.items():
        like = small & (report.copies.copy_kind[row] == kind)
        if like.mean() >= 0.5:
            yield f"{share_of(float(like.mean()), 1)} them come right after {words}"


def final_drain(case: Case) -> int | None:
    """Return the longest wait after the last launch and step of its process; None without steps or waits.

    It completes what the steps queued, at the capture's end. The result is a position in the calls.
    """
    calls, launches = case.report.calls, case.index.launches
    found: list[int] = []
    for pace in case.paces:
        own = case.index.process_of_thread[calls.thread] == pace.process
        issued = launches[own[launches]]
        if not len(issued):
            continue
        after = max(int(calls.start[issued[-1]]), int(pace.end[-1]))
        waits = own & (calls.call_class == CallClass.SYNCHRONISATION) & (calls.start >= after)
        found += np.flatnonzero(waits).tolist()
    return max(found, key=lambda call: int(calls.end[call] - calls.start[call]), default=None)


def drain_note(case: Case) -> str | None:
    """Return why the final drain is not a fault; None without one."""
    call, calls = final_drain(case), case.report.calls
    if call is None:
        return None
    duration = show_duration(int(calls.end[call] - calls.start[call]))
    return (
        f"the {case.call_name(int(calls.name[call]))} of {duration} after the last step "
        "drains what the steps queued: it is the end of the measurement, not a cost per step"
    )
