"""Columns: the arrays that a report is made of, and the protocols that read and write them by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

_Scalar = TypeVar("_Scalar", bound=np.generic)
Array = NDArray[Any]
Int64 = NDArray[np.int64]
Int32 = NDArray[np.int32]
UInt8 = NDArray[np.uint8]
UInt16 = NDArray[np.uint16]
Bool = NDArray[np.bool_]
Positions = NDArray[np.intp]
"""Row numbers of a table."""

NULL = int(np.iinfo(np.int64).min)
"""Means SQL NULL (or a missing column) in plain integer columns."""

NamedColumns = Iterable[tuple[str, Iterable[Array]]]
"""Columns of one table: the field's name, and its rows in blocks."""
_FEW = 1 << 17


def distinct_values(values: NDArray[_Scalar]) -> NDArray[_Scalar]:
    """The distinct values of an array, ascending, one-dimensional. For integers: NaN would stay several.

    As ``np.unique``, whose first call without indices imports masked arrays: a tenth of a quick command.
    """
    if values.size > _FEW:
        return np.unique(values)
    found = np.sort(values, axis=None)
    if len(found) < 2:
        return found
    return np.concatenate((found[:1], found[1:][found[1:] != found[:-1]]))


@dataclass(frozen=True, eq=False, repr=False)
class Columns:
    """Base of tables: every field is an array, and all are of one length.

    Tables are compared as objects: whether arrays are equal is no yes or no, and methods that nothing calls
    would be made anew at every start.
    """

    def __len__(self) -> int:
        return len(getattr(self, fields(self)[0].name))


class ColumnSource(Protocol):
    """Gives columns by name."""

    def get(self, name: str) -> Array:
        """Return the column, read-only; it stays valid."""


class ColumnSink(ColumnSource, Protocol):
    """Keeps the columns of an import and gives them back."""

    def write(self, name: str, dtype: DTypeLike, blocks: Iterable[Array]) -> None:
        """Keep a column that comes in blocks, which need not live on."""


class MemoryColumns:
    """Keeps the arrays in memory."""

    def __init__(self) -> None:
        self.arrays: dict[str, Array] = {}

    def write(self, name: str, dtype: DTypeLike, blocks: Iterable[Array]) -> None:
        parts = [np.asarray(block, dtype) for block in blocks]
        values = np.concatenate(parts) if parts else np.empty(0, dtype)
        values.flags.writeable = False
        self.arrays[name] = values

    def get(self, name: str) -> Array:
        return self.arrays[name]


class DerivedColumns(ColumnSource, Protocol):
    """Arrays that were derived from a report, and some facts about them."""

    facts: dict[str, Any]


class Shelf(Protocol):
    """Keeps what is derived from one report."""

    def find(self, name: str, version: int) -> DerivedColumns | None:
        """Return what was kept as ``name``; None where nothing was."""

    def keep(
        self,
        name: str,
        version: int,
        derive: Callable[[Callable[[str, Array], None]], dict[str, Any]],
        cancelled: Callable[[], bool],
    ) -> DerivedColumns | None:
        """Keep the arrays that ``derive`` passes on and the facts that it returns; None: nothing was kept."""
