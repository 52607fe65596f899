"""Reports that several tests look at, opened once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tui.analysis.index import Index
from tui.analysis.stats import choose
from tui.analysis.table import Table
from tui.analysis.window import make_scope
from tui.output.json_text import values
from tui.output.text_layout import TextLayout
from tui.report import Report, open_report


def table_of(report: Report, name: str, text: str | None = None, **choice: Any) -> Table:
    """The table of the report ``name`` over the scope that the options mean."""
    return choose(name).table(Index(report), make_scope(report, text, **choice))


def rows_of(table: Table) -> list[list[Any]]:
    """The rows of a table as JSON would have them."""
    columns = [values(column, TextLayout(), 0, len(table)) for column in table.columns]
    return [list(row) for row in zip(*columns, strict=True)]


@pytest.fixture(scope="session")
def opened() -> Callable[[Path], Report]:
    """Open a real export, once a session, without touching the user's store."""
    known: dict[Path, Report] = {}

    def report(path: Path) -> Report:
        if path not in known:
            known[path] = open_report(path, use_store=False)
        return known[path]

    return report
