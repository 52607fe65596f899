"""What a report holds, as a text for people: sentences first, then the tables, then the notes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TextIO

from tui.analysis.table import Table
from tui.output.text_layout import TextLayout
from tui.output.text_table import paragraph, spelled, write_tables
from tui.text import safe
from tui.text.times import show_duration, show_time


def write_about(
    facts: Mapping[str, Any], tables: Iterable[Table], stream: TextIO, layout: TextLayout
) -> None:
    """Write ``facts`` (of :func:`tui.analysis.about.about`) and their ``tables``."""

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
