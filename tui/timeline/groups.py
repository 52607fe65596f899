"""Rows of a table sorted into groups (streams, threads, levels) in one linear pass."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.intp]
Column = NDArray[np.integer]
Int64 = NDArray[np.int64]
SMALL = 1 << 20
"""Up to so many possible keys are counted; more are sorted."""


class Groups:
    """Rows grouped by equal values in several integer columns.

    ``keys[g]`` is the tuple of column values of group g, ascending; ``members(g)`` its rows, in the
    table's order. Rows outside ``mask`` are in no group.
    """

    def __init__(self, columns: Sequence[Column], mask: NDArray[np.bool_] | None = None) -> None:
        chosen = None if mask is None or mask.all() else np.flatnonzero(mask)
        parts = [c if chosen is None else c[chosen] for c in columns]
        self._rows: Index | None = chosen
        self._length = len(parts[0])
        values = [_seen(part) for part in parts]
        self.keys: list[tuple[int, ...]]
        self._group: NDArray[np.integer] | None = None
        if all(len(seen) <= 1 for seen in values):  # one stream, one thread: nothing to sort
            self.keys = [tuple(int(seen[0]) for seen in values)] if self._length else []
            self.sizes: Int64 = np.full(len(self.keys), self._length)
            return
        code = _coded(parts, values)
        if int(np.prod([len(seen) for seen in values], dtype=object)) <= SMALL:
            count = np.bincount(code)
            present = np.flatnonzero(count)
            self.sizes = count[present]
            # Few groups in few bytes: NumPy then sorts by counting.
            rank = np.zeros(len(count), np.min_scalar_type(max(len(present) - 1, 0)))
            rank[present] = np.arange(len(present))
            self._group = rank[code]
        else:
            present, group, self.sizes = np.unique(code, return_inverse=True, return_counts=True)
            self._group = group
        self.keys = [_key(int(c), values) for c in present]

    @cached_property
    def _order(self) -> Index:
        assert self._group is not None
        return np.argsort(self._group, kind="stable")

    @cached_property
    def _ends(self) -> Index:
        return np.concatenate(([0], np.cumsum(self.sizes)))

    def members(self, group: int) -> Index:
        """Rows of the table that are in ``group``, ascending."""
        if len(self.keys) == 1:
            return np.arange(self._length) if self._rows is None else self._rows
        found = self._order[self._ends[group] : self._ends[group + 1]]
        return found if self._rows is None else self._rows[found]


def _seen(column: Column) -> Int64:
    """The values that occur, ascending."""
    if len(column) == 0:
        return np.zeros(0, np.int64)
    low, high = int(column.min()), int(column.max())
    if low == high:
        return np.array([low], np.int64)
    if high - low >= SMALL:
        return np.unique(column).astype(np.int64)
    there = np.zeros(high - low + 1, bool)
    there[_offset(column, low)] = True
    return (np.flatnonzero(there) + low).astype(np.int64)


def _offset(column: Column, low: int) -> Column:
    return column if low == 0 else column - column.dtype.type(low)


def _coded(columns: Sequence[Column], values: Sequence[Int64]) -> Column:
    """One code a row: a digit for each column that tells rows apart, its place among the values seen."""
    code: Column | None = None
    for column, seen in zip(columns, values, strict=True):
        if len(seen) == 1:
            continue
        low, high = int(seen[0]), int(seen[-1])
        if high - low == len(seen) - 1 < 1 << 31:  # no holes: the offset is the place
            digit: Column = _offset(column, low).astype(np.int32, copy=False)
        elif high - low < SMALL:
            place = np.zeros(high - low + 1, np.int32)
            place[seen - low] = np.arange(len(seen))
            digit = place[_offset(column, low)]
        else:
            digit = np.searchsorted(seen, column)
        code = digit if code is None else code.astype(np.int64, copy=False) * len(seen) + digit
    assert code is not None
    return code


def _key(code: int, values: Sequence[Int64]) -> tuple[int, ...]:
    """The column values that ``code`` stands for."""
    key: list[int] = []
    for seen in reversed(values):
        if len(seen) == 1:
            key.append(int(seen[0]))
            continue
        code, digit = divmod(code, len(seen))
        key.append(int(seen[digit]))
    return tuple(reversed(key))
