"""RUNTIME and DRIVER rows -> CUDA calls."""

from __future__ import annotations

import numpy as np

from tui.report import schema
from tui.report.classify import call_class
from tui.report.columns import NULL, Int32, NamedColumns, UInt8
from tui.report.importing.doubts import Doubts
from tui.report.importing.merged import Merged
from tui.report.importing.name_pool import NamePool, StringTable
from tui.report.importing.simple_tables import names_of
from tui.report.importing.table_rows import TableRows
from tui.report.progress import Meter
from tui.report.spool import Spool
from tui.report.sqlite.source import Source

_UNKNOWN = 255


class RawCalls:
    """RUNTIME and DRIVER, trusted and by start, without the rows that only carry backtraces."""

    def __init__(self, source: Source, doubts: Doubts, meter: Meter, spool: Spool) -> None:
        self.backtraces = 0
        """How many rows are left out."""
        tables = []
        for table in schema.CALL_TABLES:
            rows = TableRows.read(source, table, schema.CALL_COLUMNS, meter=meter, spool=spool)
            real = rows.where("eventClass", lambda classes: classes != schema.BACKTRACE_CLASS)
            self.backtraces += len(rows) - len(real)
            tables.append(real.trusted(doubts).by_start())
        self.runtime, self.driver = tables
        self.all = Merged(tables, spool)


def call_columns(raw: RawCalls, strings: StringTable, pool: NamePool, doubts: Doubts) -> NamedColumns:
    """Both tables as one, by start. A missing eventClass is the number of the table: 0 and 1."""
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
    """The class of each call by its name, worked out once a distinct name."""

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
