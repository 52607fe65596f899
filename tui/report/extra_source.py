"""Tables that an import leaves alone: read from the file at first use, then kept in the store."""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import astuple
from pathlib import Path
from typing import Any

from tui.errors import ReportError
from tui.report.columns import Array, DerivedColumns, MemoryColumns, Shelf
from tui.report.data import Doubtful, Strings
from tui.report.extra.extra_table import ExtraRows, ExtraTable
from tui.report.identity import Stamp
from tui.report.progress import Meter
from tui.report.recognise import Candidate
from tui.report.spool import Spool

_MEANING = 1
"""Goes up whenever the meaning of what is kept changes."""
Database = Callable[[], AbstractContextManager[Candidate]]
"""Gives the SQLite file to read."""
_LARGE = 64 << 20
"""Of a file of this size columns go through a temporary file: memory stays bounded."""


class FileTables:
    """The tables of one opened export; safe for several threads."""

    def __init__(self, database: Database, shelf: Shelf | None = None) -> None:
        """``database``: gives the SQLite file; ``shelf``: where what was read is kept, None: in memory."""
        self._database = database
        self._shelf = shelf
        self._read: dict[ExtraTable, ExtraRows] = {}

    def read(self, table: ExtraTable, *, keep: bool = True) -> ExtraRows:
        """Read a table that exists; unless ``keep`` is False at most once.

        Raises ReportError where the file is damaged, or is no longer what was opened.
        """
        if not keep:
            return self._in_memory(table)
        if table not in self._read:
            self._read[table] = self._rows(table)
        return self._read[table]

    def _rows(self, table: ExtraTable) -> ExtraRows:
        name, version = f"extra-{table.source.lower()}", _version(table)
        kept: DerivedColumns | None = None
        if self._shelf is not None:
            kept = self._shelf.find(name, version)
            if kept is None:
                kept = self._shelf.keep(name, version, self._reading(table), lambda: False)
        return self._in_memory(table) if kept is None else _rows_of(table, kept)

    def _in_memory(self, table: ExtraTable) -> ExtraRows:
        kept = _InMemory()
        kept.facts = self._reading(table)(kept.put)
        return _rows_of(table, kept)

    def _reading(self, table: ExtraTable) -> Callable[[Callable[[str, Array], None]], dict[str, Any]]:
        def read(put: Callable[[str, Array], None]) -> dict[str, Any]:
            # What is kept opens without SQLite and all that reads it.
            from tui.report.importing.extra_rows import read_extra
            from tui.report.sqlite.connect import connected

            with self._database() as candidate:
                _check(candidate)
                large = candidate.stamp.size >= _LARGE
                with (
                    Spool(Path(tempfile.gettempdir()) if large else None) as spool,
                    connected(candidate, Meter()) as source,
                ):
                    facts = read_extra(table, source, spool, put)
                _check(candidate)
            return facts

        return read


def _check(candidate: Candidate) -> None:
    """Raise ReportError unless the file is what was opened."""
    path = candidate.path
    try:
        same = Stamp.of(path) == candidate.stamp
    except OSError as error:
        raise ReportError(f"{path}: can't be read any more: {error.strerror or error}") from error
    if not same:
        raise ReportError(f"{path}: has changed since it was opened; open it again")


class _InMemory(MemoryColumns):
    facts: dict[str, Any]

    def put(self, name: str, values: Array) -> None:
        self.write(name, values.dtype, [values])


def _version(table: ExtraTable) -> int:
    return zlib.crc32(repr((_MEANING, astuple(table))).encode())


def _rows_of(table: ExtraTable, kept: DerivedColumns) -> ExtraRows:
    columns = {name: kept.get(name) for name in table.fields}
    columns |= {name: columns[name].view(table.fields[name]) for name in table.reals}
    strings = Strings(kept.get("strings.blob"), kept.get("strings.offsets"))
    return ExtraRows(columns, strings, tuple(Doubtful(**doubt) for doubt in kept.facts["doubtful"]))
