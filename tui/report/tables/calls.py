"""CUDA runtime and driver calls."""

from __future__ import annotations

from dataclasses import dataclass

from tui.report import schema
from tui.report.classify import CallClass, base_api_name
from tui.report.columns import Array, Columns, Int32, Int64, Positions, UInt8
from tui.report.data import ReportData
from tui.report.tables import words
from tui.report.tables.table import EventTable, LaneShape, Owner, Pairs


@dataclass(frozen=True)
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
    CallClass.SYNCHRONISATION: "api.sync",
    CallClass.MEMORY_MANAGEMENT: "api.memory",
    CallClass.BLOCKING_COPY: "api.copy",
    CallClass.LAUNCH: "api.launch",
    CallClass.OTHER: "api.other",
}


def _classes(report: ReportData, rows: Positions) -> Array:
    return CALLS.of(report).call_class[rows]


def _style(report: ReportData, look: int) -> str:
    return _STYLES[CallClass(look)]


def _shown(report: ReportData, row: int, name: str) -> tuple[str, str]:
    base = base_api_name(name)
    return base, base


def _details(report: ReportData, row: int) -> Pairs:
    calls = CALLS.of(report)
    return [
        ("class", CallClass(int(calls.call_class[row])).name.lower().replace("_", " ")),
        ("thread", words.thread(report, int(calls.thread[row]))),
        ("correlation", words.plain(calls.correlation[row])),
        ("returned", words.plain(calls.returned[row])),
    ]


CALLS = EventTable(
    "calls",
    Calls,
    sources=schema.CALL_TABLES,
    title="API",
    noun="CUDA call",
    owner=Owner.THREAD,
    lanes=(LaneShape("API"),),
    looks=_classes,
    style=_style,
    legend=(
        ("api.launch", "launch"),
        ("api.sync", "synchronisation"),
        ("api.memory", "memory call"),
        ("api.copy", "blocking copy"),
        ("api.other", "other call"),
    ),
    shown=_shown,
    details=_details,
    exports=("api",),
    absent="no CUDA API calls recorded: launches and their latency are unknown",
)
