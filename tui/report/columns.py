"""Columns: the arrays that a report is made of, and who gives and takes them by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

Array = NDArray[Any]
Int64 = NDArray[np.int64]
Int32 = NDArray[np.int32]
UInt8 = NDArray[np.uint8]
Bool = NDArray[np.bool_]
Positions = NDArray[np.intp]
"""Row numbers of a table."""

NULL = int(np.iinfo(np.int64).min)
"""Stands for SQL NULL (or a missing column) in plain integer columns."""

NamedColumns = Iterable[tuple[str, Iterable[Array]]]
"""Columns of one table: the field's name, and its rows in blocks."""


@dataclass(frozen=True)
class Columns:
    """Base of the column tables: every field is one array and all have one length."""

    def __len__(self) -> int:
        return len(getattr(self, fields(self)[0].name))


class ColumnSource(Protocol):
    """Has columns by name."""

    def get(self, name: str) -> Array:
        """The column, read-only, to stay."""


class ColumnSink(ColumnSource, Protocol):
    """Takes the columns of an import, one after the other, and gives them back."""

    def write(self, name: str, dtype: DTypeLike, blocks: Iterable[Array]) -> None:
        """Keep a column that comes in blocks; they may be dropped."""


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
    """Arrays that were derived from a report, and what their maker noted beside them."""

    facts: dict[str, Any]


class Shelf(Protocol):
    """Keeps what higher layers derive from one report."""

    def find(self, name: str, version: int) -> DerivedColumns | None:
        """What was kept as ``name``; None where nothing was."""

    def keep(
        self,
        name: str,
        version: int,
        derive: Callable[[Callable[[str, Array], None]], dict[str, Any]],
        cancelled: Callable[[], bool],
    ) -> DerivedColumns | None:
        """Keep what ``derive`` hands to the function that it gets; None where nothing could be kept."""
