"""An export as SQLite sees it: opened read-only, tables and columns probed, read by name.

Nothing here knows what a table means. Integer columns are int64 arrays, with
:data:`~tui.report.columns.NULL` for NULL and for what is no integer. Names have no case, as in SQL. They
reach SQL only as quoted identifiers that the file itself listed.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from tui.errors import ReportError
from tui.report.columns import NULL, Int64
from tui.report.sqlite.catalog import FAULTS, Catalog, decoded, identifier, reason_of
from tui.report.sqlite.guard import Guard
from tui.report.sqlite.kept_rows import KeptRows
from tui.report.sqlite.pages import LEAST_CELL, Pages, Unreadable
from tui.report.sqlite.records import layout_of, rows_of
from tui.report.sqlite.texts import Texts
from tui.report.sqlite.values import (
    EXACT,
    ROUNDED,
    Odd,
    OddValues,
    integer_sql,
    integers,
    shown,
    spelled_texts,
)
from tui.report.table_names import folded

_COUNTED = "0"
"""Instead of a rowid: the rows are numbered as they come."""
_NUMBER = '"number of the row"'
_FEW = 1 << 20
"""Rows that any view may have, however small the file."""
CHUNK = 1 << 15
"""Rows read at a time: some MB of Python objects at most."""


def uri_of(path: Path, *, immutable: bool = False) -> str:
    """A read-only SQLite URI for any path, whatever bytes are in it."""
    return f"file:{quote(os.fsencode(path.absolute()))}?mode=ro" + ("&immutable=1" if immutable else "")


@dataclass
class Chunk:
    """Some consecutive rows of a table: ``rowid``, ``ints`` by column, ``texts``, ``reals``, ``blobs``."""

    rowid: Int64
    ints: dict[str, Int64]
    texts: dict[str, Texts]
    reals: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    odd: list[Odd] = field(default_factory=list)
    """Values that are not what belongs in their column."""
    blobs: dict[str, Texts] = field(default_factory=dict)


class Source:
    """A read-only connection and what the file holds.

    ``tables`` maps the name of each table, and of each view that stands for one, to its column names, in the
    file's order. ``refused``, ``beneath`` and ``views`` are those of :class:`Catalog`.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, pages: Pages | None = None) -> None:
        """``pages``: the same file for the quick reader; without it SQLite reads everything."""
        self.path = path
        self._connection = connection
        self._pages = pages
        connection.text_factory = bytes
        try:
            size = path.stat().st_size
            self._room = max(_FEW, size // LEAST_CELL)
            self._guard = Guard(connection, size)
            catalog = Catalog(connection, self._guard)
        except OSError as error:
            raise ReportError(f"{path}: can't be read: {error.strerror or error}") from error
        except FAULTS as error:
            raise damaged(path, error) from error
        self._shapes, self.tables = catalog.shapes, catalog.columns
        self.odd_records: dict[tuple[str, int, str], tuple[str, str]] = {}
        """Values of small tables, by table, row and column: what is wrong, and the value."""
        self.refused, self.beneath, self.views = catalog.refused, catalog.beneath, tuple(catalog.views)

    def require(self, table: str) -> None:
        """Raise ReportError if the file has ``table`` but it can't be read."""
        if reason := self.refused.get(table):
            raise ReportError(f"{self.path}: {table} can't be read ({reason})")

    def has(self, table: str, *columns: str) -> bool:
        """Whether there is a table with all of these columns."""
        return table in self._shapes and all(folded(c) in self._shapes[table].columns for c in columns)

    def _is_view(self, table: str) -> bool:
        return not self._shapes[table].root

    def _limits(self, table: str) -> AbstractContextManager[None]:
        """Keep a view from running for ever."""
        return self._guard.limited() if self._is_view(table) else nullcontext()

    def _check_room(self, rows: int) -> None:
        """Refuse a view of more rows than the file could hold as a table."""
        if rows > self._room:
            raise sqlite3.OperationalError("it has more rows than the file has room for")

    def _failed(self, table: str, error: Exception) -> ReportError:
        if self._is_view(table) and "malformed" not in str(error):
            return ReportError(f"{self.path}: {table} can't be read (a view: {reason_of(error)})")
        return damaged(self.path, error)

    def _rowid_of(self, table: str) -> str:
        """An expression for the rowid, which a column of the same name may hide; else :data:`_COUNTED`."""
        if self._is_view(table):
            return _COUNTED
        for name in ("rowid", "_rowid_", "oid"):
            if name not in self._shapes[table].columns:
                try:
                    self._connection.execute(f"SELECT {name} FROM {identifier(table)} LIMIT 0")  # noqa: S608
                except FAULTS:
                    break  # WITHOUT ROWID
                return name
        return _COUNTED

    def _all(self, table: str, what: str) -> list[tuple[object, ...]]:
        try:
            with self._limits(table):
                cursor = self._connection.execute(f"SELECT {what} FROM {identifier(table)}")  # noqa: S608
                if not self._is_view(table):
                    return cursor.fetchall()
                rows = cursor.fetchmany(self._room + 1)
                self._check_room(len(rows))
                return rows
        except FAULTS as error:
            raise self._failed(table, error) from error

    def columns(self, table: str, wanted: Sequence[str]) -> list[str]:
        """Those of ``wanted`` that ``table`` has, in the order and the spelling asked."""
        return [c for c in wanted if self.has(table, c)]

    def rows_about(self, table: str) -> int:
        """About how many rows: the last rowid, at the cost of one descent of the tree; else counted."""
        if table not in self.tables:
            return 0
        counted = self._rowid_of(table) == _COUNTED
        return self.count(table) if counted else max(self._last_rowid(table) or 0, 0)

    def _last_rowid(self, table: str) -> int | None:
        """The greatest rowid; None for an empty table and where SQLite can't tell."""
        rowid = self._rowid_of(table)
        if rowid == _COUNTED:
            return None
        try:
            sql = f"SELECT max({rowid}) FROM {identifier(table)}"  # noqa: S608
            (last,) = self._connection.execute(sql).fetchone()
        except FAULTS:
            return None
        return None if last is None else int(last)

    def count(self, table: str) -> int:
        """How many rows, exactly."""
        return int(self._all(table, "count(*)")[0][0])  # type: ignore[call-overload,no-any-return]

    def records(
        self, table: str, wanted: Sequence[str], as_bytes: Collection[str] = ()
    ) -> list[dict[str, object]]:
        """All rows of a small table as dictionaries. Absent columns are absent.

        Bytes are decoded but in the columns ``as_bytes``, where texts may be bytes, too. A whole number is
        an int.
        """
        columns = self.columns(table, wanted)
        if not columns:
            return []
        rows = self._all(table, ", ".join(map(identifier, columns)))
        for column, values in zip(columns, zip(*rows, strict=True), strict=False):
            for number, value in enumerate(values, 1):
                if isinstance(value, float) and EXACT <= abs(value) < 2.0**63:
                    self.note_odd(table, number, column, ROUNDED, value)
        return [
            {
                c: v if c in as_bytes and isinstance(v, bytes) else _plain(v)
                for c, v in zip(columns, row, strict=True)
            }
            for row in rows
        ]

    def records_with(
        self, table: str, wanted: Sequence[str], column: str, text: str, most: int
    ) -> list[dict[str, object]]:
        """The first rows, at most ``most``, whose ``column`` holds ``text``; see :meth:`records`."""
        columns = self.columns(table, wanted)
        if not self.has(table, column) or not columns:
            return []
        what, where = ", ".join(map(identifier, columns)), identifier(column)
        sql = f"SELECT {what} FROM {identifier(table)} WHERE instr({where}, ?) LIMIT {int(most)}"  # noqa: S608
        try:
            with self._limits(table):
                rows = self._connection.execute(sql, (text,)).fetchall()
        except FAULTS as error:
            raise self._failed(table, error) from error
        return [dict(zip(columns, map(_plain, row), strict=True)) for row in rows]

    def note_odd(self, table: str, row: int, column: str, what: str, value: object) -> None:
        """Put a value into :attr:`odd_records`; ``row``: its number among the table's rows."""
        self.odd_records[table, row, column] = what, shown(value)

    def chunks(
        self,
        table: str,
        ints: Sequence[str],
        texts: Sequence[str] = (),
        reals: Sequence[str] = (),
        blobs: Sequence[str] = (),
        present: Sequence[str] = (),
        only: tuple[str, tuple[int, ...]] | None = None,
    ) -> Iterator[Chunk]:
        """The rows of ``table`` in the file's order, :data:`CHUNK` at a time.

        Only columns that exist come back. A value that is no integer (no text, no number) is NULL (None,
        NaN), and odd (but for ``reals``). A table of which ``reals`` are wanted is read by SQLite, which may
        keep whole ones as integers. ``blobs`` are columns whose texts and bytes are read as they are stored;
        of ``present`` columns one must be other than NULL, and the column of ``only`` have one of the values,
        or the row is left out.
        """
        int_columns = self.columns(table, ints)
        text_columns = self.columns(table, texts)
        real_columns, blob_columns = self.columns(table, reals), self.columns(table, blobs)
        filled = self.columns(table, present)
        if (present and not filled) or (only is not None and not self.has(table, only[0])):
            return
        if real_columns or blob_columns or filled or only is not None:
            kept = KeptRows(tuple(filled), only)
            yield from self._sql_chunks(
                table, int_columns, text_columns, None, reals=real_columns, blobs=blob_columns, kept=kept
            )
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
                chunk = Chunk(found.rowid, *columns, odd=found.odd.listed())
                yield self._filled(table, chunk, found.overflow.tolist())
        except (Unreadable, OSError):
            return

    def _filled(self, table: str, chunk: Chunk, rows: list[int]) -> Chunk:
        """``chunk`` with some of its rows read by SQLite."""
        if not rows:
            return chunk
        found_texts = {name: found.listed() for name, found in chunk.texts.items()}
        odd = OddValues()
        for one_odd in chunk.odd:
            odd.take(one_odd, one_odd.rows)
        for row in rows:
            rowid = int(chunk.rowid[row])
            for one in self._sql_chunks(table, list(chunk.ints), list(chunk.texts), rowid - 1, limit=1):
                if int(one.rowid[0]) != rowid:
                    raise Unreadable("a row that SQLite does not have")
                for column, values in one.ints.items():
                    chunk.ints[column][row] = values[0]
                for name, found in one.texts.items():
                    found_texts[name][row] = found.listed()[0]
                for one_odd in one.odd:
                    odd.take(one_odd, np.array([row]))
        joined = {name: Texts.of(found) for name, found in found_texts.items()}
        return Chunk(chunk.rowid, chunk.ints, joined, odd=odd.listed())

    def _sql_chunks(
        self,
        table: str,
        int_columns: list[str],
        text_columns: list[str],
        after: int | None,
        limit: int = -1,
        reals: Sequence[str] = (),
        blobs: Sequence[str] = (),
        kept: KeptRows | None = None,
    ) -> Iterator[Chunk]:
        """At most ``limit`` rows with ids greater than ``after``, read by SQLite."""
        rowid = self._rowid_of(table)
        quoted = [identifier(c) for c in text_columns]
        parts = [rowid, *(integer_sql(identifier(c)) for c in int_columns), *quoted]
        parts += [f"typeof({q}) = 'blob'" for q in quoted]
        parts += [f"iif(typeof({q}) IN ('real','integer'),{q},NULL)" for q in map(identifier, reals)]
        for q in map(identifier, blobs):
            parts.append(f"iif(typeof({q}) IN ('text','blob'),CAST({q} AS BLOB),NULL)")
        wanted = [*int_columns, *text_columns, *reals, *blobs, *(kept.columns if kept else ())]
        where = "" if after is None else f"WHERE {rowid} > {after} ORDER BY 1 LIMIT {limit}"
        if kept is not None and kept.columns:
            where = f"WHERE {kept.condition}"
        last, total = NULL, 0
        try:
            with self._limits(table):
                below = identifier(table)
                # Numbered, the rows of a view are worked out once, before they are looked at.
                if self._is_view(table) or (kept and rowid == _COUNTED):
                    quoted = [identifier(c) for c in dict.fromkeys(wanted)]
                    listed = ", ".join([*quoted, f"row_number() OVER () AS {_NUMBER}"])
                    below, parts[0] = f"(SELECT {listed} FROM {below})", _NUMBER  # noqa: S608
                cursor = self._connection.execute(f"SELECT {', '.join(parts)} FROM {below} {where}")  # noqa: S608
                while rows := cursor.fetchmany(CHUNK):
                    chunk = _chunk_of(rows, int_columns, text_columns, reals, blobs)
                    if rowid == _COUNTED and not kept:
                        chunk.rowid = np.arange(total + 1, total + len(rows) + 1)
                        if self._is_view(table):
                            self._check_room(total + len(rows))
                    elif chunk.rowid[0] <= last or (chunk.rowid[1:] <= chunk.rowid[:-1]).any():
                        raise damaged(
                            self.path, ValueError(f"rows of {table} are not in the order of their ids")
                        )
                    last, total = int(chunk.rowid[-1]), total + len(rows)
                    yield chunk
        except FAULTS as error:
            raise self._failed(table, error) from error


def _chunk_of(
    rows: list[tuple[Any, ...]],
    int_columns: list[str],
    text_columns: list[str],
    reals: Sequence[str] = (),
    blobs: Sequence[str] = (),
) -> Chunk:
    """Rows of a rowid, the integers, the texts, whether each text is bytes, the reals and the blobs."""
    width = 1 + len(int_columns)
    if not text_columns and not reals and not blobs:
        try:  # one step for all, where every value is an integer
            flat = np.fromiter(chain.from_iterable(rows), np.int64, len(rows) * width)
            block = np.ascontiguousarray(flat.reshape(len(rows), width).T)
            return Chunk(block[0], dict(zip(int_columns, block[1:], strict=True)), {})
        except ValueError:
            pass
    odd = OddValues()
    values = list(zip(*rows, strict=True))
    ints = {c: integers(c, v, odd) for c, v in zip(int_columns, values[1:width], strict=True)}
    stop = width + len(text_columns)
    found, are_bytes = values[width:stop], values[stop : stop + len(text_columns)]
    numbers = values[stop + len(text_columns) :]
    raw = dict(zip(blobs, map(Texts.of, numbers[len(reals) :]), strict=True))
    listed = {
        c: Texts.of(spelled_texts(c, v, b, odd))
        for c, v, b in zip(text_columns, found, are_bytes, strict=True)
    }
    real = {c: np.array(v, np.float64) for c, v in zip(reals, numbers, strict=False)}  # None becomes NaN
    return Chunk(np.array(values[0], np.int64), ints, listed, real, odd.listed(), raw)


def _plain(value: object) -> object:
    if isinstance(value, float) and value.is_integer() and -(2.0**63) <= value < 2.0**63:
        return int(value)
    return decoded(value) if isinstance(value, bytes) else value


def damaged(path: Path, error: Exception) -> ReportError:
    """The one line for a file that SQLite gives up on; its reason may quote the file at any length."""
    return ReportError(
        f"{path}: damaged or truncated ({reason_of(error)}); export it again: nsys export --type sqlite"
    )
