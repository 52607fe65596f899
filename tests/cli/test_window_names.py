"""Every headless answer names the window that it is about: in its text, and as `window.label` in JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.export import Export
from tui.cli import main

GPU = "GPU work"
BOTH = "steps 1-3 + GPU work"
ALL = "everything recorded"


@pytest.fixture(scope="module")
def stepped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three steps of 100 us; the first kernel runs 60 us after the first step begins."""
    export = Export(tmp_path_factory.mktemp("windows") / "stepped.sqlite")
    for step in range(3):
        at = 1_000_000 + 100_000 * step
        export.push_pop(f"train_step {step}", at, at + 99_000)
        export.launch((at + 50_000, at + 55_000), (at + 60_000, at + 95_000))
    export.osrt("read", 0, 5_000)
    return export.write()


@pytest.fixture(scope="module")
def unstepped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    export = Export(tmp_path_factory.mktemp("windows") / "unstepped.sqlite")
    export.launch((0, 10), (20, 500_000))
    export.launch((500_010, 500_020), (700_000, 900_000))
    export.osrt("read", 0, 2_000_000)
    return export.write()


def shown(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main([*map(str, words), "--no-cache"]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("command", ["gaps", "diagnose", "info"])
def test_without_steps(command: str, unstepped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(shown(capsys, command, unstepped, "-f", "json"))["window"]["label"] == GPU
    first = shown(capsys, command, unstepped).splitlines()[:5]
    assert any(GPU in line for line in first)


@pytest.mark.parametrize("command", ["gaps", "steps", "diagnose", "info"])
def test_with_steps(command: str, stepped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    window = json.loads(shown(capsys, command, stepped, "-f", "json"))["window"]
    assert (window["label"], window["start_ns"], window["end_ns"]) == (BOTH, 1_000_000, 1_299_000)
    first = shown(capsys, command, stepped).splitlines()[:5]
    assert any(BOTH in line for line in first)


def test_of_a_frame(stepped: Path, unstepped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"window: {BOTH} 299 us" in shown(capsys, "view", stepped, "--size", "160x20").splitlines()[0]
    assert f"window: {GPU} 900 us" in shown(capsys, "view", unstepped, "--size", "160x20").splitlines()[0]


@pytest.mark.parametrize("words", ["stats -r cuda_gpu_kern_sum", "analyze -r gpu_gaps", "export"])
def test_tables_of_everything(words: str, unstepped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command, *rest = words.split()
    window = json.loads(shown(capsys, command, unstepped, *rest, "-f", "json"))["window"]
    assert (window["label"], window["end_ns"]) == (ALL, 2_000_000)
    assert ALL in shown(capsys, command, unstepped, *rest, "-f", "table")


@pytest.mark.parametrize(
    ("command", "default"),
    [("gaps", "work window"), ("steps", "work window"), ("diagnose", "work window"), ("view", "work window"),
     ("stats", ALL), ("analyze", ALL), ("export", ALL)],
)  # fmt: skip
def test_help_names_the_default(command: str, default: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert f"default: the {default}" in text or f"default: {default}" in text


def test_info_takes_no_range(unstepped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says what is in the file, nothing of a stretch of time; the README says so."""
    assert main(["info", str(unstepped), "--range", "1us/2us"]) == 2
    assert "unrecognized arguments: --range" in capsys.readouterr().err
