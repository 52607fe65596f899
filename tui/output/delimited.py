"""Tables as CSV and TSV: RFC 4180, UTF-8, one header line, an empty line between tables."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, TextIO

from tui.analysis.table import Column, Table, Unit, plain
from tui.output.text_layout import CHUNK, TextLayout, header, number_text
from tui.text import csv_cell, safe

LINE_ENDS = {"csv": "\r\n", "tsv": "\n"}
SEPARATORS = {"csv": ",", "tsv": "\t"}


def write_delimited(tables: Iterable[Table], kind: str, stream: TextIO, layout: TextLayout) -> None:
    """Write ``tables`` one after the other; ``kind`` is ``csv`` or ``tsv``."""
    for _ in write_parts(([table] for table in tables), kind, stream, layout):
        pass


def write_parts(
    tables: Iterable[Iterable[Table]], kind: str, stream: TextIO, layout: TextLayout
) -> Iterator[Table]:
    """Write ``tables``, each of which comes in parts with the same columns; yield the parts with a note."""
    writer = csv.writer(stream, delimiter=SEPARATORS[kind], lineterminator=LINE_ENDS[kind])
    for position, parts in enumerate(tables):
        if position:
            stream.write(LINE_ENDS[kind])
        for number, table in enumerate(parts):
            if not number:
                writer.writerow([header(column, layout.timeunit) for column in table.columns])
            cells = [cell_text(column, layout) for column in table.columns]
            for low in range(0, len(table), CHUNK):
                columns = []
                for cell, column in zip(cells, table.columns, strict=True):
                    values = plain(column.values, low, low + CHUNK)
                    columns.append(values if cell is None else map(cell, values))
                writer.writerows(zip(*columns, strict=True))
            if table.note:
                yield table


def cell_text(column: Column, layout: TextLayout) -> Callable[[Any], str] | None:
    """A function from a value of ``column`` to its cell; None where the writer's own way is right.

    It writes an integer or a number of one decimal as it is, and None as an empty cell.
    """
    if column.unit is Unit.TEXT:
        show = safe if layout.screen else str
        # Names repeat, so each one's cell is made once; stacks and paths hardly do, so few are kept.
        return lru_cache(CHUNK)(lambda name: "" if name is None else csv_cell(show(name), raw=layout.raw))
    scaled = column.unit.is_time and layout.timeunit.shift
    if not scaled and column.unit.decimals <= 1:
        return None
    number = number_text(column.unit, layout.timeunit, grouped=False)
    return lambda value: "" if value is None else number(value)
