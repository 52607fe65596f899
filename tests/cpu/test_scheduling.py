"""How long threads ran: on and off a CPU add up to the window, and nobody is guessed."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.schema import SCHEMAS
from tests.cpu.conftest import Answer, index_of
from tests.support.export import Export
from tui.analysis.cpu.scheduling import scheduling
from tui.report import NULL

FIGURES = ("tid", "on_cpu_ns", "off_cpu_ns", "on_cpu_pct", "switches", "migrations")


def rows(found: dict[str, list[dict[str, object]]], *keys: str) -> list[tuple[object, ...]]:
    return [tuple(row[key] for key in keys) for row in found["rows"]]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_on_and_off_a_cpu_add_up_to_the_window(tmp_path: Path, answer: Answer, schema: str) -> None:
    export = Export(tmp_path / "capture.sqlite", schema=schema)
    export.kernel(0, 1_000)
    export.on_cpu(None, 100, cpu=1)
    export.on_cpu(200, 300, cpu=1)
    export.on_cpu(400, 450, cpu=2)
    export.on_cpu(900, None, cpu=2)
    export.on_cpu(600, 700, tid=2)
    export.osrt("poll", 0, 1_000, tid=3)
    found = answer("threads", export.write(), "--range", "/")
    assert rows(found, *FIGURES) == [
        (1, 350, 650, 35.0, 3, 1),
        (2, 100, 900, 10.0, 1, 0),
        (3, None, None, None, None, None),
    ]
    assert found["coverage"] == {"threads": 3, "scheduled": 2}
    found = answer("threads", export.path, "--range", "50/425")
    assert rows(found, *FIGURES) == [
        (1, 175, 200, 46.7, 2, 1),
        (2, 0, 375, 0.0, 0, 0),
        (3, None, None, None, None, None),
    ]


def test_without_scheduling_it_is_unknown_and_said_so(export: Export, answer: Answer) -> None:
    export.launch((0, 5), (10, 20))
    found = answer("threads", export.write(), "--range", "/")
    assert rows(found, "on_cpu_ns", "off_cpu_ns", "samples", "api_ns", "os_ns") == [
        (None, None, None, 5, None)
    ]
    assert found["notes"] == [
        "capture.sqlite: scheduling: not captured; nsys profile --cpuctxsw=process-tree adds it: when "
        "threads ran is unknown"
    ]


def test_time_in_calls_is_that_of_the_outermost_ones(export: Export, answer: Answer) -> None:
    export.kernel(0, 1_000)
    export.runtime("cudaMemcpy_v3020", 100, 200)
    export.osrt("ioctl", 150, 160)
    export.osrt("poll", 300, 400)
    export.osrt("read", 320, 340, nesting=1)
    export.on_cpu(100, 200, tid=2)
    found = answer("threads", export.write(), "--range", "/")
    assert rows(found, "tid", "on_cpu_ns", "api_ns", "os_ns") == [(2, 100, 0, 0), (1, None, 100, 100)]


def test_only_the_threads_of_the_processes_in_scope(export: Export, answer: Answer) -> None:
    export.kernel(0, 1_000)
    export.on_cpu(0, 500, pid=100)
    export.on_cpu(0, 400, pid=200)
    path = export.write()
    assert rows(answer("threads", path, "--process", "200"), "pid", "on_cpu_ns") == [(200, 400)]
    assert rows(answer("threads", path, "--device", "0"), "pid", "on_cpu_ns") == [(100, 500)]


def test_names_and_hot_functions(export: Export, answer: Answer) -> None:
    export.kernel(0, 1_000)
    export.thread_name(100, 1, "[bold]\x1b[31mloader[/]")
    export.on_cpu(0, 900)
    for at, leaf in ((10, "decode"), (20, "decode"), (30, "read")):
        export.sample(at, [leaf])
    export.sample(40, ["decode"], tid=9)
    found = answer("threads", export.write(), "--range", "/")
    assert rows(found, "tid", "name", "samples", "hot") == [
        (1, "[bold]\x1b[31mloader[/]", 3, "decode"),
        (9, None, 1, None),
    ]


EVENTS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 40), st.booleans(), st.integers(0, 2)),
    max_size=30,
    unique_by=lambda event: event[:2],
)
WINDOW = st.tuples(st.integers(0, 39), st.integers(1, 20)).map(lambda w: (w[0], min(40, w[0] + w[1])))


@given(EVENTS, WINDOW)
def test_any_events_instant_by_instant(
    events: list[tuple[int, int, bool, int]], window: tuple[int, int]
) -> None:
    """What a thread did in each nanosecond, followed event by event."""
    with tempfile.TemporaryDirectory() as folder:
        export = Export(Path(folder) / "x.sqlite")
        export.kernel(0, 40)
        export.osrt("x", 0, 40, tid=0)
        for tid, at, is_in, cpu in events:
            export.on_cpu(*((at, None) if is_in else (None, at)), cpu=cpu, tid=tid)
        index = index_of(export.write())
    running = scheduling(index)
    times = running.times(*window)
    for thread in index.report.threads:
        mine = sorted((at, is_in, cpu) for tid, at, is_in, cpu in events if tid == thread.tid)
        figures = [column[thread.index].item() for column in (times.on, times.off, times.switches)]
        starts = np.array([window[0]]), np.array([window[1]])
        spent = running.on_cpu(*starts, np.array([thread.index])).item()
        if not mine:
            assert [*figures, spent] == [NULL] * 4
            continue
        on, switches = 0, 0
        for now in range(*window):
            before = [is_in for at, is_in, _ in mine if at <= now]
            is_on = before[-1] if before else not mine[0][1]
            on += is_on
        switches = sum(is_in and window[0] < at < window[1] for at, is_in, _ in mine)
        assert [*figures, spent] == [on, window[1] - window[0] - on, switches, on]
