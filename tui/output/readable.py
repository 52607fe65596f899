"""Tables for a glance: every time in the unit that suits it, and no more rows than are looked at."""

from __future__ import annotations

from dataclasses import replace

from tui.analysis.table import Column, Table, Unit, plain
from tui.text.times import show_duration, show_time

MOMENTS = ("start_ns", "end_ns")
"""Keys of columns that hold points in time; other times are durations."""


def readable(table: Table) -> Table:
    """``table`` with its times as right-aligned text: ``152.310 ms``, ``0.871 204 113 s``."""
    return replace(table, columns=tuple(_readable(column) for column in table.columns))


def _readable(column: Column) -> Column:
    if not column.unit.is_time:
        return column
    show = show_time if column.key in MOMENTS else show_duration
    values = plain(column.values, 0, len(column.values))
    texts = [column.blank if v is None else show(round(v)) for v in values]
    heading = column.header.replace(" (ns)", "")
    cells = max([len(heading), *map(len, texts)])
    return replace(
        column, header=heading.rjust(cells), unit=Unit.TEXT, values=[t.rjust(cells) for t in texts]
    )
