"""The shape in which every analysis hands out rows: named, typed columns of equal length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from numpy.typing import NDArray

Values = Sequence[Any] | NDArray[Any]
"""The cells of a column: anything with a length that takes positions and slices."""


class Unit(Enum):
    """What a column's values are, hence how output aligns, scales and rounds them."""

    TEXT = "text"
    COUNT = "count"  # integers
    ID = "id"  # integers that name something (pid, stream): never grouped or summed
    NS = "ns"  # integer nanoseconds; scaled by --timeunit
    NS_1 = "ns_1"  # nanoseconds with one decimal (averages); scaled by --timeunit
    PCT = "pct"  # one decimal
    DECIMAL = "decimal"  # one decimal
    MB = "mb"  # decimal megabytes, three decimals
    BYTES = "bytes"  # integers


@dataclass(frozen=True)
class Column:
    """One column. ``values``: NumPy array or sequence; None in a cell means "unknown"."""

    header: str  # as nsys prints it: `Total Time (ns)`
    key: str  # as JSON names it outside `stats`: `total_time_ns`
    unit: Unit
    values: Values
    rank: int = 0  # in a narrow terminal the highest rank goes first; 0 stays
    blank: str = "?"  # what None shows as in a table: "?" unknown, "-" does not apply


@dataclass(frozen=True)
class Table:
    """Rows of an analysis, already in output order."""

    name: str
    title: str
    columns: tuple[Column, ...]
    note: str | None = None

    def __len__(self) -> int:
        return len(self.columns[0].values) if self.columns else 0

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """The rows, one tuple each, NumPy scalars left as they are."""
        return zip(*(c.values for c in self.columns), strict=True)
