"""Events as a CSV file: the same bytes whether a command or the explorer writes them."""

from __future__ import annotations

from pathlib import Path

from tui.analysis.events import export_table
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.table import Table
from tui.errors import NothingThere
from tui.output.delimited import write_delimited
from tui.output.sink import file_sink
from tui.output.text_layout import TextLayout
from tui.report.model import Report


def events_table(report: Report, scope: Scope, index: Index | None = None) -> Table:
    """The events in scope; NothingThere where there are none."""
    table = export_table(report, scope, index)
    if not len(table):
        raise NothingThere(f"no events in the window {scope.window.label}")
    return table


def save_events(report: Report, scope: Scope, path: Path, index: Index | None = None) -> int:
    """Write the events in scope to ``path`` and return how many they are.

    The file appears whole or not at all. Raises NothingThere, and UsageError where it can't be written.
    """
    return save_table(events_table(report, scope, index), path, report.path)


def save_table(table: Table, path: Path, source: Path) -> int:
    """Write a table of events of the report at ``source``; as :func:`save_events` does."""
    with file_sink(path, source) as stream:
        write_delimited([table], "csv", stream, TextLayout())
    return len(table)
