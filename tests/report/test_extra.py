"""Tables that an import leaves alone: read at first use, once, tolerantly, and only of what was opened."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from tests.support.export import Export, global_id
from tui.errors import ReportError
from tui.report import NULL, Report, open_report
from tui.report.extra.extra_table import ExtraRows, ExtraTable, Times
from tui.report.extra.tables import CPU_PAGE_FAULTS, EXTRA_TABLES, VULKAN_API

METRICS = ExtraTable(
    "METRICS", Times.INSTANT, ("metricId", "value"), reals=("watts",), names=("nameId",), texts=("unit",)
)


def rows(report: Report, table: ExtraTable) -> dict[str, list[object]]:
    """The columns of a table as lists, names and texts spelled out."""
    found = report.extra_rows(table)
    columns: dict[str, list[object]] = {name: found[name].tolist() for name in found.columns}
    for name in (*table.names, *table.texts):
        columns[name] = [found.strings[i] if i >= 0 else None for i in found[name].tolist()]
    return columns


@pytest.fixture
def export(tmp_path: Path) -> Export:
    """One kernel, and samples in a table of which nsys knows nothing."""
    export = Export(tmp_path / "capture.sqlite", schema="2024.6")
    export.kernel(0, 10)
    for number, text in ((90, "clock"), (91, "power"), (92, "never used")):
        export.string(text, number)
    export.sql("CREATE TABLE METRICS (start INTEGER, metricId INTEGER, value, watts REAL, nameId, unit TEXT)")
    samples = [
        (30, 1, 7, 2.5, 91, "W"), (10, 2, 1 << 60, 3.0, 90, "MHz"), (20, 3, "x", None, None, None),
        (20, None, 1.5, 4, 4711, "W"), (None, 5, 5, 5.5, 90, "W"),
    ]  # fmt: skip
    for sample in samples:
        export.sql("INSERT INTO METRICS VALUES (?, ?, ?, ?, ?, ?)", *sample)
    return export


def test_rows_are_by_start_and_of_the_right_types(export: Export) -> None:
    report = open_report(export.write(), use_store=False)
    found = rows(report, METRICS)
    assert found["start"] == [10, 20, 20, 30]
    assert found["rowid"] == [2, 3, 4, 1]
    assert found["metricId"] == [2, 3, NULL, 1]
    assert found["value"] == [1 << 60, NULL, NULL, 7], "a text and a fraction are no integers"
    assert np.isnan(found["watts"][1])
    assert [found["watts"][i] for i in (0, 2, 3)] == [3.0, 4.0, 2.5], "whole ones are kept as integers"
    assert found["nameId"] == ["clock", None, "(name 4711 is not in the export)", "power"]
    assert found["unit"] == ["MHz", None, "W", "W"]
    assert {
        name: values.dtype for name, values in report.extra_rows(METRICS).columns.items()
    } == METRICS.fields
    assert sorted(report.extra_rows(METRICS).strings) == [found["nameId"][2], "MHz", "W", "clock", "power"]


def test_doubtful_rows_are_counted(export: Export) -> None:
    doubtful = open_report(export.write(), use_store=False).extra_rows(METRICS).doubtful
    assert [(doubt.kind, doubt.count, doubt.example, doubt.excluded) for doubt in doubtful] == [
        ("a fraction where a whole number belongs", 1, "METRICS row 4: value 1.5", False),
        ("text where a number belongs", 1, "METRICS row 3: value 'x'", False),
        ("no timestamp", 1, "METRICS row 5: start NULL", True),
        ("name not in the export", 1, "METRICS row 4: nameId 4711", False),
    ]


@pytest.mark.parametrize("missing", ["metricId", "value", "watts", "nameId", "unit"])
def test_a_column_that_is_not_there_is_unknown(export: Export, missing: str) -> None:
    export.sql(f"ALTER TABLE METRICS DROP COLUMN {missing}")
    found = open_report(export.write(), use_store=False).extra_rows(METRICS)
    values = found[missing]
    assert len(found) == len(values) == 4
    assert np.isnan(values).all() if missing == "watts" else set(values.tolist()) <= {NULL, -1}


def test_a_table_without_times_keeps_the_order_of_the_file(export: Export) -> None:
    table = ExtraTable("METRICS", Times.NONE, ("metricId",))
    found = open_report(export.write(), use_store=False).extra_rows(table)
    assert found["metricId"].tolist() == [1, 2, 3, NULL, 5]
    assert "start" not in found.columns


def test_an_absent_or_empty_table_has_no_rows(export: Export) -> None:
    export.empty("VULKAN_API")
    report = open_report(export.write(), use_store=False)
    export.path.unlink()  # nobody reads it
    for table in (VULKAN_API, CPU_PAGE_FAULTS):
        found = report.extra_rows(table)
        assert len(found) == 0
        assert {name: values.dtype for name, values in found.columns.items()} == table.fields


def test_open_intervals_are_kept_where_the_table_may_have_them(export: Export) -> None:
    for end in (None, 5, 1):
        values = {"globalTid": global_id(100, 1), "textId": "x", "eventClass": 62}
        export.row("KHR_DEBUG_EVENTS", start=2, end=end, **values)
    report = open_report(export.write(), use_store=False)
    ends = {
        times: report.extra_rows(ExtraTable("KHR_DEBUG_EVENTS", times))["end"].tolist()
        for times in (Times.OPEN, Times.INTERVAL)
    }
    assert ends == {Times.OPEN: [NULL, 5], Times.INTERVAL: [5]}


def test_opening_reads_none_of_it_and_the_store_keeps_it(export: Export, store_dir: Path) -> None:
    path = export.write()
    first = open_report(path, cache_dir=store_dir)
    assert list(store_dir.glob("*extra-*")) == []
    expected = rows(first, METRICS)
    (kept,) = store_dir.glob("*extra-metrics-*")
    assert kept.stat().st_mode & 0o777 == 0o600
    second = open_report(path, cache_dir=store_dir)
    path.write_bytes(b"gone")  # what is kept needs no file
    found = rows(second, METRICS)
    np.testing.assert_array_equal(found.pop("watts"), expected.pop("watts"))
    assert found == expected
    assert second.extra_rows(METRICS).doubtful == first.extra_rows(METRICS).doubtful


def test_one_reading_is_enough(export: Export) -> None:
    report = open_report(export.write(), use_store=False)
    found = report.extra_rows(METRICS)
    export.path.unlink()
    assert report.extra_rows(METRICS) is found


def test_a_kept_file_that_was_damaged_is_made_anew(export: Export, store_dir: Path) -> None:
    path = export.write()
    expected = rows(open_report(path, cache_dir=store_dir), METRICS)["start"]
    (kept,) = store_dir.glob("*extra-metrics-*")
    kept.write_bytes(kept.read_bytes()[:-20])
    assert rows(open_report(path, cache_dir=store_dir), METRICS)["start"] == expected


def test_where_nothing_can_be_kept_it_is_read_all_the_same(
    export: Export, store_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = open_report(export.write(), cache_dir=store_dir)
    for stored in store_dir.glob("*.columns"):
        stored.unlink()
    assert rows(report, METRICS)["start"] == [10, 20, 20, 30]
    assert list(store_dir.glob("*extra-*")) == []


@pytest.mark.parametrize("kept", [True, False])
def test_a_report_that_changed_since_is_noticed(export: Export, store_dir: Path, kept: bool) -> None:
    path = export.write()
    report = open_report(path, cache_dir=store_dir, use_store=kept)
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM METRICS")
    db.close()
    with pytest.raises(ReportError, match="has changed since it was opened; open it again"):
        report.extra_rows(METRICS)
    path.unlink()
    with pytest.raises(ReportError, match="can't be read any more: No such file or directory"):
        report.extra_rows(METRICS)
    assert list(store_dir.glob("*extra-*")) == []


def test_a_damaged_table_is_one_line(export: Export) -> None:
    path = export.write()
    with sqlite3.connect(path) as db:
        (root,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'METRICS'").fetchone()
        (page,) = db.execute("PRAGMA page_size").fetchone()
    db.close()
    data = bytearray(path.read_bytes())
    data[(root - 1) * page : (root - 1) * page + 100] = b"\xff" * 100
    path.write_bytes(data)
    with pytest.raises(ReportError, match="damaged or truncated"):
        open_report(path, use_store=False).extra_rows(METRICS)


def test_info_counts_these_tables_as_used(export: Export) -> None:
    for table in EXTRA_TABLES:
        export.empty(table.source)
        if not export.layout(table.source):  # no schema that is known has this one
            del export.rows[table.source]
            export.sql(f'CREATE TABLE "{table.source}" (start INTEGER, "end" INTEGER)')
    tables = {table.name: table.used for table in open_report(export.write(), use_store=False).tables}
    assert all(tables[table.source] for table in EXTRA_TABLES)
    assert not tables["METRICS"]


def test_no_table_is_known_twice_with_the_same_columns() -> None:
    assert len(set(EXTRA_TABLES)) == len(EXTRA_TABLES)
    assert isinstance(EXTRA_TABLES[0], ExtraTable)


def test_large_tables_take_the_same_way(tmp_path: Path) -> None:
    export = Export(tmp_path / "large.sqlite", schema="2024.6")
    export.kernel(0, 10)
    export.sql("CREATE TABLE METRICS (start INTEGER, metricId INTEGER, value INTEGER)")
    export.sql(
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 299999) "
        "INSERT INTO METRICS SELECT 300000 - i, i % 7, i * i FROM n"
    )
    found: ExtraRows = open_report(export.write(), use_store=False).extra_rows(METRICS)
    start, value = found["start"], found["value"]
    assert len(found) == 300_000
    assert (start == np.arange(1, 300_001)).all()
    assert (value == (300_000 - start) ** 2).all()
