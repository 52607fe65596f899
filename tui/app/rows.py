"""The side pane's content: pages of sections, each a table whose rows can be sorted, filtered and followed.

Nothing here knows the screen; :mod:`tui.app.widgets.pane` draws it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tui.analysis.table import Column, Table, Unit
from tui.text import safe, width

UNKNOWN = "?"
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

    def __len__(self) -> int:
        return len(self.index)

    @property
    def longest(self) -> int:
        """Position of the longest instance (the first of equals)."""
        return int(np.argmax(self.end - self.start))


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


@dataclass(frozen=True)
class Page:
    """What one tab shows."""

    window: str
    """Which stretch of time the figures are of."""
    sections: tuple[Section, ...]


@dataclass
class Sorted:
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
        known = [i for i, value in enumerate(values) if value is not None]
        unknown = [i for i, value in enumerate(values) if value is None]
        if column.unit is Unit.TEXT:
            known.sort(key=lambda i: str(values[i]).casefold(), reverse=self.descending)
        else:
            known.sort(key=lambda i: values[i], reverse=self.descending)
        return np.array(known + unknown, dtype=np.int64)


@dataclass(frozen=True)
class Cells:
    """How one column's values are written: a unit for the whole column, so that rows compare."""

    header: str
    right: bool
    width: int
    flexible: bool
    write: Callable[[object], str]

    @classmethod
    def of(cls, column: Column) -> Cells:
        """The way to write ``column``, found from its extremes (numbers) or its first rows (text)."""
        values = column.values
        if column.unit is Unit.TEXT:
            seen = [width(safe(str(v))) for v in _head(values) if v is not None]
            return cls(column.header, False, max([width(column.header), *seen]), True, _text)
        numbers = [v for v in values if v is not None] if not isinstance(values, np.ndarray) else values
        low, high = (min(numbers), max(numbers)) if len(numbers) else (0, 0)
        unit, write = _number(column.unit, max(abs(low), abs(high)))
        header = f"{column.header} {unit}".strip()
        return cls(header, True, max(len(header), len(write(low)), len(write(high))), False, write)


def _head(values: Sequence[object]) -> Sequence[object]:
    return values[:SAMPLE]


def _text(value: object) -> str:
    return UNKNOWN if value is None else safe(str(value))


def _number(unit: Unit, biggest: float) -> tuple[str, Callable[[object], str]]:
    if unit in (Unit.NS, Unit.NS_1):
        return _scaled(_NS_UNITS, biggest)
    if unit is Unit.BYTES:
        return _scaled(_BYTE_UNITS, biggest)
    if unit is Unit.PCT:
        return "", lambda v: UNKNOWN if v is None else f"{v:.1f}"
    if unit is Unit.DECIMAL:
        return "", lambda v: UNKNOWN if v is None else f"{v:.1f}"
    if unit is Unit.MB:
        return "MB", lambda v: UNKNOWN if v is None else f"{v:.3f}"
    return "", lambda v: UNKNOWN if v is None else str(int(v))  # type: ignore[call-overload]


def _scaled(units: Sequence[tuple[int, str]], biggest: float) -> tuple[str, Callable[[object], str]]:
    scale, unit = next(((s, u) for s, u in units if biggest >= s), units[-1])
    places = 0 if scale == 1 else 3 if biggest < 1000 * scale else 1
    return unit, lambda v: UNKNOWN if v is None else f"{v / scale:.{places}f}"  # type: ignore[operator]


def fit(cells: Sequence[Cells], room: int, gap: int = 2, least: int = 6) -> list[int]:
    """Widths of the columns in ``room`` cells: text columns give way, each down to ``least``.

    Columns that find no room at all have width 0 (the last ones go first).
    """
    widths = [c.width for c in cells]
    excess = sum(widths) + gap * (len(widths) - 1) - room
    flexible = [i for i, c in enumerate(cells) if c.flexible]
    while excess > 0 and any(widths[i] > least for i in flexible):
        widest = max(flexible, key=lambda i: widths[i])
        second = max([least, *(widths[i] for i in flexible if widths[i] < widths[widest])])
        cut = min(excess, max(1, widths[widest] - second))
        widths[widest] -= cut
        excess -= cut
    for i in reversed(range(1, len(widths))):
        if excess <= 0:
            break
        if not cells[i].flexible:
            excess -= widths[i] + gap
            widths[i] = 0
    return widths
