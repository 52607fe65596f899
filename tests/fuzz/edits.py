"""What happens to the tables of a file: dropped, renamed, reordered, values and names replaced."""

# ruff: noqa: S608 - the SQL of these tests is their own

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tests.fuzz.hands import as_view, change_case, other_storage
from tests.fuzz.nasty import BLOB, NUMBERS, TEXTS
from tests.fuzz.picking import (
    column_of,
    columns,
    loosen,
    quoted,
    rebuild,
    some_rows,
    table_of,
    tables,
    update,
)

Edit = Callable[[random.Random, sqlite3.Connection], str]
"""Changes a database and says how."""


def drop_tables(rng: random.Random, db: sqlite3.Connection) -> str:
    gone = {table_of(rng, db, filled=False) for _ in range(rng.choice((1, 1, 3, 10)))}
    for table in sorted(gone):
        db.execute(f"DROP TABLE {quoted(table)}")
    return f"dropped {', '.join(sorted(gone))}"


def keep_tables(rng: random.Random, db: sqlite3.Connection) -> str:
    kept = {table_of(rng, db) for _ in range(rng.choice((1, 2, 4)))}
    for table in tables(db):
        if table not in kept:
            db.execute(f"DROP TABLE {quoted(table)}")
    return f"kept only {', '.join(sorted(kept))}"


def empty_table(rng: random.Random, db: sqlite3.Connection) -> str:
    table = table_of(rng, db)
    db.execute(f"DELETE FROM {quoted(table)}")
    return f"emptied {table}"


def rename_table(rng: random.Random, db: sqlite3.Connection) -> str:
    table = table_of(rng, db)
    name = rng.choice(
        (f"{table}_V2", table.lower(), 'a"b\x1b[31m\n', "x" * 5000, f"MY_{table}", "sqlite-stat")
    )
    db.execute(f"ALTER TABLE {quoted(table)} RENAME TO {quoted(name)}")
    return f"renamed {table} to {name[:30]!r}"


def rename_columns(rng: random.Random, db: sqlite3.Connection) -> str:
    table = table_of(rng, db)
    old = column_of(rng, db, table)
    new = rng.choice(
        (f"{old}2", old.upper() + "_", "rowid", 'q"\x1b[0m', "start_", "oid", "_rowid_", "x" * 3000)
    )
    db.execute(f"ALTER TABLE {quoted(table)} RENAME COLUMN {quoted(old)} TO {quoted(new)}")
    return f"renamed {table}.{old} to {new[:30]!r}"


def drop_column(rng: random.Random, db: sqlite3.Connection) -> str:
    table = table_of(rng, db)
    column = column_of(rng, db, table)
    kept = [quoted(c) for c in columns(db, table) if c != column]
    if not kept:
        return "nothing to drop"
    rebuild(db, table, ", ".join(kept))
    return f"dropped {table}.{column}"


def reorder_columns(rng: random.Random, db: sqlite3.Connection) -> str:
    table = table_of(rng, db)
    names = [quoted(c) for c in columns(db, table)]
    rng.shuffle(names)
    rebuild(db, table, ", ".join(names))
    return f"columns of {table} in another order"


def shuffle_rows(rng: random.Random, db: sqlite3.Connection) -> str:
    table = table_of(rng, db)
    factor = rng.choice((7919, 104729, -1))
    rebuild(db, table, "*", f"(rowid * {factor}) % 10007, rowid")
    return f"rows of {table} in another order"


def add_columns(rng: random.Random, db: sqlite3.Connection) -> str:
    """At the end of rows that do not hold them: SQLite fills in the default."""
    table = table_of(rng, db)
    spec = rng.choice(
        ("extra INT", "extra INT DEFAULT 5", "extra TEXT DEFAULT 'x'", "greenContextId INT DEFAULT 3",
         "textId INT DEFAULT 7", "v INT AS (rowid + 1)", "extra REAL DEFAULT 1.5")
    )  # fmt: skip
    db.execute(f"ALTER TABLE {quoted(table)} ADD COLUMN {spec}")
    if " AS " not in spec:
        update(db, table, f"{quoted(spec.split()[0])} = 9", "rowid % 5 = 0")
    return f"added {spec!r} to {table}"


def stored_column(rng: random.Random, db: sqlite3.Connection) -> str:
    """A generated column that is stored in the middle of the row, where no list of columns shows it."""
    table = table_of(rng, db)
    names = columns(db, table)
    place = rng.randrange(len(names) + 1)
    specs = [f"{quoted(c)} {rng.choice(('INTEGER', ''))}" for c in names]
    specs.insert(place, f"hidden_ INTEGER AS (7) {rng.choice(('STORED', 'VIRTUAL'))}")
    listed = ", ".join(map(quoted, names))
    db.execute(f"CREATE TABLE rebuilt_ ({', '.join(specs)})")
    db.execute(f"INSERT INTO rebuilt_ ({listed}) SELECT {listed} FROM {quoted(table)}")
    db.execute(f"DROP TABLE {quoted(table)}")
    db.execute(f"ALTER TABLE rebuilt_ RENAME TO {quoted(table)}")
    return f"a generated column at place {place} of {table}"


def other_affinity(rng: random.Random, db: sqlite3.Connection) -> str:
    """Columns of another declared type: SQLite converts on the way in."""
    table = table_of(rng, db)
    names = columns(db, table)
    kind = rng.choice(("TEXT", "REAL", "BLOB", "NUMERIC", "INTEGER PRIMARY KEY", "WITHOUT ROWID"))
    specs = [f"{quoted(c)} {kind if ' ' not in kind and rng.random() < 0.5 else ''}" for c in names]
    first = rng.randrange(len(names))
    ending = ""
    if kind == "INTEGER PRIMARY KEY":
        specs[first] = f"{quoted(names[first])} {kind}"
    if kind == "WITHOUT ROWID":
        specs.insert(0, "key_ INTEGER PRIMARY KEY")
        ending = kind
    listed = ", ".join(map(quoted, names))
    target, source = (f"key_, {listed}", f"rowid, {listed}") if ending else (listed, listed)
    db.execute(f"CREATE TABLE rebuilt_ ({', '.join(specs)}) {ending}")
    db.execute(f"INSERT OR IGNORE INTO rebuilt_ ({target}) SELECT {source} FROM {quoted(table)}")
    db.execute(f"DROP TABLE {quoted(table)}")
    db.execute(f"ALTER TABLE rebuilt_ RENAME TO {quoted(table)}")
    return f"{table} made anew with {kind}"


def replace_numbers(rng: random.Random, db: sqlite3.Connection) -> str:
    table = table_of(rng, db)
    loosen(db)
    said = []
    for _ in range(rng.choice((1, 1, 2, 4))):
        column, value = column_of(rng, db, table), rng.choice((*NUMBERS, BLOB))
        where, which = some_rows(rng)
        as_text = isinstance(value, bytes) and value != BLOB
        update(db, table, f"{quoted(column)} = {'CAST(? AS TEXT)' if as_text else '?'}", where, value)
        said.append(f"{table}.{column} = {value!r} in {which}")
    return "; ".join(said)


def many_numbers(rng: random.Random, db: sqlite3.Connection) -> str:
    """Another extreme in each of many rows."""
    table = table_of(rng, db)
    column = column_of(rng, db, table)
    loosen(db)
    for i in range(30):
        value = rng.choice(NUMBERS)
        update(db, table, f"{quoted(column)} = ?", f"rowid % 61 = {i}", value)
    return f"{table}.{column} full of extremes"


def replace_names(rng: random.Random, db: sqlite3.Connection) -> str:
    """Names of StringIds, or the texts of another table, by the nasty ones."""
    loosen(db)
    every = tables(db)
    table, column = "StringIds", "value"
    if "StringIds" not in every or rng.random() < 0.3:
        table = table_of(rng, db)
        kinds = {r[1]: r[2] for r in db.execute(f"PRAGMA table_info({quoted(table)})")}
        texts = [c for c, kind in kinds.items() if "TEXT" in kind]
        column = rng.choice(texts) if texts else column_of(rng, db, table)
    if rng.random() < 0.5:
        text = rng.choice(TEXTS)
        where, which = some_rows(rng)
        update(db, table, f"{quoted(column)} = CAST(? AS TEXT)", where, text)
        return f"{table}.{column} = {text[:20]!r} in {which}"
    for i, text in enumerate(TEXTS):
        update(db, table, f"{quoted(column)} = CAST(? AS TEXT)", f"rowid % {len(TEXTS)} = {i}", text)
    return f"{table}.{column}: all nasty names"


def dangle(rng: random.Random, db: sqlite3.Connection) -> str:
    where, which = some_rows(rng)
    db.execute(f"DELETE FROM StringIds WHERE {where.replace('{table}', 'StringIds')}")
    return f"{which} of StringIds deleted"


def swap_times(rng: random.Random, db: sqlite3.Connection) -> str:
    table = table_of(rng, db)
    where, which = some_rows(rng)
    update(db, table, '"start" = "end", "end" = "start"', where)
    return f"start and end of {table} swapped in {which}"


def move_times(rng: random.Random, db: sqlite3.Connection) -> str:
    table = table_of(rng, db)
    where, which = some_rows(rng)
    change = rng.choice(
        ('"start" = "start" + {n}, "end" = "end" + {n}', '"end" = "end" + {n}', '"start" = "start" - {n}',
         '"end" = "start"', '"start" = -"end", "end" = -"start"',
         '"start" = "start" * 1000, "end" = "end" * 1000')
    )  # fmt: skip
    amount = rng.choice((1, 1000, 10**9, 10**12, 2**53, 2**61, 2**62))
    update(db, table, change.format(n=amount), where)
    return f"{table}: {change.format(n=amount)} in {which}"


def repeat_rows(rng: random.Random, db: sqlite3.Connection) -> str:
    table = table_of(rng, db)
    times = rng.choice((1, 3))
    for _ in range(times):
        db.execute(f"INSERT OR IGNORE INTO {quoted(table)} SELECT * FROM {quoted(table)}")
    return f"rows of {table} {2**times} times"


def odd_objects(rng: random.Random, db: sqlite3.Connection) -> str:
    """Things that have no business in an export."""
    table = quoted(table_of(rng, db))
    statement = rng.choice(
        (
            "CREATE VIEW CUPTI_ACTIVITY_KIND_MEMSET_V2 AS WITH RECURSIVE n(i) AS "
            "(SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i AS start, i AS end FROM n",
            f"CREATE TRIGGER t AFTER INSERT ON {table} BEGIN DELETE FROM {table}; END",
            f"CREATE INDEX i ON {table} (1)",
            "CREATE TABLE \"x\ny\"\"z\x1b[31m_EVENTS\" (start INT, end INT, nameId INT)",
            "CREATE TABLE OTHER_EVENTS (start TEXT, end TEXT, globalTid TEXT)",
            "CREATE VIRTUAL TABLE V_EVENTS USING fts5(start, end)",
            "CREATE VIRTUAL TABLE SCHED_EVENTS USING fts5(start, cpu)",
            "CREATE VIRTUAL TABLE CUBLAS_EVENTS USING rtree(id, start, end)",
            "CREATE TABLE EMPTY_EVENTS (start INT PRIMARY KEY, end INT) WITHOUT ROWID",
            f"CREATE TABLE MANY_EVENTS (start, end, {', '.join(f'c{i}' for i in range(1500))})",
        )
    )  # fmt: skip
    db.execute(statement)
    if "OTHER_EVENTS" in statement:
        db.execute(
            "INSERT INTO OTHER_EVENTS VALUES ('a', 'b', 'c'), (5, 6, 7), (NULL, NULL, NULL), (x'00', 1e9, -1)"
        )
    if "MANY_EVENTS" in statement:
        db.execute("INSERT INTO MANY_EVENTS (start, end, c1499) VALUES (1, 2, 3), (4, 5, 6)")
    return statement[:60]


EDITS: tuple[Edit, ...] = (
    drop_tables, keep_tables, empty_table, rename_table, rename_columns, drop_column, reorder_columns,
    shuffle_rows, add_columns, stored_column, other_affinity, dangle, swap_times, move_times, repeat_rows,
    odd_objects,
    *([replace_numbers] * 8), *([many_numbers] * 3), *([replace_names] * 6),
    *([as_view] * 3), *([other_storage] * 4), *([change_case] * 3),
)  # fmt: skip
"""All of them, the likelier ones more than once."""


def edit(rng: random.Random, path: Path) -> str:
    """Do one of :data:`EDITS` to the database at ``path``; says what. What SQLite refuses is not done."""
    chosen = rng.choice(EDITS)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = MEMORY")
        db.execute("PRAGMA synchronous = OFF")
        db.execute("BEGIN")
        try:
            said = chosen(rng, db)
        except sqlite3.Error as error:
            said = f"{chosen.__name__} refused: {error}"
            if db.in_transaction:
                db.execute("ROLLBACK")
        if db.in_transaction:
            db.execute("COMMIT")
    return said


def reshape(rng: random.Random, path: Path) -> str:
    """The same tables in a file of another page size, encoding or journal mode."""
    pragma = rng.choice(
        ("page_size = 512", "page_size = 1024", "page_size = 65536", "encoding = 'UTF-16le'",
         "encoding = 'UTF-16be'", "auto_vacuum = FULL", "journal_mode = WAL")
    )  # fmt: skip
    other = path.with_name("reshaped.sqlite")
    other.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(other)) as db:
            db.text_factory = bytes
            db.execute(f"PRAGMA {pragma}")
            if "encoding" in pragma:
                _copy_text(path, db)
            else:
                db.execute("ATTACH ? AS old", (str(path),))
                rows = db.execute("SELECT name, sql FROM old.sqlite_master WHERE type = 'table'").fetchall()
                for name, sql in rows:
                    if name.startswith(b"sqlite_"):
                        continue
                    db.execute(sql.decode())
                    table = quoted(name.decode())
                    db.execute(f"INSERT INTO main.{table} SELECT * FROM old.{table}")
            db.commit()
        other.replace(path)
    except (sqlite3.Error, UnicodeError) as error:
        return f"{pragma} refused: {error}"
    finally:
        for left in path.parent.glob("reshaped.sqlite*"):
            left.unlink()
    return f"made anew with {pragma}"


def _copy_text(path: Path, db: sqlite3.Connection) -> None:
    """Copy every table of ``path`` through Python: SQLite attaches only files of one encoding."""
    with closing(sqlite3.connect(path)) as old:
        for name, sql in old.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall():
            if name.startswith("sqlite_"):
                continue
            db.execute(sql)
            rows = old.execute(f"SELECT * FROM {quoted(name)}").fetchall()
            if rows:
                db.executemany(f"INSERT INTO {quoted(name)} VALUES ({', '.join('?' * len(rows[0]))})", rows)
