"""Views and virtual tables of a file: read as the table that they stand for, or refused by name."""

# ruff: noqa: S608 - the SQL of these tests is their own

from __future__ import annotations

import pytest

from tests.report.conftest import Opened
from tests.support.export import Export
from tui.errors import ReportError
from tui.report import open_report

KERNEL, NVTX = "CUPTI_ACTIVITY_KIND_KERNEL", "NVTX_EVENTS"


def test_a_view_that_has_lost_its_table_is_refused_by_name(export: Export) -> None:
    export.notation("K 10-20")
    export.sql(f"CREATE VIEW gone AS SELECT * FROM {KERNEL}")
    export.sql(f"ALTER TABLE {KERNEL} RENAME TO raw")
    export.sql("DROP VIEW gone")
    export.sql(f"CREATE VIEW {KERNEL} AS SELECT * FROM raw")
    export.sql("DROP TABLE raw")
    with pytest.raises(ReportError, match=rf"{KERNEL} can't be read \(a view: no such table: main.raw\)$"):
        open_report(export.write(), use_store=False)


ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT {} FROM n"


@pytest.mark.parametrize(
    "view",
    [
        ENDLESS.format("i AS start, i + 5 AS end, 0 AS deviceId"),
        ENDLESS.format("sum(i) AS start, 5 AS end"),
        ENDLESS.format("i AS start, i AS end") + " ORDER BY i DESC",
        ENDLESS.format("i AS start, i AS end") + " WHERE i < 0",
    ],
)
def test_a_view_without_an_end_is_refused_by_name(
    export: Export, monkeypatch: pytest.MonkeyPatch, view: str
) -> None:
    monkeypatch.setattr("tui.report.sqlite.guard._STEPS", 3_000_000)
    export.empty(NVTX)
    export.notation("K 10-20")
    export.sql(f"DROP TABLE {KERNEL}")
    export.sql(f"CREATE VIEW {KERNEL} AS {view}")
    with pytest.raises(
        ReportError, match=rf"{KERNEL} can't be read \(a view: it (takes more steps|has more)"
    ):
        open_report(export.write(), use_store=False)


def test_a_view_whose_every_step_is_long_is_refused_by_name(
    export: Export, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.report.sqlite.guard._SECONDS", -1000.0)
    export.notation("K 10-20")
    export.sql(f"DROP TABLE {KERNEL}")
    every = ENDLESS.format("i AS start, length(hex(zeroblob(1000))) AS end")
    export.sql(f"CREATE VIEW {KERNEL} AS {every} LIMIT 5000")
    with pytest.raises(ReportError, match=rf"{KERNEL} can't be read \(a view: it takes more steps"):
        open_report(export.write(), use_store=False)


def test_a_view_whose_values_change_is_read_once(export: Export, opened: Opened) -> None:
    export.notation("K 10-20")
    export.sql(f"DROP TABLE {KERNEL}")
    count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)"
    start = "CASE random() % 3 WHEN 0 THEN 5 WHEN 1 THEN 5.0 ELSE '5' END"
    export.sql(f"CREATE VIEW {KERNEL} AS {count} SELECT {start} AS start, 9 AS end, 0 AS deviceId FROM n")
    report = opened(export)
    assert report.ops.start.tolist() == [5] * 40
    assert report.doubtful == ()


def test_a_small_table_without_an_end_is_refused_by_name(
    export: Export, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.report.sqlite.source._FEW", 1000)
    export.notation("K 10-20")
    export.sql("DROP TABLE META_DATA_EXPORT")
    export.sql(f"CREATE VIEW META_DATA_EXPORT AS {ENDLESS.format('i AS name, i AS value')}")
    with pytest.raises(ReportError, match=r"META_DATA_EXPORT can't be read \(a view: it has more rows"):
        open_report(export.write(), use_store=False)


def test_a_view_can_do_nothing_but_read(export: Export) -> None:
    export.notation("K 10-20")
    export.sql(f"DROP TABLE {KERNEL}")
    export.sql(f"CREATE VIEW {KERNEL} AS SELECT load_extension('x') AS start, 5 AS end")
    with pytest.raises(ReportError, match=f"{KERNEL} can't be read"):
        open_report(export.write(), use_store=False)


def test_a_virtual_table_is_refused_by_name(export: Export) -> None:
    export.notation("K 10-20")
    export.sql(f"DROP TABLE {KERNEL}")
    export.sql(f"CREATE VIRTUAL TABLE {KERNEL} USING fts5(start, x)")
    with pytest.raises(ReportError, match=rf"{KERNEL} can't be read \(a virtual table"):
        open_report(export.write(), use_store=False)


def test_what_no_figure_needs_is_named_and_left_out(export: Export, opened: Opened) -> None:
    export.notation("K 10-20")
    export.sql("CREATE VIRTUAL TABLE CUBLAS_EVENTS USING fts5(start, x)")
    export.sql("CREATE VIEW VULKAN_API AS SELECT * FROM nowhere")
    export.sql(f"CREATE VIEW MY_EVENTS AS SELECT * FROM {KERNEL}")
    export.sql(f"CREATE VIEW mine AS SELECT * FROM {KERNEL}")
    report = opened(export)
    assert len(report.ops) == 1
    assert report.others == {}
    assert "CUBLAS_EVENTS can't be read: a virtual table, whose rows a program makes" in report.notes
    assert "VULKAN_API can't be read: a view: no such table: main.nowhere" in report.notes
    assert "event tables that this version does not read: MY_EVENTS (a view)" in report.notes
