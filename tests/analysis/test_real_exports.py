"""What must hold for every device of every real export."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.support.phases import phase_of_ops
from tests.support.real import EXPORTS, needs_real, real_export
from tui.analysis.blame import BlameMethod
from tui.analysis.idle import IdleChoices, idle_time
from tui.analysis.index import Busy, Index
from tui.analysis.notes import join_summary
from tui.analysis.phases import Phase, op_range_pairs
from tui.analysis.scope import Scope, Window
from tui.analysis.steps import find_steps
from tui.analysis.work_window import work_window
from tui.report import Report

Opener = Callable[[Path], Report]


def scopes(report: Report) -> list[Scope]:
    """The whole capture, its middle third, and more than all of it."""
    assert report.op_span is not None
    assert report.span is not None
    low, high = report.op_span
    third = (high - low) // 3
    return [
        Scope(work_window(Index(report))),
        Scope(Window(low + third, high - third, "third", chosen=True)),
        Scope(Window(report.span[0], report.span[1], "everything", chosen=True)),
    ]


@needs_real
@pytest.mark.parametrize("path", EXPORTS, ids=lambda p: p.stem)
def test_shares_add_up_exactly(path: Path, real_reports: Opener) -> None:
    report = real_reports(path)
    if not len(report.ops):
        pytest.skip("no device work")
    index = Index(report)
    for scope in scopes(report):
        for busy in Busy:
            for method in BlameMethod:
                for min_gap in (0, 100_000):
                    idle = idle_time(index, scope, IdleChoices(min_gap, busy, method, Phase.OUTER))
                    check(idle.devices, busy)


def check(devices: list, busy: Busy) -> None:  # type: ignore[type-arg]
    for device in devices:
        row, gaps = device.busy, device.gaps
        shown = row.kernel_ns + row.copy_only_ns + row.other_ns
        assert shown + row.unknown_ns + row.idle_ns == row.window_ns
        assert row.compute_ns + row.exposed_comm_ns == row.kernel_ns
        without = row.idle_ns + (row.copy_only_ns if busy is not Busy.ALL else 0)
        without += row.exposed_comm_ns if busy is Busy.COMPUTE else 0
        assert device.gap_ns == without
        added = np.zeros(len(gaps), np.int64)
        np.add.at(added, device.blame.gap, device.blame.ns)
        assert (added == gaps.duration).all()
        added[:] = 0
        np.add.at(added, device.rows.gap, device.rows.ns)
        assert (added == gaps.duration).all()
        assert sum(t.idle_ns for t in device.totals) == int(gaps.duration.sum())


@needs_real
def test_launches_are_joined_within_their_process(real_reports: Opener) -> None:
    path = real_export("ddp-before-2026.2")
    report = real_reports(path)
    db = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)
    calls: Counter[tuple[int, int]] = Counter()
    for tid, corr, event_class in db.execute(
        "SELECT globalTid, correlationId, eventClass FROM CUPTI_ACTIVITY_KIND_RUNTIME"
    ):
        if event_class != 67:
            calls[tid & 0xFFFFFFFFFF000000, corr] += 1
    assert max(calls.values()) == 1
    ops = []
    for table in ("KERNEL", "MEMCPY", "MEMSET"):
        query = f"SELECT globalPid, correlationId FROM CUPTI_ACTIVITY_KIND_{table}"  # noqa: S608
        ops += db.execute(query).fetchall()
    kernels = db.execute("SELECT globalPid, correlationId FROM CUPTI_ACTIVITY_KIND_KERNEL").fetchall()
    db.close()
    join = join_summary(Index(report))
    assert join.not_recorded == sum(key not in calls for key in ops) == 31
    kernel_launch = report.ops.launch[report.ops.kind == 0]
    assert int((kernel_launch < 0).sum()) == sum(key not in calls for key in kernels) == 24
    linked = np.flatnonzero(report.ops.launch >= 0)
    launch = report.ops.launch[linked]
    threads = report.calls.thread[launch]
    assert [report.threads[t].process for t in threads.tolist()] == report.ops.process[linked].tolist()
    assert (report.calls.correlation[launch] == report.ops.correlation[linked]).all()


@needs_real
def test_attribution_is_that_of_a_brute_force(real_reports: Opener) -> None:
    report = real_reports(real_export("ddp-before-2026.2"))
    index, ranges, calls = Index(report), report.ranges, report.calls
    by_thread: dict[int, list[int]] = {}
    for r, thread in enumerate(ranges.thread.tolist()):
        by_thread.setdefault(thread, []).append(r)
    starts, ends = ranges.start, ranges.end
    phase = phase_of_ops(index)
    pairs: dict[int, list[int]] = {}
    for ops, found in op_range_pairs(index):
        for o, r in zip(ops.tolist(), found.tolist(), strict=True):
            pairs.setdefault(o, []).append(r)
    for op in range(0, len(report.ops), 37):
        launch = int(report.ops.launch[op])
        holders: list[int] = []
        if launch >= 0:
            mine = np.array(by_thread.get(int(calls.thread[launch]), []), np.int64)
            inside = (starts[mine] <= calls.start[launch]) & (ends[mine] >= calls.end[launch])
            holders = mine[inside].tolist()
        assert sorted(pairs.get(op, [])) == holders
        assert phase[op] == (holders[-1] if holders else -1)


@needs_real
@pytest.mark.parametrize("path", EXPORTS, ids=lambda p: p.stem)
def test_no_real_export_holds_steps(path: Path, real_reports: Opener) -> None:
    # slices, benchmarks and libraries: repeated ranges there are, but none that is an iteration
    assert not find_steps(Index(real_reports(path)))


@needs_real
def test_labels_make_pytorch_ranges_group(real_reports: Opener) -> None:
    report = real_reports(real_export("ddp-before-2026.2"))
    index = Index(report)
    names = {report.strings[int(n)] for n in report.ranges.name}
    labels = {index.labels[int(n)] for n in report.ranges.name}
    assert len(names) == 18_499
    assert len(labels) == 61
    assert not [x for x in labels if "op_id" in x or "seq =" in x or "sizes" in x]
