"""A capture written down in a line becomes an opened report, read anew."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.export import Export
from tui.report import Report, open_report

Opened = Callable[..., Report]


@pytest.fixture
def export(tmp_path: Path) -> Export:
    """An empty export to say events to."""
    return Export(tmp_path / "capture.sqlite")


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    """``opened("K 0-100")`` or ``opened(export)``: the report."""

    def of(what: str | Export) -> Report:
        if isinstance(what, str):
            what = Export(tmp_path / "capture.sqlite").notation(what)
        return open_report(what.write(), use_store=False)

    return of


@pytest.fixture
def store_dir(tmp_path: Path) -> Path:
    """Where a store may be made."""
    return tmp_path / "store"
