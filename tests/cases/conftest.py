"""A capture written down in a line becomes an opened report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.export import Export
from tui.analysis.index import Index
from tui.analysis.stats import choose
from tui.analysis.window import make_scope
from tui.report import Report, open_report

Capture = Callable[..., Report]


def figures(report: Report, name: str) -> list[dict[str, Any]]:
    """The rows of one statistics report."""
    table = choose(name).table(Index(report), make_scope(report))
    return [dict(zip([c.key for c in table.columns], row, strict=True)) for row in table.rows()]


@pytest.fixture
def capture(tmp_path: Path) -> Capture:
    """``capture("K 0-100, R cudaFree 90-495", unit=1)`` or ``capture(export)``: a report."""

    def opened(what: str | Export, unit: int = 1) -> Report:
        if isinstance(what, str):
            what = Export(tmp_path / "capture.sqlite").notation(what, unit)
        return open_report(what.write(), use_store=False)

    return opened


@pytest.fixture
def export(tmp_path: Path) -> Export:
    """An empty export to say events to."""
    return Export(tmp_path / "capture.sqlite")
