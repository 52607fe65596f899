"""Steps guessed from kernels."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fixtures import registry
from tests.analysis.test_gaps_command import run
from tests.support.export import Export
from tui.analysis.index import Index
from tui.analysis.step_guess import guess_steps
from tui.analysis.step_table import step_rows
from tui.analysis.window import make_scope
from tui.report import open_report


def test_a_kernel_once_a_step_cuts_the_capture(tmp_path: Path) -> None:
    export = Export(tmp_path / "loop.sqlite")
    for i in range(4):
        export.kernel(i, i + 1, name="init")
    for step in range(6):
        at = 1000 * (step + 1)
        for k, name in enumerate(("embed", "layer", "layer", "layer", "loss")):
            export.kernel(at + 100 * k, at + 100 * k + 50, name=name)
    report = open_report(export.write(), use_store=False)
    index = Index(report)
    steps = guess_steps(index)
    assert steps.name == "embed"
    assert "guess" in steps.how
    (rows,) = step_rows(index, steps, make_scope(report))
    assert rows.start.tolist() == [1000, 2000, 3000, 4000, 5000, 6000]
    assert rows.kernels.tolist() == [5] * 6
    assert rows.duration.tolist() == [1000] * 5 + [450]
    assert not steps.mask(3).any()


def test_kernels_without_a_rhythm_give_nothing(tmp_path: Path) -> None:
    export = Export(tmp_path / "noise.sqlite")
    for i in range(60):
        export.kernel(10 * i, 10 * i + 5, name=f"k{(i * i * 7919) % 13 % 5}")
    assert not guess_steps(Index(open_report(export.write(), use_store=False)))


def test_a_training_loop_without_ranges(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bare.sqlite"
    registry.find("fault:no-ranges").build(path)
    status, out, err = run(capsys, "steps", path)
    assert (status, out) == (3, "")
    assert "--guess" in err
    status, out, err = run(capsys, "steps", path, "--guess", "--format", "json")
    assert status == 0
    assert "guess" in err
    (sequence,) = json.loads(out)["sequences"]
    assert len(sequence["steps"]) == 10
    assert sequence["tid"] is None
    assert {s["name"] for s in sequence["steps"]} == {None}
    status, out, _ = run(capsys, "steps", path, "--guess")
    assert "(guess)" in out
