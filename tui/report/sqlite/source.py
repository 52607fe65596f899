"""An export as SQLite sees it: opened read-only, tables and columns probed, read by name.

Nothing here knows what a table means. Integer columns are int64 arrays, with
:data:`~tui.report.columns.NULL` for NULL and for a value of another type. Names from the file reach SQL only
as quoted identifiers that the file itself listed.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from tui.errors import ReportError
from tui.report.columns import NULL, Int64
from tui.report.sqlite.pages import Pages, Unreadable
from tui.report.sqlite.records import ColumnShape, TableShape, layout_of, rows_of
from tui.report.sqlite.texts import Texts
from tui.text import cut, safe

FAULTS = (sqlite3.Error, OverflowError, UnicodeDecodeError)
"""What the sqlite3 module raises over a damaged file; the last where SQLite's own message is no UTF-8."""
_COUNTED = "row_number() OVER ()"
CHUNK = 1 << 15
"""Rows read at a time: some MB of Python objects at most."""


def uri_of(path: Path, *, immutable: bool = False) -> str:
    """A read-only SQLite URI for any path, whatever bytes are in it."""
    return f"file:{quote(os.fsencode(path.absolute()))}?mode=ro" + ("&immutable=1" if immutable else "")


def identifier(name: str) -> str:
    """``name`` quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


@dataclass
class Chunk:
    """Some consecutive rows of a table: ``rowid``, ``ints`` by column, ``texts``, ``reals``."""

    rowid: Int64
    ints: dict[str, Int64]
    texts: dict[str, Texts]
    reals: dict[str, NDArray[np.float64]] = field(default_factory=dict)


class Source:
    """A read-only connection and what the file holds.

    ``tables`` maps the name of each ordinary table to its column names, in the file's order.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, pages: Pages | None = None) -> None:
        """``pages``: the same file for the quick reader; without it SQLite reads everything."""
        self.path = path
        self._connection = connection
        self._pages = pages
        connection.text_factory = bytes
        self.tables: dict[str, tuple[str, ...]] = {}
        self._shapes: dict[str, TableShape] = {}
        for raw, root, sql in self._all("SELECT name, rootpage, sql FROM sqlite_master WHERE type = 'table'"):
            name = _text(raw)
            if name.startswith("sqlite_"):
                continue
            columns = {
                _text(column): ColumnShape(at, _text(kind), default, bool(key))
                for at, (_, column, kind, _, default, key) in enumerate(
                    self._all(f"PRAGMA table_info({identifier(name)})")
                )
            }
            self.tables[name] = tuple(columns)
            self._shapes[name] = TableShape(root if isinstance(root, int) else 0, _text(sql), columns)

    def _rowid_of(self, table: str) -> str:
        """An expression for the rowid, which a column of the same name may hide; else a count of rows."""
        hidden = {c.lower() for c in self.tables[table]}
        for name in ("rowid", "_rowid_", "oid"):
            if name not in hidden:
                try:
                    self._connection.execute(f"SELECT {name} FROM {identifier(table)} LIMIT 0")  # noqa: S608
                except FAULTS:
                    break  # WITHOUT ROWID
                return name
        return _COUNTED

    def _all(self, sql: str) -> list[tuple[object, ...]]:
        try:
            return self._connection.execute(sql).fetchall()
        except FAULTS as error:
            raise damaged(self.path, error) from error

    def columns(self, table: str, wanted: Sequence[str]) -> list[str]:
        """Those of ``wanted`` that ``table`` has, in the order asked."""
        have = set(self.tables.get(table, ()))
        return [c for c in wanted if c in have]

    def rows_about(self, table: str) -> int:
        """About how many rows: the last rowid, at the cost of one descent of the tree."""
        return max(self._last_rowid(table) or 0, 0) if table in self.tables else 0

    def _last_rowid(self, table: str) -> int | None:
        """The greatest rowid; None for an empty table and where SQLite can't tell."""
        try:
            sql = f"SELECT max({self._rowid_of(table)}) FROM {identifier(table)}"  # noqa: S608
            (last,) = self._connection.execute(sql).fetchone()
        except FAULTS:
            return None
        return None if last is None else int(last)

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

    def chunks(
        self, table: str, ints: Sequence[str], texts: Sequence[str] = (), reals: Sequence[str] = ()
    ) -> Iterator[Chunk]:
        """The rows of ``table`` in the file's order, :data:`CHUNK` at a time.

        Only columns that exist come back. A value that is no integer (no text, no number) is NULL (None,
        NaN). A table of which ``reals`` are wanted is read by SQLite: it may keep whole ones as integers.
        """
        int_columns = self.columns(table, ints)
        text_columns = self.columns(table, texts)
        real_columns = self.columns(table, reals)
        if real_columns:
            yield from self._sql_chunks(table, int_columns, text_columns, None, reals=real_columns)
            return
        last: int | None = None
        for chunk in self._quick_chunks(table, int_columns, text_columns):
            last = int(chunk.rowid[-1])
            yield chunk
        if last is None or last != self._last_rowid(table):
            yield from self._sql_chunks(table, int_columns, text_columns, last)

    def _quick_chunks(self, table: str, ints: list[str], texts: list[str]) -> Iterator[Chunk]:
        """As many chunks as can be read from the pages; ends at the first that only SQLite can read."""
        layout = layout_of(self._shapes[table], ints, texts)
        if self._pages is None or layout is None or self._rowid_of(table) == _COUNTED:
            return
        try:
            for found in rows_of(self._pages, self._shapes[table].root, layout):
                columns = dict(zip(ints, found.ints, strict=True)), dict(zip(texts, found.texts, strict=True))
                yield self._filled(table, Chunk(found.rowid, *columns), found.overflow.tolist())
        except (Unreadable, OSError):
            return

    def _filled(self, table: str, chunk: Chunk, rows: list[int]) -> Chunk:
        """``chunk`` with some of its rows read by SQLite."""
        if not rows:
            return chunk
        texts = {name: found.listed() for name, found in chunk.texts.items()}
        for row in rows:
            rowid = int(chunk.rowid[row])
            for one in self._sql_chunks(table, list(chunk.ints), list(chunk.texts), rowid - 1, limit=1):
                if int(one.rowid[0]) != rowid:
                    raise Unreadable("a row that SQLite does not have")
                for column, values in one.ints.items():
                    chunk.ints[column][row] = values[0]
                for name, found in one.texts.items():
                    texts[name][row] = found.listed()[0]
        return Chunk(chunk.rowid, chunk.ints, {name: Texts.of(found) for name, found in texts.items()})

    def _sql_chunks(
        self,
        table: str,
        int_columns: list[str],
        text_columns: list[str],
        after: int | None,
        limit: int = -1,
        reals: Sequence[str] = (),
    ) -> Iterator[Chunk]:
        """At most ``limit`` rows with ids greater than ``after``, read by SQLite."""
        parts = [self._rowid_of(table)]
        parts += [f"iif(typeof({q})='integer',{q},{NULL})" for q in map(identifier, int_columns)]
        parts += [f"iif(typeof({q})='text',{q},NULL)" for q in map(identifier, text_columns)]
        parts += [f"iif(typeof({q}) IN ('real','integer'),{q},NULL)" for q in map(identifier, reals)]
        width = 1 + len(int_columns)
        try:
            where = "" if after is None else f"WHERE {parts[0]} > {after} ORDER BY 1 LIMIT {limit}"
            cursor = self._connection.execute(f"SELECT {', '.join(parts)} FROM {identifier(table)} {where}")  # noqa: S608
            last = NULL
            while rows := cursor.fetchmany(CHUNK):
                texts_found: dict[str, Texts] = {}
                reals_found: dict[str, NDArray[np.float64]] = {}
                if text_columns or reals:
                    values = list(zip(*rows, strict=True))
                    flat = chain.from_iterable(values[:width])
                    rest = iter(values[width:])
                    texts_found = {c: Texts.of(next(rest)) for c in text_columns}
                    reals_found = {c: np.array(next(rest), np.float64) for c in reals}  # None becomes NaN
                    block = np.fromiter(flat, np.int64, len(rows) * width).reshape(width, len(rows))
                else:
                    block = np.fromiter(chain.from_iterable(rows), np.int64, len(rows) * width)
                    block = np.ascontiguousarray(block.reshape(len(rows), width).T)
                if block[0, 0] <= last or (block[0, 1:] <= block[0, :-1]).any():
                    raise damaged(self.path, ValueError(f"rows of {table} are not in the order of their ids"))
                last = int(block[0, -1])
                yield Chunk(
                    block[0], dict(zip(int_columns, block[1:], strict=True)), texts_found, reals_found
                )
        except FAULTS as error:
            raise damaged(self.path, error) from error


def _text(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def damaged(path: Path, error: Exception) -> ReportError:
    """The one line for a file that SQLite gives up on; its reason may quote the file at any length."""
    reason = cut(safe(str(error)), 100)
    return ReportError(f"{path}: damaged or truncated ({reason}); export it again: nsys export --type sqlite")
