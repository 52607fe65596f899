"""What is there of a report while it is being read is what will be there when all of it is."""

from __future__ import annotations

from dataclasses import fields
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from fixtures.registry import find
from tests.report.same import assert_same, same_names
from tests.support.export import Export
from tests.support.real import EXPORTS, needs_real
from tui.report import ImportCancelled, Report, open_report
from tui.report.event_tables import COLUMN_TABLES, EVENT_TABLES

TABLES = {table.name for table in EVENT_TABLES} - {"ops"} | {"others"}
NAMES = ("name", "domain", "short_name", "mangled_name")


def opened(path: Path, **options: object) -> tuple[list[Report], Report]:
    """The partial reports in their order, and the whole one."""
    parts: list[Report] = []
    whole = open_report(path, partial=parts.append, **options)  # type: ignore[arg-type]
    return parts, whole


def check(parts: list[Report], whole: Report) -> None:
    """Every partial report holds a part of the whole, each more than the one before."""
    assert whole.loading == frozenset()
    for before, after in pairwise(parts):
        assert after.loading < before.loading
    for part in parts:
        assert part.loading
        assert part.loading <= TABLES
        assert (part.path, part.stamp, part.has) == (whole.path, whole.stamp, whole.has)
        assert (part.product_version, part.enums) == (whole.product_version, whole.enums)
        assert part.op_span == whole.op_span
        for table in COLUMN_TABLES:
            if table in part.loading:
                assert len(part.events[table]) == 0, table
            else:
                same_rows(part, whole, table)
        assert part.others == {} if "others" in part.loading else part.others.keys() == whole.others.keys()
        assert set(part.doubtful) <= set(whole.doubtful) or "calls" in part.loading
        low, high = part.span or whole.span or (0, 0)
        assert whole.span is None or (whole.span[0] <= low and high <= whole.span[1])


def same_rows(part: Report, whole: Report, table: str) -> None:
    """One table of a partial report, field by field."""
    left, right = part.events[table], whole.events[table]
    for field in fields(left):
        x, y = getattr(left, field.name), getattr(right, field.name)
        where = f"{table}.{field.name}"
        assert x.dtype == y.dtype, where
        assert len(x) == len(y), where
        if field.name in NAMES:
            assert same_names(part, whole, x, y), where
        elif field.name in ("thread", "end_thread"):
            assert tids(part, x) == tids(whole, y), where
        elif field.name == "process":
            assert pids(part, x) == pids(whole, y), where
        elif field.name == "device":
            assert part.devices == whole.devices
            assert np.array_equal(x, y), where
        elif field.name == "launch" and "calls" in part.loading:
            assert (x == -1).all()
        else:
            assert np.array_equal(x, y), where


def tids(report: Report, column: np.ndarray) -> list[int]:  # type: ignore[type-arg]
    return [report.threads[i].global_tid if i >= 0 else -1 for i in column.tolist()]


def pids(report: Report, column: np.ndarray) -> list[int]:  # type: ignore[type-arg]
    return [report.processes[i].global_pid if i >= 0 else -1 for i in column.tolist()]


@needs_real
@pytest.mark.parametrize("path", EXPORTS, ids=lambda p: p.stem)
def test_every_export(path: Path, tmp_path: Path) -> None:
    parts, whole = opened(path, cache_dir=tmp_path)
    check(parts, whole)
    assert_same(whole, open_report(path, use_store=False))
    again, stored = opened(path, cache_dir=tmp_path)
    assert again == []
    assert_same(stored, whole)


@pytest.mark.parametrize("name", ["finetune", "ddp", "decode-graph", "decode-nodes", "resnet"])
def test_generated(name: str, tmp_path: Path) -> None:
    path = tmp_path / "report.sqlite"
    find(name).build(path)
    parts, whole = opened(path, use_store=False)
    check(parts, whole)
    assert sorted(parts[0].loading) == sorted(
        {"calls", "ranges", "marks"} | {name for name in ("os_calls", "syncs") if len(whole.events[name])}
    )


@pytest.fixture
def export(tmp_path: Path) -> Export:
    return Export(tmp_path / "capture.sqlite")


def stages(export: Export) -> list[set[str]]:
    parts, whole = opened(export.write(), use_store=False)
    check(parts, whole)
    return [set(part.loading) for part in parts]


def test_stages(export: Export) -> None:
    export.notation('K 10-20 corr=1, R cudaLaunchKernel_v7000 0-5 corr=1, N(59,0-30,"a"), O poll 0-9')
    assert stages(export) == [
        {"calls", "ranges", "marks", "os_calls"},
        {"ranges", "marks", "os_calls"},
        {"os_calls"},
    ]


def test_an_open_range_waits_for_all_that_may_end_the_capture(export: Export) -> None:
    export.notation('K 10-20, R cudaFree 0-5, N(59,0-NULL,"a"), O poll 0-900')
    assert stages(export) == [{"calls", "ranges", "marks", "os_calls"}, {"ranges", "marks", "os_calls"}]


def test_nothing_is_told_where_all_comes_at_once(export: Export) -> None:
    assert stages(export.notation("K 10-20")) == []


def test_a_thread_or_process_that_comes_late_changes_no_row(export: Export) -> None:
    export.launch((50, 55), (60, 70), pid=300, corr=1)
    export.runtime("cudaFree", 0, 5, pid=200)
    export.push_pop("a", 0, 100, pid=100)
    parts, whole = opened(export.write(), use_store=False)
    check(parts, whole)
    assert [[p.pid for p in report.processes] for report in (*parts, whole)] == [
        [300],
        [200, 300],
        [100, 200, 300],
    ]
    assert [report.ops.process.tolist() for report in (*parts, whole)] == [[0], [1], [2]]


def test_old_exports_without_processes(export: Export) -> None:
    """Where one process is known, device work of nobody is its; where another appears, it is nobody's."""
    export.kernel(10, 20, corr=1, globalPid=None)
    export.runtime("cudaLaunchKernel_v7000", 0, 5, pid=200, corr=1)
    export.push_pop("a", 0, 100, pid=100)
    parts, whole = opened(export.write(), use_store=False)
    assert [report.ops.launch.tolist() for report in (*parts, whole)] == [[-1], [0], [-1]]
    assert [report.ops.process.tolist() for report in (*parts, whole)] == [[-1], [0], [-1]]


def test_who_only_stands_aside_did_no_device_work(export: Export) -> None:
    export.kernel(10, 20, corr=1, globalPid=None)
    export.runtime("cudaLaunchKernel_v7000", 0, 5, pid=200, corr=1)
    export.overhead("flush", 0, 5, pid=100)
    parts, whole = opened(export.write(), use_store=False)
    assert [report.ops.launch.tolist() for report in (*parts, whole)] == [[-1], [0], [0]]
    assert [p.pid for p in whole.processes] == [100, 200]
    assert whole.ops.process.tolist() == [1]


def test_a_cancelled_import_leaves_what_was_shown(tmp_path: Path) -> None:
    path = tmp_path / "report.sqlite"
    find("ddp").build(path)
    parts: list[Report] = []
    with pytest.raises(ImportCancelled):
        open_report(
            path, cache_dir=tmp_path / "store", partial=parts.append, cancelled=lambda: len(parts) > 1
        )
    whole = open_report(path, use_store=False)
    assert len(parts) == 2
    check(parts, whole)
    assert list((tmp_path / "store").iterdir()) == []
