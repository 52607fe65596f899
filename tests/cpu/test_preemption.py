"""Threads that probably had to give up their CPU: a guess, and part of no sum."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cpu.conftest import Answer, index_of
from tests.support.export import Export
from tui.analysis.cpu.preemption import preemptions


def found(export: Export) -> list[tuple[int, int, int]]:
    """(start, end, tid) of every preemption."""
    index = index_of(export.write())
    was = preemptions(index)
    tids = [index.report.threads[t].tid for t in was.thread.tolist()]
    return sorted(zip(was.start.tolist(), was.end.tolist(), tids, strict=True))


def taken(export: Export, *, other: int = 2, cpu: int = 3, back_on: int = 3, after: int = 20_000) -> Export:
    """Thread 1 runs to 1 ms and again from 2 ms; another thread comes ``after`` that on ``cpu``."""
    export.kernel(0, 10_000_000)
    export.on_cpu(None, 1_000_000)
    export.on_cpu(1_000_000 + after, 1_990_000, cpu=cpu, tid=other)
    export.on_cpu(2_000_000, 3_000_000, cpu=back_on)
    return export


def test_another_thread_follows_at_once(export: Export) -> None:
    assert found(taken(export)) == [(1_000_000, 2_000_000, 1)]


def test_later_than_that_is_no_preemption(export: Export) -> None:
    assert found(taken(export, after=20_001)) == []


def test_on_another_cpu_is_none(export: Export) -> None:
    assert found(taken(export, cpu=4)) == []


def test_coming_back_elsewhere_is_none(export: Export) -> None:
    assert found(taken(export, back_on=4)) == []


def test_in_a_call_it_waits(export: Export) -> None:
    export.osrt("read", 900_000, 1_900_000)
    assert found(taken(export)) == []


def test_it_is_part_of_the_time_off_a_cpu(export: Export, answer: Answer) -> None:
    rows = answer("threads", taken(export).write(), "--range", "0/4ms")["rows"]
    figures = {row["tid"]: [row[key] for key in ("on_cpu_ns", "off_cpu_ns", "preempted_ns")] for row in rows}
    assert figures == {1: [2_000_000, 2_000_000, 1_000_000], 2: [970_000, 3_030_000, 0]}


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 30), st.booleans(), st.integers(1, 3), st.integers(0, 2)),
        min_size=1,
        max_size=40,
    )
)
def test_any_events_give_times_off_a_cpu(events: list[tuple[int, bool, int, int]]) -> None:
    """Whatever the scheduler's events say, a preemption lies between two stretches of its thread."""
    with tempfile.TemporaryDirectory() as folder:
        export = Export(Path(folder) / "x.sqlite")
        export.kernel(0, 400_000)
        for at, comes, tid, cpu in sorted(events):
            edge = at * 10_000
            export.on_cpu(edge if comes else None, None if comes else edge, cpu=cpu, tid=tid)
        index = index_of(export.write())
        from tui.analysis.cpu.scheduling import scheduling

        was = preemptions(index)
        ran = scheduling(index).on_cpu(was.start, was.end, was.thread)
        assert (ran == 0).all()
        assert (was.end >= was.start).all()
