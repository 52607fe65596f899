"""Metrics by kernel, class, step, NVTX range and gap; hints."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures import metrics as forms
from tests.metrics.conftest import Document
from tests.support.export import Export
from tui.analysis.metrics.hints import Thresholds, hint, thresholds
from tui.cli import main
from tui.errors import UsageError

US = 1_000
WAITING: dict[str, float | None] = {
    "sm_active": 60.0,
    "sm_issue": 24.9,
    "dram_read": 39.0,
    "dram_write": 0.9,
    "tensor_active": 29.9,
}


def test_the_worked_example(export: Export, document: Document) -> None:
    """A kernel of 250 us, values 80, 60, 20 at 100, 200, 300 us: mixed 60, pure 70 of two samples."""
    export.kernel(0, 250 * US, name="gemm")
    forms.gpu_metrics(export, [100 * US, 200 * US, 300 * US], {forms.SM_ACTIVE: [80, 60, 20]})
    (row,) = document(export, "--by", "kernel")["rows"]
    assert (row["name"], row["n_pure"], row["pure_mean"], row["mixed_mean"]) == ("gemm", 2, None, 60.0)


def test_three_instances_are_enough(export: Export, document: Document) -> None:
    for start in (0, 300, 600):
        export.kernel(start * US, (start + 250) * US, name="gemm")
    times = [100 * US * i for i in range(1, 10)]
    forms.gpu_metrics(export, times, {forms.SM_ACTIVE: [80, 60, 20] * 3})
    (row,) = document(export, "--by", "kernel")["rows"]
    assert (row["n_pure"], row["pure_mean"], row["mixed_mean"], row["samples"]) == (6, 70.0, 60.0, 9)


def test_a_sample_beside_another_kernel_is_of_neither(export: Export, document: Document) -> None:
    export.kernel(0, 1_000, name="gemm")
    export.kernel(250, 350, name="relu", stream=9, pid=200)
    export.kernel(500, 500, name="nothing", stream=9)
    forms.gpu_metrics(export, list(range(100, 1_001, 100)), {forms.SM_ACTIVE: [50, 50, 9, 9, *[50] * 6]})
    rows = {row["name"]: row for row in document(export, "--by", "kernel")["rows"]}
    assert (rows["gemm"]["n_pure"], rows["gemm"]["pure_mean"], rows["gemm"]["mixed_mean"]) == (8, 50.0, 41.8)
    assert (rows["relu"]["n_pure"], rows["relu"]["mixed_mean"]) == (0, 9.0)
    assert set(rows) == {"gemm", "relu"}


def test_kernels_of_one_name_back_to_back_are_one_stretch(export: Export, document: Document) -> None:
    for start in range(0, 1_000, 50):
        export.kernel(start, start + 50, name="gemm")
    forms.gpu_metrics(export, list(range(100, 1_001, 100)), {forms.SM_ACTIVE: [50] * 10})
    assert [row["n_pure"] for row in document(export, "--by", "kernel")["rows"]] == [10]
    assert [row["n_pure"] for row in document(export, "--by", "class")["rows"]] == [10]


def test_by_class_joins_names(export: Export, document: Document) -> None:
    for at in range(5):
        export.kernel(at * 200, at * 200 + 100, name=f"gemm_{at}")
        export.kernel(at * 200 + 100, at * 200 + 200, name="flash_fwd")
    forms.gpu_metrics(export, list(range(100, 1_001, 100)), {forms.TENSOR: [90, 10] * 5})
    rows = {row["name"]: row for row in document(export, "--by", "class")["rows"]}
    assert (rows["gemm"]["pure_mean"], rows["gemm"]["hint"]) == (90.0, "tensor bound")
    assert (rows["attention"]["pure_mean"], rows["attention"]["hint"]) == (10.0, None)


def test_by_step_and_range(export: Export, document: Document) -> None:
    for step in range(4):
        export.push_pop("train_step", step * 1_000, step * 1_000 + 1_000)
        export.push_pop("forward", step * 1_000, step * 1_000 + 400)
    export.kernel(0, 4_000)
    times = list(range(100, 4_001, 100))
    forms.gpu_metrics(
        export, times, {forms.SM_ACTIVE: [80 if t % 1_000 <= 400 and t % 1_000 else 10 for t in times]}
    )
    steps = document(export, "--by", "step")["rows"]
    assert [(row["name"], row["mixed_mean"], row["samples"]) for row in steps] == [
        (f"step {number}", 38.0, 10) for number in range(1, 5)
    ]
    ranges = {row["name"]: row for row in document(export, "--by", "nvtx")["rows"]}
    assert (ranges["forward"]["mixed_mean"], ranges["forward"]["n_pure"]) == (80.0, 16)
    assert ranges["train_step"]["mixed_mean"] == 38.0


def test_by_gap(export: Export, document: Document) -> None:
    export.kernel(0, 1_000)
    export.kernel(2_000_000, 2_001_000)
    forms.gpu_metrics(export, list(range(100_000, 2_000_001, 100_000)), {forms.GR_ACTIVE: [40] * 20})
    (row,) = document(export, "--by", "gap")["rows"]
    assert (row["name"], row["mixed_mean"], row["n_pure"]) == ("gap 1", 40.0, 19)


def test_a_link_that_reads_full_throughout_is_unknown(export: Export, document: Document) -> None:
    export.kernel(0, 1_000)
    times = list(range(100, 1_001, 100))
    forms.gpu_metrics(export, times, {forms.NVLINK_RX: [100] * 10, forms.NVLINK_TX: [100, *[0] * 9]})
    found = document(export)
    assert [(row["key"], row["mean"]) for row in found["rows"]] == [("nvlink_rx", None), ("nvlink_tx", 10.0)]
    assert any("inactive links" in note for note in found["notes"])
    assert document(export, "--by", "kernel")["rows"][0]["hint"] is None


@pytest.mark.parametrize(
    ("means", "found"),
    [
        ({"tensor_active": 60.0, "sm_active": 20.0}, "tensor bound"),
        ({"tensor_active": 59.9, "dram_read": 30.0, "dram_write": 30.0}, "memory bandwidth bound"),
        ({"sm_active": 49.9, "dram_read": 59.9, "dram_write": 0.0}, "does not fill the GPU"),
        (WAITING, "latency bound"),
        (WAITING | {"sm_issue": 25.0}, None),
        (WAITING | {"dram_read": None}, None),
        ({"sm_active": 80.0, "nvlink_tx": 60.0}, "link bound"),
        ({"sm_active": 80.0, "pcie_rx": 61.0, "nvlink_tx": None}, "link bound"),
        ({}, None),
    ],
)  # fmt: skip
def test_hints(means: dict[str, float | None], found: str | None) -> None:
    assert hint(means) == found


def test_thresholds_of_the_config_file(
    export: Export, document: Document, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "nsystui").mkdir()
    config = tmp_path / "nsystui" / "config.toml"
    config.write_text("[metrics]\ntensor_bound = 90\n")
    export.kernel(0, 1_000)
    forms.gpu_metrics(export, list(range(100, 1_001, 100)), {forms.TENSOR: [80] * 10})
    path = export.write()
    assert document(path, "--by", "kernel")["rows"][0]["hint"] is None
    assert document(path, command="classes")["rows"][0]["hint"] is None
    config.write_text("[metrics]\ntensor_bound = 'x'\n")
    for command in (["metrics", str(path), "--by", "kernel"], ["classes", str(path)]):
        assert main([*command, "--no-cache"]) == 2
        said = capsys.readouterr().err
        assert said == f"nsystui: {config}: [metrics] tensor_bound = 'x' is no number from 0 to 100\n"
    assert thresholds({"tensor_bound": 70}) == Thresholds(tensor_bound=70.0)
    for wrong in ({"tensor": 1}, {"tensor_bound": "x"}, {"tensor_bound": 101}, {"tensor_bound": True}):
        with pytest.raises(UsageError):
            thresholds(wrong)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--by", "kernel", "--samples"], "goes without --by"),
        (["--every", "1ms"], "goes with --samples"),
        (["--samples", "--every", "0"], "no time to step by"),
        (["--samples", "--every", "x"], "no time such as"),
        (["--top", "-1"], "is negative"),
        (["--metric", "nothing"], "no metric 'nothing'; there are sm_active"),
        (["--samples", "--every", "1ns", "--range", "/"], "a longer --every"),
    ],
)
def test_wrong_options(
    export: Export, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    export.kernel(0, 2_000_000)
    forms.gpu_metrics(export, list(range(100, 1_001, 100)), {forms.SM_ACTIVE: [80] * 10})
    assert main(["metrics", str(export.write()), "--no-cache", *arguments]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("by", ["step", "nvtx", "gap"])
def test_nothing_to_divide_by(export: Export, capsys: pytest.CaptureFixture[str], by: str) -> None:
    export.kernel(0, 2_000)
    forms.gpu_metrics(export, list(range(100, 1_001, 100)), {forms.SM_ACTIVE: [80] * 10})
    assert main(["metrics", str(export.write()), "--no-cache", "--by", by]) == 3
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_names_that_nobody_can_trust(export: Export, capsys: pytest.CaptureFixture[str]) -> None:
    export.kernel(0, 1_000)
    forms.gpu_metrics(export, list(range(100, 1_001, 100)), {"[red]\x1b[31mx\n [\x07]": [80] * 10})
    assert main(["metrics", str(export.write()), "--no-cache"]) == 0
    assert "\x1b" not in (out := capsys.readouterr().out) and "\x07" not in out
    assert main(["metrics", str(export.path), "--no-cache", "-f", "csv"]) == 0
