"""A long integer column in few bytes while it is being read: per chunk a least value and differences.

A report of millions of rows has twenty such columns; most hold one value, a counter or small
numbers. Packed so, a table takes a fifth of its size until all of it is joined.
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


class _Piece(NamedTuple):
    size: int
    base: int
    high: int  # the greatest value; of a piece of whole numbers unknown
    offsets: NDArray[Any] | None  # None: all rows are ``base``
    nulls: bool  # the highest offset stands for NULL


class Narrow(NamedTuple):
    """A whole column in as few bytes a row as its values allow, for reading anywhere."""

    base: int
    offsets: Array | None
    nulls: bool

    def take(self, rows: NDArray[np.integer]) -> Int64:
        """The values of some rows."""
        out = np.empty(len(rows), np.int64)
        if self.offsets is None:
            out[:] = self.base
        else:
            _widen(out, self.offsets[rows], self.base, self.nulls)
        return out


class PackedColumn:
    """Grows by chunks; :meth:`read` gives any stretch of it as int64."""

    def __init__(self, keep: Callable[[Array], Array] = lambda values: values) -> None:
        """``keep``: takes what the column holds and gives it back wherever it is to stay."""
        self._keep = keep
        self._pieces: list[_Piece] = []
        self._starts: list[int] = []
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def append(self, values: Int64) -> None:
        """Add a chunk; ``values`` is not kept."""
        if len(values):
            piece = _pack(values)
            if piece.offsets is not None:
                piece = piece._replace(offsets=self._keep(piece.offsets))
            self._starts.append(self._size)
            self._pieces.append(piece)
            self._size += len(values)

    def read(self, low: int, high: int) -> Int64:
        """Rows ``low`` to ``high``, in a new array."""
        out = np.empty(max(min(high, self._size) - low, 0), np.int64)
        at, first = 0, bisect_right(self._starts, low) - 1
        for number in range(max(first, 0), len(self._pieces)):
            if at == len(out):
                break
            size, base, _, offsets, nulls = self._pieces[number]
            begin = low + at - self._starts[number]
            part = out[at : at + size - begin]
            at += len(part)
            if offsets is None:
                part[:] = base
            else:
                _widen(part, offsets[begin : begin + len(part)], base, nulls)
        return out

    def unpack(self) -> Int64:
        """All values, in a new array."""
        return self.read(0, self._size)

    def narrow(self, spool: Spool) -> Narrow:
        """All of it for reading anywhere."""
        wide = any(p.offsets is not None and p.offsets.dtype == np.int64 for p in self._pieces)
        constants = [p.base for p in self._pieces if p.base != NULL]
        nulls = any(p.nulls or p.base == NULL for p in self._pieces)
        low = min(constants, default=NULL)
        high = max((p.high for p in self._pieces), default=NULL)
        if not wide and ((low == high and not nulls) or not constants):
            return Narrow(low, None, False)
        width = next((w for w in _WIDTHS if not wide and high - low + nulls <= np.iinfo(w).max), None)
        blocks = (self.read(*span) for span in spans(self._size))
        if width is None:
            return Narrow(0, spool.gathered(np.int64, blocks), False)
        return Narrow(low, spool.gathered(width, (_shrink(b, low, width, nulls) for b in blocks)), nulls)


def _widen(out: Int64, offsets: Array, base: int, nulls: bool) -> None:
    """``offsets`` as the values that they stand for."""
    out[:] = offsets
    if offsets.dtype == np.int64:
        return
    if base:
        out += base
    if nulls:
        out[offsets == np.iinfo(offsets.dtype).max] = NULL


def _shrink(values: Int64, low: int, width: np.dtype[Any], nulls: bool) -> Array:
    offsets: Array = (values - low).astype(width)  # NULL wraps around; it is overwritten next
    if nulls:
        offsets[values == NULL] = np.iinfo(width).max
    return offsets


def _pack(values: Int64) -> _Piece:
    n = len(values)
    low, high = int(values.min()), int(values.max())
    if low == high:
        return _Piece(n, low, high, None, False)
    nulls = low == NULL
    if nulls:
        low = int(values[values != NULL].min())
    for width in _WIDTHS:
        if high - low + nulls <= np.iinfo(width).max:
            return _Piece(n, low, high, _shrink(values, low, width, nulls), nulls)
    return _Piece(n, 0, high, values.copy(), False)
