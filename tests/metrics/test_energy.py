"""Energy from samples of power."""

from __future__ import annotations

import pytest

from fixtures import metrics as forms
from tests.metrics.conftest import Document
from tests.support.export import Export

MS = 1_000_000
TIMES = list(range(100 * MS, 2_001 * MS, 100 * MS))


def test_each_value_holds_until_the_next(export: Export, document: Document) -> None:
    """300 W from 0.1 s on, 600 W from 1.1 s on: 1 s and 0.9 s of the 2 s."""
    export.kernel(0, 2_000 * MS)
    power = [300 if t <= 1_000 * MS else 600 for t in TIMES]
    forms.json_events(export, TIMES, {"Power": power}, forms.type_id(source=5))
    (found,) = document(export)["energy"]
    assert found == {"device": 0, "joules": 840.0, "coverage_pct": 95.0}


@pytest.mark.parametrize("window", ["0/999ms", "1s/1.5s"])
def test_short_windows_have_none(export: Export, document: Document, window: str) -> None:
    export.kernel(0, 2_000 * MS)
    forms.json_events(export, TIMES, {"Power": [300] * 20}, forms.type_id(source=5))
    (found,) = document(export, "--range", window)["energy"]
    assert found == {"device": 0, "joules": None, "coverage_pct": None}


def test_holes_take_nothing(export: Export, document: Document) -> None:
    """Ten samples a second, none from 1 s to 1.5 s: the last one before holds for a tenth of a second."""
    export.kernel(0, 2_000 * MS)
    times = [t for t in TIMES if not 1_000 * MS < t < 1_500 * MS]
    forms.json_events(export, times, {"Power": [400] * len(times)}, forms.type_id(source=5))
    (found,) = document(export)["energy"]
    # 0.1 s to 1.1 s, and the sample at 1.5 s is missing: 1.6 s to 2 s.
    assert (found["joules"], found["coverage_pct"]) == (560.0, 70.0)
