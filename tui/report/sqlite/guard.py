"""What a file may make SQLite do: be read. A file that came from elsewhere brings SQL of its own, its views.

They can't write, attach or load anything, nor call functions with effects, nor run for ever.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager

_PERIOD = 10_000
"""Steps of SQLite's machine between two looks at the budget."""
_STEPS = 50_000_000
_STEPS_A_BYTE = 20
"""A view over all rows of a file takes about this many; one that takes far more does not end."""
_SECONDS = 120.0
_SECONDS_A_BYTE = 1e-6
"""The same for steps that take long each, by a clock that leaves a slow machine ten times what it needs."""
_LONGEST = 1_000_000_000
_PRAGMAS = ("table_xinfo", "trusted_schema")
# The numbers of sqlite3.h: the module names them from Python 3.11 on only.
_PRAGMA, _READ, _SELECT, _TRANSACTION, _FUNCTION, _RECURSIVE = 19, 20, 21, 22, 31, 33
_LIMIT_LENGTH = 0


class Guard:
    """Watches one connection to a file of ``size`` bytes."""

    def __init__(self, connection: sqlite3.Connection, size: int) -> None:
        self._budget = _STEPS + _STEPS_A_BYTE * size
        self._patience = _SECONDS + _SECONDS_A_BYTE * size
        self._left: int | None = None
        self._until = 0.0
        self._seen: set[str] | None = None
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.set_authorizer(self._allowed)
        connection.set_progress_handler(self._spent, _PERIOD)
        if hasattr(connection, "setlimit"):  # no value is longer than the file, but for its encoding
            connection.setlimit(_LIMIT_LENGTH, min(_LONGEST, 2 * size + (1 << 20)))

    @contextmanager
    def limited(self) -> Iterator[None]:
        """End queries that take more steps than reading the whole file could: `interrupted`."""
        before = self._left, self._until
        self._left, self._until = self._budget, time.monotonic() + self._patience
        try:
            yield
        finally:
            self._left, self._until = before

    @contextmanager
    def noting(self) -> Iterator[set[str]]:
        """Note the tables and views that queries prepared meanwhile read."""
        seen: set[str] = set()
        self._seen = seen
        try:
            yield seen
        finally:
            self._seen = None

    def _spent(self) -> bool:
        if self._left is None:
            return False
        self._left -= _PERIOD
        return self._left < 0 or time.monotonic() > self._until

    def _allowed(self, action: int, first: str | None, *_: object) -> int:
        if action == _READ and self._seen is not None and first is not None:
            self._seen.add(first)
        if action == _PRAGMA:
            return sqlite3.SQLITE_OK if first in _PRAGMAS else sqlite3.SQLITE_DENY
        fine = action in (_READ, _SELECT, _TRANSACTION, _FUNCTION, _RECURSIVE)
        return sqlite3.SQLITE_OK if fine else sqlite3.SQLITE_DENY
