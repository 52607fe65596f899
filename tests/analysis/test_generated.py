"""Generated captures of known truth: every figure as the generator decided it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from fixtures import registry
from fixtures.truth import Truth
from tui.analysis.busy import communication
from tui.analysis.idle import IdleChoices, idle_time, short_classes
from tui.analysis.index import Index
from tui.analysis.phases import Phase
from tui.analysis.step_table import step_rows
from tui.analysis.steps import find_steps
from tui.analysis.window import make_scope
from tui.analysis.work_window import work_window
from tui.report import Report, open_report

WORKED = [s.name for s in (*registry.WORKED, *registry.HEALTHY)]


@dataclass(frozen=True)
class Made:
    report: Report
    index: Index
    truth: Truth


@pytest.fixture(scope="module", params=WORKED)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    path = tmp_path_factory.mktemp("made") / f"{request.param}.sqlite"
    truth = registry.find(request.param).build(path)
    report = open_report(path, use_store=False)
    return Made(report, Index(report), truth)


def test_busy_and_gaps(made: Made) -> None:
    window = work_window(made.index)
    assert (window.start, window.end) == made.truth.window
    idle = idle_time(made.index, make_scope(made.report))
    assert len(idle.devices) == len(made.truth.devices)
    for found, known in zip(idle.devices, made.truth.devices, strict=True):
        assert (known.pid, known.device) in found.busy.device.owners
        row = found.busy
        assert (row.busy_ns, row.kernel_ns, row.copy_only_ns, row.idle_ns) == (
            known.busy_ns,
            known.kernel_ns,
            known.copy_only_ns,
            known.idle_ns,
        )
        gaps = found.gaps
        assert int(found.blame.ns.sum()) == int(gaps.duration.sum()) == sum(t.idle_ns for t in found.totals)
        assert sum(ns for _, ns in short_classes(made.index, idle, found)) == gaps.short_ns
        long = gaps.duration >= gaps.min_gap_ns
        assert tuple(zip(gaps.start[long].tolist(), gaps.end[long].tolist(), strict=True)) == known.gaps
        assert len(gaps) == max(len(known.gaps), min(10, len(gaps) + gaps.short_count))


def test_communication(made: Made) -> None:
    for device, known in zip(made.report.devices, made.truth.devices, strict=True):
        found = communication(made.index, device.index)
        assert (found.comm.total, found.exposed.total) == (known.comm_ns, known.exposed_comm_ns)


def test_steps(made: Made) -> None:
    steps = find_steps(made.index)
    rows = step_rows(made.index, steps, make_scope(made.report))
    found = [
        (int(n) - 1, made.report.processes[r.sequence.process].pid, int(s), int(s + d))
        for r in rows
        for n, s, d in zip(r.number, r.start, r.duration, strict=True)
    ]
    assert found == [(s.index, s.pid, s.start_ns, s.end_ns) for s in made.truth.steps]
    assert steps.name == made.truth.facts.get("step_name", steps.name)


def test_the_input_bound_fine_tune(tmp_path: Path) -> None:
    path = tmp_path / "finetune.sqlite"
    registry.find("finetune").build(path)
    report = open_report(path, use_store=False)
    index = Index(report)
    for which in Phase:
        (device,) = idle_time(index, make_scope(report), IdleChoices(phase=which)).devices
        assert [t.phase for t in device.totals[:2]] == ["data_to_gpu", "data_to_gpu"]
        listed = int(device.gaps.duration.sum())
        no_call = sum(t.idle_ns for t in device.totals if t.call is None or not t.call.startswith("cu"))
        assert no_call > 0.99 * listed  # no CUDA call is in progress
        assert listed > 0.99 * device.busy.idle_ns  # one gap at each step's start
        assert round(100 * device.busy.kernel_ns / device.busy.window_ns) == 61
