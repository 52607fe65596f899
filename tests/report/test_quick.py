"""Tables read from their pages equal what SQLite reads, value by value, or are left to SQLite."""

# ruff: noqa: S608 - the SQL of these tests is their own

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.real import EXPORTS, needs_real
from tui.report.sqlite.pages import Pages
from tui.report.sqlite.source import Chunk, Source, uri_of

Values = dict[str, list[object]]


def gathered(chunks: list[Chunk]) -> Values:
    """All chunks as plain lists by column."""
    out: Values = {"rowid": []}
    for chunk in chunks:
        out["rowid"] += chunk.rowid.tolist()
        for column, values in chunk.ints.items():
            out.setdefault(f"int {column}", []).extend(values.tolist())
        for column, found in chunk.texts.items():
            out.setdefault(f"text {column}", []).extend(found.listed())
    return out


def compared(path: Path, *, at_least_quick: int = 0) -> None:
    """Read every column of every table both ways, as integers and as texts."""
    quick_tables = 0
    with (
        closing(sqlite3.connect(uri_of(path, immutable=True), uri=True)) as one,
        closing(sqlite3.connect(uri_of(path, immutable=True), uri=True)) as two,
        closing(Pages(path)) as pages,
    ):
        quick, slow = Source(path, one, pages), Source(path, two)
        for table, columns in slow.tables.items():
            expected = gathered(list(slow.chunks(table, columns, columns)))
            assert gathered(list(quick.chunks(table, columns, columns))) == expected, table
            direct = gathered(list(quick._quick_chunks(table, list(columns), list(columns))))
            quick_tables += direct == expected
    assert quick_tables >= at_least_quick


@needs_real
@pytest.mark.parametrize("path", EXPORTS, ids=lambda p: p.stem)
def test_every_table_of_every_export(path: Path) -> None:
    with closing(sqlite3.connect(uri_of(path, immutable=True), uri=True)) as db:
        (tables,) = db.execute("SELECT count(*) FROM sqlite_master WHERE type = 'table'").fetchone()
        (filled,) = db.execute("SELECT count(*) FROM sqlite_master WHERE rootpage > 0").fetchone()
    compared(path, at_least_quick=min(tables, filled) // 2)


VALUE = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.sampled_from([0, 1, -1, 127, 128, -128, -129, 2**15, 2**23, -(2**23) - 1, 2**31, 2**47, -(2**47) - 1]),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=80),
    st.text("ab\0é", min_size=50, max_size=300),
    st.binary(max_size=70),
)
KINDS = st.sampled_from(["INTEGER", "TEXT", "", "BLOB", "NUMERIC", "REAL", "INT NOT NULL DEFAULT 7"])


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kinds=st.lists(KINDS, min_size=1, max_size=5),
    rows=st.lists(st.lists(VALUE, min_size=5, max_size=5), max_size=60),
    page=st.sampled_from([512, 1024, 4096, 65536]),
    gaps=st.booleans(),
)
def test_any_table(tmp_path: Path, kinds: list[str], rows: list[list[object]], page: int, gaps: bool) -> None:
    path = tmp_path / "x.sqlite"
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA page_size = {page}")
        db.execute(f"CREATE TABLE t ({', '.join(f'c{i} {k}' for i, k in enumerate(kinds))})")
        marks = ", ".join("?" * len(kinds))
        for row in rows:
            values = [7 if v is None and "NOT NULL" in k else v for v, k in zip(row, kinds, strict=False)]
            db.execute(f"INSERT INTO t VALUES ({marks})", values)
        if gaps:
            db.execute("DELETE FROM t WHERE rowid % 3 = 1")
            db.execute("UPDATE t SET rowid = rowid + 1000000 WHERE rowid % 5 = 0")
            db.execute("INSERT INTO t (rowid) VALUES (-5)") if "NOT NULL" not in "".join(kinds) else None
        db.commit()
    compared(path)


def made(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as db:
        for statement in statements:
            db.execute(statement)
        db.commit()
    return path


SERIES = "WITH RECURSIVE s(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM s WHERE v < {}) "


@pytest.mark.parametrize(
    "create",
    [
        "CREATE TABLE t (a INTEGER PRIMARY KEY, b INT, c TEXT)",
        "CREATE TABLE t (a INTEGER NOT NULL PRIMARY KEY, b INT, c TEXT)",
        "CREATE TABLE t (a INTEGER PRIMARY KEY DESC, b INT, c TEXT)",
        "CREATE TABLE t (a INT PRIMARY KEY, b INT, c TEXT)",
        "CREATE TABLE t (a INTEGER, b INT, c TEXT, PRIMARY KEY (a))",
        "CREATE TABLE t (a INTEGER, b INT, c TEXT, PRIMARY KEY (a, b))",
        "CREATE TABLE t (a INTEGER PRIMARY KEY, b INT, c TEXT) WITHOUT ROWID",
        "CREATE TABLE t (rowid INTEGER, b INT, c TEXT)",
        "CREATE TABLE t (rowid TEXT, _rowid_ INT, oid TEXT)",
    ],
)
def test_keys(tmp_path: Path, create: str) -> None:
    path = made(
        tmp_path / "x.sqlite", create, f"INSERT INTO t {SERIES.format(3000)} SELECT v * 2, v, 'n' || v FROM s"
    )
    compared(path)


def test_added_columns(tmp_path: Path) -> None:
    path = made(
        tmp_path / "x.sqlite",
        "CREATE TABLE t (a INT, b TEXT)",
        "INSERT INTO t VALUES (1, 'x'), (2, 'y')",
        "ALTER TABLE t ADD COLUMN c INT",
        "ALTER TABLE t ADD COLUMN d INT DEFAULT 9",
        "INSERT INTO t VALUES (3, 'z', 4, 5)",
        "CREATE TABLE u (a INT)",
        "INSERT INTO u VALUES (1)",
        "ALTER TABLE u ADD COLUMN c TEXT",
        "INSERT INTO u VALUES (2, 'later')",
    )
    compared(path)


def test_three_levels_of_pages_and_long_records(tmp_path: Path) -> None:
    path = made(
        tmp_path / "x.sqlite",
        "PRAGMA page_size = 512",
        "CREATE TABLE t (a INT, b TEXT, c INT)",
        f"INSERT INTO t {SERIES.format(20_000)} SELECT v, CASE WHEN v % 997 = 0 THEN "
        "printf('%.*c', 2000 + v % 7, 'x') ELSE 'n' || v END, -v FROM s",
    )
    compared(path)
    with closing(sqlite3.connect(path)) as db, closing(Pages(path)) as pages:
        source = Source(path, db, pages)
        assert sum(len(c.rowid) for c in source._quick_chunks("t", ["a"], ["b"])) == 20_000


def test_reserved_bytes_and_vacuumed_files(tmp_path: Path) -> None:
    path = made(
        tmp_path / "x.sqlite",
        "PRAGMA auto_vacuum = FULL",
        "CREATE TABLE gone (a INT)",
        "CREATE TABLE t (a INT, b INT, c TEXT)",
        f"INSERT INTO gone {SERIES.format(5000)} SELECT v FROM s",
        f"INSERT INTO t {SERIES.format(5000)} SELECT v, v * v, 'x' FROM s",
        "DROP TABLE gone",
    )
    compared(path)


@pytest.mark.parametrize("seed", range(30))
def test_damaged_pages_are_left_to_sqlite(tmp_path: Path, seed: int) -> None:
    """Whatever the quick reader makes of a damaged page, it is what SQLite makes of it, or SQLite's error."""
    path = made(
        tmp_path / "x.sqlite",
        "CREATE TABLE t (a INT, b INT, c TEXT)",
        f"INSERT INTO t {SERIES.format(4000)} SELECT v, v * 1000003, 'n' || v FROM s",
    )
    rng = np.random.default_rng(seed)
    data = bytearray(path.read_bytes())
    for _ in range(20):
        data[int(rng.integers(8192, len(data)))] ^= 1 << int(rng.integers(8))
    path.write_bytes(data)
    from tui.errors import ReportError

    def read(pages: Pages | None) -> Values | str:
        with closing(sqlite3.connect(uri_of(path, immutable=True), uri=True)) as db:
            try:
                return gathered(list(Source(path, db, pages).chunks("t", ["a", "b"], ["c"])))
            except ReportError:
                return "damaged"

    with closing(Pages(path)) as pages:
        quick = read(pages)
    slow = read(None)
    assert quick == slow or "damaged" in (quick, slow)
