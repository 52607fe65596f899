"""Rows of a table sorted into groups (streams, threads, levels) in one linear pass."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.intp]
SMALL = 1 << 20
"""Up to so many possible keys are counted; more are sorted."""


class Groups:
    """Rows grouped by equal values in several integer columns.

    ``keys[g]`` is the tuple of column values of group g, ascending; ``members(g)`` its rows, in the
    table's order. Rows outside ``mask`` are in no group.
    """

    def __init__(self, columns: Sequence[NDArray[np.integer]], mask: NDArray[np.bool_] | None = None) -> None:
        self._rows: Index | None = None if mask is None else np.flatnonzero(mask)
        parts = [c if self._rows is None else c[self._rows] for c in columns]
        code, values = _combined(parts)
        size = int(np.prod([max(len(v), 1) for v in values], dtype=object))
        if size <= SMALL:
            count = np.bincount(code, minlength=1)
            present = np.flatnonzero(count)
            self.sizes: Index = count[present]
            rank = np.zeros(len(count), np.uint16 if len(present) < 65536 else np.int64)
            rank[present] = np.arange(len(present))
            self._group = rank[code]
        else:
            present, self._group, self.sizes = np.unique(code, return_inverse=True, return_counts=True)
        self.keys: list[tuple[int, ...]] = [_key(int(c), values) for c in present]

    @cached_property
    def _order(self) -> Index:
        return np.argsort(self._group, kind="stable")

    @cached_property
    def _ends(self) -> Index:
        return np.concatenate(([0], np.cumsum(self.sizes)))

    def members(self, group: int) -> Index:
        """Rows of the table that are in ``group``, ascending."""
        if len(self.keys) == 1:
            return np.arange(int(self.sizes[0])) if self._rows is None else self._rows
        found = self._order[self._ends[group] : self._ends[group + 1]]
        return found if self._rows is None else self._rows[found]


def _combined(columns: list[NDArray[np.integer]]) -> tuple[Index, list[NDArray[np.int64]]]:
    """One code a row, a digit for each column, and the values that each column's digits stand for."""
    code: Index = np.zeros(len(columns[0]), np.intp)
    values: list[NDArray[np.int64]] = []
    for column in columns:
        digit, seen = _ranked(column)
        values.append(seen)
        code = code * max(len(seen), 1) + digit
    return code, values


def _key(code: int, values: list[NDArray[np.int64]]) -> tuple[int, ...]:
    """The column values that ``code`` stands for."""
    key: list[int] = []
    for seen in reversed(values):
        code, digit = divmod(code, max(len(seen), 1))
        key.append(int(seen[digit]))
    return tuple(reversed(key))


def _ranked(column: NDArray[np.integer]) -> tuple[Index, NDArray[np.int64]]:
    """(rank of each value, values ascending)."""
    if len(column) == 0:
        return np.zeros(0, np.intp), np.zeros(0, np.int64)
    low, high = int(column.min()), int(column.max())
    if high - low >= SMALL:
        seen, digit = np.unique(column, return_inverse=True)
        return digit, seen.astype(np.int64)
    offset = column.astype(np.intp) - low
    there = np.zeros(high - low + 1, bool)
    there[offset] = True
    rank = np.cumsum(there) - 1
    return rank[offset], (np.flatnonzero(there) + low).astype(np.int64)
