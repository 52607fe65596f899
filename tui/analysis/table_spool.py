"""Tables of one shape that come one after another, kept in a file until all are there."""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from typing import IO, Any

from tui.analysis.table import Column, Table, plain

NOTES, SOURCES = 4, 8
"""How many notes are said, and of how many that have one of them."""
_IN_MEMORY = 4 << 20
"""Bytes beyond which rows go to a temporary file."""


class TableSpool:
    """The rows of tables of one name. Columns are told apart by their keys; those that a table lacks are
    unknown in its rows. Memory holds one table at a time, and the notes.
    """

    def __init__(self) -> None:
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - lives as long as this
        self._columns: dict[str, Column] = {}
        self._first: Table | None = None
        self._notes: dict[str, list[str]] = {}
        self.rows = 0
        """How many there are."""

    def add(self, table: Table, source: str) -> None:
        """Append the rows of ``table``; ``source`` says in notes whose they are."""
        self._first = self._first or replace(table, columns=(), note=None)
        before = ""
        for column in table.columns:
            if column.key not in self._columns:
                self._insert(column, after=before)
            before = column.key
        values = {column.key: plain(column.values, 0, len(table)) for column in table.columns}
        pickle.dump((len(table), values), self._file, pickle.HIGHEST_PROTOCOL)
        self.rows += len(table)
        if table.note:
            self._notes.setdefault(table.note, []).append(source)

    def parts(self) -> Iterator[Table]:
        """The tables in their order, all with the same columns; the notes are in the last."""
        self._file.seek(0)
        left = self.rows
        assert self._first is not None
        while left:
            count, values = pickle.load(self._file)
            left -= count
            columns = (replace(c, values=values.get(key, [None] * count)) for key, c in self._columns.items())
            yield replace(self._first, columns=tuple(columns), note=None if left else self._note())

    def whole(self) -> Table:
        """All rows as one table."""
        assert self._first is not None
        values: dict[str, list[Any]] = {key: [] for key in self._columns}
        for part in self.parts():
            for column in part.columns:
                values[column.key] += column.values
        columns = (replace(column, values=values[key]) for key, column in self._columns.items())
        return replace(self._first, columns=tuple(columns), note=self._note())

    def _insert(self, column: Column, after: str) -> None:
        """Put a new column where it stands in the table that brings it."""
        empty = replace(column, values=())
        names = list(self._columns)
        at = names.index(after) + 1 if after in names else len(names)
        items = list(self._columns.items())
        items.insert(at, (column.key, empty))
        self._columns = dict(items)

    def _note(self) -> str | None:
        """The first notes, each with those who have it."""
        said = []
        for note, sources in list(self._notes.items())[:NOTES]:
            shown = ", ".join(sources[:SOURCES])
            more = f" and {len(sources) - SOURCES} more" if len(sources) > SOURCES else ""
            said.append(f"{shown}{more}: {note}")
        if len(self._notes) > NOTES:
            said.append(f"{len(self._notes) - NOTES} more notes")
        return "; ".join(said) or None
