"""Tables as JSON: integers as integers, unknown as null, ASCII only, written in pieces."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, TextIO

import numpy as np

from tui.analysis.scope import Scope
from tui.analysis.table import Column, Table, plain
from tui.output.text_layout import CHUNK, TextLayout, header, number_text
from tui.report.model import Report


def write_document(document: Mapping[str, Any], stream: TextIO) -> None:
    """Write ``document`` indented; NumPy values are welcome, NaN is not."""
    json.dump(document, stream, indent=2, default=json_value, allow_nan=False)
    stream.write("\n")


def head(report: Report, scope: Scope) -> dict[str, Any]:
    """What every JSON document starts with: the report and the window of its figures."""
    bounds = {"start_ns": scope.window.start, "end_ns": scope.window.end}
    words = {name: getattr(scope.window, name) for name in ("label", "chosen", "note")}
    return {"report": str(report.path), "window": bounds | words}


def json_value(value: Any) -> Any:
    """NumPy values, decimals and paths as values that JSON has."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return str(value)


def write_reports(
    tables: Iterable[Table], head: Mapping[str, Any], stream: TextIO, layout: TextLayout
) -> None:
    """Write ``{**head, "reports": [{name, columns, rows, note}]}``, a row being a list in column order."""
    opening = json.dumps(head, indent=2, default=json_value)[:-2]
    stream.write(f'{opening},\n  "reports": [')
    for position, table in enumerate(tables):
        columns = json.dumps([header(column, layout.timeunit) for column in table.columns])
        stream.write("," if position else "")
        stream.write(f'\n    {{\n      "name": {json.dumps(table.name)},\n')
        stream.write(f'      "columns": {columns},\n      "rows": [')
        write_rows(table, stream, layout)
        stream.write(f'],\n      "note": {json.dumps(table.note)}\n    }}')
    stream.write("\n  ]\n}\n")


def write_rows(table: Table, stream: TextIO, layout: TextLayout) -> None:
    """Write the rows of ``table``, one a line, without the brackets around them."""
    between = "\n"
    for low in range(0, len(table), CHUNK):
        columns = [values(column, layout, low, low + CHUNK) for column in table.columns]
        for row in zip(*columns, strict=True):
            stream.write(f"{between}        {json.dumps(row, default=json_value, allow_nan=False)}")
            between = ",\n"
    if len(table):
        stream.write("\n      ")


def values(column: Column, layout: TextLayout, low: int, high: int) -> list[Any]:
    """Rows ``low`` to ``high`` of ``column`` as JSON values, times in the layout's unit."""
    found = plain(column.values, low, high)
    if not column.unit.is_time or not layout.timeunit.shift:
        return found
    number = number_text(column.unit, layout.timeunit, grouped=False)
    return [None if value is None else float(number(value)) for value in found]


def records(table: Table) -> list[dict[str, Any]]:
    """The rows of ``table`` as objects with the columns' keys: for documents of other shapes."""
    keys = [column.key for column in table.columns]
    columns = [plain(column.values, 0, len(table)) for column in table.columns]
    return [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)]
