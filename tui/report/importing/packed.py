"""A long integer column in few bytes while it is being read: per chunk a least value and differences.

A report of millions of rows has twenty such columns; most of them are one value, a counter or small
numbers. Packed like this, a table needs a fifth of its size until all of it is joined.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tui.report.columns import NULL, Array, Int64
from tui.report.importing.sorting import spans
from tui.report.spool import Spool

_WIDTHS = (np.dtype(np.uint8), np.dtype(np.uint16), np.dtype(np.uint32))


class Packed(NamedTuple):
    """Integers as differences from a least value, in as few bytes as these need."""

    base: int
    high: int  # the greatest value; not known where ``offsets`` are the values themselves
    offsets: Array | None = None  # None: all rows are ``base``; int64: the values themselves
    nulls: bool = False  # the highest offset means NULL

    def take(self, rows: NDArray[np.integer] | slice, out: Int64) -> Int64:
        """Write the values of some rows to ``out`` and return it."""
        if self.offsets is None:
            out[:] = self.base
            return out
        offsets = self.offsets[rows]
        out[:] = offsets
        if offsets.dtype != np.int64:
            if self.base:
                out += self.base
            if self.nulls:
                out[offsets == np.iinfo(offsets.dtype).max] = NULL
        return out


class PackedColumn:
    """Grows by chunks; :meth:`read` gives any stretch of it as int64."""

    def __init__(self, keep: Callable[[Array], Array] = lambda values: values) -> None:
        """``keep``: gets each array that the column holds, and returns it from where it is to stay."""
        self._keep = keep
        self._pieces: list[Packed] = []
        self._starts = [0]  # of the pieces and of the next one

    def __len__(self) -> int:
        return self._starts[-1]

    def append(self, values: Int64) -> None:
        """Add a chunk; ``values`` is not kept."""
        if len(values):
            piece = _pack(values)
            if piece.offsets is not None:
                piece = piece._replace(offsets=self._keep(piece.offsets))
            self._starts.append(len(self) + len(values))
            self._pieces.append(piece)

    def read(self, low: int, high: int) -> Int64:
        """Rows ``low`` to ``high``, in a new array."""
        out = np.empty(max(min(high, len(self)) - low, 0), np.int64)
        at, number = 0, bisect_right(self._starts, low) - 1
        while at < len(out):
            begin = low + at - self._starts[number]
            end = min(self._starts[number + 1] - self._starts[number], begin + len(out) - at)
            self._pieces[number].take(slice(begin, end), out[at : at + end - begin])
            at += end - begin
            number += 1
        return out

    def whole(self, spool: Spool) -> Packed:
        """All of it as one piece, for reading anywhere."""
        wide = any(p.offsets is not None and p.offsets.dtype == np.int64 for p in self._pieces)
        bases = [p.base for p in self._pieces if p.base != NULL]
        nulls = any(p.nulls or p.base == NULL for p in self._pieces)
        low = min(bases, default=NULL)
        high = max((p.high for p in self._pieces), default=NULL)
        if not wide and ((low == high and not nulls) or not bases):
            return Packed(low, high)
        width = next((w for w in _WIDTHS if not wide and high - low + nulls <= np.iinfo(w).max), None)
        blocks = (self.read(*span) for span in spans(len(self)))
        if width is None:
            return Packed(0, high, spool.gathered(np.int64, blocks))
        offsets = spool.gathered(width, (_shrink(block, low, width, nulls) for block in blocks))
        return Packed(low, high, offsets, nulls)


def _shrink(values: Int64, low: int, width: np.dtype[Any], nulls: bool) -> Array:
    offsets: Array = (values - low).astype(width)  # NULL wraps around; it is overwritten next
    if nulls:
        offsets[values == NULL] = np.iinfo(width).max
    return offsets


def _pack(values: Int64) -> Packed:
    low, high = int(values.min()), int(values.max())
    if low == high:
        return Packed(low, high)
    nulls = low == NULL
    if nulls:
        low = int(values[values != NULL].min())
    for width in _WIDTHS:
        if high - low + nulls <= np.iinfo(width).max:
            return Packed(low, high, _shrink(values, low, width, nulls), nulls)
    return Packed(0, high, values.copy())
