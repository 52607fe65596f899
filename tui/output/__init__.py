"""Tables as text for people, CSV, TSV and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TextIO

from tui.analysis.table import Table
from tui.output.text_layout import TextLayout
from tui.text.times import show_duration

FORMATS = ("table", "csv", "tsv", "json")


def render(
    tables: Iterable[Table],
    fmt: str,
    stream: TextIO,
    *,
    head: Mapping[str, Any],
    layout: TextLayout | None = None,
) -> None:
    """Write ``tables`` to ``stream`` as ``fmt``, one of :data:`FORMATS`.

    ``head`` names what the figures are of: ``report`` (a path) and ``window`` (an object with
    ``label``); JSON starts with it, a table shows the label and the length.
    """
    chosen = layout or TextLayout()
    # Each form is imported where it is asked for.
    if fmt == "json":
        from tui.output.json_text import write_reports

        write_reports(tables, head, stream, chosen)
    elif fmt == "table":
        from tui.output.text_table import write_tables

        write_tables(tables, stream, chosen, window_text(head.get("window") or {}))
    else:
        from tui.output.delimited import write_delimited

        write_delimited(tables, fmt, stream, chosen)


def window_text(window: Mapping[str, Any]) -> str:
    """``step 3, 410.253 ms``: what a window is and how long."""
    label = str(window.get("label", ""))
    if "start_ns" not in window:
        return label
    return f"{label}, {show_duration(window['end_ns'] - window['start_ns'])}"
