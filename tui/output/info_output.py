"""What a report holds: devices, processes, tables, doubtful rows. Nothing about its timing.

As one JSON object, as tables, and as a text for people: sentences first, tables, then the notes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any, TextIO

import numpy as np

from tui.analysis.captured import Captured, captured, captured_by_subject
from tui.analysis.device_names import ambiguous
from tui.analysis.diagnostics import report_notes
from tui.analysis.given_names import given_names
from tui.analysis.grouping import combined
from tui.analysis.index import Index
from tui.analysis.kinds import cpu, word_of
from tui.analysis.nccl.notes import payload_notes
from tui.analysis.overhead import OverheadKind, overhead_totals
from tui.analysis.table import Column, Table, Unit
from tui.analysis.unseen_notes import unseen_notes
from tui.analysis.work_window import work_window
from tui.output.text_layout import TextLayout
from tui.output.text_table import paragraph, write_lines, write_tables
from tui.report.metrics.reading import has_metrics
from tui.report.model import Device, Report
from tui.text import safe
from tui.text.numbers import share
from tui.text.times import show_duration, show_time


def device_streams(report: Report, device: Device) -> int:
    """How many streams did work on ``device``; a stream is (process, context, number)."""
    ops = report.ops
    mine = ops.device == device.index
    _, streams = combined(ops.process[mine], ops.context[mine], ops.stream[mine])
    return len(streams)


def info_document(index: Index) -> dict[str, Any]:
    """All of it as one object; unknown is None."""
    report = index.report
    threads = Counter(thread.process for thread in report.threads)
    sets, unread = _metric_sets(index)
    owner = index.process_of_thread[report.ranges.thread]
    ranges = np.bincount(owner[owner >= 0], minlength=len(report.processes)).tolist()
    return {
        "report": str(report.path),
        "product_version": report.product_version,
        "schema_version": report.schema_version,
        "window": _work_window(index),
        "capture": _bounds(report.span),
        "session_start_utc_ns": report.session_start_utc_ns,
        "devices": [
            {
                "device": device.cuda_id,
                "name": device.name,
                "gpu_id": device.gpu_id,
                "uuid": device.uuid,
                "pci_bus": device.bus,
                "called": [{"pid": pid if pid >= 0 else None, "device": n} for pid, n in device.owners],
                "processes": sorted({pid for pid, _ in device.owners}),
                "streams": device_streams(report, device),
                "ops": device.ops,
            }
            for device in report.devices
        ],
        "device_numbers_ambiguous": ambiguous(report),
        "processes": [
            {
                "pid": process.pid,
                "name": process.name,
                "threads": threads[process.index],
                "ranges": ranges[process.index],
            }
            for process in report.processes
        ],
        "given_names": _given_names(report),
        "overhead": _overhead(index),
        "captured": [
            {"subject": subject, "state": found.state, **_kind(found)}
            for subject, found in captured_by_subject(report)
        ],
        "metric_sets": sets,
        "cpu": [_kind(found) for found in captured(report, cpu.KINDS)],
        "tables": [{**asdict(table), "gives": word_of(table.name)} for table in report.tables],
        "doubtful": [asdict(doubtful) for doubtful in report.doubtful],
        "diagnostics": [asdict(message) for message in report.diagnostics],
        "notes": [*report_notes(report), *unseen_notes(index), *payload_notes(index), *unread],
    }


def _metric_sets(index: Index) -> tuple[list[dict[str, Any]] | None, list[str]]:
    """The sets of metrics, None where that takes long to say; and what has to be said of it."""
    if not has_metrics(index.report):
        return [], []
    from tui.analysis.metrics.sets import UNREAD, are_read_by_the_way, metric_sets

    if not are_read_by_the_way(index):
        return None, [UNREAD]
    return [asdict(one) for one in metric_sets(index)], []


def _given_names(report: Report) -> list[dict[str, Any]]:
    """The names that programs gave to devices, contexts and streams."""
    given = given_names(report)
    rows = [
        *(("device", None, device, None, None, name) for device, name in given.devices.items()),
        *(("context", *key, None, name) for key, name in given.contexts.items()),
        *(("stream", *key, name) for key, name in given.streams.items()),
    ]
    keys = ("kind", "pid", "device", "context", "stream", "name")
    return [dict(zip(keys, row, strict=True)) for row in rows]


def _kind(found: Captured) -> dict[str, Any]:
    kind = found.kind
    about = {"data": kind.name, "table": kind.table, "tables": kind.tables, "rare": kind.rare}
    return {**about, "rows": found.rows, "gives": found.words, "option": kind.option}


def _overhead(index: Index) -> dict[str, Any] | None:
    """How much of the work window some thread was in overhead; None where it was not recorded."""
    if index.report.span is None:
        return None
    window = work_window(index)
    totals = overhead_totals(index.report, window.start, window.end)
    if totals is None:
        return None
    ns = {total.kind: total.ns for total in totals}.get(OverheadKind.PROFILER, 0)
    return {
        "window_ns": window.length,
        "profiler_ns": ns,
        "profiler_pct": round(100 * ns / window.length, 1) if window.length else None,
        "kinds": [{"kind": t.kind.words, "rows": t.rows, "ns": t.ns} for t in totals],
    }


def _bounds(span: tuple[int, int] | None) -> dict[str, int] | None:
    return None if span is None else {"start_ns": span[0], "end_ns": span[1]}


def write_info(facts: Mapping[str, Any], tables: Iterable[Table], stream: TextIO, layout: TextLayout) -> None:
    """Write ``facts`` (of :func:`info_document`) and their ``tables``."""
    product, schema = facts["product_version"], facts["schema_version"]
    lines = [
        safe(facts["report"]),
        f" nsys {safe(product)}" if product else " nsys of unknown version",
        f" export schema {safe(schema)}" if schema else " export schema unknown",
        f" work window: {_named(facts['window'])}",
        f" everything:  {_span(facts['capture'])}",
    ]
    if facts["overhead"] is not None:
        lines.append(f" overhead:    {_overhead_words(facts['overhead'])}")
    if not facts["doubtful"]:
        lines.append(" doubtful rows: none")
    write_lines([*lines, ""], stream, layout)
    write_tables(tables, stream, layout)
    notes = [paragraph(f"note: {safe(note)}", layout.width) for note in facts["notes"]]
    write_lines(["", *notes] if notes else [], stream, layout)


def _overhead_words(overhead: Mapping[str, Any]) -> str:
    """``profiler 2.1% of the window (1.234 ms); module load 31.600 ms``."""
    window, own = overhead["window_ns"], overhead["profiler_ns"]
    words = [f"profiler {share(own, window)} of the window ({show_duration(own)})"]
    for one in overhead["kinds"]:
        if one["kind"] != OverheadKind.PROFILER.words:
            words.append(f"{one['kind']} {show_duration(one['ns'])}")
    return "; ".join(words)


def _span(bounds: Mapping[str, int] | None) -> str:
    if bounds is None:
        return "none recorded"
    start, end = bounds["start_ns"], bounds["end_ns"]
    return f"{show_time(start)} to {show_time(end)}, {show_duration(end - start)}"


TABLES = {
    "devices": (
        "Devices that did work",
        {"device": "Device", "name": "Name", "processes": "Processes", "streams": "Streams", "ops": "Ops"},
    ),
    "processes": ("Processes", {"pid": "PID", "name": "Name", "threads": "Threads", "ranges": "Ranges"}),
    "given_names": (
        "Names that the program gave",
        {
            "kind": "What",
            "pid": "PID",
            "device": "Device",
            "context": "Context",
            "stream": "Stream",
            "name": "Name",
        },
    ),
    "captured": (
        "What was captured, and what it gives",
        {"subject": "Subject", "data": "Data", "rows": "Rows", "gives": "Gives"},
    ),
    "metric_sets": (
        "Sets of metrics",
        {
            "source": "Source",
            "device": "Device",
            "metrics": "Metrics",
            "samples": "Samples",
            "rate_hz": "Rate (Hz)",
            "coverage_pct": "Coverage (%)",
            "missing": "Missing",
        },
    ),
    "tables": ("Tables of the export", {"name": "Table", "rows": "Rows", "used": "Used", "gives": "Gives"}),
    "diagnostics": (
        "Messages of the profiler",
        {"severity": "Severity", "source": "Source", "pid": "PID", "time_ns": "Time (ns)", "text": "Text"},
    ),
    "doubtful": (
        "Doubtful rows",
        {"kind": "Kind", "count": "Rows", "excluded": "In sums", "example": "First"},
    ),
}
"""The lists of the document that are tables: title, and the header of each key."""
COUNTS = (
    "device",
    "streams",
    "ops",
    "threads",
    "ranges",
    "rows",
    "count",
    "time_ns",
    "metrics",
    "samples",
    "missing",
)
"""Keys whose values are counts; the others are texts."""


def info_tables(facts: dict[str, Any], *, every_table: bool = False) -> list[Table]:
    """The lists of the document as tables, those without rows left out.

    Of the export's tables the empty ones and the enums that nothing reads are left out too, unless asked; so
    are kinds of data that few programs have, where they were not captured.
    """
    made = []
    for name, (title, headers) in TABLES.items():
        rows, note = facts[name] or [], None
        if name == "devices" and facts["device_numbers_ambiguous"]:
            headers = {**headers, "called": "Called"}
        if name == "diagnostics" and not every_table:
            continue
        if name == "captured":
            rows = _subjects_once(rows if every_table else [r for r in rows if not _passed_over(r)])
            hidden = len(facts[name]) - len(rows)
            note = f"{hidden} more kinds of data were not captured (--all lists them)" if hidden else None
        if name == "tables":
            headers = headers if every_table else {k: h for k, h in headers.items() if k != "gives"}
            rows = [
                t
                for t in rows
                if every_table or (t["rows"] and (t["used"] or not t["name"].startswith("ENUM_")))
            ]
            hidden = len(facts[name]) - len(rows)
            note = f"{hidden} more tables, empty or only labels (--all lists them)" if hidden else None
        blank = "-" if name in ("captured", "given_names", "metric_sets") else "?"
        columns = tuple(
            Column(
                h,
                key,
                Unit.COUNT if key in COUNTS else Unit.TEXT,
                [_cell(key, row[key]) for row in rows],
                blank=blank,
            )
            for key, h in headers.items()
        )
        made.append(Table(name, title, columns, note))
    return [table for table in made if len(table)]


def _passed_over(row: Mapping[str, Any]) -> bool:
    """Whether a kind of data is named with --all only."""
    return row["rows"] is None and row["rare"]


def _subjects_once(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with each subject named in its first row alone."""
    before = ["", *(row["subject"] for row in rows)]
    return [
        {**row, "subject": "" if row["subject"] == one else row["subject"]}
        for row, one in zip(rows, before, strict=False)
    ]


def _cell(key: str, value: Any) -> Any:
    if key == "excluded":
        return "left out" if value else "counted"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if key == "called":
        return ", ".join(
            f"{one['device']}" + ("" if one["pid"] is None else f" by {one['pid']}") for one in value
        )
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value) if key == "pid" and value is not None else value


def _work_window(index: Index) -> dict[str, Any] | None:
    """The default window of all figures of time, and its name; None for a report without any event."""
    if index.report.span is None:
        return None
    window = work_window(index)
    return {"start_ns": window.start, "end_ns": window.end, "label": window.label}


def _named(window: Mapping[str, Any] | None) -> str:
    return _span(window) if window is None else f"{_span(window)} ({safe(window['label'])})"
