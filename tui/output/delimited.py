"""Tables as CSV and TSV: RFC 4180, UTF-8, one header line, several tables parted by an empty line."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from typing import Any, TextIO

from tui.analysis.table import Column, Table, Unit
from tui.output.layout import CHUNK, Layout
from tui.output.numbers import header, number_text, plain
from tui.text import csv_cell, safe

LINE_ENDS = {"csv": "\r\n", "tsv": "\n"}
SEPARATORS = {"csv": ",", "tsv": "\t"}


def write_delimited(tables: Iterable[Table], kind: str, stream: TextIO, layout: Layout) -> None:
    """Write ``tables`` one after the other; ``kind`` is ``csv`` or ``tsv``."""
    writer = csv.writer(stream, delimiter=SEPARATORS[kind], lineterminator=LINE_ENDS[kind])
    for position, table in enumerate(tables):
        if position:
            stream.write(LINE_ENDS[kind])
        writer.writerow([header(column, layout.timeunit) for column in table.columns])
        text = name_cell(layout)
        cells = [cell_text(column, layout, text) for column in table.columns]
        for low in range(0, len(table), CHUNK):
            columns = [
                map(cell, plain(column.values, low, low + CHUNK))
                for cell, column in zip(cells, table.columns, strict=True)
            ]
            writer.writerows(zip(*columns, strict=True))


def name_cell(layout: Layout) -> Callable[[str], str]:
    """A function from a name to its cell; remembers names, which repeat."""
    known: dict[str, str] = {}

    def cell(name: str) -> str:
        text = known.get(name)
        if text is None:
            shown = safe(name) if layout.screen else name
            text = known[name] = csv_cell(shown, raw=layout.raw)
        return text

    return cell


def cell_text(column: Column, layout: Layout, text: Callable[[str], str]) -> Callable[[Any], str]:
    """A function from a value of ``column`` to its cell; None becomes an empty one."""
    if column.unit is Unit.TEXT:
        return lambda value: "" if value is None else text(str(value))
    number = number_text(column.unit, layout.timeunit, grouped=False)
    return lambda value: "" if value is None else number(value)
