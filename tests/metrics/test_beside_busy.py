"""What metrics add to gaps, steps and classes: beside busy, never instead."""

from __future__ import annotations

import pytest

from fixtures import metrics as forms
from tests.metrics.conftest import Document
from tests.support.export import Export
from tui.cli import main


def test_ninety_one_percent_busy_and_hollow(export: Export, document: Document) -> None:
    """91 % busy, SMs 34 % active in it: 0.91 * 0.66 of the window is hollow."""
    export.kernel(0, 9_100)
    export.kernel(10_000, 10_000)
    times = list(range(100, 10_001, 100))
    values = [34 if t <= 9_100 else 0 for t in times]
    forms.gpu_metrics(
        export, times, {forms.SM_ACTIVE: values, forms.GR_ACTIVE: [90] * 91 + [4, 60] + [0] * 7}
    )
    (device,) = document(export, command="gaps")["devices"]
    assert (device["busy_pct"], device["sm_active_busy_pct"]) == (91.0, 34.0)
    assert (device["hollow_ns"], device["hollow_pct"]) == (6_006, 60.06)
    assert device["busy_elsewhere_ns"] == 100
    assert [gap["busy_elsewhere_ns"] for gap in device["gaps"]] == [100]


def test_unknown_where_it_was_not_captured(export: Export, document: Document) -> None:
    export.kernel(0, 100)
    export.kernel(1_000, 1_100)
    (device,) = document(export, command="gaps")["devices"]
    names = ("sm_active_busy_pct", "hollow_ns", "hollow_pct", "busy_elsewhere_ns")
    assert [device[name] for name in names] == [None] * 4
    assert device["gaps"][0]["busy_elsewhere_ns"] is None


def test_few_samples_are_unknown(export: Export, document: Document) -> None:
    export.kernel(0, 300)
    export.kernel(10_000, 10_000)
    times = list(range(100, 10_001, 100))
    forms.gpu_metrics(export, times, {forms.SM_ACTIVE: [50] * 100})
    (device,) = document(export, command="gaps")["devices"]
    assert (device["sm_active_busy_pct"], device["hollow_ns"]) == (None, None)


def test_a_sample_that_touches_busy_time_is_nobody_elses(export: Export, document: Document) -> None:
    """Work of other processes, of other APIs and what was launched unseen are no idle time."""
    export.kernel(0, 150)
    export.kernel(1_050, 2_000)
    export.kernel(500, 600, pid=200)
    times = list(range(100, 2_001, 100))
    forms.gpu_metrics(export, times, {forms.GR_ACTIVE: [99] * 20})
    (device,) = document(export, "--process", "100", command="gaps")["devices"]
    # Idle of both processes: 150 to 500, 600 to 1,050. Whole samples in them: 200 to 500, 600 to 1,000.
    assert device["busy_elsewhere_ns"] == 700


def test_steps_have_hollow_time(
    export: Export, document: Document, capsys: pytest.CaptureFixture[str]
) -> None:
    for step in range(3):
        export.push_pop("train_step", step * 2_000, step * 2_000 + 2_000)
        export.launch((step * 2_000, step * 2_000), (step * 2_000, step * 2_000 + 1_000))
    times = list(range(100, 6_001, 100))
    forms.gpu_metrics(
        export, times, {forms.SM_ACTIVE: [(80, 50, 20)[min((t - 1) // 2_000, 2)] for t in times]}
    )
    (sequence,) = document(export, command="steps")["sequences"]
    assert [step["hollow_ns"] for step in sequence["steps"]] == [200, 500, 800]
    assert main(["steps", str(export.path), "--no-cache", "-f", "csv"]) == 0
    assert "Hollow (ns)" in capsys.readouterr().out.splitlines()[0]
    export.drop("GPU_METRICS", "TARGET_INFO_GPU_METRICS")
    (sequence,) = document(export, command="steps")["sequences"]
    assert [step["hollow_ns"] for step in sequence["steps"]] == [None] * 3
    assert main(["steps", str(export.path), "--no-cache", "-f", "csv"]) == 0
    assert "Hollow" not in capsys.readouterr().out


def test_classes_have_means_of_what_ran_alone(export: Export, document: Document) -> None:
    export.kernel(0, 1_000, name="gemm_a")
    export.kernel(1_000, 2_000, name="vectorized_elementwise_kernel")
    export.kernel(2_000, 2_300, name="softmax")
    export.kernel(0, 2_000, name="gemm_b", device=1)
    times = list(range(100, 2_301, 100))
    first = {
        forms.SM_ACTIVE: [90] * 10 + [70] * 13,
        forms.TENSOR: [80] * 10 + [0] * 13,
        forms.DRAM_READ: [10] * 10 + [50] * 13,
        forms.DRAM_WRITE: [5] * 10 + [30] * 13,
    }
    forms.gpu_metrics(export, times, first)
    forms.gpu_metrics(export, times, {forms.SM_ACTIVE: [60] * 20 + [0] * 3}, gpu=1)
    rows = {row["class"]: row for row in document(export, command="classes")["rows"]}
    gemm, wise, few = (rows[name] for name in ("gemm", "elementwise", "softmax"))
    # Ten samples of device 0 at 90 %, twenty of device 1 at 60 %.
    assert (gemm["sm_active"], gemm["tensor_active"], gemm["dram"]) == (70.0, 80.0, 15.0)
    assert gemm["hint"] == "tensor bound"
    assert (wise["sm_active"], wise["dram"], wise["hint"]) == (70.0, 80.0, "memory bandwidth bound")
    assert (few["sm_active"], few["dram"], few["hint"]) == (None, None, None)
    export.drop("GPU_METRICS")
    assert "sm_active" not in document(export, command="classes")["rows"][0]
