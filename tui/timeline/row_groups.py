"""Rows of a table sorted into groups (streams, threads, levels), a block of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tui.report.columns import Bool, Int64, Positions, distinct_values

Column = NDArray[np.integer]
SMALL = 1 << 20
"""Values within a range of this size are counted in a table; others are searched for."""
FEW = 64
"""Up to so many groups, the rows of one are searched for when they are needed; of more, all are sorted."""
BLOCK = 1 << 18
"""Rows handled at a time: whatever is derived from a column takes no more room than that."""


class RowGroups:
    """Rows grouped by equal values in several integer columns.

    ``keys[g]`` is the tuple of column values of group g, ascending; ``members(g)`` its rows, in the
    table's order; ``sizes[g]`` their number. Rows outside ``mask`` are in no group.
    """

    def __init__(self, columns: Sequence[Column], mask: Bool | None = None) -> None:
        self._mask = None if mask is None or mask.all() else mask
        self._length = len(columns[0])
        digits = [_Values(self._chosen(column)) for column in columns]
        self.keys: list[tuple[int, ...]] = []
        self.sizes: Int64 = np.zeros(0, np.int64)
        self._group: Column | None = None
        size = int(self._mask.sum()) if self._mask is not None else self._length
        if not size:
            return
        if all(len(digit.values) == 1 for digit in digits):  # one stream, one thread: nothing to sort
            self.keys, self.sizes = [tuple(int(digit.values[0]) for digit in digits)], np.array([size])
            return

        def codes() -> Iterator[Int64]:
            """One number a row, block by block, with a digit for each column."""
            for parts in zip(*map(self._chosen, columns), strict=True):
                code = np.zeros(len(parts[0]), np.int64)
                for digit, part in zip(digits, parts, strict=True):
                    if len(digit.values) > 1:
                        code *= len(digit.values)
                        code += digit.places(part)
                yield code

        groups = _Values(codes())
        rest, values = groups.values, []
        for digit in reversed(digits):
            rest, place = np.divmod(rest, len(digit.values))
            values.append(digit.values[place].tolist())
        self.keys = list(zip(*reversed(values), strict=True))
        self.sizes = np.zeros(len(self.keys), np.int64)
        self._group = np.full(self._length, len(self.keys), np.min_scalar_type(len(self.keys)))
        for low, code in zip(self._lows(), codes(), strict=True):
            group = groups.places(code)
            self.sizes += np.bincount(group, minlength=len(self.keys))
            chosen = slice(None) if self._mask is None else self._mask[low : low + BLOCK]
            self._group[low : low + BLOCK][chosen] = group

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
    def _ends(self) -> Int64:
        return np.cumsum(self.sizes)

    def members(self, group: int) -> Positions:
        """Rows of the table that are in ``group``, ascending."""
        if self._group is not None and len(self.keys) > FEW:
            return self._order[self._ends[group] - self.sizes[group] : self._ends[group]]
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


class _Values:
    """The distinct values of a column, ascending, and the place of each among them."""

    def __init__(self, blocks: Iterator[Column]) -> None:
        parts: list[Int64] = []  # the values, once they are far apart; merged now and then
        present = np.zeros(0, bool)  # by distance from the least, while that is small
        low = 0
        for part in blocks:
            if not len(part):
                continue
            least, most = int(part.min()), int(part.max())
            if least == most and low <= least < low + len(present) and present[least - low]:
                continue
            if not len(present):
                low = least
            reach = max(low + len(present), most + 1) - min(low, least)
            if reach > SMALL or parts:
                parts += [np.flatnonzero(present) + low, distinct_values(part).astype(np.int64)]
                if sum(map(len, parts)) > 2 * len(parts[0]):
                    parts = [distinct_values(np.concatenate(parts))]
                present = np.zeros(0, bool)
                continue
            if least < low or reach > len(present):
                grown = np.zeros(reach, bool)
                grown[low - min(low, least) :][: len(present)] = present
                low, present = min(low, least), grown
            present[_offset(part, low)] = True
        self.values = distinct_values(np.concatenate(parts)) if parts else np.flatnonzero(present) + low
        self._low = int(self.values[0]) if len(self.values) else 0
        reach = int(self.values[-1]) - self._low + 1 if len(self.values) else 0
        self._has_holes = reach > len(self.values)
        self._table: NDArray[np.int32] | None = None
        if self._has_holes and reach <= SMALL:
            self._table = np.zeros(reach, np.int32)
            self._table[self.values - self._low] = np.arange(len(self.values))

    def places(self, part: Column) -> Column:
        """The place of each value of ``part``."""
        if not self._has_holes:
            return _offset(part, self._low)
        if self._table is not None:
            return self._table[_offset(part, self._low)]
        return np.searchsorted(self.values, part)


def _offset(column: Column, low: int) -> Column:
    return column if low == 0 else column.astype(np.int64, copy=False) - low
