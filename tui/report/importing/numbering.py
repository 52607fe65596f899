"""Few distinct integers in a long column -> numbers from 0 up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tui.report.columns import NULL, Int32, Int64


class Numbering:
    """Numbers from 0 up for integers in the order of first sight; -1 for NULL."""

    def __init__(self) -> None:
        self._known = np.empty(0, np.int64)  # ascending
        self._number = np.empty(0, np.int32)
        self._ids: list[int] = []

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def ids(self) -> Int64:
        """The integers, by number."""
        return np.array(self._ids, np.int64)

    def of(self, values: Int64) -> Int32:
        """The number of each value; new ones get the next."""
        if len(values) and (values[0] == values).all():
            return np.full(len(values), self._one(int(values[0])), np.int32)
        found = self._find(values)
        new = np.unique(values[(found < 0) & (values != NULL)])
        if len(new):
            self._learn(new)
            found = self._find(values)
        return found

    def _one(self, value: int) -> int:
        if value == NULL:
            return -1
        one = np.array([value], np.int64)
        if self._find(one)[0] < 0:
            self._learn(one)
        return int(self._find(one)[0])

    def _find(self, values: Int64) -> Int32:
        if not len(self._known):
            return np.full(len(values), -1, np.int32)
        at = np.searchsorted(self._known, values)
        at[at == len(self._known)] = 0
        return np.where(self._known[at] == values, self._number[at], np.int32(-1))

    def _learn(self, new: Int64) -> None:
        self._ids += new.tolist()
        ids = self.ids
        order = np.argsort(ids, kind="stable")
        self._known, self._number = ids[order], order.astype(np.int32)

    def ranks(self) -> Int32:
        """For each number the rank of its integer, and a last -1, which is what -1 then points at."""
        out = np.full(len(self._ids) + 1, -1, np.int32)
        out[self._number] = np.arange(len(self._ids), dtype=np.int32)
        return out


class Combinations:
    """Numbers for rows that are equal in several columns."""

    def __init__(self, columns: int) -> None:
        self._values = [Numbering() for _ in range(columns)]
        self._heads = [Numbering() for _ in range(columns)]

    def of(self, *columns: NDArray[np.integer]) -> Int32:
        """The number of each row's combination of values."""
        found = np.zeros(len(columns[0]), np.int32)
        for head, values, column in zip(self._heads, self._values, columns, strict=True):
            digit = values.of(column.astype(np.int64, copy=False)).astype(np.int64) + 1
            found = head.of((found.astype(np.int64) << 32) | digit)
        return found
