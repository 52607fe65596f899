"""Numbers on marks, again and again, are lines of values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.payloads import NcclExport
from tui.analysis.index import Index
from tui.analysis.payloads.counters import counters
from tui.cli import main
from tui.report import open_report
from tui.timeline.extra.counter_lanes import counter_lanes, load_counters


@pytest.fixture
def export(tmp_path: Path) -> NcclExport:
    found = NcclExport(tmp_path / "x.sqlite")
    found.describe()
    found.kernel(0, 1000)
    for at in range(6):
        found.mark("queue", 100 * at, jsonText=f'{{"length": {at * 1.5}, "name": "secret"}}')
    found.mark("queue", 500, jsonText='{"length": 9}')
    for at in range(4):
        found.mark("few", 100 * at, int64Value=at)
    for at in range(5):
        found.mark("loss", 200 * at, doubleValue=1 / (1 + at))
    return found


def test_values_hold_until_the_next(export: NcclExport) -> None:
    index = Index(open_report(export.write(), use_store=False))
    (lane,) = counter_lanes(index.report)
    assert lane.title == "counters"
    queue, loss = counters(index)
    assert (queue.name, loss.name, queue.pid) == ("queue length", "loss", 100)
    mean, low, high = queue.values.over(np.array([0, 100, 300, 500, 1000, 1100]))
    np.testing.assert_allclose(mean, [0, 2.25, 5.25, 9, np.nan])
    np.testing.assert_allclose(low, [0, 1.5, 4.5, 9, np.nan])
    np.testing.assert_allclose(high, [0, 3, 6, 9, np.nan])
    lines = load_counters(index)
    assert [line.title for line in lines] == ["queue length", "loss"]
    assert lines[0].top == 9.0
    assert lines[0].words(4.5) == "4.50"


def test_the_picture_holds_no_text_of_a_payload(
    export: NcclExport, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["view", str(export.write()), "--size", "140x30", "--no-cache"]) == 0
    out = capsys.readouterr().out
    assert "queue length" in out
    assert "secret" not in out


def test_no_lane_without_payloads(tmp_path: Path) -> None:
    export = NcclExport(tmp_path / "x.sqlite")
    for at in range(9):
        export.mark("x", at)
    assert list(counter_lanes(open_report(export.write(), use_store=False))) == []
