"""Findings about memory, unified memory and other tenants: when they are made, and what they cost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fixtures.memory_rows import EVICTION, UM_DTOH, allocate, context, gpu_faults, migrate, release
from fixtures.variants.memory import of_memory
from tests.support.export import Export
from tests.support.printed import Printer, figures, shows
from tui.cli import main

Capsys = pytest.CaptureFixture[str]
US, MS, MB = 1_000, 1_000_000, 10**6
CAPACITY = 84_942_979_072


def diagnosis(path: Path, capsys: Capsys) -> dict[str, Any]:
    assert main(["diagnose", str(path), "--no-cache", "-f", "json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def named(found: dict[str, Any], fault: str, where: str = "findings") -> dict[str, Any] | None:
    return next((finding for finding in found[where] if finding["fault"] == fault), None)


def steady(path: Path, steps: int = 12) -> Export:
    """Steps of 10 ms that keep the device busy."""
    export = Export(path)
    export.device()
    for step in range(steps):
        at = 10 * MS * step
        export.push_pop(f"train_step {step}", at, at + 10 * MS)
        for k in range(10):
            export.launch(
                (at + k * 10 * US, at + k * 10 * US + US), (at + k * MS + 100 * US, at + (k + 1) * MS)
            )
    return export


@pytest.mark.parametrize(("kept", "found"), [(84_942_979, False), (84_942_980, True), (500 * MB, True)])
def test_memory_grows(tmp_path: Path, capsys: Capsys, kept: int, found: bool) -> None:
    """A thousandth of the GPU a step is the limit: 84,942,979.072 bytes."""
    export = steady(tmp_path / "capture.sqlite")
    allocate(export, 10, 20_000 * MB, 1)
    for step in range(12):
        allocate(export, 10 * MS * step + 5 * MS, kept, 100 + step)
    finding = named(diagnosis(export.write(), capsys), "memory-growth")
    assert (finding is not None) is found
    if finding is not None:
        assert finding["evidence"][0]["text"] == f"GPU 0 has {kept:,} B more in use at each step"
        assert finding["cost_ns"] is None


def test_memory_that_grows_at_first_or_of_nine_steps_does_not_grow(tmp_path: Path, capsys: Capsys) -> None:
    export = steady(tmp_path / "capture.sqlite", 20)
    for step in range(5):
        allocate(export, 10 * MS * step + 5 * MS, 900 * MB, 100 + step)
    assert named(diagnosis(export.write(), capsys), "memory-growth") is None
    half = steady(tmp_path / "half.sqlite", 12)
    for step in range(7):
        allocate(half, 10 * MS * step + 5 * MS, 900 * MB, 100 + step)
    assert named(diagnosis(half.write(), capsys), "memory-growth") is None
    few = steady(tmp_path / "few.sqlite", 9)
    for step in range(9):
        allocate(few, 10 * MS * step + 5 * MS, 900 * MB, 100 + step)
    assert named(diagnosis(few.write(), capsys), "memory-growth") is None


@pytest.mark.parametrize(("share", "found"), [(0.949, False), (0.951, True)])
def test_memory_is_full(tmp_path: Path, capsys: Capsys, share: float, found: bool) -> None:
    export = steady(tmp_path / "capture.sqlite")
    allocate(export, 10, int(share * CAPACITY), 1)
    finding = named(diagnosis(export.write(), capsys), "memory-full")
    assert (finding is not None) is found
    assert finding is None or finding["title"] == "memory on GPU 0 is 95 % full at its peak"


def test_an_unknown_capacity_is_never_full(tmp_path: Path, capsys: Capsys) -> None:
    export = steady(tmp_path / "capture.sqlite")
    allocate(export, 10, CAPACITY, 1)
    export.drop("TARGET_INFO_GPU")
    assert named(diagnosis(export.write(), capsys), "memory-full") is None


def test_allocations_in_steps_that_cost_nothing_are_checked(tmp_path: Path, capsys: Capsys) -> None:
    export = steady(tmp_path / "capture.sqlite")
    for step in range(12):
        at = 10 * MS * step
        allocate(export, at + MS, 64 * MB, 1)
        release(export, at + 2 * MS, 64 * MB, 1)
    found = diagnosis(export.write(), capsys)
    assert named(found, "repeated-allocations") is None
    checked = named(found, "repeated-allocations", "checked")
    assert checked is not None
    assert checked["title"] == "memory is allocated and released in 12 of 12 steps: 12 times 64.0 MB"
    assert named(found, "allocator-churn") is None


def test_allocations_that_cost_are_one_finding(tmp_path: Path, capsys: Capsys) -> None:
    """The calls that keep the device idle are charged once, with both as evidence."""
    export = Export(tmp_path / "capture.sqlite")
    export.device()
    for step in range(12):
        at = 10 * MS * step
        export.push_pop(f"train_step {step}", at, at + 10 * MS)
        export.launch((at, at + US), (at + 10 * US, at + 4 * MS))
        call = export.runtime("cudaMalloc_v3020", at + 4 * MS, at + 6 * MS)
        allocate(export, at + 4 * MS, 64 * MB, 1, corr=call)
        release(export, at + 9 * MS, 64 * MB, 1)
        export.launch((at + 6 * MS, at + 6 * MS + US), (at + 6 * MS + 10 * US, at + 10 * MS))
    found = diagnosis(export.write(), capsys)
    finding = named(found, "allocator-churn")
    assert finding is not None
    assert finding["cost_ns"] == 12 * (2 * MS + 10 * US)  # with the launch latency after the call
    assert any(e["text"] == "process 100 allocates 12 times in the window" for e in finding["evidence"])
    assert named(found, "repeated-allocations") is None
    assert named(found, "repeated-allocations", "checked") is None


@pytest.mark.parametrize(("waited", "found"), [(40, False), (60, True)])
def test_kernels_wait_for_pages(tmp_path: Path, capsys: Capsys, waited: int, found: bool) -> None:
    """Of a millisecond of kernels so many microseconds: five percent are worth a finding."""
    export = steady(tmp_path / "capture.sqlite")
    for step in range(12):
        for k in range(10):
            at = 10 * MS * step + k * MS + 200 * US
            gpu_faults(export, at, at + waited * 900, 2)
            migrate(export, at, at + waited * 450)
    finding = named(diagnosis(export.write(), capsys), "unified-faults")
    assert (finding is not None) is found
    if finding is not None:
        assert finding["cost_ns"] == 120 * waited * 900
        assert finding["title"] == "kernels wait for pages of unified memory in 6 % of their time"


def test_what_the_host_faulted_on_holds_no_kernel_up(tmp_path: Path, capsys: Capsys) -> None:
    export = steady(tmp_path / "capture.sqlite")
    for step in range(12):
        migrate(export, 10 * MS * step + MS, 10 * MS * step + 9 * MS, kind=UM_DTOH)
    assert named(diagnosis(export.write(), capsys), "unified-faults") is None


def test_evictions(tmp_path: Path, capsys: Capsys) -> None:
    export = steady(tmp_path / "capture.sqlite")
    for step in range(10):
        at = 10 * MS * step + 3 * MS
        migrate(export, at, at + 5 * US, kind=UM_DTOH, cause=EVICTION)
    finding = named(diagnosis(export.write(), capsys), "unified-eviction")
    assert finding is not None
    assert finding["evidence"][0]["text"] == "10 evictions of 655,360 B"


def test_another_tenant(tmp_path: Path, capsys: Capsys) -> None:
    """The second kernel of each step is launched at once and waits 3 ms for another process."""
    export = Export(tmp_path / "capture.sqlite")
    export.device()
    for step in range(12):
        at = 10 * MS * step
        export.push_pop(f"train_step {step}", at, at + 10 * MS)
        export.launch((at, at + US), (at + 10 * US, at + 4 * MS))
        export.launch((at + 2 * US, at + 3 * US), (at + 7 * MS, at + 10 * MS))
        context(export, at, at + 4 * MS, 1)
        context(export, at + 4 * MS, at + 7 * MS, 2, pid=900)
        context(export, at + 7 * MS, at + 10 * MS, 1)
    finding = named(diagnosis(export.write(), capsys), "other-tenant")
    assert finding is not None
    assert finding["cost_ns"] == 12 * 3 * MS
    assert finding["confidence"] == "high"
    export.drop("GPU_CONTEXT_SWITCH_EVENTS")
    assert named(diagnosis(export.write(), capsys), "other-tenant") is None


def test_reports_without_these_tables_say_nothing_of_them(tmp_path: Path, capsys: Capsys) -> None:
    found = diagnosis(steady(tmp_path / "capture.sqlite").write(), capsys)
    told = {item["fault"] for item in found["not_assessable"]}
    assert not told & {
        "memory-growth",
        "memory-full",
        "repeated-allocations",
        "unified-faults",
        "other-tenant",
    }


@pytest.mark.parametrize("variant", [v for v in of_memory() if v.name.endswith(("0", "-01", "-01-traced"))],
                         ids=lambda v: v.name)  # fmt: skip
def test_commands_print_the_figures(
    variant: Any, tmp_path: Path, capsys: Capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    variant.build(tmp_path / "variant.sqlite")
    printer = Printer(monkeypatch, capsys, tmp_path)  # type: ignore[no-untyped-call]
    command = f"nsystui diagnose {tmp_path / 'variant.sqlite'}"
    said = json.loads(printer.printed(command, "json"))
    for finding in [*said["findings"], *said["checked"]]:
        for evidence in finding["evidence"]:
            if evidence["value"] is not None:
                assert evidence["value"] in printer.numbers(evidence["command"]), evidence
            for figure in figures(evidence["text"]):  # type: ignore[no-untyped-call]
                assert shows(printer.text(evidence["command"]), figure), (figure, evidence)
