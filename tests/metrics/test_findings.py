"""Findings from metrics: what is wrong is found, and the same report with healthy metrics is not blamed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fixtures import metrics as forms
from fixtures.variants.catalogue import find
from tests.metrics.conftest import Document
from tests.support.export import Export
from tests.support.printed import Printer

US = 1_000
STEP = 10_000 * US
STEPS = 8
PERIOD = 100 * US
TIMES = list(range(PERIOD, STEPS * STEP + 1, PERIOD))
SLUGS = {
    "hollow-busy", "low-clocks", "busy-elsewhere", "bandwidth-bound", "tensor-unused", "link-bound",
    "thin-metrics",
}  # fmt: skip


def _busy(time: int) -> bool:
    """Whether the interval that ends at this time lies in kernel time: the first nine tenths of each step."""
    return (time - PERIOD) % STEP < 0.9 * STEP


@pytest.fixture
def run(tmp_path: Path) -> Export:
    """Steps of 10 ms: a product for 6 ms, a copy-like kernel for 3 ms, nothing for 1 ms."""
    export = Export(tmp_path / "run.sqlite")
    for step in range(STEPS):
        start = step * STEP
        export.push_pop("train_step", start, start + STEP)
        export.launch((start, start + 5), (start, start + 6_000 * US), name="sm80_gemm")
        export.launch(
            (start + 10, start + 15),
            (start + 6_000 * US, start + 9_000 * US),
            name="vectorized_elementwise_kernel",
        )
    export.launch((STEPS * STEP - 10, STEPS * STEP - 5), (STEPS * STEP, STEPS * STEP + 10), name="last")
    return export


def _add(export: Export, **values: Sequence[float]) -> None:
    """Healthy metrics, changed as asked: name of a constant of the fixtures -> a value a time."""
    names = {name: getattr(forms, name.upper()) for name in ("sm_active", "gr_active", "tensor", "clock")}
    names |= {
        name: getattr(forms, name.upper()) for name in ("dram_read", "dram_write", "nvlink_tx", "nvlink_rx")
    }
    healthy = {
        "sm_active": [90 if _busy(t) else 0 for t in TIMES],
        "gr_active": [99 if _busy(t) else 0 for t in TIMES],
        "tensor": [50 if _busy(t) else 0 for t in TIMES],
        "clock": [1_980_000_000] * len(TIMES),
        "dram_read": [30 if _busy(t) else 0 for t in TIMES],
        "dram_write": [10 if _busy(t) else 0 for t in TIMES],
        "nvlink_tx": [0] * len(TIMES),
        "nvlink_rx": [0] * len(TIMES),
    } | values
    forms.gpu_metrics(export, TIMES, {names[name]: samples for name, samples in healthy.items()})


def _found(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {f["fault"]: f for f in document["findings"] if f["fault"] in SLUGS}


@pytest.fixture
def diagnosed(document: Document, monkeypatch, capsys, tmp_path: Path):
    """The findings from metrics; every value is in what its command prints, every figure in its text."""

    def ask(export: Export) -> dict[str, dict[str, Any]]:
        found = _found(document(export, command="diagnose"))
        printer = Printer(monkeypatch, capsys, tmp_path / "store")
        for finding in found.values():
            for evidence in finding["evidence"]:
                assert str(evidence["value"]) in printer.printed(evidence["command"], "json"), evidence
        return found

    return ask


def test_healthy_metrics_are_no_finding(run: Export, diagnosed) -> None:
    _add(run)
    assert diagnosed(run) == {}


def test_without_metrics_nothing_is_claimed(run: Export, document: Document) -> None:
    found = document(run, command="diagnose")
    assert _found(found) == {}
    (unknown,) = [n for n in found["not_assessable"] if n["fault"] == "hollow-busy"]
    assert "no GPU metrics" in unknown["reason"] and "--gpu-metrics-devices=all" in unknown["capture"]
    assert {"hollow-busy", *unknown["also"]} == SLUGS
    assert not SLUGS & set(found["not_found"])


def test_hollow_busy(run: Export, diagnosed) -> None:
    _add(run, sm_active=[34 if _busy(t) else 0 for t in TIMES])
    finding = diagnosed(run)["hollow-busy"]
    # 66 % of 72 ms.
    assert finding["evidence"][0]["value"] == 47_520_007
    assert abs(finding["cost_ns"] - 47_520_000) < 100
    assert [e["value"] for e in finding["evidence"][1:]] == [34.0, 34.0]


def test_mostly_idle_is_not_hollow_busy(run: Export, diagnosed) -> None:
    """Where kernels run for less than half of the time, idle time is what matters."""
    for row in run.rows["CUPTI_ACTIVITY_KIND_KERNEL"]:
        row["end"] = row["start"] + (row["end"] - row["start"]) // 3
    _add(run, sm_active=[20] * len(TIMES))
    assert "hollow-busy" not in diagnosed(run)


@pytest.mark.parametrize(
    ("power", "temperature", "words"),
    [
        (lambda low: 698 if low else 640, lambda low: 70, "power"),
        (lambda low: 600 if low else 690, lambda low: 85 if low else 70, "heat"),
        (lambda low: 600 if low else 690, lambda low: 70, "not recorded"),
    ],
)
def test_low_clocks_and_why(run: Export, diagnosed, power: Any, temperature: Any, words: str) -> None:
    half = STEPS * STEP // 2
    _add(run, clock=[1_584_000_000 if t > half else 1_980_000_000 for t in TIMES])
    every = [STEP // 2 * i for i in range(1, 2 * STEPS + 1)]
    low = [t > half for t in every]
    samples = {"Power": [power(one) for one in low], "GPU Temperature": [temperature(one) for one in low]}
    forms.json_events(run, every, samples, forms.type_id(source=5))
    finding = diagnosed(run)["low-clocks"]
    assert "20 % below" in finding["title"] and "50 % of kernel time" in finding["title"]
    assert words in finding["title"]
    # A fifth of the second half's 36 ms.
    assert abs(finding["cost_ns"] - 7_200_000) < 100


def test_a_clock_that_falls_while_idle_is_fine(run: Export, diagnosed) -> None:
    _add(run, clock=[1_980_000_000 if _busy(t) else 345_000_000 for t in TIMES])
    assert diagnosed(run) == {}


def test_low_clocks_and_slower_kernels_are_charged_once(run: Export, document: Document) -> None:
    _add(run, clock=[1_584_000_000 if t > STEPS * STEP // 2 else 1_980_000_000 for t in TIMES])
    found = document(run, command="diagnose")
    charged = [f["cost_ns"] for f in found["findings"] if f["cost_ns"]]
    assert sum(charged) <= found["device_ns"] if "device_ns" in found else True
    assert "low-clocks" in _found(found)


def test_busy_elsewhere(run: Export, diagnosed) -> None:
    _add(run, gr_active=[99] * len(TIMES))
    finding = diagnosed(run)["busy-elsewhere"]
    # 1 ms in each of 8 steps, in whole samples.
    assert finding["evidence"][0]["value"] == 8_000_000
    assert finding["confidence"] == "medium"


def test_a_little_activity_in_idle_time_is_nobody_elses(run: Export, diagnosed) -> None:
    _add(run, gr_active=[99 if _busy(t) else 5 for t in TIMES])
    assert diagnosed(run) == {}


def test_bandwidth_bound_class(run: Export, diagnosed) -> None:
    second = [6_000 * US <= (t - PERIOD) % STEP < 9_000 * US for t in TIMES]
    _add(run, dram_read=[50 if s else 20 for s in second], dram_write=[25 if s else 5 for s in second])
    finding = diagnosed(run)["bandwidth-bound"]
    assert finding["title"].startswith("elementwise is bound by memory bandwidth: 75 % of its peak")
    assert finding["evidence"][0]["value"] == 75.0
    assert finding["cost_ns"] == 24_000_000


def test_tensor_pipe_unused(run: Export, diagnosed) -> None:
    _add(run, tensor=[3 if _busy(t) else 0 for t in TIMES])
    finding = diagnosed(run)["tensor-unused"]
    assert finding["title"].startswith("matrix products leave the tensor pipe idle: 3.0 % active")
    assert finding["cost_ns"] == 48_000_000


def test_link_bound(run: Export, diagnosed) -> None:
    """A collective alone on the device for 0.8 ms a step, over a link that is full meanwhile."""
    for step in range(STEPS):
        start = step * STEP
        run.launch(
            (start + 20, start + 25), (start + 9_000 * US, start + 9_800 * US), name="ncclDevKernel_AllReduce"
        )
    alone = [9_000 * US <= (t - PERIOD) % STEP < 9_800 * US for t in TIMES]
    _add(run, nvlink_tx=[88 if one else 0 for one in alone])
    finding = diagnosed(run)["link-bound"]
    assert finding["title"].startswith("NVLink is full while transfers run alone, for 6.400 ms")
    assert finding["cost_ns"] == 6_400_000


def test_an_inactive_link_is_not_full(run: Export, diagnosed) -> None:
    for step in range(STEPS):
        start = step * STEP
        run.launch(
            (start + 20, start + 25), (start + 9_000 * US, start + 9_800 * US), name="ncclDevKernel_AllReduce"
        )
    _add(run, nvlink_tx=[100] * len(TIMES), nvlink_rx=[100] * len(TIMES))
    assert diagnosed(run) == {}


def test_metrics_of_a_part_of_the_run_prove_nothing(run: Export, diagnosed) -> None:
    """A fifth of the window is covered: no finding but that."""
    few = len(TIMES) // 5
    forms.gpu_metrics(run, TIMES[:few], {forms.SM_ACTIVE: [20] * few, forms.GR_ACTIVE: [99] * few})
    found = diagnosed(run)
    assert set(found) == {"thin-metrics"}
    assert found["thin-metrics"]["evidence"][0]["value"] == 20.0


def test_too_few_samples(run: Export, diagnosed) -> None:
    forms.gpu_metrics(run, [STEP * 2, STEP * 4, STEP * 6, STEP * 8], {forms.SM_ACTIVE: [20] * 4})
    assert set(diagnosed(run)) == {"thin-metrics"}


def test_slower_kernels_are_evidence_for_the_clock(tmp_path: Path, document: Document) -> None:
    """The same kernels take longer as the clock falls: one finding, with what either sees."""
    path = tmp_path / "variant.sqlite"
    find("low-clocks-00-power").build(path)
    found = document(path, command="diagnose")
    assert [f["fault"] for f in found["findings"]] == ["low-clocks"]
    (finding,) = found["findings"]
    slower = [e for e in finding["evidence"] if e["unit"] == "x"]
    assert len(slower) == 1 and "--only low-clocks" in slower[0]["command"]
    (alone,) = document(path, "--only", "low-clocks", command="diagnose")["findings"]
    assert slower[0]["value"] in [e["value"] for e in alone["evidence"]]
