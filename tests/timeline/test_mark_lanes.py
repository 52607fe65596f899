"""Lanes of marks: CUDA events that devices reached, and warnings of the profiler."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.export import Export
from tui.analysis.index import Index
from tui.report import open_report
from tui.timeline.extra import extra_lanes
from tui.timeline.series import Density


def lanes(export: Export) -> dict[str, list[Density]]:
    index = Index(open_report(export.write(), use_store=False))
    found: dict[str, list[Density]] = {}
    for lane in extra_lanes(index.report):
        if lane.key.endswith("/events") or lane.key == "messages":
            assert lane.late is not None
            found[lane.key] = [row for row in lane.late(index) if isinstance(row, Density)]
    return found


@pytest.fixture
def export(tmp_path: Path) -> Export:
    made = Export(tmp_path / "x.sqlite")
    made.kernel(0, 100, device=0)
    made.kernel(0, 100, device=1)
    return made


def counts(line: Density, edges: list[int]) -> list[int]:
    return line.counts.over(np.array(edges, np.int64)).tolist()


def test_events_by_stream(export: Export) -> None:
    """Of device 0: 10 and 30 in stream 7, 20 in stream 13; one without a time; one of device 1."""
    for time, stream, device in ((30, 7, 0), (10, 7, 0), (20, 13, 0), (0, 7, 0), (15, 7, 1)):
        export.event(1, None, device=device, stream=stream, timestamp=time)
    found = lanes(export)
    assert list(found) == ["gpu0/events", "gpu1/events"]
    everything, first, second = found["gpu0/events"]
    assert [line.title for line in (everything, first, second)] == ["", "events s7", "events s13"]
    assert counts(everything, [0, 15, 25, 40]) == [1, 1, 1]
    assert counts(first, [0, 15, 25, 40]) == [1, 0, 1]
    assert counts(second, [0, 15, 25, 40]) == [0, 1, 0]
    (other,) = found["gpu1/events"]
    assert counts(other, [0, 15, 16]) == [0, 1]


def test_no_times_no_lines(export: Export) -> None:
    export.event(1, None, timestamp=0)
    assert lanes(export) == {"gpu0/events": [], "gpu1/events": []}


def test_warnings_on_the_clock_of_the_capture(export: Export) -> None:
    """Not those of the host's clock, and no information."""
    export.diagnostic("a", severity=3, time=50)
    export.diagnostic("b", severity=2, time=20)
    export.diagnostic("c", severity=2, time=21, clock=2)
    export.diagnostic("d", severity=1, time=22)
    (line,) = lanes(export)["messages"]
    assert counts(line, [0, 30, 60]) == [1, 1]


def test_without_either(export: Export) -> None:
    assert lanes(export) == {}
