"""The side pane's content: pages of sections, each a table whose rows can be sorted, filtered and followed.

Nothing here knows the screen; :mod:`tui.app.widgets.block` draws it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.analysis.table import Column, Table, Unit
from tui.report.columns import NULL
from tui.text import safe, width
from tui.text.times import rounded

SAMPLE = 200
"""Rows measured to find the width of a text column; longer cells are cut."""
_NS_UNITS = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us"), (1, "ns"))
_BYTE_UNITS = ((10**9, "GB"), (10**6, "MB"), (10**3, "kB"), (1, "B"))


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
    right: bool
    width: int
    flexible: bool
    rank: int
    write: Callable[[Any], str]

    @classmethod
    def of(cls, column: Column) -> ColumnFormat:
        """The way to write ``column``, found from its extremes (numbers) or its first rows (text)."""
        if column.unit is Unit.TEXT:
            seen = [width(safe(str(v))) for v in column.values[:SAMPLE] if v is not None]
            wide = max([width(column.header), *seen, len(column.blank)])
            return cls(
                column.header, False, wide, True, column.rank, _or_blank(column, lambda v: safe(str(v)))
            )
        low, high = extremes(column)
        unit, number = _number(column.unit, max(abs(low), abs(high)))
        header = f"{column.header} {unit}".strip()
        wide = max(len(header), len(number(low)), len(number(high)), len(number(_least(column))))
        return cls(header, True, wide, False, column.rank, _or_blank(column, number))


def extremes(column: Column) -> tuple[Any, Any]:
    """The least and the greatest known value; zeros where there is none."""
    values = column.values
    if isinstance(values, np.ndarray):
        known: Any = values[values != NULL] if values.dtype == np.int64 else values
        return (known.min(), known.max()) if len(known) else (0, 0)
    known = [v for v in values if not unknown(v)]
    return (min(known), max(known)) if known else (0, 0)


def _least(column: Column) -> Any:
    """The least value of a column of numbers that is above zero; zero where there is none."""
    values = column.values
    if isinstance(values, np.ndarray):
        some = values[values > 0]
        return some.min() if len(some) else 0
    return min((v for v in values if not unknown(v) and v > 0), default=0)


def unknown(value: Any) -> bool:
    """Whether a cell holds nothing."""
    return value is None or (isinstance(value, np.int64) and value == NULL)


def _or_blank(column: Column, write: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda value: column.blank if unknown(value) else write(value)


def _number(unit: Unit, biggest: float) -> tuple[str, Callable[[Any], str]]:
    if unit in (Unit.NS, Unit.NS_1):
        return _scaled(_NS_UNITS, biggest)
    if unit is Unit.BYTES:
        return _scaled(_BYTE_UNITS, biggest)
    if unit is Unit.MB:
        return "MB", lambda v: rounded(v, 3)
    if unit in (Unit.PCT, Unit.DECIMAL):
        return "", lambda v: rounded(v, 1)
    return "", lambda v: str(int(v))


def _scaled(units: Sequence[tuple[int, str]], biggest: float) -> tuple[str, Callable[[Any], str]]:
    scale, unit = next(((s, u) for s, u in units if biggest >= s), units[-1])
    places = 0 if scale == 1 else 3 if biggest < 1000 * scale else 1
    return unit, lambda v: rounded(float(v) / scale, places)


def fit_columns(cells: Sequence[ColumnFormat], room: int, gap: int = 2, least: int = 12) -> list[int]:
    """Widths of the columns in ``room`` cells; 0 for a column that finds no room.

    Columns go by rank, the highest first, then from the right, until all text columns can have ``least``
    cells (or what they need); then the widest text columns give way.
    """
    floor = [min(c.width, least) if c.flexible else c.width for c in cells]
    shown = list(range(len(cells)))

    def needed(widths: Sequence[int]) -> int:
        return sum(widths[i] for i in shown) + gap * (len(shown) - 1)

    while len(shown) > 1 and needed(floor) > room:
        shown.remove(max(shown[1:], key=lambda i: (cells[i].rank, i)))
    widths = [c.width if i in shown else 0 for i, c in enumerate(cells)]
    while (over := needed(widths) - room) > 0:
        able = [i for i in shown if cells[i].flexible and widths[i] > 1]
        if not able:
            break
        widest = max(able, key=lambda i: widths[i])
        rival = max([1, *(widths[i] for i in able if widths[i] < widths[widest])])
        widths[widest] -= min(over, max(1, widths[widest] - rival))
    return widths
