"""The side pane's content: sections, each a table whose rows can be sorted, filtered and followed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tui.analysis.table import Column, Table, Unit, picked, unknown
from tui.browse.lazy_columns import Arranged, Coded, by_key
from tui.report.columns import NULL, Bool, Int64, Positions
from tui.report.kernels.short_names import ShortNames
from tui.text import safe, width
from tui.text.cells import squeeze
from tui.text.numbers import brief_size, rounded
from tui.text.times import brief
from tui.text.widths import ColumnNeed
from tui.timeline.glyphs import Glyphs
from tui.timeline.runs import Line

if TYPE_CHECKING:
    from tui.analysis.index import Index

SAMPLE = 200
"""Rows measured to find the width of a column; longer names are cut."""
LONGEST_FIGURE = 7
"""Cells of any figure in three digits with its unit, such as ``1.51 ms``; only seconds and GB get longer."""


@dataclass(frozen=True)
class Instances:
    """Where the events, gaps or spans that a row sums up lie on the timeline (ns)."""

    kind: str
    """The events' table; or ``gap``, or ``span`` (just a stretch of time)."""
    index: Int64
    """Row numbers in the events' table (gap: number of the gap in its device; span: 0, 1, ...)."""
    start: Int64
    end: Int64
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
Picture = Callable[[int, Glyphs], Sequence[Line]]
"""Draws lines in so many cells."""
Recorded = Callable[["Index", Positions], Table]
"""Makes the table that is written to a file, of these rows of a section's table."""


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
    """Cells below which a text column is not cut in favour of another column."""
    walks: bool = False
    """Whether enter goes through the instances in turn, instead of to the longest."""
    details: Callable[[int], Pairs | None] | None = None
    """Gives a row in full; default, and where it returns None: its cells."""
    picture: Picture | None = None
    """Lines between the text and the table."""
    one_by_one: bool = False
    """Whether each row is one event: its next instance is the next row's."""
    recorded: Recorded | None = None
    """The rows as a file holds them; None: they are written nowhere."""
    file_name: str = ""
    """The file's name without its ending."""
    unmatched: str = "no row contains"
    """What stands before the filter's text where no row passes it."""
    wraps: str = ""
    """The key of a column whose texts go on below where they are too long, in place of being cut."""
    swatch: Callable[[int], str] | None = None
    """The style of a row's events on the timeline, of which a patch stands before the row."""


def table_of(name: str, *columns: Column, note: str | None = None) -> Table:
    """Return a table for a section, whose title is its own."""
    return Table(name, "", columns, note)


Page = Sequence[Section]
"""What one tab shows."""


@dataclass
class SortedRows:
    """The rows of a table that pass the filter, in the chosen order."""

    table: Table
    column: int = -1
    """The column sorted by; -1: the analysis' own order."""
    descending: bool = True
    needle: str = ""
    order: Positions = field(init=False)
    """The table's row numbers, as they are shown."""

    def __post_init__(self) -> None:
        self.arrange()

    def arrange(self) -> None:
        """Work the order out again; rows that are equal keep the analysis' order."""
        self.order = np.flatnonzero(self._matching())
        if self.column >= 0:
            self.order = self.order[self._sorted(self.table.columns[self.column])]

    def position(self, row: int) -> int | None:
        """Return where row number ``row`` of the table is shown; None where the filter hides it."""
        found = np.flatnonzero(self.order == row)
        return int(found[0]) if len(found) else None

    def _matching(self) -> Bool:
        needle = self.needle.casefold()
        keep = np.full(len(self.table), not needle)
        for column in self.table.columns if needle else ():
            if isinstance(column.values, Arranged):
                hit = column.values.containing(needle)
                keep |= False if hit is None else hit
            elif column.unit is Unit.TEXT:
                keep |= np.fromiter((needle in str(v).casefold() for v in column.values), bool, len(keep))
        return keep

    def _sorted(self, column: Column) -> Positions:
        if isinstance(column.values, Arranged):
            return by_key(column.values.order_keys()[self.order], self.descending)
        if isinstance(column.values, np.ndarray):
            return by_key(column.values[self.order], self.descending)
        values = picked(column.values, self.order)
        known = [i for i, value in enumerate(values) if not unknown(value)]
        rest = [i for i, value in enumerate(values) if unknown(value)]
        text = column.unit is Unit.TEXT
        known.sort(key=lambda i: str(values[i]).casefold() if text else values[i], reverse=self.descending)
        return np.array(known + rest, np.intp)


@dataclass(frozen=True)
class ColumnFormat:
    """How one column's values are written: each in three digits and the unit that suits it."""

    header: str
    need: ColumnNeed
    write: Callable[[Any], str]
    """Writes a value in full."""
    names: ShortNames | None = None
    """Of a column of kernels: the short forms of all its names."""

    def fitted(self, value: Any, cells: int, ellipsis: str) -> str:
        """Write a value in so many cells: kernels' names so that they differ, others without their middle."""
        if self.names is not None and value in self.names:
            return self.names.fitted(str(value), cells, ellipsis)
        text = self.write(value)
        return squeeze(text, cells, ellipsis) if self.need.is_name else text

    @classmethod
    def of(cls, column: Column) -> ColumnFormat:
        """Return the way to write ``column``, found from its extremes (numbers) or its first rows (text)."""
        if column.unit is Unit.TEXT:
            texts = [str(v) for v in column.values[:SAMPLE] if v is not None]
            names = ShortNames(_kernel_names(column)) if column.kernels else None
            seen = [
                width(names[text] if names is not None and text in names else safe(text)) for text in texts
            ]
            wide = max([width(column.header), *seen, len(column.blank)])
            need = ColumnNeed(wide, True, column.rank)
            return cls(column.header, need, _or_blank(column, lambda v: safe(str(v))), names)
        number = number_writer(column.unit)
        measured: Iterable[Any] = column.values if len(column.values) <= SAMPLE else extremes(column)
        sizes = [len(number(value)) for value in measured if not unknown(value)]
        if len(column.values) > SAMPLE and (column.unit.is_time or column.unit is Unit.BYTES):
            sizes.append(LONGEST_FIGURE)
        wide = max([len(column.header), len(column.blank), *sizes])
        return cls(column.header, ColumnNeed(wide, False, column.rank), _or_blank(column, number))


def _kernel_names(column: Column) -> Iterable[str]:
    """Return the names of kernels: in a list of events, others may stand beside them."""
    values = column.values
    return values.kernel_names() if isinstance(values, Coded) else (str(v) for v in values if v is not None)


def extremes(column: Column) -> tuple[Any, Any, Any]:
    """Return the least and the greatest known value, and the least above zero; 0 where there is none."""
    values = column.values
    if isinstance(values, np.ndarray):
        known = values[values != NULL]
    else:
        known = np.array([value for value in values if not unknown(value)])
    if not len(known):
        return 0, 0, 0
    above = known[known > 0]
    return known.min(), known.max(), above.min() if len(above) else 0


def _or_blank(column: Column, write: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda value: column.blank if unknown(value) else write(value)


def number_writer(unit: Unit) -> Callable[[Any], str]:
    """Return what writes a number of ``unit``: ``152 ms``, ``4.19 MB``, ``2,594``, ``61.0``."""
    if unit.is_time:
        return lambda value: brief(float(value))
    if unit is Unit.BYTES:
        return lambda value: brief_size(float(value))
    if unit is Unit.MB:
        return lambda value: brief_size(float(value) * 10**6)
    if unit.decimals:
        return lambda value: rounded(float(value), unit.decimals)
    return (lambda value: str(int(value))) if unit is Unit.ID else (lambda value: f"{int(value):,}")
