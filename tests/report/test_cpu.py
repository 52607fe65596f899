"""Threads on CPUs: the intervals that the scheduler's events become, and where they are seen."""

from __future__ import annotations

import io
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.report.conftest import Opened
from tests.support.export import Export, global_id
from tests.support.real import REAL, needs_real
from tui.analysis.events import export_table
from tui.analysis.index import Index
from tui.analysis.window import make_scope
from tui.browse.capture import Capture, capture_of
from tui.browse.clock import Clock
from tui.browse.details import describe
from tui.browse.search import search
from tui.output.delimited import write_delimited
from tui.output.text_layout import TextLayout
from tui.report import Report, open_report
from tui.report.event_tables.cpu import CPU
from tui.timeline.lane_building import build_lanes
from tui.timeline.slices import SliceId

IN, OUT = 1, 0
Stretch = tuple[int, int, int, int]
"""Start, end, globalTid, CPU."""


def sched(export: Export, start: int, kind: int, cpu: int = 3, tid: int = 1, pid: int = 100) -> None:
    """The scheduler puts a thread on a CPU or takes it off."""
    export.row("SCHED_EVENTS", start=start, cpu=cpu, isSchedIn=kind, globalTid=global_id(pid, tid))


def stretches(report: Report) -> list[Stretch]:
    columns = CPU.of(report)
    threads = [report.threads[thread].global_tid for thread in columns.thread.tolist()]
    return list(zip(columns.start.tolist(), columns.end.tolist(), threads, columns.cpu.tolist(), strict=True))


def test_from_in_to_out(export: Export, opened: Opened) -> None:
    export.kernel(0, 1000)
    for start, kind, cpu in ((10, IN, 3), (20, OUT, 3), (30, IN, 4), (45, OUT, 4)):
        sched(export, start, kind, cpu, tid=1)
    for start, kind, cpu in ((15, IN, 5), (40, OUT, 5)):
        sched(export, start, kind, cpu, tid=2)
    report = opened(export)
    one, two = global_id(100, 1), global_id(100, 2)
    assert stretches(report) == [(10, 20, one, 3), (15, 40, two, 5), (30, 45, one, 4)]
    assert (report.doubtful, report.span) == ((), (0, 1000))
    assert [t.used for t in report.tables if t.name == "SCHED_EVENTS"] == [True]


def test_off_first_was_on_since_the_start_on_last_stays_to_the_end(export: Export, opened: Opened) -> None:
    export.kernel(5, 1000)
    sched(export, 20, OUT, cpu=1)
    sched(export, 30, IN, cpu=2)
    assert [s[:2] for s in stretches(opened(export))] == [(5, 20), (30, 1000)]


def test_the_scheduler_may_have_seen_more_than_all_others(export: Export, opened: Opened) -> None:
    export.kernel(50, 60)
    sched(export, 20, OUT)
    sched(export, 90, IN, tid=2)
    sched(export, 100, IN)
    report = opened(export)
    assert [s[:2] for s in stretches(report)] == [(20, 20), (90, 100), (100, 100)]
    assert report.span == (50, 60)


def test_a_capture_of_nothing_else_is_as_long_as_its_events(export: Export, opened: Opened) -> None:
    sched(export, 20, OUT)
    sched(export, 70, IN)
    sched(export, 90, OUT)
    report = opened(export)
    assert [s[:2] for s in stretches(report)] == [(20, 20), (70, 90)]
    assert report.span == (20, 90)


def test_twice_in_a_row(export: Export, opened: Opened) -> None:
    """On twice: closed where it is put on again. Off twice: the second time ends nothing."""
    export.kernel(0, 100)
    for start, kind in ((10, IN), (20, IN), (30, OUT), (40, OUT), (50, IN), (60, OUT)):
        sched(export, start, kind)
    report = opened(export)
    assert [s[:2] for s in stretches(report)] == [(10, 20), (20, 30), (50, 60)]
    assert [(d.kind, d.count, d.example, d.excluded) for d in report.doubtful] == [
        ("put on a CPU while on one", 1, "SCHED_EVENTS row 2: start 20", False),
        ("taken off a CPU while on none", 1, "SCHED_EVENTS row 4: start 40", False),
    ]


def test_events_of_nobody_are_left_out_and_listed(export: Export, opened: Opened) -> None:
    export.kernel(0, 100)
    export.row("SCHED_EVENTS", start=10, cpu=1, isSchedIn=IN, globalTid=None)
    sched(export, 20, IN)
    sched(export, 30, OUT)
    report = opened(export)
    assert [s[:2] for s in stretches(report)] == [(20, 30)]
    assert [(d.kind, d.count, d.excluded) for d in report.doubtful] == [("no thread", 1, True)]


@pytest.mark.parametrize("kind", [None, 2, -1])
def test_an_event_that_does_not_say_what_happened_takes_nobody_off(
    export: Export, opened: Opened, kind: int | None
) -> None:
    export.kernel(0, 100)
    export.row("SCHED_EVENTS", start=10, cpu=1, isSchedIn=kind, globalTid=global_id(100, 1))
    sched(export, 20, IN)
    export.row("SCHED_EVENTS", start=30, cpu=1, isSchedIn=kind, globalTid=global_id(100, 1))
    sched(export, 40, OUT)
    report = opened(export)
    assert [s[:2] for s in stretches(report)] == [(20, 40)]
    assert [(d.kind, d.count, d.excluded) for d in report.doubtful] == [
        ("neither put on a CPU nor taken off one", 2, True)
    ]


def test_a_table_that_does_not_say_what_happened(export: Export, opened: Opened) -> None:
    export.kernel(0, 100)
    sched(export, 20, IN)
    sched(export, 40, OUT)
    export.omit("SCHED_EVENTS", "isSchedIn")
    assert stretches(opened(export)) == []


def test_an_empty_table_and_none_at_all(export: Export, opened: Opened) -> None:
    export.kernel(0, 100)
    assert stretches(opened(export)) == []
    export.row("SCHED_EVENTS", start=1, cpu=1, isSchedIn=1, globalTid=1)
    export.sql("DELETE FROM SCHED_EVENTS")
    assert stretches(opened(export)) == []


def test_it_is_read_last_and_announced(export: Export) -> None:
    export.notation('K 10-20 corr=1, R cudaLaunchKernel_v7000 0-5 corr=1, N(59,0-NULL,"a"), O poll 0-9')
    sched(export, 12, IN)
    parts: list[Report] = []
    whole = open_report(export.write(), use_store=False, partial=parts.append)
    assert [sorted(part.loading) for part in parts] == [
        ["calls", "cpu", "marks", "os_calls", "ranges"],
        ["cpu", "marks", "os_calls", "ranges"],
        ["cpu"],
    ]
    assert [s[:2] for s in stretches(whole)] == [(12, 20)]
    assert [lane.title for lane in build_lanes(parts[-1]).roots if not lane.ready] == ["CPU"]


@pytest.fixture
def capture(export: Export) -> Capture:
    """A thread that launches and runs; one that only runs; one of an earlier process that only runs."""
    export.notation('K 10-20 corr=1, R cudaLaunchKernel_v7000 0-5 corr=1, N(59,0-30,"step")')
    for pid, tid in ((100, 1), (100, 2), (50, 9)):
        sched(export, 2, IN, 3, tid, pid)
        sched(export, 25, OUT, 3, tid, pid)
    return capture_of(open_report(export.write(), use_store=False))


def test_lanes(capture: Capture) -> None:
    """Threads that have nothing else come last, on a line each."""
    roots = capture.tree.roots
    assert [root.key for root in roots] == ["gpu0", "t100/1", "t50/9", "t100/2"]
    assert [lane.title for lane in roots[1].children] == ["API", "CPU"]
    assert [(len(root.children), root.height) for root in roots[2:]] == [(0, 1), (0, 1)]


def test_names_details_search_and_export(capture: Capture) -> None:
    report = capture.report
    row = report.threads.index(next(t for t in report.threads if t.tid == 1))
    mine = SliceId("cpu", CPU.of(report).thread.tolist().index(row))
    catalogue = capture.tree.catalogue
    assert catalogue is not None
    assert (catalogue.labels(mine), catalogue.style(mine)) == (("CPU 3", "CPU 3"), "cpu")
    pairs = dict(describe(Index(capture.report), mine, Clock(0)))
    assert (pairs["name"], pairs["CPU"], pairs["thread"], pairs["NVTX"]) == ("CPU 3", "3", "100/1", "step")
    found = search(report, "cpu 3")
    assert [(found.id(i).table, int(found.start[i])) for i in range(len(found))] == [("cpu", 2)] * 3
    stream = io.StringIO()
    write_delimited([export_table(report, make_scope(report, None))], "csv", stream, TextLayout())
    assert [line for line in stream.getvalue().splitlines() if ",cpu," in line and ",100,1," in line] == [
        "2,23,cpu,CPU 3,,,100,1,,,step"
    ]


def test_a_cpu_that_is_not_known(export: Export, opened: Opened) -> None:
    export.row("SCHED_EVENTS", start=10, cpu=None, isSchedIn=IN, globalTid=global_id(100, 1))
    assert CPU.name_of(opened(export), 0) == "CPU ?"


def brute_force(path: Path, span: tuple[int, int]) -> list[Stretch]:
    """The stretches by walking over each thread's events."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as db:
        rows = db.execute("SELECT globalTid, start, cpu, isSchedIn FROM SCHED_EVENTS ORDER BY start, rowid")
        events = rows.fetchall()
    times = [start for _, start, _, _ in events]
    low, high = min([*times, span[0]]), max([*times, span[1]])
    found: list[Stretch] = []
    running: dict[int, tuple[int, int]] = {}
    seen: set[int] = set()
    for thread, start, cpu, begins in events:
        if thread in running:
            found.append((running[thread][0], start, thread, running.pop(thread)[1]))
        elif not begins and thread not in seen:
            found.append((low, start, thread, cpu))
        if begins:
            running[thread] = (start, cpu)
        seen.add(thread)
    found += [(start, high, thread, cpu) for thread, (start, cpu) in running.items()]
    return sorted(found)


SCHEDULED = [REAL / "osrt-2026.1.sqlite", *sorted((REAL / "cpu-2023.4").glob("*.sqlite"))]


@needs_real
@pytest.mark.parametrize("path", SCHEDULED, ids=lambda path: path.stem)
def test_real_exports(path: Path) -> None:
    report = open_report(path, use_store=False)
    assert report.span is not None
    expected = brute_force(path, report.span)
    assert sorted(stretches(report)) == expected
    assert len(expected) == {"osrt-2026.1": 1212, "cpu-samples": 7013, "all-tables": 0}[path.stem]
