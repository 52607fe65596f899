"""Every table of intervals in the schema has a lane where it has a row: none is passed over."""

from __future__ import annotations

import re
import shutil
import sqlite3
from pathlib import Path

from tests.support.real import real_export
from tui.analysis.kinds import word_of
from tui.report import open_report
from tui.timeline.lane_building import build_lanes

SAMPLES = re.compile(r"METRIC|PMU_EVENT|CPU_RAW_EVENT")
"""Values of counters: ``start`` and ``end`` are the time that a value was taken over."""
RANGES = 59


def test_a_row_a_table(tmp_path: Path) -> None:
    """One interval of one thread in each empty table that has intervals."""
    path = tmp_path / "all.sqlite"
    shutil.copyfile(real_export("cpu-2023.4/all-tables"), path)
    path.chmod(0o600)
    filled = []
    with sqlite3.connect(path) as db:
        (owner,) = db.execute("SELECT globalTid FROM OSRT_API LIMIT 1").fetchone()
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in names:
            columns = {row[1]: row[3] for row in db.execute(f'PRAGMA table_info("{table}")')}
            if not {"start", "end"} <= columns.keys() or SAMPLES.search(table):
                continue
            if db.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]:  # noqa: S608
                continue
            values = {name: 0 for name, needed in columns.items() if needed}
            values |= {"start": 10_000_000, "end": 20_000_000}
            values |= {name: owner for name in ("globalTid",) if name in columns}
            values |= {name: owner & ~0xFFFFFF for name in ("globalPid",) if name in columns}
            marks, keys = ", ".join("?" * len(values)), ", ".join(f'"{name}"' for name in values)
            db.execute(f'INSERT INTO "{table}" ({keys}) VALUES ({marks})', list(values.values()))  # noqa: S608
            filled.append(table)
    report = open_report(path, use_store=False)
    assert len(filled) == 68
    tree = build_lanes(report)
    drawn = {source for lane in tree.walk() if lane.table for source in _sources(lane.table)}
    drawn |= {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"}
    assert sorted(set(filled) - drawn - LEFT_OUT) == []
    assert all(word_of(table) for table in filled)


LEFT_OUT = {"CUDA_UM_GPU_PAGE_FAULT_EVENTS"}
"""What a provider of other lanes draws: `tests/memory`."""


def _sources(table: str) -> tuple[str, ...]:
    from tui.report.event_tables import table_named

    return table_named(table).sources
