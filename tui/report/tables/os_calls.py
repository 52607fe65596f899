"""Calls of the operating system's runtime, without the profiler's own markers."""

from __future__ import annotations

from dataclasses import dataclass

from tui.report.columns import NULL, Columns, Int32, Int64
from tui.report.data import ReportData
from tui.report.tables import words
from tui.report.tables.table import EventTable, LaneShape, Owner, Pairs, Reading, always

CALL_CLASS = 27
"""eventClass of real calls; others are markers of the profiler."""


@dataclass(frozen=True)
class OsCalls(Columns):
    """OS runtime calls (eventClass 27), by start."""

    start: Int64
    end: Int64
    thread: Int32
    name: Int32
    level: Int64
    rowid: Int64


def _details(report: ReportData, row: int) -> Pairs:
    return [("thread", words.thread(report, int(OS_CALLS.of(report).thread[row])))]


OS_CALLS = EventTable(
    "os_calls",
    OsCalls,
    {"level": "nestingLevel"},
    sources=("OSRT_API",),
    title="OS",
    noun="OS call",
    owner=Owner.THREAD,
    lanes=(LaneShape("OS"),),
    style=always("os"),
    legend=(("os", "OS call"),),
    details=_details,
    exports=("os",),
    reading=Reading(("nameId",), ("eventClass", (CALL_CLASS, NULL))),
)
