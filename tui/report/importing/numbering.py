"""Number the few distinct integers of a long column from 0 up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tui.report.columns import NULL, Int32, Int64


class Numbering:
    """Numbers distinct integers from 0 up in the order in which they come; NULL gets -1."""

    def __init__(self) -> None:
        self.ids: Int64 = np.empty(0, np.int64)
        """The integers, by number."""
        self._sorted = np.empty(0, np.int64)
        self._number = np.empty(0, np.int32)

    def __len__(self) -> int:
        return len(self.ids)

    def of(self, values: Int64) -> Int32:
        """Return the number of each value; new ones get the next numbers."""
        if len(values) > 1 and (values[0] == values).all():
            return np.full(len(values), self.of(values[:1])[0], np.int32)
        found = self._find(values)
        new = np.unique(values[(found < 0) & (values != NULL)])
        if len(new):
            self.ids = np.append(self.ids, new)
            order = np.argsort(self.ids, kind="stable")
            self._sorted, self._number = self.ids[order], order.astype(np.int32)
            found = self._find(values)
        return found

    def _find(self, values: Int64) -> Int32:
        if not len(self):
            return np.full(len(values), -1, np.int32)
        at = np.searchsorted(self._sorted, values)
        at[at == len(self)] = 0
        return np.where(self._sorted[at] == values, self._number[at], np.int32(-1))

    def ranks(self) -> Int32:
        """Return the rank of each number's integer, and a last -1: the rank of the number -1."""
        out = np.full(len(self) + 1, -1, np.int32)
        out[self._number] = np.arange(len(self), dtype=np.int32)
        return out


class Combinations:
    """Numbers the distinct combinations of values of several columns."""

    def __init__(self, columns: int) -> None:
        self._values = [Numbering() for _ in range(columns)]
        self._heads = [Numbering() for _ in range(columns)]

    def of(self, *columns: NDArray[np.integer]) -> Int32:
        """Return the number of each row's combination."""
        found = np.zeros(len(columns[0]), np.int32)
        for head, values, column in zip(self._heads, self._values, columns, strict=True):
            digit = values.of(column.astype(np.int64, copy=False)).astype(np.int64) + 1
            found = head.of((found.astype(np.int64) << 32) | digit)
        return found
