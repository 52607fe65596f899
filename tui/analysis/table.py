"""The table that an analysis returns: named, typed columns of equal length."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.analysis.sample import Sample
from tui.report.columns import NULL

Values = Sequence[Any] | NDArray[Any]
"""The cells of a column: a sequence or a NumPy array."""


class Unit(Enum):
    """What a column's values are, which decides how output aligns, scales and rounds them."""

    TEXT = "text"
    COUNT = "count"  # integers
    ID = "id"  # integers that name something (pid, stream): never grouped or summed
    NS = "ns"  # integer nanoseconds; scaled by --timeunit
    NS_1 = "ns_1"  # nanoseconds with one decimal (averages); scaled by --timeunit
    PCT = "pct"  # one decimal
    DECIMAL = "decimal"  # one decimal
    MB = "mb"  # decimal megabytes, three decimals
    BYTES = "bytes"  # integers

    @property
    def is_time(self) -> bool:
        """Whether the values are nanoseconds."""
        return self is Unit.NS or self is Unit.NS_1

    @property
    def decimals(self) -> int:
        """Digits after the point; of times: in nanoseconds."""
        return 3 if self is Unit.MB else 1 if self in (Unit.NS_1, Unit.PCT, Unit.DECIMAL) else 0


@dataclass(frozen=True)
class Column:
    """One column of a table. None in a cell means "unknown"."""

    header: str  # as nsys prints it: `Total Time (ns)`
    key: str  # as JSON names it outside `stats`: `total_time_ns`
    unit: Unit
    values: Values
    rank: int = 0  # a narrow terminal drops the highest rank first, but never 0
    blank: str = "?"  # what None shows as in a table: "?" unknown, "-" does not apply
    sample: Sample | None = field(default=None, repr=False, compare=False)  # the values behind the figures
    kernels: bool = False  # names of kernels: a screen shows as much as keeps them apart

    def ordered(self, order: NDArray[np.integer]) -> Column:
        """The column with its rows at the positions ``order``."""
        sample = None if self.sample is None else self.sample.picked(order)
        return replace(self, values=picked(self.values, order), sample=sample)


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
        """The rows, one tuple each, which may hold NumPy scalars."""
        return zip(*(c.values for c in self.columns), strict=True)

    def pick(self, headers: Mapping[str, str]) -> Table:
        """The columns whose keys ``headers`` names, in its order and under its headers."""
        by_key = {column.key: column for column in self.columns}
        found = (replace(by_key[key], header=header) for key, header in headers.items() if key in by_key)
        return replace(self, columns=tuple(found))

    def head(self, rows: int, hint: str | None = None) -> Table:
        """The first ``rows`` rows (0: all); ``hint``: the option that lists all, for the note on the rest."""
        if not rows or len(self) <= rows:
            return self
        columns = tuple(replace(column, values=column.values[:rows]) for column in self.columns)
        left = f"{len(self) - rows:,} more rows; {hint} lists all" if hint else None
        return replace(self, columns=columns, note="; ".join(n for n in (left, self.note) if n) or None)

    def ordered(self, order: NDArray[np.integer]) -> Table:
        """The rows at the positions ``order``."""
        return replace(self, columns=tuple(column.ordered(order) for column in self.columns))


def picked(values: Values, order: NDArray[np.integer]) -> Values:
    """The ``values`` at the positions ``order``."""
    if isinstance(values, np.ndarray):
        found: NDArray[Any] = values[order]
        return found
    return [values[i] for i in order.tolist()]


def unknown(value: Any) -> bool:
    """Whether a cell is empty: None, or NULL in an integer array."""
    return value is None or (isinstance(value, np.int64) and value == NULL)


def plain(values: Values, low: int, high: int) -> list[Any]:
    """``values[low:high]`` as Python objects; NULL (in integer arrays) becomes None."""
    part = values[low:high]
    if isinstance(part, np.ndarray):
        if part.dtype == np.int64 and (null := part == NULL).any():
            return [None if no else v for v, no in zip(part.tolist(), null.tolist(), strict=True)]
        return list(part.tolist())
    return list(part)
