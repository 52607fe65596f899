"""What a report holds: devices, processes, tables, doubtful rows. Nothing about its timing."""

from __future__ import annotations

from typing import Any

import numpy as np

from tui.analysis.table import Column, Table, Unit
from tui.report.model import Device, Report


def device_streams(report: Report, device: Device) -> int:
    """How many streams did work on ``device``; a stream is (process, context, number)."""
    ops = report.ops
    mine = np.flatnonzero(ops.device == device.index)
    if not len(mine):
        return 0
    keys = np.stack([ops.process[mine].astype(np.int64), ops.context[mine], ops.stream[mine]], 1)
    return len(np.unique(keys, axis=0))


def window_of(report: Report) -> tuple[int, int] | None:
    """First to last device op; without ops, of everything recorded; None where there is nothing."""
    return report.op_span or report.span


def about(report: Report) -> dict[str, Any]:
    """Everything as one object, ready for JSON; unknown is None."""
    window = window_of(report)
    threads = [0] * len(report.processes)
    for thread in report.threads:
        threads[thread.process] += 1
    return {
        "report": str(report.path),
        "product_version": report.product_version,
        "schema_version": report.schema_version,
        "window": _bounds(window),
        "capture": _bounds(report.span),
        "session_start_utc_ns": report.session_start_utc_ns,
        "devices": [
            {
                "device": device.cuda_id,
                "name": device.name,
                "gpu_id": device.gpu_id,
                "processes": sorted({pid for pid, _ in device.owners}),
                "streams": device_streams(report, device),
                "ops": device.ops,
            }
            for device in report.devices
        ],
        "processes": [
            {"pid": process.pid, "name": process.name, "threads": count}
            for process, count in zip(report.processes, threads, strict=True)
        ],
        "tables": [{"name": t.name, "rows": t.rows, "used": t.used} for t in report.tables],
        "doubtful": [
            {"kind": d.kind, "count": d.count, "example": d.example, "excluded": d.excluded}
            for d in report.doubtful
        ],
        "notes": list(report.notes),
    }


def _bounds(span: tuple[int, int] | None) -> dict[str, int] | None:
    return None if span is None else {"start_ns": span[0], "end_ns": span[1]}


def about_tables(facts: dict[str, Any], *, every_table: bool = False) -> list[Table]:
    """The lists of :func:`about` as tables, those without rows left out.

    Of the export's tables the empty ones and the enums that nothing reads are left out too, unless asked.
    """
    sources = [t for t in facts["tables"] if every_table or (t["rows"] and (t["used"] or not _is_enum(t)))]
    hidden = len(facts["tables"]) - len(sources)
    made = [
        _table(
            "devices",
            "Devices that did work",
            facts["devices"],
            (("Device", "device", Unit.COUNT), ("Name", "name", Unit.TEXT),
             ("Processes", "processes", Unit.TEXT), ("Streams", "streams", Unit.COUNT),
             ("Ops", "ops", Unit.COUNT)),
        ),
        _table(
            "processes",
            "Processes",
            facts["processes"],
            (("PID", "pid", Unit.TEXT), ("Name", "name", Unit.TEXT), ("Threads", "threads", Unit.COUNT)),
        ),
        _table(
            "tables",
            "Tables of the export",
            sources,
            (("Table", "name", Unit.TEXT), ("Rows", "rows", Unit.COUNT), ("Used", "used", Unit.TEXT)),
            f"{hidden} more tables, empty or only labels (--all lists them)" if hidden else None,
        ),
        _table(
            "doubtful",
            "Doubtful rows",
            facts["doubtful"],
            (("Kind", "kind", Unit.TEXT), ("Rows", "count", Unit.COUNT), ("In sums", "excluded", Unit.TEXT),
             ("First", "example", Unit.TEXT)),
        ),
    ]  # fmt: skip
    return [table for table in made if len(table)]


def _table(
    name: str,
    title: str,
    rows: list[dict[str, Any]],
    columns: tuple[tuple[str, str, Unit], ...],
    note: str | None = None,
) -> Table:
    return Table(
        name,
        title,
        tuple(
            Column(header, key, unit, [_cell(key, row[key]) for row in rows]) for header, key, unit in columns
        ),
        note,
    )


def _is_enum(table: dict[str, Any]) -> bool:
    return str(table["name"]).startswith("ENUM_")


def _cell(key: str, value: Any) -> Any:
    if key == "excluded":
        return "left out" if value else "counted"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value) if key == "pid" else value
