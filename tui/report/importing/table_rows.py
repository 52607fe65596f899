"""One table of the file: rows are chosen and sorted, columns read a block at a time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from tui.report.columns import NULL, Array, Bool, Int32, Int64
from tui.report.data import UNNAMED
from tui.report.importing.context import Context
from tui.report.importing.doubts import DANGLING_NAME, Doubts, trusted
from tui.report.importing.packed import Packed, PackedColumn
from tui.report.importing.sorting import Reader, index_type, sorted_rows, spans
from tui.report.spool import Spool

_NEAR = 4
"""Rows of a block that lie within four times its length are read in one go."""


class TableRows:
    """Columns of one table: all of its rows, or some of them in an order of their own."""

    def __init__(
        self,
        table: str,
        total: int,
        columns: Mapping[str, PackedColumn],
        spool: Spool,
        order: Array | None = None,
        lost: Int64 | None = None,
    ) -> None:
        """``columns``: texts are indices of a pool, -1 for NULL. ``order``: the chosen rows; None: all.

        ``lost``: the ids of rows whose times are no numbers of nanoseconds, which have been listed.
        """
        self.table = table
        self.total = total
        """Rows in the file, before any selection."""
        self._columns = columns
        self._spool = spool
        self._order = order
        self._lost = lost

    @classmethod
    def read(
        cls,
        context: Context,
        table: str,
        ints: Sequence[str],
        texts: Sequence[str] = (),
        reals: Sequence[str] = (),
        blobs: Sequence[str] = (),
        present: Sequence[str] = (),
        only: tuple[str, tuple[int, ...]] | None = None,
    ) -> TableRows:
        """Read ``table``; an absent table has no rows, an absent column only NULLs.

        ``reals`` are columns of bits: the 64 of each number as an integer. ``blobs``, ``present`` and
        ``only``: see :meth:`Source.chunks`.
        """
        columns = defaultdict[str, PackedColumn](lambda: PackedColumn(context.spool.keep))
        lost = [np.empty(0, np.int64)]
        context.source.require(table)
        if table in context.source.tables:
            for chunk in context.source.chunks(table, ints, texts, reals, blobs, present, only):
                columns["rowid"].append(chunk.rowid)
                for column, values in chunk.ints.items():
                    columns[column].append(values)
                for column, found in (*chunk.texts.items(), *chunk.blobs.items()):
                    columns[column].append(context.pool.intern_texts(found).astype(np.int64))
                for column, numbers in chunk.reals.items():
                    columns[column].append(numbers.view(np.int64))
                if chunk.odd:
                    lost.append(context.doubts.note_odd(table, chunk.rowid, chunk.odd))
                context.meter.step(table, len(chunk.rowid))
        return cls(table, len(columns["rowid"]), columns, context.spool, lost=np.concatenate(lost))

    def __len__(self) -> int:
        return self.total if self._order is None else len(self._order)

    def has(self, column: str) -> bool:
        return column in self._columns

    def reader(self, column: str, default: int = NULL) -> Reader:
        """Read a column of these rows; it is ``default`` throughout where the file does not have it."""
        packed, order = self._columns.get(column), self._order
        if packed is None:
            return lambda low, high: np.broadcast_to(np.int64(default), high - low)
        if order is None:
            return packed.read
        whole: Packed | None = None

        def picked(low: int, high: int) -> Int64:
            nonlocal whole
            rows = order[low:high]
            if whole is None:
                first, end = (int(rows.min()), int(rows.max()) + 1) if len(rows) else (0, 0)
                if end - first <= _NEAR * len(rows):
                    near: Int64 = packed.read(first, end)[rows - first]
                    return near
                whole = packed.whole(self._spool)
            return whole.take(rows, np.empty(len(rows), np.int64))

        return picked

    def blocks(self, column: str, default: int = NULL) -> Iterator[Int64]:
        """Read a column from the first row to the last."""
        read = self.reader(column, default)
        return (read(low, high) for low, high in spans(len(self)))

    def where(self, column: str, test: Callable[[Int64], Bool]) -> TableRows:
        """Choose the rows whose value passes; nothing is copied."""
        read = self.reader(column)
        return self._where(lambda low, high: test(read(low, high)))

    def trusted(self, doubts: Doubts, *, instants: bool = False, open_end: bool = False) -> TableRows:
        """Leave out the rows of impossible times, which are listed in ``doubts``."""
        start, end, rowid = map(self.reader, ("start", "end", "rowid"))

        def good(low: int, high: int) -> Bool:
            ends = None if instants else end(low, high)
            ids, starts = rowid(low, high), start(low, high)
            return trusted(self.table, ids, starts, ends, doubts, open_end=open_end, lost=self._lost)

        return self._where(good)

    def by_start(self, then: Reader | None = None) -> TableRows:
        """Sort the rows by start, equal ones by the key ``then``, else as they are."""
        order = sorted_rows(len(self), self.reader("start"), then, self._spool)
        return self if order is None else self._picked(order)

    def _where(self, test: Reader) -> TableRows:
        """Choose the rows for which ``test`` is True; return itself if all are."""
        everything = True

        def kept() -> Iterator[Array]:
            nonlocal everything
            for low, high in spans(len(self)):
                rows = np.flatnonzero(test(low, high)) + low
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
        return TableRows(self.table, self.total, self._columns, self._spool, rows, self._lost)


def names_of(rows: TableRows, context: Context, column: str = "nameId", *others: str) -> Reader:
    """Read the index of each row's name: by the id in ``column``, else its ``text``, else by ``others``.

    The order is nsys's, should a row have both. A row without a name gets a placeholder. Ids of ``column``
    that no string has are listed as doubtful, unless the row has a text.
    """
    texts, ids_of, rowid = rows.reader("text", -1), rows.reader(column), rows.reader("rowid")
    more, find = [rows.reader(other) for other in others], context.strings.find

    def part(low: int, high: int) -> Int32:
        own, ids = texts(low, high).astype(np.int32), ids_of(low, high)
        if (own >= 0).all() and (ids == NULL).all():
            return own
        found = find(ids)
        dangling = (found < 0) & (own < 0) & (ids != NULL)
        if dangling.any():
            i = int(np.argmax(dangling))
            example = f"row {rowid(low + i, low + i + 1)[0]}: {column} {ids[i]}"
            context.doubts.add(DANGLING_NAME, rows.table, int(dangling.sum()), example, excluded=False)
        names = np.where(found < 0, own, found).astype(np.int32, copy=False)
        for other in more:
            if (names < 0).any():
                names = np.where(names < 0, find(other(low, high)), names)
        missing = names < 0
        if missing.any():
            distinct, inverse = np.unique(ids[missing], return_inverse=True)
            placeholders = [
                UNNAMED if i == NULL else f"(name {i} is not in the export)" for i in distinct.tolist()
            ]
            names[missing] = context.pool.intern_all(placeholders)[inverse]
        return names

    return part
