"""A command's table cut to a pane's width: shorter headers, what matters first."""

from __future__ import annotations

from collections.abc import Mapping

from tui.analysis.table import Column, Table


def narrow(table: Table, headers: Mapping[str, str]) -> Table:
    """The columns whose keys ``headers`` names, in its order, under its headers."""
    by_key = {column.key: column for column in table.columns}
    columns = tuple(
        Column(header, key, by_key[key].unit, by_key[key].values, by_key[key].rank, by_key[key].blank)
        for key, header in headers.items()
        if key in by_key
    )
    return Table(table.name, table.title, columns, table.note)
