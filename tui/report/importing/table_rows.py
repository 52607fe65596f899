"""One table of the file: trusted rows, sorted by start, columns handed out a block at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from tui.report.columns import NULL, Array, Bool, Int64
from tui.report.importing.doubts import Doubts, trusted
from tui.report.importing.name_pool import NamePool
from tui.report.importing.packed import Narrow, PackedColumn
from tui.report.importing.sorting import Keys, index_type, sorted_rows, spans
from tui.report.progress import Meter
from tui.report.spool import Spool
from tui.report.sqlite.source import Source

_NEAR = 4
"""Rows of a block that lie within so many times its length are read at one go."""

Test = Callable[[Int64], Bool]


class RowReader:
    """One column of the chosen rows, in their order."""

    def __init__(self, column: PackedColumn | None, order: Array | None, default: int, spool: Spool) -> None:
        self._column = column
        self._order = order
        self._default = default
        self._spool = spool
        self._whole: Narrow | None = None

    def at(self, low: int, high: int) -> Int64:
        """The values of rows ``low`` to ``high``."""
        if self._column is None:
            constant: Int64 = np.broadcast_to(np.int64(self._default), high - low)
            return constant
        if self._order is None:
            return self._column.read(low, high)
        rows = self._order[low:high]
        if not len(rows):
            return np.empty(0, np.int64)
        if self._whole is None:
            first, end = int(rows.min()), int(rows.max()) + 1
            if end - first <= _NEAR * len(rows):
                near: Int64 = self._column.read(first, end)[rows - first]
                return near
            self._whole = self._column.narrow(self._spool)
        return self._whole.take(rows)


class TableRows:
    """Columns of one table: all of its rows, or some of them in an order of their own."""

    def __init__(
        self,
        table: str,
        total: int,
        columns: dict[str, PackedColumn],
        spool: Spool,
        order: Array | None = None,
    ) -> None:
        """``columns``: texts are indices of a pool, -1 for NULL. ``order``: the chosen rows; None: all."""
        self.table = table
        self.total = total
        """Rows in the file, before any selection."""
        self._columns = columns
        self._spool = spool
        self._order = order

    @classmethod
    def read(
        cls,
        source: Source,
        table: str,
        ints: Sequence[str],
        texts: Sequence[str] = (),
        *,
        pool: NamePool | None = None,
        meter: Meter,
        spool: Spool,
    ) -> TableRows:
        """Read ``table``; an absent table has no rows, an absent column only NULLs."""
        columns: dict[str, PackedColumn] = {"rowid": PackedColumn(spool.keep)}

        def grow(column: str, values: Int64) -> None:
            if column not in columns:
                columns[column] = PackedColumn(spool.keep)
            columns[column].append(values)

        if table in source.tables:
            for chunk in source.chunks(table, ints, texts):
                grow("rowid", chunk.rowid)
                for column, values in chunk.ints.items():
                    grow(column, values)
                for column, found in chunk.texts.items():
                    assert pool is not None
                    grow(column, pool.intern_texts(found).astype(np.int64))
                meter.step(table, len(chunk.rowid))
        return cls(table, len(columns["rowid"]), columns, spool)

    def __len__(self) -> int:
        return self.total if self._order is None else len(self._order)

    def has(self, column: str) -> bool:
        return column in self._columns

    def reader(self, column: str, default: int = NULL) -> RowReader:
        """A column, ``default`` throughout where the file does not have it."""
        return RowReader(self._columns.get(column), self._order, default, self._spool)

    def blocks(self, column: str, default: int = NULL) -> Iterator[Int64]:
        """:meth:`reader`, from the first row to the last."""
        reader = self.reader(column, default)
        return (reader.at(low, high) for low, high in spans(len(self)))

    def where(self, column: str, test: Test) -> TableRows:
        """Those of the rows whose value passes; nothing is copied."""
        return self._with(
            np.flatnonzero(test(values)) + low
            for (low, _), values in zip(spans(len(self)), self.blocks(column), strict=True)
        )

    def trusted(self, doubts: Doubts, *, instants: bool = False, open_end: bool = False) -> TableRows:
        """The rows without those of impossible times, which are listed in ``doubts``."""
        start, end, rowid = (self.reader(c) for c in ("start", "end", "rowid"))
        return self._with(
            np.flatnonzero(
                trusted(
                    self.table,
                    rowid.at(low, high),
                    start.at(low, high),
                    None if instants else end.at(low, high),
                    doubts,
                    open_end=open_end,
                )
            )
            + low
            for low, high in spans(len(self))
        )

    def by_start(self, then: Callable[[TableRows], Keys] | None = None) -> TableRows:
        """The rows by start, equal ones by ``then`` (a key made of them), else as they are."""
        order = sorted_rows(
            len(self), self.reader("start").at, None if then is None else then(self), self._spool
        )
        return self if order is None else self._picked(order)

    def _with(self, chosen: Iterator[Array]) -> TableRows:
        """The rows of ascending numbers that ``chosen`` tells block by block; itself where it is all."""
        everything = True

        def kept() -> Iterator[Array]:
            nonlocal everything
            for (low, high), rows in zip(spans(len(self)), chosen, strict=True):
                if everything and len(rows) == high - low:
                    continue
                if everything:
                    everything = False
                    yield from (np.arange(*span) for span in spans(low))
                yield rows

        found = self._spool.gathered(index_type(self.total), kept())
        return self if everything else self._picked(found)

    def _picked(self, rows: Array) -> TableRows:
        if self._order is not None:
            order = self._order
            rows = self._spool.gathered(rows.dtype, (order[rows[low:high]] for low, high in spans(len(rows))))
        return TableRows(self.table, self.total, self._columns, self._spool, rows)
