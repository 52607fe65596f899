"""`nsystui steps`: its JSON, CSV and text."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import pytest

from tests.analysis.test_gaps_command import document, run
from tests.support.export import Export

NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"


@pytest.fixture
def steps(tmp_path: Path) -> Path:
    """Five steps of 1 ms (the fourth 2 ms) on two devices of one process, with communication."""
    export = Export(tmp_path / "steps.sqlite")
    at = 0
    for i in range(5):
        length = 2_000_000 if i == 3 else 1_000_000
        export.push_pop(f"train_step {i}", at, at + length)
        export.launch((at + 1_000, at + 2_000), (at + 100_000, at + 400_000), name="gemm")
        reduce = export.runtime("cudaLaunchKernelExC_v11060", at + 3_000, at + 4_000)
        name = f"{NCCL}(x)"
        export.kernel(at + 300_000, at + 500_000, corr=reduce, name=name, short=NCCL, stream=9)
        export.launch((at + 5_000, at + 6_000), (at + 600_000, at + 700_000), name="relu", device=1)
        at += length + 1_000
    return export.write()


def test_json_has_the_documented_shape(steps: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, "steps", steps, "--format", "json")
    assert status == 0
    assert "train_step" in err
    found = json.loads(out)
    assert found["step_name"] == "train_step"
    (sequence,) = found["sequences"]
    assert (sequence["pid"], sequence["tid"]) == (100, 1)
    first, fourth = sequence["steps"][0], sequence["steps"][3]
    keys = ("index", "name", "start_ns", "duration_ns", "busy_ns", "idle_ns", "kernels", "launches")
    assert [first[k] for k in keys] == [1, "train_step 0", 0, 1_000_000, 500_000, 500_000, 3, 3]
    assert (first["comm_ns"], first["exposed_comm_ns"]) == (200_000, 100_000)
    assert first["devices"] == [{"device": 0, "busy_ns": 400_000}, {"device": 1, "busy_ns": 100_000}]
    assert (fourth["outlier"], first["outlier"]) == (True, False)
    spread = sequence["spread"]
    assert [spread[k] for k in ("count", "median_ns", "mad_ns", "p95_ns", "outliers")] == [
        5,
        1_000_000,
        0,
        2_000_000,
        [4],
    ]


def test_one_device_alone(steps: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "steps", steps, "--format", "json", "--device", "1")
    first = json.loads(out)["sequences"][0]["steps"][0]
    assert (first["busy_ns"], first["kernels"], first["comm_ns"]) == (100_000, 1, 0)


def test_csv_is_one_row_a_step(steps: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "steps", steps, "--format", "csv")
    assert status == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [r["Step"] for r in rows] == ["1", "2", "3", "4", "5"]
    assert rows[3]["Remark"] == "slow"


def test_text_shows_the_spread(steps: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "steps", steps)
    assert "1.000 ms" in out
    assert "How evenly the steps run" in out


def test_a_range_picks_steps_by_overlap(steps: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "steps", steps, "--format", "json", "--range", "step:2..3")
    assert [s["index"] for s in json.loads(out)["sequences"][0]["steps"]] == [2, 3]
    assert document(capsys, "gaps", steps, "--range", "step:4")["window"]["label"] == "step 4 (train_step 3)"


def test_the_range_chosen_by_name(steps: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, indices in (("train_step 3", [1]), ("train_step", [1, 2, 3, 4, 5]), ("step [12]$", [1, 2])):
        _, out, _ = run(capsys, "steps", steps, "--format", "json", "--step", name)
        assert [s["index"] for s in json.loads(out)["sequences"][0]["steps"]] == indices


def test_a_window_without_a_step_is_exit_code_3(steps: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for form in ("table", "json"):
        status, out, err = run(capsys, "steps", steps, "--range", "1000100/1000900", "--format", form)
        assert (status, out) == (3, "")
        assert "no step 'train_step' in 1000100/1000900" in err


def test_no_steps_is_exit_code_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = Export(tmp_path / "none.sqlite")
    export.kernel(0, 10)
    path = export.write()
    status, out, err = run(capsys, "steps", path)
    assert (status, out) == (3, "")
    assert "no steps found" in err
    status, _, err = run(capsys, "steps", path, "--step", "x")
    assert (status, "'x'" in err) == (3, True)
    status, _, err = run(capsys, "steps", path, "--step", "(")
    assert status in (2, 3)


def test_what_whole_graphs_hide_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = Export(tmp_path / "graph.sqlite")
    for i in range(3):
        export.push_pop(f"step {i}", 1_000 * i, 1_000 * i + 900)
    export.notation("G(0,7,100-800) G(0,7,1100-1800) G(0,7,2100-2800)")
    path = export.write()
    _, out, _ = run(capsys, "steps", path)
    assert "3 graph launches were recorded whole: the kernels and the communication" in " ".join(out.split())
    _, out, _ = run(capsys, "steps", path, "--format", "json")
    found = json.loads(out)
    assert found["sequences"][0]["steps"][0]["busy_ns"] == 700
    assert len(found["notes"]) == 1


def test_steps_fit_a_narrow_terminal(
    steps: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    _, out, _ = run(capsys, "steps", steps)
    assert max(map(len, out.splitlines())) <= 80
    assert "columns left out: Start, Busy, Launches, Comm, Exposed comm" in " ".join(out.split())


def test_the_window_of_all_steps_is_the_work_window(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    export = Export(tmp_path / "early.sqlite")
    for i in range(3):
        at = 1_000_000 * i
        export.push_pop(f"step {i}", at, at + 900_000)
        export.launch((at + 700_000, at + 701_000), (at + 710_000, at + 800_000))
    window = document(capsys, "gaps", export.write(), "--range", "step:1")["window"]
    assert (window["start_ns"], window["end_ns"]) == (0, 900_000)
    _, out, _ = run(capsys, "steps", tmp_path / "early.sqlite", "--format", "json")
    window = json.loads(out)["window"]
    assert (window["start_ns"], window["end_ns"], window["label"]) == (0, 2_900_000, "steps 1-3 + GPU work")


def test_what_was_not_recorded_is_unknown_in_steps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ranges = Export(tmp_path / "ranges.sqlite")
    kernels = Export(tmp_path / "kernels.sqlite")
    for export in (ranges, kernels):
        for i in range(3):
            export.push_pop(f"step {i}", 1_000 * i, 1_000 * i + 900)
    kernels.kernel(100, 300)
    device = ("busy_ns", "idle_ns", "comm_ns", "exposed_comm_ns", "kernels")
    for export, known in ((ranges, None), (kernels, 1)):
        _, out, _ = run(capsys, "steps", export.write(), "--format", "json")
        step = json.loads(out)["sequences"][0]["steps"][0]
        assert [step["launches"], step["kernels"]] == [None, known]
        assert all((step[key] is None) == (known is None) for key in device)


def test_the_last_guessed_step_is_unfinished(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = Export(tmp_path / "guess.sqlite")
    for i in range(6):
        at = 1_000 * i
        export.kernel(at, at + 300, name="first")
        export.kernel(at + 400, at + 500, name="second")
    path = export.write()
    _, out, _ = run(capsys, "steps", path, "--guess", "--format", "json")
    (sequence,) = json.loads(out)["sequences"]
    assert [step["unfinished"] for step in sequence["steps"]] == [False] * 5 + [True]
    assert sequence["spread"]["count"] == 5
    assert sequence["spread"]["outliers"] == []
    status, _, err = run(capsys, "steps", path, "--guess", "--step", "epoch")
    assert (status, "no range is called 'epoch'" in err) == (3, True)
