"""Real exports, opened once a session."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tui.report import Report, open_report


@pytest.fixture(scope="session")
def real_reports(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Report]:
    """Opens a real export, through one store for the session."""
    store = tmp_path_factory.mktemp("store")
    return lambda path: open_report(path, cache_dir=store)
