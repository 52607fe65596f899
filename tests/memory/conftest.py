"""Captures of memory, made in a few lines and opened anew."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.export import Export
from tui.analysis.index import Index
from tui.cli import main
from tui.report import open_report

Answer = Callable[..., dict[str, Any]]
"""Runs a command on a file and returns its JSON."""


@pytest.fixture
def export(tmp_path: Path) -> Export:
    """An empty export to say events to."""
    return Export(tmp_path / "capture.sqlite")


@pytest.fixture
def answer(capsys: pytest.CaptureFixture[str]) -> Answer:
    """``answer("memory", path, "--at", "peak")``: its JSON."""

    def run(command: str, path: Path, *options: str) -> dict[str, Any]:
        assert main([command, str(path), "--no-cache", "-f", "json", *options]) == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    return run


def index_of(path: Path) -> Index:
    """The index of a report that is opened without a store."""
    return Index(open_report(path, use_store=False))
