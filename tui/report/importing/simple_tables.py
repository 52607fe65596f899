"""Read tables as their descriptors say: each row of a source is an event, or a function pairs its rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from tui.report import schema
from tui.report.assemble import dtype_of
from tui.report.columns import Array, NamedColumns
from tui.report.event_tables import SOURCES
from tui.report.event_tables.event_table import Bounds, ColumnTable, EventTable, Owner, Reading
from tui.report.importing.context import Context
from tui.report.importing.sorting import spans
from tui.report.importing.table_rows import TableRows, names_of
from tui.report.sqlite.source import Source

_OWNER_COLUMNS = {Owner.DEVICE: ("globalPid", "deviceId"), Owner.THREAD: ("globalTid",)}


def other_tables(source: Source) -> list[str]:
    """List the tables of intervals without a descriptor: those with the columns start and end.

    Samples of counters are none, whatever their columns are called.
    """
    return [
        table
        for table in source.tables
        if table not in {*SOURCES, *schema.NOT_INTERVALS, *source.beneath}
        and source.has(table, "start", "end")
        and not schema.holds_samples(table, source.tables[table])
    ]


def read_simple(table: EventTable[Any], context: Context) -> TableRows:
    """Read the rows of a table's source that are events, trusted and by start."""
    reading = _reading(table)
    columns = " ".join(table.from_columns.values()).split()
    wanted = ["start", "end", *_OWNER_COLUMNS[table.owner], *reading.names, *columns]
    if reading.only is not None:
        wanted.append(reading.only[0])
    rows = TableRows.read(context, table.sources[0], list(dict.fromkeys(wanted)))
    if reading.only is not None:
        column, values = reading.only
        rows = rows.where(column, lambda found: np.isin(found, values))
    return rows.trusted(context.doubts, instants=reading.make is not None).by_start()


def simple_columns(table: EventTable[Any], rows: TableRows, context: Context) -> NamedColumns:
    """Make the columns of :func:`read_simple`'s rows, but for their owners."""
    names = _reading(table).names
    yield "start", rows.blocks("start")
    yield "end", rows.blocks("end")
    if names:
        name = names_of(rows, context, next(filter(rows.has, names), names[-1]))
        yield "name", (name(low, high) for low, high in spans(len(rows)))
    yield from copied_columns(table, rows, context)
    yield "rowid", rows.blocks("rowid")


def copied_columns(table: ColumnTable[Any], rows: TableRows, context: Context) -> NamedColumns:
    """Copy the columns of a table that are read as they are; ids of strings become indices."""
    for field, columns in table.from_columns.items():
        values = rows.blocks(next(filter(rows.has, columns.split()), columns))
        is_name = dtype_of(f"{table.name}.{field}") == np.int32
        yield field, map(context.strings.find, values) if is_name else values


def made_columns(
    table: EventTable[Any], rows: TableRows, bounds: Bounds, context: Context
) -> dict[str, Array]:
    """Let the descriptor make columns of :func:`read_simple`'s rows; ``thread`` is still globalTids."""
    reading = _reading(table)
    assert reading.make is not None
    sources = {"rowid": "rowid", **table.from_columns}
    gathered = context.spool.gathered
    made = reading.make({f: gathered(np.int64, rows.blocks(column)) for f, column in sources.items()}, bounds)
    for doubt in made.doubts:
        context.doubts.add(doubt.kind, rows.table, doubt.rows, doubt.example, excluded=doubt.excluded)
    return made.columns


def _reading(table: EventTable[Any]) -> Reading:
    assert table.reading is not None, table.name
    return table.reading
