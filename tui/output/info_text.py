"""What a report holds, as tables and as a text for people: sentences first, tables, then the notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TextIO

from tui.analysis.table import Column, Table, Unit
from tui.output.text_layout import TextLayout
from tui.output.text_table import paragraph, spelled, write_tables
from tui.text import safe
from tui.text.times import show_duration, show_time


def write_info(facts: Mapping[str, Any], tables: Iterable[Table], stream: TextIO, layout: TextLayout) -> None:
    """Write ``facts`` (of :func:`tui.output.info_json.info_document`) and their ``tables``."""

    def say(line: str) -> None:
        stream.write(f"{spelled(line, layout)}\n")

    say(safe(facts["report"]))
    product = facts["product_version"]
    schema = facts["schema_version"]
    say(f" nsys {safe(product)}" if product else " nsys of unknown version")
    say(f" export schema {safe(schema)}" if schema else " export schema unknown")
    say(f" device work: {_span(facts['window'] if facts['devices'] else None)}")
    say(f" everything:  {_span(facts['capture'])}")
    if not facts["doubtful"]:
        say(" doubtful rows: none")
    say("")
    write_tables(tables, stream, layout)
    for position, note in enumerate(facts["notes"]):
        say(("" if position else "\n") + paragraph(f"note: {safe(note)}", layout.width))


def _span(bounds: Mapping[str, int] | None) -> str:
    if bounds is None:
        return "none recorded"
    start, end = bounds["start_ns"], bounds["end_ns"]
    return f"{show_time(start)} to {show_time(end)}, {show_duration(end - start)}"


TABLES = {
    "devices": (
        "Devices that did work",
        (("Device", "device", Unit.COUNT), ("Name", "name", Unit.TEXT), ("Processes", "processes", Unit.TEXT),
         ("Streams", "streams", Unit.COUNT), ("Ops", "ops", Unit.COUNT)),
    ),
    "processes": (
        "Processes",
        (("PID", "pid", Unit.TEXT), ("Name", "name", Unit.TEXT), ("Threads", "threads", Unit.COUNT)),
    ),
    "tables": (
        "Tables of the export",
        (("Table", "name", Unit.TEXT), ("Rows", "rows", Unit.COUNT), ("Used", "used", Unit.TEXT)),
    ),
    "doubtful": (
        "Doubtful rows",
        (("Kind", "kind", Unit.TEXT), ("Rows", "count", Unit.COUNT), ("In sums", "excluded", Unit.TEXT),
         ("First", "example", Unit.TEXT)),
    ),
}  # fmt: skip
"""The lists of the document that are tables: title, and header, key and unit of each column."""


def info_tables(facts: dict[str, Any], *, every_table: bool = False) -> list[Table]:
    """The lists of the document as tables, those without rows left out.

    Of the export's tables the empty ones and the enums that nothing reads are left out too, unless asked.
    """
    made = []
    for name, (title, columns) in TABLES.items():
        rows, note = facts[name], None
        if name == "tables":
            rows = [t for t in rows if every_table or (t["rows"] and (t["used"] or not _is_enum(t)))]
            hidden = len(facts[name]) - len(rows)
            note = f"{hidden} more tables, empty or only labels (--all lists them)" if hidden else None
        cells = tuple(
            Column(h, key, unit, [_cell(key, row[key]) for row in rows]) for h, key, unit in columns
        )
        made.append(Table(name, title, cells, note))
    return [table for table in made if len(table)]


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
