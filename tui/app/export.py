"""A range to CSV: the same bytes as ``nsystui export``."""

from __future__ import annotations

from pathlib import Path

from tui.analysis.scope import Scope
from tui.browse.capture import Capture


def default_name(report: Path, chosen: tuple[int, int] | None) -> str:
    """``run-1500000000-1620000000.csv``: the report and the range in ns."""
    return f"{report.stem}-{chosen[0]}-{chosen[1]}.csv" if chosen else f"{report.stem}.csv"


def write_export(capture: Capture, scope: Scope, path: Path) -> int:
    """Write the events of ``scope`` to ``path`` and return how many. Raises UsageError where it can't."""
    from tui.output.events_file import save_events

    with capture.lock:
        return save_events(capture.report, scope, path, index=capture.index)
