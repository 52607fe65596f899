"""Tables that a descriptor says how to read: one source, a row an event (or what is made of all rows)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tui.report import schema
from tui.report.assemble import dtype_of
from tui.report.columns import Array, Int32, NamedColumns
from tui.report.importing.doubts import DANGLING_NAME, Doubts
from tui.report.importing.merged import Part
from tui.report.importing.name_pool import NamePool, StringTable, fill_missing
from tui.report.importing.sorting import spans
from tui.report.importing.table_rows import TableRows
from tui.report.progress import Meter
from tui.report.spool import Spool
from tui.report.sqlite.source import Source
from tui.report.tables import SOURCES
from tui.report.tables.table import Bounds, ColumnTable, EventTable, Owner, Reading

OWNER_COLUMNS = {Owner.DEVICE: ("globalPid", "deviceId"), Owner.THREAD: ("globalTid",)}
"""Columns of a source that say whose a row is."""


def other_tables(source: Source) -> list[str]:
    """Tables of intervals without a descriptor: those with the columns start and end."""
    return [
        table
        for table, columns in source.tables.items()
        if table not in SOURCES and table not in schema.NOT_INTERVALS and {"start", "end"} <= set(columns)
    ]


def read_simple(
    table: EventTable[Any], source: Source, doubts: Doubts, meter: Meter, spool: Spool
) -> TableRows:
    """The rows of a table's source that are events, trusted and by start."""
    reading = _reading(table)
    wanted = ["start", "end", *OWNER_COLUMNS[table.owner], *reading.names, *table.from_columns.values()]
    if reading.only is not None:
        wanted.append(reading.only[0])
    rows = TableRows.read(source, table.sources[0], list(dict.fromkeys(wanted)), meter=meter, spool=spool)
    if reading.only is not None:
        column, values = reading.only
        rows = rows.where(column, lambda found: np.isin(found, values))
    return rows.trusted(doubts, instants=reading.make is not None).by_start()


def simple_columns(
    table: EventTable[Any], rows: TableRows, strings: StringTable, pool: NamePool, doubts: Doubts
) -> NamedColumns:
    """The columns of :func:`read_simple`'s rows but those that say whose a row is."""
    reading = _reading(table)
    yield "start", rows.blocks("start")
    yield "end", rows.blocks("end")
    if reading.names:
        there = next(filter(rows.has, reading.names), reading.names[-1])
        yield "name", all_names(rows, strings, pool, doubts, there)
    yield from columns_as_they_are(table, rows, strings)
    yield "rowid", rows.blocks("rowid")


def columns_as_they_are(table: ColumnTable[Any], rows: TableRows, strings: StringTable) -> NamedColumns:
    """The columns of a table that are read without a change but from a string's id to its index."""
    for field, column in table.from_columns.items():
        values = rows.blocks(column)
        is_name = dtype_of(f"{table.name}.{field}") == np.int32
        yield field, map(strings.find, values) if is_name else values


def made_columns(
    table: EventTable[Any], rows: TableRows, bounds: Bounds, doubts: Doubts, spool: Spool
) -> dict[str, Array]:
    """The columns that the descriptor makes of :func:`read_simple`'s rows, ``thread`` still as globalTids."""
    reading = _reading(table)
    assert reading.make is not None
    sources = {"rowid": "rowid", **table.from_columns}
    made = reading.make(
        {field: spool.gathered(np.int64, rows.blocks(column)) for field, column in sources.items()}, bounds
    )
    for doubt in made.doubts:
        doubts.add(doubt.kind, rows.table, doubt.rows, doubt.example, excluded=doubt.excluded)
    return made.columns


def _reading(table: EventTable[Any]) -> Reading:
    assert table.reading is not None, table.name
    return table.reading


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
