"""Calls of the operating system's runtime, without the profiler's own markers."""

from __future__ import annotations

from dataclasses import dataclass

from tui.report.columns import NULL, Columns, Int32, Int64
from tui.report.event_tables import words
from tui.report.event_tables.event_table import EventTable, LaneShape, Owner, Reading, always


@dataclass(frozen=True, eq=False, repr=False)
class OsCalls(Columns):
    """OS runtime calls, by start. Their eventClass is 27; other rows are markers of the profiler."""

    start: Int64
    end: Int64
    thread: Int32
    name: Int32
    level: Int64
    rowid: Int64


OS_CALLS = EventTable(
    "os_calls",
    OsCalls,
    {"level": "nestingLevel"},
    facts=(("thread", "thread", words.thread),),
    sources=("OSRT_API",),
    title="OS",
    noun="OS call",
    owner=Owner.THREAD,
    lanes=(LaneShape("OS"),),
    style=always("os"),
    legend=(("os", "OS call"),),
    exports=("os",),
    reading=Reading(("nameId",), ("eventClass", (27, NULL))),
)
