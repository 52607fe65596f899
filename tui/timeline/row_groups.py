"""Rows of a table sorted into groups (streams, threads, levels), some rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tui.report.columns import Bool, Int64, Positions

Column = NDArray[np.integer]
SMALL = 1 << 20
"""Up to so many possible keys are counted; more are searched for."""
FEW = 64
"""The members of one of so few groups are sought when they are asked for; of more, all are sorted once."""
BLOCK = 1 << 18
"""Rows handled at a time: what is derived of a column on the way never takes more room than that."""


class RowGroups:
    """Rows grouped by equal values in several integer columns.

    ``keys[g]`` is the tuple of column values of group g, ascending; ``members(g)`` its rows, in the
    table's order. Rows outside ``mask`` are in no group.
    """

    def __init__(self, columns: Sequence[Column], mask: Bool | None = None) -> None:
        self._mask = None if mask is None or mask.all() else mask
        self._length = len(columns[0])
        digits = [_Digit(self._chosen(column)) for column in columns]
        self.keys: list[tuple[int, ...]] = []
        self.sizes: Int64 = np.zeros(0, np.int64)
        self._group: Column | None = None
        size = int(self._mask.sum()) if self._mask is not None else self._length
        if not size:
            return
        if all(len(digit.seen) == 1 for digit in digits):  # one stream, one thread: nothing to sort
            self.keys, self.sizes = [tuple(int(digit.seen[0]) for digit in digits)], np.array([size])
            return
        codes = _Codes(digits)
        for parts in zip(*map(self._chosen, columns), strict=True):
            codes.count(parts)
        present, self.sizes = codes.present()
        self.keys = [codes.key(code) for code in present.tolist()]
        self._group = np.empty(self._length, np.min_scalar_type(len(present)))
        for low, parts in zip(self._lows(), zip(*map(self._chosen, columns), strict=True), strict=True):
            stretch = self._group[low : low + BLOCK]
            if self._mask is None:
                stretch[:] = codes.places(parts)
            else:
                stretch[:] = len(present)
                stretch[self._mask[low : low + BLOCK]] = codes.places(parts)

    def _lows(self) -> range:
        return range(0, self._length, BLOCK)

    def _chosen(self, column: Column) -> Iterator[Column]:
        """The column of the rows within the mask, block by block."""
        for low in self._lows():
            part = column[low : low + BLOCK]
            yield part if self._mask is None else part[self._mask[low : low + BLOCK]]

    @cached_property
    def _order(self) -> Positions:
        assert self._group is not None
        return np.argsort(self._group, kind="stable")

    @cached_property
    def _ends(self) -> Positions:
        return np.concatenate(([0], np.cumsum(self.sizes)))

    def members(self, group: int) -> Positions:
        """Rows of the table that are in ``group``, ascending."""
        if self._group is not None and len(self.keys) > FEW:
            return self._order[self._ends[group] : self._ends[group + 1]]
        return np.concatenate([*self.blocks(group)])

    def blocks(self, group: int) -> Iterator[Positions]:
        """:meth:`members`, those of one block of the table at a time."""
        for low in self._lows():
            if self._group is not None:
                yield np.flatnonzero(self._group[low : low + BLOCK] == group) + low
            elif self._mask is not None:
                yield np.flatnonzero(self._mask[low : low + BLOCK]) + low
            else:
                yield np.arange(low, min(low + BLOCK, self._length))


class _Digit:
    """The values that occur in a column, ascending, and the place of each among them."""

    def __init__(self, blocks: Iterator[Column]) -> None:
        self.seen = np.zeros(0, np.int64)
        there = np.zeros(0, bool)  # by distance from the least, while that is small
        low = 0
        for part in blocks:
            if not len(part):
                continue
            least, most = int(part.min()), int(part.max())
            if least == most and low <= least < low + len(there) and there[least - low]:
                continue
            if not len(there):
                low = least
            reach = max(low + len(there), most + 1) - min(low, least)
            if reach > SMALL or len(self.seen):
                self.seen = np.union1d(self.seen, np.flatnonzero(there) + low)
                self.seen = np.union1d(self.seen, np.unique(part).astype(np.int64))
                there = np.zeros(0, bool)
                continue
            if least < low or reach > len(there):
                grown = np.zeros(reach, bool)
                grown[low - min(low, least) :][: len(there)] = there
                low, there = min(low, least), grown
            there[_offset(part, low)] = True
        if not len(self.seen):
            self.seen = np.flatnonzero(there) + low
        self._low = int(self.seen[0]) if len(self.seen) else 0
        self._table: NDArray[np.int32] | None = None
        self._holes = len(self.seen) > 0 and int(self.seen[-1]) - self._low >= len(self.seen)
        if self._holes and int(self.seen[-1]) - self._low < SMALL:
            self._table = np.zeros(int(self.seen[-1]) - self._low + 1, np.int32)
            self._table[self.seen - self._low] = np.arange(len(self.seen))

    def places(self, part: Column) -> Column:
        """The place of each value of ``part``."""
        if not self._holes:
            return _offset(part, self._low)
        if self._table is not None:
            return self._table[_offset(part, self._low)]
        return np.searchsorted(self.seen, part)


class _Codes:
    """One number a row: a digit for each column that tells rows apart."""

    def __init__(self, digits: Sequence[_Digit]) -> None:
        self._digits = digits
        possible = 1
        for digit in digits:
            possible *= len(digit.seen)
        self._counts = np.zeros(possible, np.int64) if possible <= SMALL else None
        self._sparse: dict[int, int] = {}
        self._present = np.zeros(0, np.int64)
        self._rank = np.zeros(0, np.int64)

    def _of(self, parts: Sequence[Column]) -> Int64:
        code = np.zeros(len(parts[0]), np.int64)
        for digit, part in zip(self._digits, parts, strict=True):
            if len(digit.seen) > 1:
                code *= len(digit.seen)
                code += digit.places(part)
        return code

    def count(self, parts: Sequence[Column]) -> None:
        """Take note of a block's codes."""
        code = self._of(parts)
        if self._counts is not None:
            found = np.bincount(code)
            self._counts[: len(found)] += found
        else:
            for one, times in zip(*np.unique(code, return_counts=True), strict=True):
                self._sparse[int(one)] = self._sparse.get(int(one), 0) + int(times)

    def present(self) -> tuple[Int64, Int64]:
        """The codes that occur, ascending, and how often each does."""
        if self._counts is not None:
            self._present = np.flatnonzero(self._counts)
            self._rank = np.zeros(len(self._counts), np.int64)
            self._rank[self._present] = np.arange(len(self._present))
            return self._present, self._counts[self._present]
        self._present = np.array(sorted(self._sparse), np.int64)
        return self._present, np.array([self._sparse[code] for code in self._present.tolist()], np.int64)

    def places(self, parts: Sequence[Column]) -> Int64:
        """The group of each row of a block."""
        code = self._of(parts)
        return self._rank[code] if self._counts is not None else np.searchsorted(self._present, code)

    def key(self, code: int) -> tuple[int, ...]:
        """The column values that ``code`` stands for."""
        key: list[int] = []
        for digit in reversed(self._digits):
            code, place = divmod(code, len(digit.seen))
            key.append(int(digit.seen[place]))
        return tuple(reversed(key))


def _offset(column: Column, low: int) -> Column:
    return column if low == 0 else column.astype(np.int64, copy=False) - low
