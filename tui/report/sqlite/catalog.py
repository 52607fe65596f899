"""What a file says that it holds: its tables and their columns, which of them are views, and what can't."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from tui.report.sqlite.guard import Guard
from tui.report.sqlite.records import ColumnShape, TableShape
from tui.report.table_names import folded, spelling_of
from tui.text import cut, safe

FAULTS = (sqlite3.Error, OverflowError, UnicodeDecodeError)
"""What the sqlite3 module raises over a damaged file; the last where SQLite's own message is no UTF-8."""
_STORED = (2, 3)
"""What PRAGMA table_xinfo says of generated columns."""


def identifier(name: str) -> str:
    """``name`` quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'


def decoded(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def reason_of(error: Exception) -> str:
    """What SQLite says, which may quote the file at any length."""
    if "interrupted" in str(error):
        return "it takes more steps than reading the whole file"
    return cut(safe(str(error)), 100)


class Catalog:
    """The tables of a file by name: as nsys spells those of its own, whatever the case, others as they are.

    Of the views only those are taken for tables that have the name of one of nsys's.
    """

    def __init__(self, connection: sqlite3.Connection, guard: Guard) -> None:
        """Raises one of :data:`FAULTS`."""
        self._connection, self._guard = connection, guard
        self.shapes: dict[str, TableShape] = {}
        self.columns: dict[str, tuple[str, ...]] = {}
        self.refused: dict[str, str] = {}
        """Tables that can't be read, and why."""
        self.beneath: set[str] = set()
        """Tables that are read through a view."""
        self.views: list[str] = []
        """Views that nothing reads."""
        listed = "SELECT type, name, rootpage, sql FROM sqlite_master WHERE type IN ('table', 'view')"
        for kind, raw, root, sql in connection.execute(listed).fetchall():
            self._add(decoded(kind) == "view", raw, root if isinstance(root, int) else 0, decoded(sql))

    def _add(self, is_view: bool, raw: object, root: int, sql: str) -> None:
        name = decoded(raw)
        own = spelling_of(name)
        table = own or name
        if folded(name).startswith("sqlite_"):
            return
        if isinstance(raw, bytes) and name.encode() != raw:
            self.refused[table] = "its name is no UTF-8"
        elif is_view and own is None:
            self.views.append(name)
        elif is_view:
            self._add_view(table, sql)
        elif root < 1:
            self.refused[table] = "a virtual table, whose rows a program makes"
        else:
            self._describe(table, root, sql)

    def _add_view(self, table: str, sql: str) -> None:
        try:
            with self._guard.limited(), self._guard.noting() as seen:
                self._describe(table, 0, sql)
                self._connection.execute(f"SELECT * FROM {identifier(table)} LIMIT 0").fetchall()  # noqa: S608
        except FAULTS as error:
            if "malformed" in str(error):
                raise
            self.shapes.pop(table, None)
            self.columns.pop(table, None)
            self.refused[table] = f"a view: {reason_of(error)}"
            return
        self.beneath |= {spelling_of(name) or name for name in seen} - {table}

    def _describe(self, table: str, root: int, sql: str) -> None:
        found: Iterable[tuple[object, ...]] = self._connection.execute(
            f"PRAGMA table_xinfo({identifier(table)})"
        ).fetchall()
        columns = {
            decoded(name): ColumnShape(at, decoded(kind), default, bool(key), hidden in _STORED)
            for at, (_, name, kind, _, default, key, hidden) in enumerate(found)
        }
        self.columns[table] = tuple(columns)
        self.shapes[table] = TableShape(root, sql, {folded(name): shape for name, shape in columns.items()})
