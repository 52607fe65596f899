"""Reports with metrics, and what the command says of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.export import Export
from tui.cli import main

Document = Callable[..., dict[str, Any]]


@pytest.fixture
def export(tmp_path: Path) -> Export:
    return Export(tmp_path / "report.sqlite")


@pytest.fixture
def document(capsys: pytest.CaptureFixture[str]) -> Document:
    """The JSON that a command prints about an export."""

    def ask(export: Export | Path, *arguments: str, command: str = "metrics") -> dict[str, Any]:
        path = export.write() if isinstance(export, Export) else export
        assert main([command, str(path), *arguments, "-f", "json", "--no-cache"]) == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    return ask
