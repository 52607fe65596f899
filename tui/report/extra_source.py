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
from tui.report.extra.extra_table import ExtraRows, ExtraTable, Reader
from tui.report.identity import Stamp
from tui.report.progress import Meter
from tui.report.recognise import Candidate
from tui.report.spool import Spool

_MEANING = 1
"""Goes up whenever the meaning of what is kept changes."""
Put = Callable[[str, Array], None]
Made = Callable[[Put], dict[str, Any]]
"""Hands arrays to what keeps them and returns facts about them."""
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
        self._derived: dict[str, DerivedColumns] = {}

    def read(self, table: ExtraTable, *, keep: bool = True) -> ExtraRows:
        """Read a table that exists; unless ``keep`` is False at most once.

        Raises ReportError where the file is damaged, or is no longer what was opened.
        """
        if not keep:
            return self._in_memory(table)
        if table not in self._read:
            self._read[table] = self._rows(table)
        return self._read[table]

    def derived(self, name: str, version: int, read: Reader) -> DerivedColumns:
        """What ``read`` makes of the file's tables, made once and kept as ``name``.

        Raises ReportError where the file is damaged, or is no longer what was opened.
        """
        if name not in self._derived:
            self._derived[name] = self._kept(name, version, self._opened(read))
        return self._derived[name]

    def _rows(self, table: ExtraTable) -> ExtraRows:
        name = f"extra-{table.source.lower()}"
        return _rows_of(table, self._kept(name, _version(table), self._reading(table)))

    def _kept(self, name: str, version: int, made: Made) -> DerivedColumns:
        """What the shelf has as ``name``, else what ``made`` puts there; without a shelf in memory."""
        kept: DerivedColumns | None = None
        if self._shelf is not None:
            kept = self._shelf.find(name, version) or self._shelf.keep(name, version, made, lambda: False)
        return _made(made) if kept is None else kept

    def _in_memory(self, table: ExtraTable) -> ExtraRows:
        return _rows_of(table, _made(self._reading(table)))

    def _reading(self, table: ExtraTable) -> Made:
        def read(source: Any, spool: Any, put: Put) -> dict[str, Any]:
            from tui.report.importing.extra_rows import read_extra

            return read_extra(table, source, spool, put)

        return self._opened(read)

    def _opened(self, reader: Reader) -> Made:
        def read(put: Put) -> dict[str, Any]:
            # What is kept opens without SQLite and all that reads it.
            from tui.report.sqlite.connect import connected

            with self._database() as candidate:
                _check(candidate)
                large = candidate.stamp.size >= _LARGE
                with (
                    Spool(Path(tempfile.gettempdir()) if large else None) as spool,
                    connected(candidate, Meter()) as source,
                ):
                    facts = reader(source, spool, put)
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


def _made(made: Made) -> DerivedColumns:
    """What ``made`` makes, in memory."""
    kept = _InMemory()
    kept.facts = made(kept.put)
    return kept


def _version(table: ExtraTable) -> int:
    return zlib.crc32(repr((_MEANING, astuple(table))).encode())


def _rows_of(table: ExtraTable, kept: DerivedColumns) -> ExtraRows:
    columns = {name: kept.get(name) for name in table.fields}
    columns |= {name: columns[name].view(table.fields[name]) for name in table.reals}
    strings = Strings(kept.get("strings.blob"), kept.get("strings.offsets"))
    return ExtraRows(columns, strings, tuple(Doubtful(**doubt) for doubt in kept.facts["doubtful"]))
