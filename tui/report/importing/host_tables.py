"""What happened on the host: CUDA calls, OS calls, synchronisation records, other event tables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.report import schema
from tui.report.classify import call_class
from tui.report.columns import NULL, Bool, Int32, Int64, NamedColumns, UInt8
from tui.report.importing.doubts import DANGLING_NAME, Doubts
from tui.report.importing.merged import Merged, Part
from tui.report.importing.names import NamePool, StringTable, fill_missing
from tui.report.importing.sorting import spans
from tui.report.importing.table_rows import TableRows
from tui.report.progress import Meter
from tui.report.spool import Spool
from tui.report.sqlite.source import Source

_UNKNOWN = 255


def names_of(
    rows: TableRows, strings: StringTable, pool: NamePool, doubts: Doubts, column: str = "nameId"
) -> Part:
    """The names of rows that have one id column; a dangling id is listed and gets a placeholder."""
    reader = rows.reader(column)

    def part(low: int, high: int) -> Int32:
        ids = reader.at(low, high)
        names = strings.find(ids)
        if (names < 0).any():
            dangling = fill_missing(names, ids, pool)
            if dangling.any():
                i = int(np.argmax(dangling))
                row = rows.reader("rowid").at(low + i, low + i + 1)[0]
                example = f"row {row}: {column} {ids[i]}"
                doubts.add(DANGLING_NAME, rows.table, int(dangling.sum()), example, excluded=False)
        return names

    return part


def all_names(
    rows: TableRows, strings: StringTable, pool: NamePool, doubts: Doubts, column: str = "nameId"
) -> Iterator[Int32]:
    """:func:`names_of` all rows."""
    part = names_of(rows, strings, pool, doubts, column)
    return (part(low, high) for low, high in spans(len(rows)))


class RawCalls:
    """RUNTIME and DRIVER, trusted and by start, without the rows that only carry backtraces."""

    def __init__(self, source: Source, doubts: Doubts, meter: Meter, spool: Spool) -> None:
        self.backtraces = 0
        """How many rows are left out."""
        tables = []
        for table in (schema.RUNTIME, schema.DRIVER):
            rows = TableRows.read(source, table, schema.CALL_COLUMNS, meter=meter, spool=spool)
            real = rows.where("eventClass", lambda classes: classes != schema.BACKTRACE_CLASS)
            self.backtraces += len(rows) - len(real)
            tables.append(real.trusted(doubts).by_start())
        self.runtime, self.driver = tables
        self.all = Merged(tables, spool)


def call_columns(raw: RawCalls, strings: StringTable, pool: NamePool, doubts: Doubts) -> NamedColumns:
    """Both tables as one, by start. Where the file has no eventClass, the table tells it: 0 and 1."""
    yield "start", raw.all.column("start")
    yield "end", raw.all.column("end")
    yield "correlation", raw.all.column("correlationId")
    yield "name", raw.all.blocks([names_of(rows, strings, pool, doubts) for rows in raw.all.tables])
    yield (
        "event_class",
        (
            np.where(classes == NULL, table, classes)
            for classes, table in zip(raw.all.column("eventClass"), raw.all.tables_of(), strict=True)
        ),
    )
    yield "returned", raw.all.column("returnValue")
    yield "rowid", raw.all.column("rowid")


class CallClasses:
    """The class of each call by its name, told once per distinct name."""

    def __init__(self, pool: NamePool) -> None:
        self._pool = pool
        self._known = np.empty(0, np.uint8)

    def of(self, names: Int32) -> UInt8:
        if len(self._known) < len(self._pool):
            more = np.full(len(self._pool) - len(self._known), _UNKNOWN, np.uint8)
            self._known = np.concatenate([self._known, more])
        found = self._known[names]
        if (found == _UNKNOWN).any():
            new = np.unique(names[found == _UNKNOWN])
            self._known[new] = [call_class(text) for text in self._pool.texts(new)]
            found = self._known[names]
        return found


def read_os_calls(source: Source, doubts: Doubts, meter: Meter, spool: Spool) -> TableRows:
    """OSRT_API without the profiler's own markers."""

    def real(classes: Int64) -> Bool:
        either: Bool = (classes == schema.OSRT_CLASS) | (classes == NULL)
        return either

    rows = TableRows.read(source, schema.OSRT, schema.OSRT_COLUMNS, meter=meter, spool=spool)
    return rows.where("eventClass", real).trusted(doubts).by_start()


def os_call_columns(rows: TableRows, strings: StringTable, pool: NamePool, doubts: Doubts) -> NamedColumns:
    yield "start", rows.blocks("start")
    yield "end", rows.blocks("end")
    yield "name", all_names(rows, strings, pool, doubts)
    yield "level", rows.blocks("nestingLevel")
    yield "rowid", rows.blocks("rowid")


def sync_columns(rows: TableRows) -> NamedColumns:
    yield "start", rows.blocks("start")
    yield "end", rows.blocks("end")
    yield "context", rows.blocks("contextId")
    yield "stream", rows.blocks("streamId")
    yield "correlation", rows.blocks("correlationId")
    yield "kind", rows.blocks("syncType")
    yield "rowid", rows.blocks("rowid")


def other_tables(source: Source, used: set[str]) -> list[str]:
    """Tables of intervals that no part of the product reads by name: start and end columns tell."""
    return [
        table
        for table, columns in source.tables.items()
        if table not in used and table not in schema.NOT_INTERVALS and {"start", "end"} <= set(columns)
    ]


def other_columns(rows: TableRows, strings: StringTable, pool: NamePool, doubts: Doubts) -> NamedColumns:
    column = "nameId" if rows.has("nameId") else "textId"
    yield "start", rows.blocks("start")
    yield "end", rows.blocks("end")
    yield "name", all_names(rows, strings, pool, doubts, column)
    yield "event_class", rows.blocks("eventClass")
    yield "rowid", rows.blocks("rowid")
