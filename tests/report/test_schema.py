"""Every schema from 2020 to 2026: whatever tables and columns a file has, what it holds is read."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from fixtures.schema import SCHEMAS
from tests.report.conftest import Opened
from tests.support.export import DTOH, HTOD, NULL, Export, global_id
from tui.report import OpKind, Report, open_report
from tui.report.columns import NULL as NOTHING


def names(report: Report) -> list[str]:
    return [report.strings[i] for i in report.ops.name]


def test_strings_runtime_and_nvtx_only(opened: Opened) -> None:
    report = opened('R cudaGetDeviceCount_v3020 5-9, N(59,0-10,"init")')
    assert (len(report.ops), len(report.calls), len(report.ranges)) == (0, 1, 1)
    assert report.devices == ()
    assert report.op_span is None
    assert report.span == (0, 10)
    assert "no GPU work recorded (no kernel table)" in report.notes


def test_kernel_and_runtime_only(export: Export, opened: Opened) -> None:
    export.launch((0, 5), (10, 20))
    report = opened(export)
    assert (len(report.ops), len(report.calls), len(report.ranges)) == (1, 1, 0)
    assert [n for n in report.notes if "NVTX" in n] == [
        "no NVTX ranges recorded: phases and steps are unknown"
    ]


def test_range_names_from_text_or_text_id_or_neither(export: Export, opened: Opened) -> None:
    export.nvtx(59, 0, 10, "by text")
    export.nvtx(59, 20, 30, None, text_id="by id")
    export.nvtx(59, 40, 50, None)
    export.nvtx(59, 60, 70, None)
    export.nvtx(34, 80, None, None)
    report = opened(export)
    assert [report.strings[i] for i in report.ranges.name] == ["by text", "by id", "(unnamed)", "(unnamed)"]
    assert report.strings[report.marks.name[0]] == "(unnamed)"
    assert report.doubtful == ()


def test_text_id_wins_over_text_as_in_nsys(export: Export, opened: Opened) -> None:
    export.nvtx(59, 0, 10, "text", text_id="id")
    export.nvtx(59, 20, 30, "text", text_id=4711)
    report = opened(export)
    assert [report.strings[i] for i in report.ranges.name] == ["id", "text"]  # no string has the id 4711
    assert report.doubtful == ()


def test_missing_demangled_name(export: Export, opened: Opened) -> None:
    export.kernel(0, 10, name=777, short="short", mangled=NULL)
    export.kernel(20, 30, name=778, short=779, mangled=NULL)
    export.kernel(40, 50, name="whole")
    report = opened(export)
    assert names(report) == ["short", "(name 778 is not in the export)", "whole"]
    (doubt,) = report.doubtful
    assert (doubt.kind, doubt.count, doubt.excluded) == ("name not in the export", 2, False)
    assert doubt.example == "CUPTI_ACTIVITY_KIND_KERNEL row 1: demangledName 777"


def test_file_without_strings(export: Export, opened: Opened) -> None:
    export.launch((0, 5), (10, 20), name="gemm")
    export.drop("StringIds")
    report = opened(export)
    assert len(report.ops) == len(report.calls) == 1
    assert names(report)[0].endswith("is not in the export)")
    assert {d.kind for d in report.doubtful} == {"name not in the export"}


def test_version_tables(export: Export, opened: Opened, tmp_path: Path) -> None:
    export.notation("K 0-10")
    assert opened(export).schema_version == "3.25.0"
    old = Export(tmp_path / "old.sqlite", schema="2022").notation("K 0-10")
    report = opened(old)
    assert report.schema_version is not None
    assert report.schema_version.startswith("2.9")
    oldest = Export(tmp_path / "oldest.sqlite", schema="2021").notation("K 0-10")
    report = opened(oldest)
    assert (report.product_version, report.schema_version) == (None, None)
    assert report.enums["copy_kind"][1] == "Host-to-Device"


def test_unknown_major_version_warns_and_opens(export: Export, opened: Opened) -> None:
    export.notation("K 0-10")
    export.sql("UPDATE META_DATA_EXPORT SET value = '7.1.0' WHERE name = 'EXPORT_SCHEMA_VERSION'")
    report = opened(export)
    assert report.schema_version == "7.1.0"
    assert len(report.ops) == 1
    assert any("7.1.0" in note for note in report.notes)


@pytest.mark.parametrize("schema", SCHEMAS)
def test_same_events_under_every_schema(tmp_path: Path, opened: Opened, schema: str) -> None:
    export = Export(tmp_path / "x.sqlite", schema=schema)
    export.launch((0, 5), (10, 20), name="gemm", grid=(4, 2, 1), registers=40)
    corr = export.runtime("cudaMemcpyAsync_v3020", 6, 8)
    export.memcpy(12, 30, corr=corr, bytes=64, kind=DTOH)
    export.memset(40, 50, bytes=32, value=7)
    export.push_pop("step", 0, 60)
    report = opened(export)
    assert names(report) == ["gemm", "[CUDA memcpy Device-to-Host]", "[CUDA memset]"]
    assert report.ops.launch.tolist() == [0, 1, -1]
    assert report.ops.kind.tolist() == [OpKind.KERNEL, OpKind.MEMCPY, OpKind.MEMSET]
    assert (report.kernels.grid_x[0], report.kernels.grid_y[0], report.kernels.registers[0]) == (4, 2, 40)
    assert (report.copies.bytes[0], report.sets.bytes[0], report.sets.value[0]) == (64, 32, 7)
    assert report.doubtful == ()


def test_labels_of_the_file_win(export: Export, opened: Opened) -> None:
    export.memcpy(0, 10, kind=HTOD)
    export.sql("UPDATE ENUM_CUDA_MEMCPY_OPER SET label = 'Upload' WHERE id = 1")
    assert names(opened(export)) == ["[CUDA memcpy Upload]"]


def test_columns_of_ones_own_and_missing_ones(export: Export, opened: Opened) -> None:
    export.kernel(0, 10, name="gemm")
    export.add_column("CUPTI_ACTIVITY_KIND_KERNEL", "name:T", before="start")
    export.omit("CUPTI_ACTIVITY_KIND_KERNEL", "gridX", "graphNodeId", "mangledName")
    report = opened(export)
    assert names(report) == ["gemm"]
    assert report.kernels.grid_x[0] == NOTHING
    assert report.kernels.mangled_name[0] == -1


def test_rows_out_of_order_are_sorted_stably(opened: Opened) -> None:
    report = opened("K(0,7,1200-1300) K(0,9,0-1000) K(0,7,300-400) K(0,7,100-200) R b 50-60, R a 10-20")
    assert report.ops.start.tolist() == [0, 100, 300, 1200]
    assert report.ops.rowid.tolist() == [2, 4, 3, 1]
    assert [report.strings[i] for i in report.calls.name] == ["a", "b"]


def test_analysis_details_never_filters(export: Export, opened: Opened) -> None:
    export.notation("K 0-10")
    export.row("ANALYSIS_DETAILS", globalVid=0, duration=1000, startTime=5000, stopTime=6000)
    assert len(opened(export).ops) == 1


def test_unrecognised_event_tables_are_named(export: Export, opened: Opened) -> None:
    export.notation("K 0-10")
    export.sql("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL_V2 (timestamp INTEGER)")
    export.sql("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL_V2 VALUES (5)")
    export.sql("CREATE TABLE QUANTUM_EVENTS (at INTEGER)")
    export.sql("INSERT INTO QUANTUM_EVENTS VALUES (5)")
    export.sql("CREATE TABLE EMPTY_EVENTS (at INTEGER)")
    report = opened(export)
    (note,) = [n for n in report.notes if "does not read" in n]
    assert note.endswith("CUPTI_ACTIVITY_KIND_KERNEL_V2, QUANTUM_EVENTS")
    assert [t.used for t in report.tables if t.name == "QUANTUM_EVENTS"] == [False]


def test_tables_of_intervals_that_nothing_knows_are_kept(export: Export, opened: Opened) -> None:
    export.row("CUDNN_EVENTS", start=5, end=9, eventClass=86, globalTid=global_id(100, 1), nameId=1)
    export.string("cudnnFind", 1)
    report = opened(export)
    assert list(report.others) == ["CUDNN_EVENTS"]
    events = report.others["CUDNN_EVENTS"]
    assert (events.start[0], report.strings[events.name[0]], events.thread[0]) == (5, "cudnnFind", 0)


def test_samples_of_counters_are_no_calls(export: Export, opened: Opened) -> None:
    """A sample has a start and an end, and is nothing that a thread or a GPU did."""
    export.notation("K 0-10, R cudaFree 0-5")
    samples = "start INT, end INT, globalId INT, metricsListId INT, metricsIdx INT, value INT"
    export.sql(f"CREATE TABLE NET_NIC_METRIC ({samples})")
    export.sql(
        "INSERT INTO NET_NIC_METRIC VALUES (0, 10, ?, 1, 1, 5), (10, 20, 1, 1, 2, 6)", global_id(100, 1)
    )
    export.sql(f"CREATE TABLE NET_IB_SWITCH_METRIC ({samples})")
    export.sql("CREATE TABLE SOMETHING_NEW (start INT, end INT, globalTid INT, nameId INT, counterId INT)")
    export.sql("INSERT INTO SOMETHING_NEW VALUES (0, 900, ?, 1, 5)", global_id(100, 1))
    export.sql("CREATE TABLE GPU_METRICS (timestamp INT, typeId INT, metricId INT, value INT)")
    export.sql("INSERT INTO GPU_METRICS VALUES (0, 900, 1, 5)")
    report = opened(export)
    assert list(report.others) == []
    assert report.span == (0, 10)
    (note,) = [note for note in report.notes if "samples" in note]
    assert note == "samples of counters, which are not shown: SOMETHING_NEW (1 rows)"


def test_odd_table_names_reach_no_sql(export: Export, opened: Opened) -> None:
    export.notation("K 0-10")
    export.sql(
        'CREATE TABLE "x"" ; DROP TABLE StringIds; --_EVENTS" ("a""b" INTEGER, start INTEGER, "end" INTEGER)'
    )
    export.sql('INSERT INTO "x"" ; DROP TABLE StringIds; --_EVENTS" VALUES (1, 2, 3)')
    report = opened(export)
    assert "StringIds" in report.has
    assert len(report.others['x" ; DROP TABLE StringIds; --_EVENTS']) == 1


def test_ops_of_a_process_less_table(export: Export, opened: Opened) -> None:
    export.launch((0, 5), (10, 20))
    export.omit("CUPTI_ACTIVITY_KIND_KERNEL", "globalPid")
    report = opened(export)
    assert report.ops.launch.tolist() == [0]
    assert report.ops.process.tolist() == [0]


def test_driver_table_is_merged_into_the_calls(export: Export, opened: Opened) -> None:
    export.runtime("cudaFree_v3020", 20, 30)
    export.driver("cuLaunchKernel", 0, 5, table="CUPTI_ACTIVITY_KIND_DRIVER", corr=4, event_class=1)
    export.kernel(10, 40, corr=4)
    report = opened(export)
    assert [report.strings[i] for i in report.calls.name] == ["cuLaunchKernel", "cudaFree_v3020"]
    assert report.calls.event_class.tolist() == [1, 0]
    assert report.ops.launch.tolist() == [0]


def test_utf16_database(tmp_path: Path) -> None:
    path = tmp_path / "utf16.sqlite"
    db = sqlite3.connect(path)
    db.executescript(
        "PRAGMA encoding='UTF-16'; CREATE TABLE StringIds (id INTEGER, value TEXT);"
        "INSERT INTO StringIds VALUES (1, 'naïve ✓');"
        'CREATE TABLE NVTX_EVENTS (start INT, "end" INT, eventType INT, textId INT, text TEXT,'
        " globalTid INT);"
        "INSERT INTO NVTX_EVENTS VALUES (0, 5, 59, 1, NULL, 1), (6, 7, 59, NULL, 'ö', 1);"
    )
    db.commit()
    db.close()
    report = open_report(path, use_store=False)
    assert [report.strings[i] for i in report.ranges.name] == ["naïve ✓", "ö"]


def test_graph_tables_as_split_in_2026(export: Export, opened: Opened) -> None:
    export.notation('N(59,0-10,"a"), K 0-10')
    export.add_column("NVTX_EVENTS", "eventId", before="start")
    export.sql("CREATE TABLE CUDA_GRAPH_EVENTS (graphId INT, originalGraphId INT, graphExecId INT)")
    export.sql("INSERT INTO CUDA_GRAPH_EVENTS VALUES (1, 1, 2)")
    export.sql('CREATE TABLE CUDA_GRAPH_NODE_EVENTS (start INT, "end" INT, globalTid INT, nameId INT)')
    export.sql("INSERT INTO CUDA_GRAPH_NODE_EVENTS VALUES (5, 6, 1, 1)")
    report = opened(export)
    assert (len(report.ranges), list(report.others)) == (1, ["CUDA_GRAPH_NODE_EVENTS"])
    assert not any("does not read" in note for note in report.notes)


def test_ninety_six_mostly_empty_tables(export: Export, opened: Opened) -> None:
    export.notation("K 0-10")
    for i in range(96):
        export.sql(f'CREATE TABLE EMPTY_{i}_EVENTS (start INT, "end" INT, globalTid INT, nameId INT)')
    report = opened(export)
    assert len(report.ops) == 1
    assert report.others == {}
