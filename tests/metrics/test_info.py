"""`nsystui info` lists the sets of metrics of a capture."""

from __future__ import annotations

import pytest

from fixtures import metrics as forms
from tests.metrics.conftest import Document
from tests.support.export import Export
from tui.analysis.metrics import sets
from tui.cli import main


def _filled(export: Export) -> None:
    export.kernel(0, 2_000)
    times = [*range(100, 1_001, 100), *range(1_500, 2_001, 100)]
    forms.gpu_metrics(export, times, {forms.SM_ACTIVE: [1] * 16, forms.TENSOR: [1] * 16})
    forms.json_events(export, [1_000, 2_000], {"Power": [300, 301]}, forms.type_id(source=5))


def test_sets(export: Export, document: Document, capsys: pytest.CaptureFixture[str]) -> None:
    _filled(export)
    found = document(export, command="info")["metric_sets"]
    gpu = {"source": "gpu", "device": 0, "metrics": 2, "samples": 15}
    power = {"source": "nvml", "device": 0, "metrics": 1, "samples": 2}
    assert found == [
        gpu | {"rate_hz": 1e7, "coverage_pct": 75.0, "missing": 1},
        power | {"rate_hz": 1e6, "coverage_pct": 100.0, "missing": 0},
    ]
    assert main(["info", str(export.path), "--no-cache"]) == 0
    assert "Sets of metrics" in capsys.readouterr().out


def test_without_metrics(export: Export, document: Document) -> None:
    export.kernel(0, 10)
    assert document(export, command="info")["metric_sets"] == []


def test_large_tables_are_left_alone(
    export: Export, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sets, "AT_ONCE", 10)
    _filled(export)
    found = document(export, command="info")
    assert found["metric_sets"] is None
    assert sets.UNREAD in found["notes"]
