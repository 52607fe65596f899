"""The peak of memory as a figure of a set of reports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fixtures.memory_rows import allocate, release
from tests.support.export import Export
from tui.cli import main

Capsys = pytest.CaptureFixture[str]


def a_run(path: Path, sizes: tuple[int, ...], *, captured: bool = True) -> str:
    export = Export(path)
    for step in range(6):
        at = 1_000_000 * step
        export.push_pop(f"train_step {step}", at, at + 900_000)
        export.launch((at, at + 1_000), (at + 2_000, at + 800_000))
    if captured:
        export.empty("CUDA_GPU_MEMORY_USAGE_EVENTS")
    for number, size in enumerate(sizes):
        allocate(export, 100 + number, size, 0xA0 + number)
        allocate(export, 100 + number, 10 * size, 0xB0 + number, kind=1)  # of the host: no GPU memory
    if sizes:
        release(export, 5_000, sizes[0], 0xA0)
    return str(export.write())


def peaks(capsys: Capsys, before: str, after: str) -> tuple[object, ...]:
    assert main(["compare", before, after, "--no-cache", "-f", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["metrics"]
    row = next(row for row in rows if row["metric"] == "memory_peak_bytes")
    return row["before"], row["after"]


def test_peaks_are_compared(tmp_path: Path, capsys: Capsys) -> None:
    one, two = a_run(tmp_path / "one.sqlite", (100, 200)), a_run(tmp_path / "two.sqlite", (100, 500))
    assert peaks(capsys, one, two) == (300, 600)


def test_captured_without_rows_is_nothing(tmp_path: Path, capsys: Capsys) -> None:
    none, some = a_run(tmp_path / "none.sqlite", ()), a_run(tmp_path / "some.sqlite", (100,))
    assert peaks(capsys, none, some) == (0, 100)


def test_not_captured_is_unknown(tmp_path: Path, capsys: Capsys) -> None:
    unknown = a_run(tmp_path / "unknown.sqlite", (), captured=False)
    base = tmp_path / "base.json"
    assert main(["baseline", unknown, "--no-cache", "-o", str(base)]) == 0
    assert "memory_peak_bytes" not in base.read_text()
