"""CUDA events: which work a stream or a thread waits for by waiting for an event.

An event is recorded in a stream and stands for all that was launched into that stream before. Its handle is
used again: where the export has a number for each record (``eventSyncId``) that counts, else the last record
of the handle before the wait.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tui.analysis.damage import if_readable
from tui.analysis.grouping import combined
from tui.analysis.index import Index
from tui.analysis.stats.extra import process_ids
from tui.report.classify import base_api_name
from tui.report.columns import NULL, Bool, Int64, Positions, distinct_values
from tui.report.extra.extra_table import no_rows
from tui.report.extra.tables import CUDA_EVENT_RECORDS, CUDA_WAITS
from tui.report.model import Report

UNKNOWN_ID = 0xFFFFFFFF
"""CUPTI's number of a stream or an event that it does not tell."""
EVENT_WAIT, STREAM_WAIT = 1, 2
"""Kinds of synchronisation: a thread waits for an event; a stream does."""


class Waits(NamedTuple):
    """Waits for events whose record is known, by the time of the call; arrays of one length."""

    call: Positions
    """The call that waits, a position in ``Report.calls``."""
    time: Int64
    """When it began."""
    process: Positions
    thread: Positions
    of_stream: Bool
    """Whether a stream waits; else the thread does."""
    context: Int64
    stream: Int64
    """The stream that waits; NULL: it is not told which."""
    event: Int64
    """The handle's number."""
    device: Int64
    """What the process calls the device of :attr:`awaited_stream`."""
    awaited_stream: Int64
    """The stream in which the event was recorded."""
    op: Positions
    """The last work launched into that stream before the event was recorded, a position in ``Report.ops``;
    -1: none is known."""
    numbered: Bool
    """Whether the record is known by its own number; else by the order of calls."""


def event_waits(index: Index) -> Waits:
    """All waits for events. Raises ReportError as `Report.extra_rows` does."""
    return index.once("event waits", lambda: _find(index))


def readable_waits(index: Index) -> Waits:
    """The same; none, and a note, where they can't be read."""
    return if_readable(index, "waits for CUDA events", lambda: event_waits(index), no_waits)


def no_waits() -> Waits:
    """What there is where no event is known."""
    kinds = {"Positions": np.intp, "Int64": np.int64, "Bool": np.bool_}
    return Waits(**{name: np.zeros(0, kinds[str(kind)]) for name, kind in Waits.__annotations__.items()})


def _find(index: Index) -> Waits:
    report = index.report
    records = report.extra_rows(CUDA_EVENT_RECORDS)
    waits = report.extra_rows(CUDA_WAITS) if len(records) else no_rows(CUDA_WAITS)
    by_call = _Calls(index)
    chosen = np.flatnonzero(np.isin(waits["syncType"], (EVENT_WAIT, STREAM_WAIT)))
    process = by_call.processes(waits["globalPid"][chosen])
    call = by_call.find(process, waits["correlationId"][chosen])
    kept = (call >= 0) & ~_asks(report, call)
    chosen, process, call = chosen[kept], process[kept], call[kept]
    calls = report.calls
    recorded_in = by_call.processes(records["globalPid"])
    recorded_by = by_call.find(recorded_in, records["correlationId"])
    known = np.flatnonzero(recorded_by >= 0)
    record, numbered = _records_of(
        (process, calls.start[call], waits["eventId"][chosen], waits["eventSyncId"][chosen]),
        (
            recorded_in[known],
            calls.start[recorded_by[known]],
            records["eventId"][known],
            records["eventSyncId"][known],
        ),
    )
    found = np.flatnonzero(record >= 0)
    order = found[np.argsort(calls.start[call[found]], kind="stable")]
    row, chosen, process, call = known[record[order]], chosen[order], process[order], call[order]
    stream = waits["streamId"][chosen]
    place = recorded_in[row], records["contextId"][row], records["streamId"][row]
    return Waits(
        call=call,
        time=calls.start[call],
        process=process,
        thread=calls.thread[call].astype(np.intp),
        of_stream=waits["syncType"][chosen] == STREAM_WAIT,
        context=waits["contextId"][chosen],
        stream=np.where(stream == UNKNOWN_ID, NULL, stream),
        event=waits["eventId"][chosen],
        device=records["deviceId"][row],
        awaited_stream=place[2],
        op=last_launched(index, *place, calls.start[recorded_by[row]]),
        numbered=numbered[order],
    )


def last_launched(index: Index, process: Positions, context: Int64, stream: Int64, time: Int64) -> Positions:
    """The op that was launched last into each stream before a time; -1 where none is known."""
    ops, calls = index.report.ops, index.report.calls
    mine = np.flatnonzero(ops.launch >= 0)
    mine = mine[np.isin(ops.stream[mine], distinct_values(stream))]
    launched = calls.start[ops.launch[mine]]
    count = len(mine)
    group, _ = combined(
        np.concatenate((ops.process[mine], process)),
        np.concatenate((ops.context[mine], context)),
        np.concatenate((ops.stream[mine], stream)),
    )
    order = np.lexsort((mine, launched, group[:count]))
    key, when = group[:count][order], launched[order]
    at = _last_before(key, when, group[count:], time)
    return np.where(at >= 0, np.append(mine[order], -1)[at], -1)


def _last_before(keys: Positions, times: Int64, key: Positions, time: Int64) -> Positions:
    """Position of the last entry of each ``key`` before ``time``, in entries by key and time; -1 none."""
    place = np.lexsort((np.append(np.zeros(len(keys), bool), np.ones(len(key), bool)) == 0,
                        np.append(times, time), np.append(keys, key)))  # fmt: skip
    is_entry = place < len(keys)
    seen = np.cumsum(is_entry) - 1
    at = np.empty(len(key), np.intp)
    at[place[~is_entry] - len(keys)] = seen[~is_entry]
    fits = (at >= 0) & (np.append(keys, -1)[at] == key)
    return np.where(fits, at, -1)


def _records_of(
    waits: tuple[Positions, Int64, Int64, Int64], records: tuple[Positions, Int64, Int64, Int64]
) -> tuple[Positions, Bool]:
    """The record that each wait is for (-1 none), and whether its own number tells it.

    Both come as (process, time of the call, handle, number of the record).
    """
    found = np.full(len(waits[0]), -1, np.intp)
    numbered = np.zeros(len(found), bool)
    for column, exact in ((3, True), (2, False)):
        open_ = np.flatnonzero((found < 0) & _told(waits[column]) & (exact | ~_told(waits[3])))
        told = np.flatnonzero(_told(records[column]))
        group, _ = combined(
            np.concatenate((records[0][told], waits[0][open_])),
            np.concatenate((records[column][told], waits[column][open_])),
        )
        order = np.lexsort((told, records[1][told], group[: len(told)]))
        at = _last_before(
            group[: len(told)][order], records[1][told][order], group[len(told) :], waits[1][open_]
        )
        found[open_] = np.where(at >= 0, np.append(told[order], -1)[at], -1)
        numbered[open_] = exact & (found[open_] >= 0)
    return found, numbered


def _told(number: Int64) -> Bool:
    told: Bool = (number != NULL) & (number != UNKNOWN_ID) & (number != 0)
    return told


def _asks(report: Report, call: Positions) -> Bool:
    """Which calls only ask whether an event has happened."""
    names = report.calls.name
    asking = [
        name
        for name in distinct_values(names[call[call >= 0]]).tolist()
        if base_api_name(report.strings[name]).endswith("EventQuery")
    ]
    return (call >= 0) & np.isin(np.append(names, -1)[call], np.array(asking, names.dtype))


class _Calls:
    """CUDA calls by process and correlation."""

    def __init__(self, index: Index) -> None:
        report = index.report
        self._places = {process.global_pid: process.index for process in report.processes}
        process = index.process_of_thread[report.calls.thread].astype(np.int64)
        self._order = np.lexsort((report.calls.correlation, process))
        self._process, self._correlation = process[self._order], report.calls.correlation[self._order]

    def processes(self, global_pids: Int64) -> Positions:
        """Positions in ``Report.processes``; -1 unknown."""
        values, place = np.unique(process_ids(global_pids), return_inverse=True)
        found = np.array([self._places.get(value, -1) for value in values.tolist()], np.intp)
        return found[place.reshape(-1)] if len(values) else np.zeros(0, np.intp)

    def find(self, process: Positions, correlation: Int64) -> Positions:
        """The call of each process with a correlation number; -1 where there is none, or no number."""
        found = np.full(len(process), -1, np.intp)
        for one in distinct_values(process[process >= 0]).tolist():
            low, high = (
                np.searchsorted(self._process, one, "left"),
                np.searchsorted(self._process, one, "right"),
            )
            mine, known = np.flatnonzero(process == one), self._correlation[low:high]
            at = np.searchsorted(known, correlation[mine])
            same = (np.append(known, NULL)[at] == correlation[mine]) & (correlation[mine] != NULL)
            found[mine[same]] = self._order[low + at[same]]
        return found
