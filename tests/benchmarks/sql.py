"""What SQLite itself needs for the same columns and the same sums: the yardsticks in SQL."""

# ruff: noqa: S608 - the statements are put together from constants

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from tui.report import schema
from tui.report.event_tables.ops import OPS

_TABLES = {
    **{
        table: (*schema.OP_COLUMNS, *part.from_columns.values())
        for table, part in zip(OPS.sources, OPS.parts, strict=True)
        if table != schema.MEMSET
    },
    schema.RUNTIME: schema.CALL_COLUMNS,
    schema.NVTX: schema.NVTX_COLUMNS,
}
"""The large tables of the generated exports and the columns that an import reads."""

_FIGURES = "count(*), sum(d), avg(d), min(d), max(d), sum((d - 5000) * (d - 5000))"

SUMS = (
    # nvtx_sum
    f"""SELECT name, {_FIGURES} FROM (SELECT coalesce(e.text, s.value) AS name, e.end - e.start AS d
        FROM NVTX_EVENTS e LEFT JOIN StringIds s ON s.id = e.textId WHERE e.eventType IN (59, 60, 70, 71))
        GROUP BY name""",
    # cuda_api_sum
    f"""SELECT s.value, {_FIGURES} FROM (SELECT nameId, end - start AS d FROM CUPTI_ACTIVITY_KIND_RUNTIME) r
        LEFT JOIN StringIds s ON s.id = r.nameId GROUP BY r.nameId""",
    # cuda_gpu_kern_sum
    f"""SELECT s.value, {_FIGURES} FROM
        (SELECT demangledName, end - start AS d FROM CUPTI_ACTIVITY_KIND_KERNEL) k
        LEFT JOIN StringIds s ON s.id = k.demangledName GROUP BY k.demangledName""",
    # cuda_gpu_mem_time_sum
    f"""SELECT copyKind, {_FIGURES} FROM (SELECT copyKind, end - start AS d FROM CUPTI_ACTIVITY_KIND_MEMCPY)
        GROUP BY copyKind""",
    # cuda_gpu_mem_size_sum
    f"""SELECT copyKind, {_FIGURES} FROM (SELECT copyKind, bytes AS d FROM CUPTI_ACTIVITY_KIND_MEMCPY)
        GROUP BY copyKind""",
)
"""The default reports of `stats`, without the medians, which SQL has no function for."""


def scan(path: Path) -> float:
    """Seconds for one sum of each column that an import reads, a statement a table."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        total = 0.0
        for table, wanted in _TABLES.items():
            have = {row[1] for row in db.execute(f"PRAGMA table_info({table})")}
            sums = [f"total({column})" for column in wanted if column in have]  # sum() would overflow
            if table == schema.NVTX:
                sums.append("sum(length(text))")
            total += _timed(db, f"SELECT {', '.join(sums)} FROM {table}")
        return total


def sums(path: Path) -> float:
    """Seconds for the default reports of `stats` in SQL."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        return sum(_timed(db, statement) for statement in SUMS)


def gaps(path: Path) -> float:
    """Seconds for the classic script: merged kernels by device, gaps from 100 us."""
    statement = """
        SELECT deviceId, count(*), sum(start - seen) FROM (
            SELECT deviceId, start, max(end) OVER (PARTITION BY deviceId ORDER BY start
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS seen FROM CUPTI_ACTIVITY_KIND_KERNEL)
        WHERE start - seen >= 100000 GROUP BY deviceId"""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as db:
        return _timed(db, statement)


def _timed(db: sqlite3.Connection, statement: str) -> float:
    begun = time.perf_counter()
    db.execute(statement).fetchall()
    return time.perf_counter() - begun
