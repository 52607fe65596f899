"""Opening a .nsys-rep with nsys, and what must not be left where that fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.errors import ReportError
from tui.report import Report, open_report


def exported(path: Path, store: Path, **more: object) -> Report:
    return open_report(path, cache_dir=store, use_nsys=True, **more)  # type: ignore[arg-type]


def failure(path: Path, store: Path, **more: object) -> str:
    """The one line that opening fails with; nothing half-made may be left."""
    with pytest.raises(ReportError) as caught:
        exported(path, store, **more)
    nothing_half_made(store)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def nothing_half_made(store: Path) -> None:
    assert [p.name for p in store.glob("*") if p.suffix not in (".columns", ".lock") and p.is_file()] == []
    assert [p.name for p in store.glob("*") if p.is_dir() and p.name != "exports"] == []


def exports(store: Path) -> list[Path]:
    return sorted(store.glob("exports/*"))
