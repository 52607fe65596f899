"""The time that threads spend on CPUs, from the scheduler's events."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.report.columns import NULL, Bool, Columns, Int32, Int64
from tui.report.event_tables import words
from tui.report.event_tables.event_table import (
    Bounds,
    Doubt,
    EventTable,
    LaneShape,
    Made,
    Owner,
    Reading,
    always,
)


@dataclass(frozen=True, eq=False, repr=False)
class OnCpu(Columns):
    """Stretches of time that threads spent on CPUs, by start. Those of one thread are disjoint."""

    start: Int64
    end: Int64
    thread: Int32  # -> Report.threads
    cpu: Int64
    rowid: Int64  # the event that put the thread on the CPU; if there is none, the one that took it off


def _stretches(events: dict[str, Int64], bounds: Bounds) -> Made:
    """Return a stretch for each event that puts a thread on a CPU; the thread's next event ends it.

    ``events``: the columns of the scheduler's events, by start. A thread whose first event takes it off a CPU
    was on it from the start of the capture. One whose last event puts it on a CPU stays to the capture's end.
    """
    anonymous = events["thread"] == NULL
    neither = ~anonymous & (events["is_in"] != 0) & (events["is_in"] != 1)
    doubts = [
        _doubt("no thread", events, anonymous, excluded=True),
        _doubt("neither put on a CPU nor taken off one", events, neither, excluded=True),
    ]
    rows = np.flatnonzero(~anonymous & ~neither)
    rows = rows[np.argsort(events["thread"][rows], kind="stable")]
    events = {name: values[rows] for name, values in events.items()}
    time, thread, is_on = events["start"], events["thread"], events.pop("is_in") == 1
    if not len(rows):
        return Made({"end": time, **events}, doubts)
    first_time, last_time = int(time.min()), int(time.max())
    if bounds is not None:
        first_time, last_time = min(first_time, bounds[0]), max(last_time, bounds[1])
    is_first = np.append(True, thread[1:] != thread[:-1])
    is_last = np.append(is_first[1:], True)
    repeated = ~is_first & np.append(False, is_on[1:] == is_on[:-1])
    doubts.append(_doubt("put on a CPU while on one", events, repeated & is_on))
    doubts.append(_doubt("taken off a CPU while on none", events, repeated & ~is_on))
    next_time = np.where(is_last, last_time, np.append(time[1:], last_time))
    events["start"] = np.where(is_on, time, first_time)
    events["end"] = np.where(is_on, next_time, time)
    chosen = np.flatnonzero(is_on | is_first)
    chosen = chosen[np.argsort(events["start"][chosen], kind="stable")]
    return Made({name: values[chosen] for name, values in events.items()}, doubts)


def _doubt(kind: str, events: dict[str, Int64], which: Bool, *, excluded: bool = False) -> Doubt:
    """Report the events of a mask as doubtful, the first of them as the example."""
    rows = np.flatnonzero(which)
    example = f"row {events['rowid'][rows[0]]}: start {events['start'][rows[0]]}" if len(rows) else ""
    return Doubt(kind, len(rows), example, excluded)


CPU = EventTable(
    "cpu",
    OnCpu,
    from_columns={"start": "start", "thread": "globalTid", "cpu": "cpu", "is_in": "isSchedIn"},
    facts=(("CPU", "cpu", words.number), ("thread", "thread", words.thread)),
    sources=("SCHED_EVENTS",),
    title="CPU",
    noun="Time on a CPU",
    owner=Owner.THREAD,
    lanes=(LaneShape("CPU"),),
    style=always("cpu"),
    legend=(("cpu", "on a CPU"),),
    aside=True,
    name_column="cpu",
    word=lambda report, cpu: f"CPU {words.number(report, cpu)}",
    exports=("cpu",),
    reading=Reading(make=_stretches),
)
