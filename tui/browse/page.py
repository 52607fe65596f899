"""The side pane's content: pages of sections, each a table whose rows can be sorted, filtered and followed.

Nothing here knows the screen; :mod:`tui.app.widgets.block` draws it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.analysis.table import Column, Table, Unit, unknown
from tui.report.columns import NULL
from tui.text import safe, width
from tui.text.numbers import BYTE_UNITS, column_unit, rounded
from tui.text.times import UNITS
from tui.text.widths import ColumnNeed

SAMPLE = 200
"""Rows measured to find the width of a text column; longer cells are cut."""


@dataclass(frozen=True)
class Instances:
    """Where the things that a row sums up lie: rows of one event table, by start."""

    kind: str
    """``op``, ``call``, ``os``, ``range``, ``mark``, ``gap`` or ``span`` (just a stretch of time)."""
    index: NDArray[np.int64]
    """Row numbers in that event table (gap: number of the gap in its device; span: 0, 1, ...)."""
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    device: int = -1
    """For gaps: the device."""
    devices: tuple[int, ...] = ()
    """For spans: the device of each, -1 none."""
    words: tuple[str, ...] = ()
    """For spans: what each shows."""

    def __len__(self) -> int:
        return len(self.index)

    @property
    def longest(self) -> int:
        """Position of the longest instance (the first of equals)."""
        return int(np.argmax(self.end - self.start))


Pairs = list[tuple[str, str]]
"""(label, value), ready for the screen."""
Finder = Callable[[int], Instances | None]
"""Row number of a section's table -> its instances; None where a row has no place on the timeline."""


@dataclass(frozen=True)
class Section:
    """One table of a page with its heading and what its rows lead to."""

    title: str
    table: Table | None = None
    lines: tuple[str, ...] = ()
    """Text lines between the heading and the table."""
    find: Finder | None = None
    empty: str = "nothing recorded"
    least: int = 12
    """Cells below which a text column is not cut to keep another column."""
    walks: bool = False
    """Enter goes through the instances in turn; else to the longest."""
    details: Callable[[int], Pairs] | None = None
    """A row in full; default: its cells."""


@dataclass(frozen=True)
class Page:
    """What one tab shows."""

    window: str
    """Which stretch of time the figures are of."""
    sections: tuple[Section, ...]


@dataclass
class SortedRows:
    """The rows of a table that pass the filter, in the chosen order."""

    table: Table
    column: int = -1
    """The column sorted by; -1: the analysis' own order."""
    descending: bool = True
    needle: str = ""
    order: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        self.arrange()

    def arrange(self) -> None:
        """Work the order out again; rows that are equal keep the analysis' order."""
        rows = np.arange(len(self.table), dtype=np.int64)
        if self.needle:
            rows = rows[self._matching()]
        if self.column >= 0 and len(rows):
            rows = rows[self._sorted(self.table.columns[self.column], rows)]
        self.order = rows

    def _matching(self) -> NDArray[np.bool_]:
        needle = self.needle.casefold()
        keep = np.zeros(len(self.table), bool)
        for column in self.table.columns:
            if column.unit is Unit.TEXT:
                keep |= np.fromiter(
                    (needle in str(v).casefold() for v in column.values), bool, count=len(keep)
                )
        return keep

    def _sorted(self, column: Column, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        values = [column.values[int(row)] for row in rows]
        known = [i for i, value in enumerate(values) if not unknown(value)]
        rest = [i for i, value in enumerate(values) if unknown(value)]
        if column.unit is Unit.TEXT:
            known.sort(key=lambda i: str(values[i]).casefold(), reverse=self.descending)
        else:
            known.sort(key=lambda i: values[i], reverse=self.descending)
        return np.array(known + rest, dtype=np.int64)


@dataclass(frozen=True)
class ColumnFormat:
    """How one column's values are written: a unit for the whole column, so that rows compare."""

    header: str
    need: ColumnNeed
    write: Callable[[Any], str]

    @classmethod
    def of(cls, column: Column) -> ColumnFormat:
        """The way to write ``column``, found from its extremes (numbers) or its first rows (text)."""
        if column.unit is Unit.TEXT:
            seen = [width(safe(str(v))) for v in column.values[:SAMPLE] if v is not None]
            wide = max([width(column.header), *seen, len(column.blank)])
            need = ColumnNeed(wide, True, column.rank)
            return cls(column.header, need, _or_blank(column, lambda v: safe(str(v))))
        low, high, small = extremes(column)
        unit, number = _number(column.unit, max(abs(low), abs(high)))
        header = f"{column.header} {unit}".strip()
        wide = max(len(header), *(len(number(value)) for value in (low, high, small)))
        return cls(header, ColumnNeed(wide, False, column.rank), _or_blank(column, number))


def extremes(column: Column) -> tuple[Any, Any, Any]:
    """The least and the greatest known value, and the least above zero; zeros where there is none."""
    values = column.values
    least: Any = min
    most: Any = max
    if isinstance(values, np.ndarray):
        least, most = np.min, np.max
        known: Any = values[values != NULL]
        some = known[known > 0]
    else:
        known = [v for v in values if not unknown(v)]
        some = [v for v in known if v > 0]
    ends = (least(known), most(known)) if len(known) else (0, 0)
    return *ends, least(some) if len(some) else 0


def _or_blank(column: Column, write: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda value: column.blank if unknown(value) else write(value)


def _number(unit: Unit, biggest: float) -> tuple[str, Callable[[Any], str]]:
    """What the header says of the unit, and how a value is written; ``biggest``: the greatest magnitude."""
    if unit.is_time:
        return column_unit(UNITS, biggest)
    if unit is Unit.BYTES:
        return column_unit(BYTE_UNITS, biggest)
    if unit.decimals:
        return "MB" if unit is Unit.MB else "", lambda v: rounded(v, unit.decimals)
    return "", lambda v: str(int(v))
