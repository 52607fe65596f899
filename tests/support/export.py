"""Tiny exports for tests: say what was captured, in a line an event, and get a real file.

    export = Export(tmp_path / "x.sqlite", schema="2024.6")
    corr = export.runtime("cudaLaunchKernel_v7000", 0, 5)
    export.kernel(10, 20, corr=corr, name="gemm")
    export.notation('K(0,7,0-100) K(0,9,150-200) R cudaFree 90-495; N(59,0-6,"decode")')
    path = export.write()

Everything that `fixtures.trace.Trace` can say, plus what an export ought not to have: missing
tables and columns, columns of one's own, raw SQL, dangling ids, NULL where it is forbidden.
Timestamps are nanoseconds; the defaults are device 0, stream 7, process 100, thread 1.
"""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

from fixtures.schema import LATEST, Column, columns, parse_column
from fixtures.trace import (  # noqa: F401 - the words of the tests
    CONTEXT_SYNC,
    DEVICE,
    DTOD,
    DTOH,
    EVENT_SYNC,
    HTOD,
    LAUNCH,
    NULL,
    PAGEABLE,
    PEER,
    PINNED,
    STREAM_SYNC,
    STREAM_WAIT,
    Trace,
    global_id,
)
from fixtures.writer import Writer
from tests.support.notation import play


class Export(Trace):
    """A :class:`Trace` whose tables can be damaged on purpose."""

    def __init__(self, path: Path | str, schema: str = LATEST, *, meta: bool = True) -> None:
        super().__init__(path, schema, meta=meta)
        self._dropped: set[str] = set()
        self._omitted: dict[str, set[str]] = {}
        self._renamed: dict[str, dict[str, str]] = {}
        self._added: dict[str, list[tuple[Column, str | None]]] = {}
        self._sql: list[tuple[str, tuple[Any, ...]]] = []

    def notation(self, text: str, unit: int = 1) -> Export:
        """Play K/M/S/G/R/N/O events (see tests/support/notation.py), times in `unit` ns; self."""
        play(self, text, unit)
        return self

    def string(self, value: str | bytes, number: int) -> int:
        """Hold `value` in StringIds under the id `number`."""
        self.strings.append((number, value))
        return number

    def empty(self, *tables: str) -> None:
        """Tables that exist and hold nothing."""
        for table in tables:
            self.rows.setdefault(table, [])

    def drop(self, *tables: str) -> None:
        """Tables that are missing from the file, whatever was said about their rows."""
        self._dropped.update(tables)

    def omit(self, table: str, *names: str) -> None:
        """Columns that `table` does not have."""
        self._omitted.setdefault(table, set()).update(names)

    def rename(self, table: str, old: str, new: str) -> None:
        self._renamed.setdefault(table, {})[old] = new

    def add_column(self, table: str, spec: str, before: str | None = None) -> None:
        """A column of one's own, `note:T` or `extra`; at the end of the row or before another."""
        column = parse_column(spec)
        assert column is not None
        self._added.setdefault(table, []).append((column, before))

    def sql(self, statement: str, *parameters: Any) -> None:
        """Run `statement` on the finished file."""
        self._sql.append((statement, parameters))

    def layout(self, table: str) -> list[Column]:
        """The schema's columns, changed as asked; NULLs that were asked for are allowed."""
        try:
            found = columns(table, self.schema)
        except KeyError:  # a table of one's own: its columns in the order of mention
            names = dict.fromkeys(name for row in self.rows[table] for name in row)
            kinds = {n: self._affinity(table, n) for n in names}
            found = [Column(n, kinds[n]) for n in names]
        for column, before in self._added.get(table, ()):
            names_now = [c.name for c in found]
            found.insert(len(found) if before is None else names_now.index(before), column)
        nulls = {n for row in self.rows.get(table, ()) for n, v in row.items() if v is None}
        found = [replace(c, not_null=False) if c.name in nulls else c for c in found]
        omitted = self._omitted.get(table, set())
        return [c for c in found if c.name not in omitted]

    def _affinity(self, table: str, name: str) -> str:
        value = next((r[name] for r in self.rows[table] if r.get(name) is not None), 0)
        return "TEXT" if isinstance(value, str | bytes) else "REAL" if isinstance(value, float) else "INTEGER"

    def write_table(
        self, writer: Writer, table: str, layout: list[Column], rows: list[dict[str, Any]]
    ) -> None:
        super().write_table(writer, table, layout, rows)
        for old, new in self._renamed.get(table, {}).items():
            writer.db.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{old}" TO "{new}"')

    def write(self) -> Path:
        path = super().write()
        statements = [(f'DROP TABLE IF EXISTS "{t}"', ()) for t in sorted(self._dropped)] + self._sql
        if statements:
            db = sqlite3.connect(path)
            with db:
                for statement, parameters in statements:
                    db.execute(statement, parameters)
            db.close()
        return path
