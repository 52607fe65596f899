"""A thread's time on a CPU, from the scheduler's events."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.report.columns import NULL, Columns, Int32, Int64
from tui.report.data import ReportData
from tui.report.tables import words
from tui.report.tables.table import Bounds, Doubt, EventTable, LaneShape, Made, Owner, Pairs, Reading, always

IN_TWICE = "put on a CPU while on one"
OUT_TWICE = "taken off a CPU while on none"
NO_THREAD = "no thread"


@dataclass(frozen=True)
class OnCpu(Columns):
    """Stretches that threads spent on CPUs, by start; those of one thread are disjoint."""

    start: Int64
    end: Int64
    thread: Int32
    cpu: Int64
    rowid: Int64  # of the event that began it; of the one that ended it where none did


def _pair(rows: dict[str, Int64], bounds: Bounds) -> Made:
    """From each time that a thread was put on a CPU to its next event; ``rows`` are events by start.

    A thread whose first event takes it off was on since the capture's start; one whose last event puts it on
    stays there to the capture's end. Put on twice in a row, it is counted from one time to the other.
    """
    known = np.flatnonzero(rows["thread"] != NULL)
    doubts = [_doubt(NO_THREAD, rows, np.flatnonzero(rows["thread"] == NULL), excluded=True)]
    order = known[np.argsort(rows["thread"][known], kind="stable")]
    rows = {name: values[order] for name, values in rows.items()}
    at, thread, begins = rows["start"], rows["thread"], rows["is_in"] == 1
    if not len(at):
        return Made(dict.fromkeys(("start", "end", "thread", "cpu", "rowid"), at), doubts)
    low, high = int(at.min()), int(at.max())
    if bounds is not None:
        low, high = min(low, bounds[0]), max(high, bounds[1])
    first = np.append(True, thread[1:] != thread[:-1])
    last = np.append(first[1:], True)
    doubts.append(_doubt(IN_TWICE, rows, np.flatnonzero(begins[1:] & begins[:-1] & ~first[1:]) + 1))
    doubts.append(_doubt(OUT_TWICE, rows, np.flatnonzero(~begins[1:] & ~begins[:-1] & ~first[1:]) + 1))
    start = np.where(begins, at, low)
    end = np.where(begins, np.where(last, high, np.append(at[1:], high)), at)
    stretches = np.flatnonzero(begins | first)
    stretches = stretches[np.argsort(start[stretches], kind="stable")]
    columns = {"start": start, "end": end, "thread": thread, "cpu": rows["cpu"], "rowid": rows["rowid"]}
    return Made({name: values[stretches] for name, values in columns.items()}, doubts)


def _doubt(kind: str, rows: dict[str, Int64], which: Int64, *, excluded: bool = False) -> Doubt:
    example = f"row {rows['rowid'][which[0]]}: start {rows['start'][which[0]]}" if len(which) else ""
    return Doubt(kind, len(which), example, excluded)


def _word(report: ReportData, cpu: int) -> str:
    return f"CPU {words.plain(cpu)}"


def _details(report: ReportData, row: int) -> Pairs:
    stretches = CPU.of(report)
    return [
        ("CPU", words.plain(stretches.cpu[row])),
        ("thread", words.thread(report, int(stretches.thread[row]))),
    ]


CPU = EventTable(
    "cpu",
    OnCpu,
    {"start": "start", "thread": "globalTid", "cpu": "cpu", "is_in": "isSchedIn"},
    sources=("SCHED_EVENTS",),
    title="CPU",
    noun="Time on a CPU",
    owner=Owner.THREAD,
    lanes=(LaneShape("CPU"),),
    style=always("cpu"),
    legend=(("cpu", "on a CPU"),),
    aside=True,
    name_column="cpu",
    word=_word,
    details=_details,
    exports=("cpu",),
    reading=Reading(make=_pair),
)
