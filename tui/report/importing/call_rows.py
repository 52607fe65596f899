"""RUNTIME and DRIVER rows -> CUDA calls."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.report import schema
from tui.report.classify import CallClass, call_class
from tui.report.columns import NULL, Int32, NamedColumns, UInt8
from tui.report.importing.context import Context
from tui.report.importing.merged import Merged
from tui.report.importing.name_pool import NamePool
from tui.report.importing.sorting import spans
from tui.report.importing.table_rows import TableRows, names_of


def read_calls(context: Context) -> tuple[Merged, int]:
    """Read RUNTIME and DRIVER, trusted and by start; count the rows left out, which only carry backtraces."""
    tables, backtraces = [], 0
    for table in schema.CALL_TABLES:
        rows = TableRows.read(context, table, schema.CALL_COLUMNS)
        real = rows.where("eventClass", lambda classes: classes != schema.BACKTRACE_CLASS)
        backtraces += len(rows) - len(real)
        tables.append(real.trusted(context.doubts).by_start())
    return Merged(tables, context.spool), backtraces


def call_columns(calls: Merged, context: Context) -> NamedColumns:
    """Make the columns of all calls by start. A missing eventClass is the number of the table: 0 or 1."""
    yield "start", calls.column("start")
    yield "end", calls.column("end")
    yield "correlation", calls.column("correlationId")
    yield "name", calls.blocks([names_of(rows, context) for rows in calls.tables])
    classes = zip(calls.column("eventClass"), calls.tables_of(), strict=True)
    yield "event_class", (np.where(found == NULL, table, found) for found, table in classes)
    yield "returned", calls.column("returnValue")
    yield "rowid", calls.column("rowid")


def classes_of(names: Int32, pool: NamePool) -> Iterator[UInt8]:
    """Classify calls by their names, block by block: each distinct name once."""
    used = np.zeros(len(pool), bool)
    for low, high in spans(len(names)):
        used[names[low:high]] = True
    distinct = np.flatnonzero(used)
    classes = np.full(len(pool), CallClass.OTHER, np.uint8)
    classes[distinct] = [call_class(text) for text in pool.texts(distinct)]
    return (classes[names[low:high]] for low, high in spans(len(names)))
