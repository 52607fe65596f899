"""What other programs do to an export on its way: a view, another storage class, another spelling."""

# ruff: noqa: S608 - the SQL of these tests is their own

from __future__ import annotations

import random
import sqlite3

from tests.fuzz.picking import column_of, columns, quoted, rebuild, some_rows, table_of, tables, update


def as_view(rng: random.Random, db: sqlite3.Connection) -> str:
    """A view in the place of a table: of all of it, of a part, twice, broken, without an end."""
    table = table_of(rng, db)
    raw = f"{table}{rng.choice(('_raw', '_', ' of before', '2'))}"
    names = columns(db, table)
    mixed = rng.sample(names, len(names))
    below = quoted(raw)
    what = rng.choice(
        (
            *[f"SELECT * FROM {below}"] * 4,
            f"SELECT {', '.join(map(quoted, mixed))} FROM {below}",
            f"SELECT {', '.join(f'{quoted(c)} AS {quoted(c.upper())}' for c in mixed)} FROM {below}",
            f"SELECT * FROM {below} WHERE rowid % 3",
            f"SELECT * FROM {below} UNION ALL SELECT * FROM {below}",
            f"SELECT a.* FROM {below} AS a JOIN {below} AS b ON a.rowid = b.rowid ORDER BY b.rowid DESC",
            f"SELECT DISTINCT * FROM {below}",
            "SELECT * FROM nowhere",
            "SELECT 1 AS start, 2 AS end, 3 AS id",
            f"SELECT abs(-9223372036854775807 - 1) AS start, * FROM {below}",
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
            "SELECT i AS start, i + 1 AS end, i AS id, 'x' AS value FROM n",
        )
    )
    db.execute(f"ALTER TABLE {quoted(table)} RENAME TO {quoted(raw)}")
    db.execute(f"CREATE VIEW {quoted(table)} AS {what}")
    return f"{table} is a view: {what[:60]}"


def other_storage(rng: random.Random, db: sqlite3.Connection) -> str:
    """The same values as REAL, as text or as bytes, as other programs store them; now and then a fraction."""
    table = table_of(rng, db)
    names = columns(db, table)
    kind = rng.choice(("REAL", "REAL", "REAL", "TEXT", "BLOB"))
    chosen = set(names) if rng.random() < 0.4 else {column_of(rng, db, table) for _ in range(3)}
    types = {row[1]: row[2] for row in db.execute(f"PRAGMA table_info({quoted(table)})")}
    parts = []
    for name in names:
        fits = name in chosen and ("TEXT" in types[name]) == (kind == "BLOB")
        parts.append(f"CAST({quoted(name)} AS {kind}) AS {quoted(name)}" if fits else quoted(name))
    rebuild(db, table, ", ".join(parts))
    said = f"{', '.join(sorted(chosen))[:60]} of {table} stored as {kind}"
    if rng.random() < 0.3:
        column = column_of(rng, db, table)
        where, which = some_rows(rng)
        update(db, table, f"{quoted(column)} = {quoted(column)} + 0.5", where)
        said += f"; {column} half more in {which}"
    return said


def change_case(rng: random.Random, db: sqlite3.Connection) -> str:
    """Other letters, the same names."""
    how = rng.choice((str.lower, str.upper, str.swapcase))
    every = tables(db) if rng.random() < 0.4 else [table_of(rng, db)]
    both = rng.choice(("tables", "columns", "tables and columns"))
    for table in every:
        if "columns" in both:
            for name in columns(db, table):
                db.execute(f"ALTER TABLE {quoted(table)} RENAME COLUMN {quoted(name)} TO {quoted(how(name))}")
        if "tables" in both and how(table) != table:
            db.execute(f"ALTER TABLE {quoted(table)} RENAME TO spare_")
            db.execute(f"ALTER TABLE spare_ RENAME TO {quoted(how(table))}")
    return f"{both} of {', '.join(every)[:60]} in {how.__name__} case"
