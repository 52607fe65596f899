"""A range to CSV: the same bytes as ``nsystui export``."""

from __future__ import annotations

from pathlib import Path

from tui.analysis.scope import Scope
from tui.app.capture import Capture


def default_name(report: Path, chosen: tuple[int, int] | None) -> str:
    """``run-1500000000-1620000000.csv``: the report and the range in ns."""
    return f"{report.stem}-{chosen[0]}-{chosen[1]}.csv" if chosen else f"{report.stem}.csv"


def write_export(capture: Capture, scope: Scope, path: Path) -> int:
    """Write the events of ``scope`` to ``path`` and return how many. Raises UsageError where it can't."""
    from tui.output.delimited import write_delimited
    from tui.output.events import events_table
    from tui.output.layout import Layout
    from tui.output.sink import file_sink

    with capture.lock:
        table = events_table(capture.report, scope, capture.index)
        with file_sink(path, capture.report.path) as stream:
            write_delimited([table], "csv", stream, Layout())
    return len(table)
