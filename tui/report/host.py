"""What happened on the host: CUDA calls, OS calls, synchronisation records, other event tables."""

from __future__ import annotations

import numpy as np

from tui.report import schema
from tui.report.assemble import Named
from tui.report.classify import call_class
from tui.report.doubts import DANGLING_NAME, Doubts
from tui.report.model import NULL, Int32, Int64, UInt8
from tui.report.names import NamePool, StringTable, fill_missing
from tui.report.people import People
from tui.report.progress import Meter
from tui.report.rows import Rows
from tui.report.source import Source


def named(rows: Rows, strings: StringTable, pool: NamePool, doubts: Doubts, column: str = "nameId") -> Int32:
    """The names of rows that have one id column; a dangling id is listed and gets a placeholder."""
    ids = rows.ints(column)
    names = strings.find(ids)
    if (names < 0).any():
        dangling = fill_missing(names, ids, pool)
        if dangling.any():
            i = int(np.argmax(dangling))
            example = f"row {rows.ints('rowid')[i]}: {column} {ids[i]}"
            doubts.add(DANGLING_NAME, rows.table, int(dangling.sum()), example, excluded=False)
    return names


def read_calls(source: Source, table: str, doubts: Doubts, meter: Meter) -> tuple[Rows, int]:
    """The calls of RUNTIME or DRIVER without the rows that only carry backtraces, and how many those were."""
    rows = Rows.read(source, table, schema.CALL_COLUMNS, meter=meter)
    real = rows.ints("eventClass") != schema.BACKTRACE_CLASS
    backtraces = int((~real).sum())
    if backtraces:
        rows.select(real)
    rows.trust(doubts)
    return rows, backtraces


def classes_of(names: Int32, pool: NamePool) -> UInt8:
    """The call class of each name, told once per distinct name."""
    distinct, inverse = np.unique(names, return_inverse=True)
    classes = [call_class(text) for text in pool.texts(distinct)]
    return np.array(classes, np.uint8)[inverse.reshape(-1)] if classes else np.empty(0, np.uint8)


def call_columns(
    runtime: Rows, driver: Rows, strings: StringTable, pool: NamePool, people: People, doubts: Doubts
) -> Named:
    """Both tables as one, by start. Where the file has no eventClass, the table tells it: 0 and 1."""

    def both(column: str) -> Int64:
        if not len(driver):
            return runtime.ints(column)
        return np.concatenate([runtime.ints(column), driver.ints(column)])

    start = both("start")
    order = np.argsort(start, kind="stable")
    yield "start", start[order]
    yield "end", both("end")[order]
    yield "thread", people.thread_index(both("globalTid"))[order]
    yield "correlation", both("correlationId")[order]
    names = np.concatenate([named(rows, strings, pool, doubts) for rows in (runtime, driver)])[order]
    yield "name", names
    yield "call_class", classes_of(names, pool)
    classes = both("eventClass")
    table = np.repeat(np.array([0, 1]), [len(runtime), len(driver)])
    yield "event_class", np.where(classes == NULL, table, classes)[order]
    yield "returned", both("returnValue")[order]
    yield "rowid", both("rowid")[order]


def read_os_calls(source: Source, doubts: Doubts, meter: Meter) -> Rows:
    """OSRT_API without the profiler's own markers."""
    rows = Rows.read(source, schema.OSRT, schema.OSRT_COLUMNS, meter=meter)
    event_class = rows.ints("eventClass")
    rows.select((event_class == schema.OSRT_CLASS) | (event_class == NULL))
    rows.trust(doubts)
    return rows


def os_call_columns(
    rows: Rows, strings: StringTable, pool: NamePool, people: People, doubts: Doubts
) -> Named:
    yield "start", rows.ints("start")
    yield "end", rows.ints("end")
    yield "thread", people.thread_index(rows.ints("globalTid"))
    yield "name", named(rows, strings, pool, doubts)
    yield "level", rows.ints("nestingLevel")
    yield "rowid", rows.ints("rowid")


def sync_columns(rows: Rows, device: Int32, people: People) -> Named:
    yield "start", rows.ints("start")
    yield "end", rows.ints("end")
    yield "device", device
    yield "process", people.process_index(rows.ints("globalPid"))
    yield "context", rows.ints("contextId")
    yield "stream", rows.ints("streamId")
    yield "correlation", rows.ints("correlationId")
    yield "kind", rows.ints("syncType")
    yield "rowid", rows.ints("rowid")


def other_tables(source: Source, used: set[str]) -> list[str]:
    """Tables of intervals that no part of the product reads by name: start and end columns tell."""
    return [
        table
        for table, columns in source.tables.items()
        if table not in used and table not in schema.NOT_INTERVALS and {"start", "end"} <= set(columns)
    ]


def other_columns(rows: Rows, strings: StringTable, pool: NamePool, people: People, doubts: Doubts) -> Named:
    column = "nameId" if rows.has("nameId") else "textId"
    yield "start", rows.ints("start")
    yield "end", rows.ints("end")
    yield "thread", people.thread_index(rows.ints("globalTid"))
    yield "name", named(rows, strings, pool, doubts, column)
    yield "event_class", rows.ints("eventClass")
    yield "rowid", rows.ints("rowid")
