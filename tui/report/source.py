"""An export as SQLite sees it: opened read-only, tables and columns probed, read by name.

Nothing here knows what a table means. Integer columns come as int64 arrays in which
:data:`~tui.report.model.NULL` stands for NULL, for a value of another type and for a column that
the file does not have. Names from the file never reach SQL but as quoted identifiers that the
file itself listed.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from urllib.parse import quote

import numpy as np

from tui.errors import ReportError
from tui.report.model import NULL, Int64

CHUNK = 1 << 15
"""Rows read at a time: some MB of Python objects at most."""


def uri_of(path: Path, *, immutable: bool = False) -> str:
    """A read-only SQLite URI for any path, whatever bytes are in it."""
    return f"file:{quote(os.fsencode(path.absolute()))}?mode=ro" + ("&immutable=1" if immutable else "")


def identifier(name: str) -> str:
    """``name`` quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


class Chunk:
    """Some consecutive rows of a table: ``rowid``, ``ints`` by column, ``texts`` by column."""

    def __init__(self, rowid: Int64, ints: dict[str, Int64], texts: dict[str, list[bytes | None]]) -> None:
        self.rowid = rowid
        self.ints = ints
        self.texts = texts


class Source:
    """A read-only connection and what the file holds.

    ``tables`` maps the name of each ordinary table to its column names, in the file's order.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        connection.text_factory = bytes
        self.tables: dict[str, tuple[str, ...]] = {}
        for (raw,) in self._all("SELECT name FROM sqlite_master WHERE type = 'table'"):
            name = _text(raw)
            if name.startswith("sqlite_"):
                continue
            columns = self._all(f"PRAGMA table_info({identifier(name)})")
            self.tables[name] = tuple(_text(c[1]) for c in columns)

    def close(self) -> None:
        self._connection.close()

    def _rowid_of(self, table: str) -> str:
        """An expression for the rowid, which a column of the same name may hide; else a count of rows."""
        taken = {c.lower() for c in self.tables[table]}
        for name in ("rowid", "_rowid_", "oid"):
            if name not in taken:
                try:
                    self._connection.execute(f"SELECT {name} FROM {identifier(table)} LIMIT 0")  # noqa: S608
                except sqlite3.OperationalError:
                    break  # WITHOUT ROWID
                return name
        return "row_number() OVER ()"

    def _all(self, sql: str) -> list[tuple[object, ...]]:
        try:
            return self._connection.execute(sql).fetchall()
        except (sqlite3.Error, OverflowError) as error:
            raise damaged(self.path, error) from error

    def columns(self, table: str, wanted: Sequence[str]) -> list[str]:
        """Those of ``wanted`` that ``table`` has, in the order asked."""
        have = set(self.tables.get(table, ()))
        return [c for c in wanted if c in have]

    def rows_about(self, table: str) -> int:
        """About how many rows: the last rowid, at the cost of one descent of the tree."""
        if table not in self.tables:
            return 0
        try:
            found = self._connection.execute(f"SELECT max(rowid) FROM {identifier(table)}").fetchone()  # noqa: S608
        except sqlite3.Error:
            return 0
        return int(found[0] or 0)

    def count(self, table: str) -> int:
        """How many rows, exactly."""
        return int(self._all(f"SELECT count(*) FROM {identifier(table)}")[0][0])  # type: ignore[call-overload,no-any-return]  # noqa: S608

    def records(self, table: str, wanted: Sequence[str]) -> list[dict[str, object]]:
        """All rows of a small table as dictionaries; bytes are decoded. Absent columns are absent."""
        columns = self.columns(table, wanted)
        if not columns:
            return []
        listed = ", ".join(identifier(c) for c in columns)
        rows = self._all(f"SELECT {listed} FROM {identifier(table)}")  # noqa: S608
        return [
            {c: _text(v) if isinstance(v, bytes) else v for c, v in zip(columns, row, strict=True)}
            for row in rows
        ]

    def chunks(self, table: str, ints: Sequence[str], texts: Sequence[str] = ()) -> Iterator[Chunk]:
        """The rows of ``table`` in the file's order, :data:`CHUNK` at a time.

        Only columns that exist come back. A value that is no integer (no text) is NULL (None).
        """
        int_columns = self.columns(table, ints)
        text_columns = self.columns(table, texts)
        parts = [self._rowid_of(table)]
        parts += [f"iif(typeof({q})='integer',{q},{NULL})" for q in map(identifier, int_columns)]
        parts += [f"iif(typeof({q})='text',{q},NULL)" for q in map(identifier, text_columns)]
        width = 1 + len(int_columns)
        try:
            cursor = self._connection.execute(f"SELECT {', '.join(parts)} FROM {identifier(table)}")  # noqa: S608
            last = NULL
            while rows := cursor.fetchmany(CHUNK):
                texts_found: dict[str, list[bytes | None]] = {}
                if text_columns:
                    values = list(zip(*rows, strict=True))
                    flat = chain.from_iterable(values[:width])
                    texts_found = {c: list(v) for c, v in zip(text_columns, values[width:], strict=True)}
                    block = np.fromiter(flat, np.int64, len(rows) * width).reshape(width, len(rows))
                else:
                    block = np.fromiter(chain.from_iterable(rows), np.int64, len(rows) * width)
                    block = np.ascontiguousarray(block.reshape(len(rows), width).T)
                if block[0, 0] <= last or (block[0, 1:] <= block[0, :-1]).any():
                    raise damaged(self.path, ValueError(f"rows of {table} are not in the order of their ids"))
                last = int(block[0, -1])
                yield Chunk(block[0], dict(zip(int_columns, block[1:], strict=True)), texts_found)
        except (sqlite3.Error, OverflowError) as error:
            raise damaged(self.path, error) from error


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def damaged(path: Path, error: Exception) -> ReportError:
    """The one line for a file that SQLite gives up on half-way."""
    return ReportError(
        f"{path}: damaged or truncated ({error}); export it again with `nsys export --type sqlite`"
    )
