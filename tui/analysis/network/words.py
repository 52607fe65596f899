"""The rates of networks as people read them."""

from __future__ import annotations

from dataclasses import replace

from tui.analysis.table import Column, Table, Unit
from tui.text.rates import show_amount


def in_words(table: Table) -> Table:
    """The table with rates and bytes as people read them, and without the column of units."""
    units = next(list(column.values) for column in table.columns if column.key == "unit")
    found: list[Column] = []
    for column in table.columns:
        if column.key in ("mean", "p95", "max", "bytes"):
            names = ["bytes"] * len(units) if column.key == "bytes" else units
            pairs = zip(column.values, names, strict=True)
            words = [column.blank if value is None else show_amount(value, unit) for value, unit in pairs]
            cells = max(map(len, (column.header, *words)))
            header, *texts = (word.rjust(cells) for word in (column.header, *words))
            column = replace(column, header=header, unit=Unit.TEXT, values=texts)
        if column.key != "unit":
            found.append(column)
    return replace(table, columns=tuple(found))
