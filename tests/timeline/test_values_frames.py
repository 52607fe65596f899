"""Frames with lanes of values of every kind, kept as text and looked at by people.

`UPDATE_GOLDENS=1 pytest tests/timeline/test_values_frames.py` writes them anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.app.conftest import training
from tests.support import values
from tui.cli import main

GOLDENS = Path(__file__).parent / "goldens"
FRAMES = {
    "values-folded-160x48": ["--size", "160x48"],
    "values-160x48": ["--size", "160x48", "--unfold"],
    "values-80x24": ["--size", "80x24", "--unfold", "--lanes", "gpu0,cpu"],
    "values-80x24-ascii": ["--size", "80x24", "--unfold", "--lanes", "gpu0,cpu", "--ascii", "--legend"],
}


@pytest.mark.parametrize("name", FRAMES)
def test_frame(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    values.install(monkeypatch)
    export = training(tmp_path / "values.sqlite")
    assert main(["view", str(export), *FRAMES[name], "--no-cache"]) == 0
    drawn = capsys.readouterr().out
    golden = GOLDENS / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDENS"):
        golden.write_text(drawn, "utf-8")
    assert drawn.splitlines() == golden.read_text("utf-8").splitlines()
