"""Sets of reports as text for people: the verdict first, then the table in one unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TextIO

from tui.analysis.table import Column, Table, Unit, plain
from tui.output.text_layout import TextLayout
from tui.output.text_table import MOMENTS, readable, write_lines, write_rows
from tui.text import safe
from tui.text.cells import wrapped
from tui.text.numbers import rounded
from tui.text.times import UNITS, show_time

RANKS = ("rank", "slowest", "own_slowest", "device_slowest", "mpi_slowest", "last", "pinned")
"""Keys of columns that hold the names of ranks."""
WIDTH = 100
"""Cells of a line where no terminal says otherwise."""


def in_one_unit(table: Table) -> Table:
    """``table`` with its durations as text, all in the unit that suits the longest: they can be compared."""
    times = [column for column in table.columns if column.unit.is_time and column.key not in MOMENTS]
    values = [value for column in times for value in plain(column.values, 0, len(column.values))]
    biggest = max((abs(value) for value in values if value is not None), default=0)
    scale, unit = next((u for u in UNITS if biggest >= u[0]), UNITS[-1])
    places = 0 if scale == 1 else 1 if biggest >= 100 * scale else 2 if biggest >= 10 * scale else 3

    def show(value: int) -> str:
        return f"{'-' if value < 0 else ''}{rounded(abs(value) / scale, places)} {unit}"

    columns = []
    for column in table.columns:
        if column.unit.is_time:
            shown = plain(column.values, 0, len(column.values))
            write = show_time if column.key in MOMENTS else show
            texts = [column.blank if value is None else write(round(value)) for value in shown]
            columns.append(_right(column, texts))
        else:
            columns.append(column)
    return replace(table, columns=tuple(columns))


def _right(column: Column, texts: Sequence[str]) -> Column:
    """The column as text that ends at its right edge."""
    heading = column.header.replace(" (ns)", "")
    cells = max(map(len, (heading, *texts)))
    return replace(
        column, header=heading.rjust(cells), unit=Unit.TEXT, values=[text.rjust(cells) for text in texts]
    )


def numbers_right(table: Table, *keys: str) -> Table:
    """``table`` with those of its name columns right-aligned that hold nothing but numbers."""

    def aligned(column: Column) -> Column:
        texts = [column.blank if value is None else str(value) for value in column.values]
        numeric = all(text.isdecimal() or text == column.blank for text in texts)
        return _right(column, texts) if column.key in keys and numeric else column

    return replace(table, columns=tuple(map(aligned, table.columns)))


def write_found(lines: Sequence[str], stream: TextIO, layout: TextLayout) -> None:
    """Write what was found, a paragraph a line, and an empty line; nothing for nothing."""
    cells = max(40, layout.width or WIDTH)
    for text in lines:
        write_lines(wrapped(safe(text), cells, "", "  "), stream, layout)
    if lines:
        stream.write("\n")


def write_together(lines: Sequence[str], stream: TextIO, layout: TextLayout) -> None:
    """Write what all ranks come to, before what is said of each; commands stay whole, to be copied."""
    if lines:
        write_lines([" ** Over the ranks (over-ranks)", ""], stream, layout)
    for text in lines:
        command = text.startswith("  ")
        write_lines(
            [text] if command else wrapped(safe(text), max(40, layout.width or WIDTH), " ", "   "),
            stream,
            layout,
        )
    if lines:
        stream.write("\n")


def write_set(
    lines: Sequence[str], table: Table, stream: TextIO, layout: TextLayout, *, glance: bool, one_unit: bool
) -> None:
    """Write what was found as ``lines``, an empty line, and the table.

    ``glance``: times in units that are easy to read, in ``one_unit`` for all or in what suits each; else as
    ``layout`` says.
    """
    write_found(lines, stream, layout)
    if glance:
        table = in_one_unit(table) if one_unit else readable(table)
    write_rows(numbers_right(table, *RANKS), stream, layout)
