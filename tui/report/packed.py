"""A long integer column in few bytes while it is being read: per chunk a least value and differences.

A report of millions of rows has twenty such columns; most hold one value, a counter or small
numbers. Packed so, a table stays in memory until all of it is joined, at a fifth of its size.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tui.report.model import NULL, Int64

_WIDTHS = (np.dtype(np.uint8), np.dtype(np.uint16), np.dtype(np.uint32))


class _Piece(NamedTuple):
    size: int
    base: int
    offsets: NDArray[Any] | None  # None: all rows are ``base``
    nulls: bool  # the highest offset stands for NULL


class PackedColumn:
    """Grows by chunks; :meth:`unpack` gives all of it as int64."""

    def __init__(self) -> None:
        self._pieces: list[_Piece] = []
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def append(self, values: Int64) -> None:
        """Add a chunk; ``values`` is not kept."""
        if len(values):
            self._pieces.append(_pack(values))
            self._size += len(values)

    def unpack(self) -> Int64:
        """All values, in a new array."""
        out = np.empty(self._size, np.int64)
        at = 0
        for size, base, offsets, nulls in self._pieces:
            part = out[at : at + size]
            at += size
            if offsets is None:
                part[:] = base
            elif offsets.dtype == np.int64:
                part[:] = offsets
            else:
                part[:] = offsets
                part += base
                if nulls:
                    part[offsets == np.iinfo(offsets.dtype).max] = NULL
        return out


def _pack(values: Int64) -> _Piece:
    n = len(values)
    low, high = int(values.min()), int(values.max())
    if low == high:
        return _Piece(n, low, None, False)
    nulls = low == NULL
    if nulls:
        low = int(values[values != NULL].min())
    for width in _WIDTHS:
        if high - low + nulls <= np.iinfo(width).max:
            offsets = (values - low).astype(width)  # NULL wraps around; it is overwritten next
            if nulls:
                offsets[values == NULL] = np.iinfo(width).max
            return _Piece(n, low, offsets, nulls)
    return _Piece(n, 0, values.copy(), False)
