"""One table of the file in memory: trusted rows, sorted by start, columns handed out one at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tui.report.doubts import Doubts, trusted
from tui.report.model import NULL, Bool, Int32, Int64
from tui.report.names import NamePool
from tui.report.packed import PackedColumn
from tui.report.progress import Meter
from tui.report.source import Source


class Rows:
    """Columns of one table. :meth:`select` and :meth:`arrange` fix which rows, in which order, come out."""

    def __init__(
        self, table: str, total: int, ints: dict[str, PackedColumn], texts: dict[str, PackedColumn]
    ) -> None:
        self.table = table
        self.total = total
        """Rows in the file, before any selection."""
        self._ints = ints
        self._texts = texts
        self._order: Int64 | None = None

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
    ) -> Rows:
        """Read ``table``; an absent table has no rows, an absent column only NULLs."""
        columns: dict[str, PackedColumn] = {"rowid": PackedColumn()}
        names: dict[str, PackedColumn] = {}
        if table in source.tables:
            for chunk in source.chunks(table, ints, texts):
                for column, values in (("rowid", chunk.rowid), *chunk.ints.items()):
                    columns.setdefault(column, PackedColumn()).append(values)
                for column, found in chunk.texts.items():
                    assert pool is not None
                    names.setdefault(column, PackedColumn()).append(pool.intern_texts(found).astype(np.int64))
                meter.step(table, len(chunk.rowid))
        return cls(table, len(columns["rowid"]), columns, names)

    def view(self) -> Rows:
        """The same rows, all of them in the file's order, to be selected on their own; nothing is copied."""
        return Rows(self.table, self.total, self._ints, self._texts)

    def __len__(self) -> int:
        return self.total if self._order is None else len(self._order)

    def has(self, column: str) -> bool:
        return column in self._ints or column in self._texts

    def ints(self, column: str, default: int = NULL) -> Int64:
        """An integer column, ``default`` throughout where the file does not have it."""
        values = self._ints.get(column)
        if values is None:
            return np.broadcast_to(np.int64(default), len(self))
        unpacked = values.unpack()
        return unpacked if self._order is None else unpacked[self._order]

    def texts(self, column: str) -> Int32:
        """A text column as pool indices, -1 for NULL or an absent column."""
        values = self._texts.get(column)
        if values is None:
            return np.full(len(self), -1, np.int32)
        unpacked = values.unpack().astype(np.int32)
        return unpacked if self._order is None else unpacked[self._order]

    def select(self, keep: Bool) -> None:
        """Go on with the rows where ``keep`` holds."""
        order = np.arange(self.total) if self._order is None else self._order
        self._order = order[keep]

    def arrange(self, *keys: Int64) -> None:
        """Sort by ``keys``, the first one counting most; equal rows keep their order."""
        by = np.argsort(keys[0], kind="stable") if len(keys) == 1 else np.lexsort(keys[::-1])
        self._order = by if self._order is None else self._order[by]

    def trust(self, doubts: Doubts, *, instants: bool = False, open_end: bool = False) -> None:
        """Leave out rows with impossible times, listing them in ``doubts``, and sort by start."""
        start = self.ints("start")
        end = None if instants else self.ints("end")
        good = trusted(self.table, self.ints("rowid"), start, end, doubts, open_end=open_end)
        if not good.all():
            self.select(good)
            start = start[good]
        self.arrange(start)
