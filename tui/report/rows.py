"""One table of the file in memory: trusted rows, sorted by start, columns handed out one at a time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tui.report.doubts import Doubts, trusted
from tui.report.model import NULL, Bool, Int32, Int64
from tui.report.names import NamePool
from tui.report.progress import Meter
from tui.report.source import Source


class Rows:
    """Columns of one table. :meth:`select` fixes which rows, in which order, columns come in."""

    def __init__(self, table: str, rowid: Int64, ints: dict[str, Int64], texts: dict[str, Int32]) -> None:
        self.table = table
        self.total = len(rowid)
        """Rows in the file, before any selection."""
        self._ints = {"rowid": rowid, **ints}
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
        parts: dict[str, list[Int64]] = {}
        names: dict[str, list[Int32]] = {}
        if table in source.tables:
            for chunk in source.chunks(table, ints, texts):
                for column, values in (("rowid", chunk.rowid), *chunk.ints.items()):
                    parts.setdefault(column, []).append(values)
                for column, found in chunk.texts.items():
                    assert pool is not None
                    names.setdefault(column, []).append(pool.intern_many(found))
                meter.step(table, len(chunk.rowid))
        rowid = np.concatenate(parts.pop("rowid", [np.empty(0, np.int64)]))
        return cls(
            table,
            rowid,
            {c: np.concatenate(parts.pop(c)) for c in list(parts)},
            {c: np.concatenate(names.pop(c)) for c in list(names)},
        )

    @classmethod
    def read_again(cls, other: Rows) -> Rows:
        """The same rows, to be selected and arranged on their own; no column is copied."""
        rows = cls(other.table, other._ints["rowid"], {}, other._texts)
        rows._ints = other._ints
        return rows

    def __len__(self) -> int:
        return self.total if self._order is None else len(self._order)

    def has(self, column: str) -> bool:
        return column in self._ints or column in self._texts

    def ints(self, column: str, default: int = NULL) -> Int64:
        """An integer column, ``default`` throughout where the file does not have it."""
        values = self._ints.get(column)
        if values is None:
            return np.full(len(self), default, np.int64)
        return values if self._order is None else values[self._order]

    def texts(self, column: str) -> Int32:
        """A text column as pool indices, -1 for NULL or an absent column."""
        values = self._texts.get(column)
        if values is None:
            return np.full(len(self), -1, np.int32)
        return values if self._order is None else values[self._order]

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
