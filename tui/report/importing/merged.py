"""Several tables, each by start, as one by start."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tui.report.columns import Array, Int64, UInt8
from tui.report.importing import sorting
from tui.report.importing.sorting import Reader, spans
from tui.report.importing.table_rows import TableRows
from tui.report.spool import Spool


class Merged:
    """Rows of several tables by start; those that start together are in the order of ``tables``."""

    def __init__(self, tables: Sequence[TableRows], spool: Spool) -> None:
        self.tables = tables
        sizes = [len(rows) for rows in tables]
        if max(sizes) == sum(sizes):
            self._table: Array = np.broadcast_to(np.uint8(np.argmax(sizes)), sum(sizes))
        else:
            self._table = spool.gathered(np.uint8, _interleaved([r.reader("start") for r in tables], sizes))

    def __len__(self) -> int:
        return len(self._table)

    def tables_of(self) -> Iterator[UInt8]:
        """Yield which table each row is of, by its place in :attr:`tables`."""
        return (self._table[low:high] for low, high in spans(len(self)))

    def blocks(self, parts: Sequence[Reader]) -> Iterator[Array]:
        """Merge a column; ``parts`` read each table's share, every row once and in order."""
        at = [0] * len(parts)
        for table in self.tables_of():
            counts = np.bincount(table, minlength=len(parts)).tolist()
            shares = {n: parts[n](at[n], at[n] + count) for n, count in enumerate(counts) if count}
            at = [low + count for low, count in zip(at, counts, strict=True)]
            first = next(iter(shares.values()))
            if len(shares) == 1:
                yield first
                continue
            out = np.empty(len(table), first.dtype)
            for number, values in shares.items():
                out[table == number] = values
            yield out

    def column(self, name: str) -> Iterator[Int64]:
        """Merge a column that has one name in all tables."""
        return self.blocks([rows.reader(name) for rows in self.tables])

    def ranks(self) -> Iterator[Int64]:
        """Yield the place of each row in its table."""
        return self.blocks([np.arange] * len(self.tables))


def _interleaved(keys: Sequence[Reader], sizes: Sequence[int]) -> Iterator[UInt8]:
    """Yield which table each next row is of, as far as no unread row can start before it."""
    at = [0] * len(keys)
    waiting = [np.empty(0, np.int64) for _ in keys]

    def load(table: int) -> None:
        more = keys[table](at[table], min(at[table] + sorting.BLOCK, sizes[table]))
        at[table] += len(more)
        waiting[table] = np.concatenate([waiting[table], more])

    while True:
        for table, size in enumerate(sizes):
            if at[table] < size and len(waiting[table]) < sorting.BLOCK:
                load(table)
        unread = [t for t, size in enumerate(sizes) if at[t] < size]
        ready = [len(starts) for starts in waiting]
        if unread:
            limit = min(int(waiting[t][-1]) for t in unread)
            ready = [int(np.searchsorted(starts, limit)) for starts in waiting]
        if any(ready):
            starts = np.concatenate([w[:n] for w, n in zip(waiting, ready, strict=True)])
            table_of = np.repeat(np.arange(len(keys), dtype=np.uint8), ready)
            yield table_of[np.argsort(starts, kind="stable")]
            waiting = [w[n:] for w, n in zip(waiting, ready, strict=True)]
        elif not unread:
            return
        else:  # blocks of rows that all start together
            for table in unread:
                load(table)
