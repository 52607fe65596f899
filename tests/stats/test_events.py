"""The rows of an export: every event of the range, once, by start."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.export import Export
from tests.support.real import EXPORTS, needs_real
from tui.analysis.events import export_table
from tui.analysis.window import make_scope
from tui.errors import NothingThere, UsageError
from tui.output.delimited import write_delimited
from tui.output.events_file import save_events
from tui.output.text_layout import TextLayout
from tui.report import Report, open_report

HEADER = "start_ns,duration_ns,kind,name,device,stream,pid,tid,correlation_id,bytes,nvtx_path"


def exported(report: Report, text: str | None = None, raw: bool = False) -> list[list[str]]:
    stream = io.StringIO(newline="")
    table = export_table(report, make_scope(report, text))
    write_delimited([table], "csv", stream, TextLayout(raw=raw))
    return list(csv.reader(io.StringIO(stream.getvalue(), newline="")))


@pytest.fixture
def report(tmp_path: Path) -> Report:
    export = Export(tmp_path / "x.sqlite")
    export.notation(
        'N(59,0-100,"step"), N(59,10-50,"fwd"), R cudaLaunchKernel_v7000 20-25 corr=1,'
        "K(0,7,30-60) corr=1 name=k,"
        "M(0,9,70-80) corr=8 bytes=64, G(0,7,90-95) corr=9, S(0,7,96-98) corr=10 bytes=32, O poll 40-45"
    )
    export.mark("here", 42)
    return open_report(export.write(), use_store=False)


def test_every_kind_of_event_is_a_row(report: Report) -> None:
    header, *rows = exported(report)
    assert ",".join(header) == HEADER
    assert rows == [
        ["0", "100", "range", "step", "", "", "100", "1", "", "", ""],
        ["10", "40", "range", "fwd", "", "", "100", "1", "", "", "step"],
        ["20", "5", "api", "cudaLaunchKernel_v7000", "", "", "100", "1", "1", "", "step > fwd"],
        ["30", "30", "kernel", "k", "0", "7", "100", "1", "1", "", "step > fwd"],
        ["40", "5", "os", "poll", "", "", "100", "1", "", "", "step > fwd"],
        ["42", "0", "mark", "here", "", "", "100", "1", "", "", "step > fwd"],
        ["70", "10", "memcpy", "[CUDA memcpy Host-to-Device]", "0", "9", "100", "", "8", "64", ""],
        ["90", "5", "graph", "[CUDA graph 1]", "0", "7", "100", "", "9", "", ""],
        ["96", "2", "memset", "[CUDA memset]", "0", "7", "100", "", "10", "32", ""],
    ]


def test_a_range_keeps_what_overlaps_it_unclipped(report: Report) -> None:
    assert [row[:4] for row in exported(report, "60/75")[1:]] == [
        ["0", "100", "range", "step"],
        ["70", "10", "memcpy", "[CUDA memcpy Host-to-Device]"],
    ]


def test_names_come_back_as_they_were(tmp_path: Path) -> None:
    names = ["k<float, 4>(int, float*)", 'say "hi"', "two\nlines", "\x1b[31mred", "tab\there", "émoji 🚀"]
    formulas = ['=HYPERLINK("http://x")', "+1+2", "@SUM(1)", "-cmd", "\t=1"]
    export = Export(tmp_path / "x.sqlite")
    for at, name in enumerate(names + formulas):
        export.kernel(10 * at, 10 * at + 5, name=name)
    report = open_report(export.write(), use_store=False)
    read = [row[3] for row in exported(report)[1:]]
    assert read[: len(names)] == names
    assert read[len(names) :] == [f"'{name}" for name in formulas]
    assert [row[3] for row in exported(report, raw=True)[1:]] == names + formulas
    assert {len(row) for row in exported(report)} == {11}


def test_a_file_is_written_whole_or_not_at_all(report: Report, tmp_path: Path) -> None:
    target = tmp_path / "out" / "events.csv"
    with pytest.raises(UsageError, match="can't write"):
        save_events(report, make_scope(report), target)
    target.parent.mkdir()
    assert save_events(report, make_scope(report), target) == 9
    assert [p.name for p in target.parent.iterdir()] == ["events.csv"]
    assert target.read_bytes().startswith(HEADER.encode() + b"\r\n")
    with pytest.raises(UsageError, match="is the report itself"):
        save_events(report, make_scope(report), report.path)
    with pytest.raises(NothingThere, match="no events in the window"):
        save_events(report, make_scope(report, processes=[100]).within(200, 300, "nothing"), target)


KINDS = {
    "kernel": "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE end >= start",
    "memcpy": "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE end >= start",
    "api": "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE end >= start AND eventClass != 67",
    "range": "SELECT count(*) FROM NVTX_EVENTS WHERE eventType IN (59, 60, 70, 71)",
    "os": "SELECT count(*) FROM OSRT_API WHERE end >= start AND eventClass = 27",
}


@needs_real
@pytest.mark.parametrize(
    "path", [p for p in EXPORTS if "no-kernels" not in p.stem], ids=lambda path: path.stem
)
def test_real_exports_are_complete_and_in_order(path: Path, opened: Callable[[Path], Report]) -> None:
    rows = exported(opened(path))[1:]
    starts = [int(row[0]) for row in rows]
    assert starts == sorted(starts)
    assert {len(row) for row in rows} == {11}
    counted = {kind: sum(row[2] == kind for row in rows) for kind in KINDS}
    db = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    tables = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    for kind, sql in KINDS.items():
        there = sql.split(" FROM ")[1].split()[0] in tables
        assert counted[kind] == (db.execute(sql).fetchone()[0] if there else 0), kind


def test_a_stack_that_is_never_popped_has_a_path_of_bearable_length(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    for depth in range(150):
        export.push_pop(f"r{depth}", depth, 1000 - depth)
    export.runtime("cudaFree", 400, 500)
    report = open_report(export.write(), use_store=False)
    rows = [dict(zip(HEADER.split(","), row, strict=True)) for row in exported(report)[1:]]
    paths = {row["name"]: row["nvtx_path"] for row in rows}
    assert paths["r2"] == "r0 > r1"
    assert paths["r99"] == " > ".join(f"r{i}" for i in range(99))
    assert paths["cudaFree"] == "... 50 more > " + " > ".join(f"r{i}" for i in range(50, 150))
    assert paths["r149"] == "... 50 more > " + " > ".join(f"r{i}" for i in range(50, 149))
