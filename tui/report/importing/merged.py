"""Several tables, each by start, as one by start."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from tui.report.columns import Array, Int64, UInt8
from tui.report.importing import sorting
from tui.report.importing.sorting import Keys, spans
from tui.report.importing.table_rows import TableRows
from tui.report.spool import Spool

Part = Callable[[int, int], Array]
"""From two rows of a table to the values of those between."""


class Merged:
    """Rows of ``tables`` by start; those that start together in the order of the tables."""

    def __init__(self, tables: Sequence[TableRows], spool: Spool) -> None:
        self.tables = tables
        sizes = [len(rows) for rows in tables]
        self._length = sum(sizes)
        self._only = next((t for t, size in enumerate(sizes) if size == self._length), None)
        self._table: Array = np.empty(0, np.uint8)
        if self._only is None:
            keys = [rows.reader("start").at for rows in tables]
            self._table = spool.gathered(np.uint8, _interleaved(keys, sizes))

    def __len__(self) -> int:
        return self._length

    def tables_of(self) -> Iterator[UInt8]:
        """Which table each row is of, by its place in :attr:`tables`."""
        for low, high in spans(self._length):
            if self._only is not None:
                yield np.full(high - low, self._only, np.uint8)
            else:
                yield self._table[low:high]

    def blocks(self, parts: Sequence[Part]) -> Iterator[Array]:
        """One column of all rows; ``parts`` gives each table's share and is asked once for each row."""
        at = [0] * len(self.tables)
        for table in self.tables_of():
            counts = np.bincount(table, minlength=len(parts)).tolist()
            shares = {}
            for number, count in enumerate(counts):
                if count:
                    shares[number] = parts[number](at[number], at[number] + count)
                    at[number] += count
            first = next(iter(shares.values()))
            if len(shares) == 1:
                yield first
                continue
            out = np.empty(len(table), first.dtype)
            for number, values in shares.items():
                out[table == number] = values
            yield out

    def column(self, name: str) -> Iterator[Int64]:
        """A column that the tables have under one name."""
        return self.blocks([rows.reader(name).at for rows in self.tables])

    def ranks(self) -> Iterator[Int64]:
        """The place of each row in its table."""
        return self.blocks([np.arange] * len(self.tables))


def _interleaved(keys: Sequence[Keys], sizes: Sequence[int]) -> Iterator[UInt8]:
    """Which table comes next, row by row: some of each are held, as far as nothing can come before."""
    at = [0] * len(keys)
    held = [np.empty(0, np.int64) for _ in keys]

    def load(table: int) -> None:
        more = keys[table](at[table], min(at[table] + sorting.BLOCK, sizes[table]))
        at[table] += len(more)
        held[table] = np.concatenate([held[table], more])

    while True:
        for table, size in enumerate(sizes):
            if at[table] < size and len(held[table]) < sorting.BLOCK:
                load(table)
        unread = [t for t, size in enumerate(sizes) if at[t] < size]
        if unread:
            limit = min(int(held[t][-1]) for t in unread)
            ready = [int(np.searchsorted(starts, limit)) for starts in held]
        else:
            ready = [len(starts) for starts in held]
        if any(ready):
            starts = np.concatenate([h[:n] for h, n in zip(held, ready, strict=True)])
            table_of = np.repeat(np.arange(len(keys), dtype=np.uint8), ready)
            yield table_of[np.argsort(starts, kind="stable")]
            held = [h[n:] for h, n in zip(held, ready, strict=True)]
        elif not unread:
            return
        else:  # blocks of rows that all start together
            for table in unread:
                load(table)
