"""CUDA runtime and driver calls."""

from __future__ import annotations

from dataclasses import dataclass

from tui.report import schema
from tui.report.classify import CallClass, base_api_name
from tui.report.columns import Columns, Int32, Int64, UInt8
from tui.report.data import ReportData
from tui.report.event_tables import words
from tui.report.event_tables.event_table import EventTable, LaneShape, Owner


@dataclass(frozen=True, eq=False, repr=False)
class Calls(Columns):
    """CUDA runtime and driver calls, by start. Backtrace rows (eventClass 67) are left out."""

    start: Int64
    end: Int64
    thread: Int32  # -> Report.threads
    correlation: Int64
    name: Int32  # as recorded, e.g. `cudaLaunchKernel_v7000`
    call_class: UInt8  # CallClass
    event_class: Int64  # 0 runtime, 1 driver
    returned: Int64
    rowid: Int64


_STYLES = {
    CallClass.LAUNCH: ("api.launch", "launch"),
    CallClass.SYNCHRONISATION: ("api.sync", "synchronisation"),
    CallClass.MEMORY_MANAGEMENT: ("api.memory", "memory call"),
    CallClass.BLOCKING_COPY: ("api.copy", "blocking copy"),
    CallClass.OTHER: ("api.other", "other call"),
}
"""The style of each class, and its word in the legend."""


def _names(report: ReportData, row: int, name: str) -> tuple[str, str]:
    base = base_api_name(name)
    return base, base


CALLS: EventTable[Calls] = EventTable(
    "calls",
    Calls,
    facts=(
        ("class", "call_class", lambda report, value: CallClass(value).name.lower().replace("_", " ")),
        ("thread", "thread", words.thread),
        ("correlation", "correlation", words.number),
        ("returned", "returned", words.number),
    ),
    sources=schema.CALL_TABLES,
    title="API",
    noun="CUDA call",
    owner=Owner.THREAD,
    lanes=(LaneShape("API"),),
    looks=lambda report, rows: CALLS.of(report).call_class[rows],
    style=lambda report, look: _STYLES[CallClass(look)][0],
    legend=tuple(_STYLES.values()),
    names=_names,
    exports=("api",),
    absent="no CUDA API calls recorded: launches and their latency are unknown",
)
