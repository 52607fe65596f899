"""A capture written down in a line becomes an opened report, read anew."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.export import Export
from tests.support.fake_nsys import FakeNsys, report_at
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


@pytest.fixture
def own_temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The temporary directory of this test."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def nsys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeNsys:
    """An `nsys` on the PATH."""
    fake = FakeNsys(tmp_path)
    monkeypatch.setenv("PATH", f"{fake.folder}:/usr/bin:/bin")
    return fake


@pytest.fixture
def rep(tmp_path: Path) -> Path:
    return report_at(tmp_path / "reports" / "my $(touch x) run.nsys-rep")
