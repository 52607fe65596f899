"""Every fault is found first in its own capture, at its true cost, and nowhere else."""

from __future__ import annotations

import pytest

from fixtures import registry
from tui.analysis.diagnosis import Kind
from tui.analysis.faults import CATALOGUE
from tui.commands.shared.diagnosis_self_test import MatrixRow, judge, scenario_names


@pytest.mark.parametrize("name", scenario_names(registry))
def test_found_where_it_is_and_nowhere_else(name, seen):
    case = seen(name)
    row = judge(name, case.truth, case.diagnosis)
    assert row.first == row.expected
    assert row.others == ()
    assert row.ratio is None or row.ratio == pytest.approx(1, abs=0.1)
    assert row.right


@pytest.mark.parametrize("name", registry.FAULTS)
def test_every_fault_of_the_generator_is_in_the_catalogue(name):
    assert name in {fault.slug for fault in CATALOGUE}


@pytest.mark.parametrize(
    "name", ["healthy", "healthy-ddp", "fault:gc-pauses:control", "fault:slow-pcie:mild"]
)
def test_a_healthy_run_is_called_so(name, seen):
    verdict = seen(name).diagnosis.verdict
    assert verdict.kind is Kind.HEALTHY
    assert "busy 99." in verdict.text


@pytest.mark.parametrize("name", [f"fault:{f}" for f in registry.FAULTS])
def test_no_more_is_charged_than_was_lost(name, seen):
    case = seen(name)
    lost = sum(d.idle_ns + d.copy_only_ns + d.exposed_comm_ns for d in case.truth.devices)
    slowed = case.truth.costs.get("throttling", 0) + case.truth.costs.get("comm-slows-compute", 0)
    # What precedes the first op belongs to the diagnosis's window and not to the truth's.
    before = sum(case.truth.window[0] - case.diagnosis.scope.window.start for _ in case.truth.devices)
    assert case.diagnosis.cost_ns <= (lost + before + slowed) * 1.01


def test_a_row_is_wrong_when_the_cost_is_far_off():
    assert not MatrixRow("x", "hidden-sync", 100, "hidden-sync", 111, ()).right
    assert MatrixRow("x", "hidden-sync", 100, "hidden-sync", 109, ()).right
    assert not MatrixRow("x", "hidden-sync", 100, "hidden-sync", 100, ("gc-pauses",)).right
    assert not MatrixRow("x", None, 0, "gc-pauses", 5, ("gc-pauses",)).right
    assert MatrixRow("x", None, 0, None, None, ()).right
