"""The way in: a path -> a :class:`Report`."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from tui.report.importer import import_report
from tui.report.model import Report
from tui.report.progress import Meter, Progress
from tui.report.source import Source, damaged, uri_of


def open_report(
    path: str | bytes | Path,
    *,
    cache_dir: Path | None = None,
    use_store: bool = True,
    progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Report:
    """Open an export. Raises ReportError with one line that says what is wrong and what to do."""
    import os

    target = Path(os.fsdecode(path))
    try:
        connection = sqlite3.connect(uri_of(target, immutable=True), uri=True)
    except sqlite3.Error as error:
        raise damaged(target, error) from error
    try:
        source = Source(target, connection)
        return import_report(source, Meter(progress, cancelled))
    finally:
        connection.close()
