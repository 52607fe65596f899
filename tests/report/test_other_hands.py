"""Files that went through other programs: a data frame, a view, another spelling. They say what they said."""

# ruff: noqa: S608 - the SQL of these tests is their own

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.report.conftest import Opened
from tests.support.export import Export
from tui.report import Report, open_report
from tui.report.columns import NULL

KERNEL, NVTX = "CUPTI_ACTIVITY_KIND_KERNEL", "NVTX_EVENTS"


def doubts(report: Report) -> set[tuple[str, int, bool]]:
    return {(d.kind, d.count, d.excluded) for d in report.doubtful}


def names(report: Report) -> list[str]:
    return [report.strings[i] for i in report.ranges.name]


def small(export: Export) -> Export:
    """A launch, its kernel, a range (whose id wins over its text, as in nsys) and a mark."""
    export.launch((0, 5), (10, 20), name="gemm")
    export.push_pop("step", 0, 30, text_id="by id")
    export.mark("here", 25)
    return export


def said(report: Report) -> tuple[object, ...]:
    """What :func:`small` has to say."""
    return (
        [report.strings[i] for i in report.ops.name],
        report.ops.start.tolist(),
        report.ops.end.tolist(),
        report.ops.launch.tolist(),
        [report.strings[i] for i in report.calls.name],
        names(report),
        report.ranges.end.tolist(),
        [report.strings[i] for i in report.marks.name],
        [(d.cuda_id, d.ops) for d in report.devices],
        [p.pid for p in report.processes],
        report.doubtful,
    )


SMALL = (
    ["gemm"], [10], [20], [0], ["cudaLaunchKernel_v7000"], ["by id"], [30], ["here"], [(0, 1)], [100], (),
)  # fmt: skip


def every_table(path: Path, statement: str) -> None:
    """Run ``statement`` for each table, ``{t}`` in it being its name and ``{columns}`` its columns."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        listed = db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in listed:
            columns = [(row[1], row[2]) for row in db.execute(f'PRAGMA table_info("{table}")')]
            for part in statement.split(";"):
                db.execute(
                    part.format(
                        t=table,
                        columns=", ".join(f'"{c}"' for c, _ in columns),
                        untyped=", ".join(f'"{c}"' for c, _ in columns),
                        reals=", ".join(
                            f'CAST("{c}" AS REAL) AS "{c}"' if kind != "TEXT" else f'"{c}"'
                            for c, kind in columns
                        ),
                        texts=", ".join(f'CAST("{c}" AS TEXT) AS "{c}"' for c, _ in columns),
                        blobs=", ".join(
                            f'CAST("{c}" AS BLOB) AS "{c}"' if kind == "TEXT" else f'"{c}"'
                            for c, kind in columns
                        ),
                        low=", ".join(f'"{c}" AS "{c.lower()}"' for c, _ in columns),
                        backwards=", ".join(f'"{c}"' for c, _ in reversed(columns)),
                    )
                )


AGAIN = 'DROP TABLE "{t}"; ALTER TABLE made RENAME TO "{t}"'
HANDS = {
    "real": 'CREATE TABLE made AS SELECT {reals} FROM "{t}";' + AGAIN,
    "text": 'CREATE TABLE made AS SELECT {texts} FROM "{t}";' + AGAIN,
    "blobs": 'CREATE TABLE made AS SELECT {blobs} FROM "{t}";' + AGAIN,
    "lower columns": 'CREATE TABLE made AS SELECT {low} FROM "{t}";' + AGAIN,
    "index column": 'CREATE TABLE made AS SELECT rowid - 1 AS "index", {reals} FROM "{t}";' + AGAIN,
    "backwards": 'CREATE TABLE made AS SELECT {backwards}, 5 AS more FROM "{t}";' + AGAIN,
    "no rowid": 'CREATE TABLE made (key_ INTEGER PRIMARY KEY, {untyped}) WITHOUT ROWID;'
    'INSERT INTO made SELECT rowid, {columns} FROM "{t}";' + AGAIN,
    "view": 'ALTER TABLE "{t}" RENAME TO "{t}_raw"; CREATE VIEW "{t}" AS SELECT * FROM "{t}_raw"',
    "view of a view": 'ALTER TABLE "{t}" RENAME TO "{t}_raw"; CREATE VIEW "{t}_more" AS '
    'SELECT {low} FROM "{t}_raw"; CREATE VIEW "{t}" AS SELECT {columns} FROM "{t}_more"',
    "defaults": 'ALTER TABLE "{t}" ADD COLUMN "mine too" INT DEFAULT 3',
}  # fmt: skip


@pytest.mark.parametrize("hand", HANDS)
@pytest.mark.parametrize("schema", ["2022", "2026.2"])
def test_whatever_went_through_them_says_the_same(tmp_path: Path, hand: str, schema: str) -> None:
    path = small(Export(tmp_path / "capture.sqlite", schema)).write()
    before = open_report(path, use_store=False)
    assert said(before) == SMALL
    every_table(path, HANDS[hand])
    report = open_report(path, use_store=False)
    assert said(report) == SMALL
    assert report.schema_version == before.schema_version
    assert report.product_version == before.product_version
    assert report.others == {}
    assert report.notes == before.notes
    assert [d.name for d in report.devices] == [d.name for d in before.devices]


@pytest.mark.parametrize("how", ["lower", "upper", "swapcase"])
def test_names_of_tables_have_no_case(tmp_path: Path, how: str) -> None:
    path = small(Export(tmp_path / "capture.sqlite")).write()
    before = open_report(path, use_store=False)
    with closing(sqlite3.connect(path)) as db:
        for (table,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            db.execute(f'ALTER TABLE "{table}" RENAME TO spare')  # the same name in another case is taken
            db.execute(f'ALTER TABLE spare RENAME TO "{getattr(table, how)()}"')
        db.commit()
    report = open_report(path, use_store=False)
    assert said(report) == SMALL
    assert (report.tables, report.has, report.notes) == (before.tables, before.has, before.notes)


def test_times_and_ids_of_ranges_stored_as_reals(export: Export, opened: Opened) -> None:
    export.nvtx(59, 0, 100, None, text_id="read")
    export.nvtx(59, 200, 300, None, text_id="read")
    export.nvtx(34, 5000, None, "mark")
    export.sql(
        f'CREATE TABLE made AS SELECT rowid AS "index", start, CAST("end" AS REAL) AS "end", eventType, '
        f"CAST(textId AS REAL) AS textId, text, globalTid FROM {NVTX}"
    )
    export.sql(f"DROP TABLE {NVTX}")
    export.sql(f"ALTER TABLE made RENAME TO {NVTX}")
    report = opened(export)
    assert names(report) == ["read", "read"]
    assert (report.ranges.start.tolist(), report.ranges.end.tolist()) == ([0, 200], [100, 300])
    assert report.ranges.unfinished.tolist() == [False, False]
    assert report.marks.start.tolist() == [5000]
    assert report.doubtful == ()


def test_a_fraction_is_named_as_what_it_is(export: Export, opened: Opened) -> None:
    export.nvtx(59, 0, 100, "whole")
    export.nvtx(59, 200, 300, "half")
    export.nvtx(59, 400, 500, "both")
    export.nvtx(59, 600, 700, None, text_id="third")
    export.kernel(10, 20)
    export.sql(f'UPDATE {NVTX} SET "end" = 300.5 WHERE rowid = 2')
    export.sql(f'UPDATE {NVTX} SET start = 0.5, "end" = 9.5 WHERE rowid = 3')
    export.sql(f"UPDATE {NVTX} SET textId = 1.5 WHERE rowid = 4")
    report = opened(export)
    assert names(report) == ["whole", "(unnamed)"]
    assert report.ranges.unfinished.tolist() == [False, False]
    assert [(d.kind, d.count, d.example, d.excluded) for d in report.doubtful] == [
        ("a fraction where whole nanoseconds belong", 2, f"{NVTX} row 2: end 300.5", True),
        ("a fraction where a whole number belongs", 1, f"{NVTX} row 4: textId 1.5", False),
    ]


@pytest.mark.parametrize(
    ("value", "kind", "example"),
    [
        ("9e999", "a number beyond 64 bits", "inf"),
        ("-9e999", "a number beyond 64 bits", "-inf"),
        ("1e19", "a number beyond 64 bits", "1e+19"),
        ("'soon'", "text where a number belongs", "'soon'"),
        ("'1.5'", "a fraction where whole nanoseconds belong", "'1.5'"),
        ("x'00'", "bytes where a number belongs", "'...'"),
        ("''", "text where a number belongs", "''"),
    ],
)
@pytest.mark.parametrize("kind_of_table", ["", " WITHOUT ROWID"])
def test_what_is_no_time_is_named(
    tmp_path: Path, value: str, kind: str, example: str, kind_of_table: str
) -> None:
    path = Export(tmp_path / "capture.sqlite").notation("K 10-20, K 30-40").write()
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"ALTER TABLE {KERNEL} RENAME TO old")
        db.execute(f'CREATE TABLE {KERNEL} (k INTEGER PRIMARY KEY, start, "end", deviceId){kind_of_table}')
        db.execute(f'INSERT INTO {KERNEL} SELECT rowid, start, "end", deviceId FROM old')
        db.execute("DROP TABLE old")
        db.execute(f"UPDATE {KERNEL} SET start = {value} WHERE k = 2")
        db.commit()
    report = open_report(path, use_store=False)
    assert report.ops.start.tolist() == [10]
    assert doubts(report) == {(kind, 1, True)}
    assert report.doubtful[0].example == f"{KERNEL} row 2: start {example}"


def test_values_of_small_tables_are_named_too(export: Export, opened: Opened) -> None:
    export.notation("K 10-20")
    export.sql("DROP TABLE IF EXISTS TARGET_INFO_SESSION_START_TIME")
    export.sql("CREATE TABLE TARGET_INFO_SESSION_START_TIME (UTCEPOCHNS REAL)")
    export.sql("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1696392839587175550)")
    export.sql("DROP TABLE IF EXISTS ThreadNames")
    export.sql("CREATE TABLE ThreadNames (nameId, globalTid)")
    export.sql("INSERT INTO ThreadNames VALUES (1, NULL), (1, 'main'), ('1', 1.5), (1, '2e400')")
    report = opened(export)
    assert report.session_start_utc_ns == 1696392839587175424
    assert [(d.kind, d.count, d.example, d.excluded) for d in report.doubtful] == [
        (
            "stored as REAL beyond 2**53: its last digits may be lost",
            1,
            "TARGET_INFO_SESSION_START_TIME row 1: utcEpochNs 1.6963928395871754e+18",
            False,
        ),
        ("text where a number belongs", 1, "ThreadNames row 2: globalTid 'main'", False),
        ("a fraction where a whole number belongs", 1, "ThreadNames row 3: globalTid 1.5", False),
        ("a number beyond 64 bits", 1, "ThreadNames row 4: globalTid '2e400'", False),
    ]


def test_nan_is_null(tmp_path: Path) -> None:
    """SQLite stores it as NULL; another writer may not, and then SQLite reads it as NULL."""
    path = Export(tmp_path / "capture.sqlite").notation("K 10-20, K 30-40").write()
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"CREATE TABLE made AS SELECT CAST(start AS REAL) + 0.25 AS start, end FROM {KERNEL}")
        db.execute(f"DROP TABLE {KERNEL}")
        db.execute(f"ALTER TABLE made RENAME TO {KERNEL}")
        db.commit()
    import struct

    data = path.read_bytes()
    assert data.count(struct.pack(">d", 10.25)) == 1
    path.write_bytes(data.replace(struct.pack(">d", 10.25), bytes.fromhex("7ff8000000000000")))
    report = open_report(path, use_store=False)
    assert doubts(report) == {
        ("no timestamp", 1, True),
        ("a fraction where whole nanoseconds belong", 1, True),
    }


def test_integers_that_a_real_can_not_hold_count_and_are_doubtful(export: Export, opened: Opened) -> None:
    start = 1_700_000_000_000_000_123  # a REAL holds it to 256 ns
    export.kernel(start, start + 1000)
    export.sql(f"CREATE TABLE made AS SELECT CAST(start AS REAL) AS start, end, deviceId FROM {KERNEL}")
    export.sql(f"DROP TABLE {KERNEL}")
    export.sql(f"ALTER TABLE made RENAME TO {KERNEL}")
    report = opened(export)
    assert report.ops.start.tolist() == [1_700_000_000_000_000_000]
    assert report.ops.end.tolist() == [start + 1000]
    assert doubts(report) == {("stored as REAL beyond 2**53: its last digits may be lost", 1, False)}


def test_ids_of_names_stored_as_reals_and_names_as_bytes(export: Export, opened: Opened) -> None:
    export.kernel(10, 20, name="naïve gemm", short=NULL, mangled=NULL)
    export.kernel(30, 40, name="other", short=NULL, mangled=NULL)
    export.sql(
        "CREATE TABLE made AS SELECT CAST(id AS REAL) AS id, CAST(value AS BLOB) AS value FROM StringIds"
    )
    export.sql("DROP TABLE StringIds")
    export.sql("ALTER TABLE made RENAME TO StringIds")
    export.sql("UPDATE StringIds SET value = x'ff00' WHERE value = CAST('other' AS BLOB)")
    report = opened(export)
    first, second = (report.strings[i] for i in report.ops.name)
    assert first == "naïve gemm"
    assert second.endswith("is not in the export)")
    assert ("bytes that are no text", 1, False) in doubts(report)


def test_a_generated_column_is_a_column(export: Export, opened: Opened) -> None:
    export.notation("K 10-20, K 30-45")
    for kind in ("VIRTUAL", "STORED"):
        export.sql(f"ALTER TABLE {KERNEL} RENAME TO old")
        export.sql(
            f"CREATE TABLE {KERNEL} (deviceId INT, start INT, long INT, "
            f'"end" INT GENERATED ALWAYS AS (start + long) {kind})'
        )
        export.sql(f'INSERT INTO {KERNEL} SELECT deviceId, start, "end" - start FROM old')
        export.sql("DROP TABLE old")
    report = opened(export)
    assert (report.ops.start.tolist(), report.ops.end.tolist()) == ([10, 30], [20, 45])


def test_an_added_columns_default_is_the_value_of_older_rows(export: Export, opened: Opened) -> None:
    export.nvtx(59, 0, 100, None)
    export.string("all of them", 9)
    export.omit(NVTX, "textId")
    export.sql(f"ALTER TABLE {NVTX} ADD COLUMN TEXTID INT DEFAULT 9.0")
    assert names(opened(export)) == ["all of them"]


def test_of_names_that_come_twice_the_first_counts(export: Export, opened: Opened) -> None:
    export.kernel(10, 20, name=5, short=NULL, mangled=NULL)
    export.sql("DROP TABLE IF EXISTS StringIds")
    export.sql("CREATE TABLE StringIds (id REAL, value TEXT)")
    export.sql("INSERT INTO StringIds VALUES (5.0, 'first'), (5, 'second')")
    report = opened(export)
    assert [report.strings[i] for i in report.ops.name] == ["first"]


def test_rows_inserted_out_of_the_order_of_their_ids(export: Export, opened: Opened) -> None:
    export.notation("K 10-15, K 30-35, K 50-55")
    for old, new in ((1, 900), (2, -4), (3, 17)):
        export.sql(f"UPDATE {KERNEL} SET rowid = {new} WHERE rowid = {old}")
    report = opened(export)
    assert report.ops.rowid.tolist() == [900, -4, 17]
