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
        for odd in chunk.odd:
            out.setdefault(f"odd {odd.column}: {odd.what}", []).extend(chunk.rowid[odd.rows].tolist())
    return out


def lowered(values: Values) -> Values:
    return {name.lower(): found for name, found in values.items()}


def compared(path: Path, *, at_least_quick: int = 0) -> None:
    """Read every column of every table both ways, as integers and as texts; names have no case."""
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
            other = [column.swapcase() for column in columns]
            swapped = gathered(list(quick.chunks(table, other, other)))
            assert lowered(swapped) == lowered(expected), table
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
    st.integers(-(2**63), 2**63).map(float),
    st.integers(-(2**64), 2**64).map(str),
    st.sampled_from(["12.0", " 7 ", "+3", "1e3", "-0", "0x10", "1e400", "9223372036854775808", "5.5", "1_0"]),
    st.sampled_from([b"bytes as text", b"", b"\xff", b"a\0b", "é".encode()]),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=80),
    st.text("ab\0é", min_size=50, max_size=300),
    st.binary(max_size=70),
)
KINDS = st.sampled_from(
    ["INTEGER", "TEXT", "", "BLOB", "NUMERIC", "REAL", "FLOAT", "BIGINT", "VARCHAR", "INT NOT NULL DEFAULT 7"]
)


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
        "CREATE TABLE t (a INT, RowId INT, _ROWID_ TEXT)",
        "CREATE TABLE t (a INT, b INT, c TEXT, d INT AS (a + b) STORED)",
        "CREATE TABLE t (a INT, g INT GENERATED ALWAYS AS (b * 2) VIRTUAL, b INT, c TEXT)",
        "CREATE TABLE t (a INT, g AS/**/(b / 2.0) STORED, b INT, c TEXT)",
        "CREATE TABLE t (a REAL, b DOUBLE, c BLOB)",
        "CREATE TABLE t (a VARCHAR, b TEXT, c TEXT)",
        "CREATE TABLE t (a INTEGER, b INT, c TEXT, PRIMARY KEY (b, a)) WITHOUT/**/ROWID",
        "CREATE TABLE NVTX_EVENTS (a INT, b INT, c TEXT)",
        "CREATE TABLE nvtx_events (a INT, b INT, c TEXT)",
    ],
)
def test_keys(tmp_path: Path, create: str) -> None:
    path = made(
        tmp_path / "x.sqlite",
        create,
        f"INSERT INTO {create.split()[2]} {SERIES.format(3000)} SELECT v * 2, v, 'n' || v FROM s",
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


def test_a_view_is_read_as_the_table_below_it(tmp_path: Path) -> None:
    path = made(
        tmp_path / "x.sqlite",
        "CREATE TABLE kernels (start INT, end REAL, name TEXT)",
        f"INSERT INTO kernels {SERIES.format(3000)} SELECT v * 2, v * 2.0 + 1, 'n' || v FROM s",
        "CREATE VIEW cupti_activity_kind_kernel AS SELECT * FROM kernels WHERE start > 1000",
    )
    compared(path)
    with closing(sqlite3.connect(path)) as db, closing(Pages(path)) as pages:
        source = Source(path, db, pages)
        (chunk,) = source.chunks("CUPTI_ACTIVITY_KIND_KERNEL", ["start", "END"], ["Name"])
        assert chunk.rowid.tolist() == list(range(1, 2501))
        assert chunk.ints["start"].tolist() == list(range(1002, 6002, 2))
        assert chunk.ints["END"].tolist() == list(range(1003, 6003, 2))
        assert chunk.texts["Name"].listed()[:2] == [b"n501", b"n502"]
        assert source.beneath == {"kernels"}
        assert source.rows_about("CUPTI_ACTIVITY_KIND_KERNEL") == 2500


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    path = made(
        tmp_path / "x.sqlite",
        f"PRAGMA encoding = '{encoding}'",
        "CREATE TABLE t (a, b TEXT, c REAL)",
        "INSERT INTO t VALUES (1, 'naïve ✓', 2.0), ('12', '34', 0.5), (' 5.0 ', '', 9e18)",
        "INSERT INTO t VALUES ('1' || char(0), x'ff', 9e999), (x'00', x'6162', 1e20)",
        "INSERT INTO t VALUES (char(0) || '1', '1' || char(0) || '2', 9007199254740993)",
    )
    compared(path)
    with closing(sqlite3.connect(path)) as db, closing(Pages(path)) as pages:
        (chunk,) = Source(path, db, pages).chunks("t", ["a", "c"], ["b"])
    with closing(sqlite3.connect(path)) as db, closing(Pages(path)) as pages:
        (numbers,) = Source(path, db, pages).chunks("t", ["a", "c"], [])  # without any text
    null = -(2**63)
    assert numbers.ints["a"].tolist() == [1, 12, 5, null, null, null]
    assert chunk.ints["a"].tolist() == [1, 12, 5, null, null, null]
    assert chunk.ints["c"].tolist() == [2, null, 9 * 10**18, null, null, 2**53]
    assert chunk.texts["b"].listed() == [
        "naïve ✓".encode(), b"34", b"", None, b"ab", b"1\x002",
    ]  # fmt: skip
    assert {(o.column, o.what, *chunk.rowid[o.rows].tolist()) for o in chunk.odd} == {
        ("a", "text where a number belongs", 4, 6),
        ("a", "bytes where a number belongs", 5),
        ("b", "bytes that are no text", 4),
        ("c", "a fraction where a whole number belongs", 2),
        ("c", "stored as REAL beyond 2**53: its last digits may be lost", 3, 6),
        ("c", "a number beyond 64 bits", 4, 5),
    }


def test_reals_and_integers_of_a_column_are_read_from_the_pages(tmp_path: Path) -> None:
    path = made(
        tmp_path / "x.sqlite",
        "CREATE TABLE t (a REAL, b)",
        f"INSERT INTO t {SERIES.format(3000)} "
        "SELECT v, CASE v % 3 WHEN 0 THEN v WHEN 1 THEN v * 1e12 END FROM s",
    )
    compared(path, at_least_quick=1)


@pytest.mark.parametrize("page", [512, 1024, 2048, 4096, 8192, 16384, 32768, 65536])
@pytest.mark.parametrize("reserved", [0, 13])
def test_page_sizes_and_reserved_bytes(tmp_path: Path, page: int, reserved: int) -> None:
    path = tmp_path / "x.sqlite"
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA page_size = {page}")
        db.execute("CREATE TABLE t (a INT, b TEXT)")
        db.commit()
    data = bytearray(path.read_bytes())
    data[20] = reserved
    path.write_bytes(data)
    with closing(sqlite3.connect(path)) as db:
        db.execute("VACUUM")  # lays the pages out anew
        db.execute(f"INSERT INTO t {SERIES.format(3000)} SELECT v * 7, printf('%.*c', v % 900, 'n') FROM s")
        db.execute("DELETE FROM t WHERE rowid % 4 = 0")
        db.execute("INSERT INTO t (rowid, a, b) VALUES (-7, 5, 'first')")
        db.commit()
    assert path.read_bytes()[20] == reserved
    compared(path, at_least_quick=1)
