"""Ranges that are never closed pile up: what is printed grows with their number, not with its square."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from tests.support.export import Export
from tui.analysis.elsewhere import other_ranges
from tui.analysis.index import Index
from tui.cli import main
from tui.report import open_report
from tui.report.event_tables.ranges import RANGES

Capsys = pytest.CaptureFixture[str]


def pile(path: Path, depth: int) -> Path:
    """``depth`` ranges that are pushed and never popped, the last event closed; a kernel after each push."""
    export = Export(path)
    for i in range(depth):
        export.push_pop(f"r{i}", 10 * i, None)
        export.launch((10 * i + 1, 10 * i + 2), (10 * i + 3, 10 * i + 5), name="k")
    export.push_pop("last", 10 * depth, 10 * depth + 5)
    return export.write()


def said(capsys: Capsys, *arguments: str) -> tuple[str, str]:
    assert main([*arguments, "--no-cache"]) == 0
    captured = capsys.readouterr()
    return captured.out, captured.err


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_stacks_of_a_trace_say_how_many_ranges_are_left_out(tmp_path: Path, capsys: Capsys) -> None:
    path = pile(tmp_path / "x.sqlite", 103)
    out, err = said(capsys, "stats", str(path), "-r", "nvtx_pushpop_trace", "-f", "csv", "--raw")
    by_name = {row["Name"]: row for row in rows_of(out)}
    assert by_name[":r2"]["RangeStack"] == ":1:2:3"
    assert by_name[":r99"]["RangeStack"] == ":" + ":".join(str(i) for i in range(1, 101))
    assert by_name[":r100"]["RangeStack"] == ":... 1 more:" + ":".join(str(i) for i in range(2, 102))
    assert by_name[":r102"]["RangeStack"] == ":... 3 more:" + ":".join(str(i) for i in range(4, 104))
    assert by_name[":r2"]["NameTree"] == "----:r2"
    assert by_name[":r100"]["NameTree"] == "--" * 100 + ":r100"
    assert by_name[":r102"]["NameTree"] == "... 2 more " + "--" * 100 + ":r102"
    assert (by_name[":r102"]["Lvl"], by_name[":r102"]["ParentId"]) == ("102", "102")
    # r100, r101, r102 and the last one.
    assert (
        "4 stacks of ranges are more than 100 deep: only the innermost 100 are printed "
        "(ParentId leads to the others, Lvl counts them)"
    ) in err


def test_stacks_of_projected_ranges_are_cut_too(tmp_path: Path, capsys: Capsys) -> None:
    path = pile(tmp_path / "x.sqlite", 102)
    out, err = said(capsys, "stats", str(path), "-r", "nvtx_gpu_proj_trace", "-f", "csv")
    by_name = {row["Name"]: row for row in rows_of(out)}
    assert by_name[":r101"]["RangeStack"] == ":... 2 more:" + ":".join(str(i) for i in range(3, 103))
    assert "2 stacks of ranges are more than 100 deep" in err


def test_paths_of_gaps_and_events_say_so(tmp_path: Path, capsys: Capsys) -> None:
    path = pile(tmp_path / "x.sqlite", 1203)
    document = json.loads(said(capsys, "gaps", str(path), "--min-gap", "0", "-f", "json")[0])
    last = document["devices"][0]["gaps"][-1]["path"]
    # Of the 6 ns between the last two kernels the host spent 5 before the last push.
    assert (last[0], last[1], last[-1], len(last)) == ("... 1,102 more", "r1102", "r1201", 101)
    assert (
        "1,104 stacks of ranges are more than 100 deep: only the innermost 100 are printed "
        "(`nsystui export` lists every range)"
    ) in document["notes"]
    out, err = said(capsys, "export", str(path))
    deepest = next(row for row in rows_of(out) if row["name"] == "r1202")
    assert deepest["nvtx_path"].startswith("... 1,103 more > r1103 > r1104 > ")
    assert "nsystui: export: 1,104 stacks of ranges are more than 100 deep" in err
    assert "(each range has a row of its own)" in err


def test_the_details_of_a_range_are_cut_too(tmp_path: Path) -> None:
    report = open_report(pile(tmp_path / "x.sqlite", 105), use_store=False)
    inside = dict(RANGES.details(report, 104))["inside"]
    assert inside == "... 4 more > " + " > ".join(f"r{i}" for i in range(4, 104))
    assert dict(RANGES.details(report, 3))["inside"] == "r0 > r1 > r2"


def test_of_requests_in_flight_the_latest_are_listed(tmp_path: Path, capsys: Capsys) -> None:
    export = Export(tmp_path / "x.sqlite")
    for i in range(104):
        export.start_end(f"request {i}", i, 9_000 + i, tid=2, end_tid=3)
    export.start_end("of another process", 1, 9_000, tid=2, end_tid=3, pid=200)
    export.push_pop("loader", 50, 8_000, tid=4)
    export.kernel(0, 1_000)
    export.launch((1_500, 1_600), (2_000, 3_000), tid=1)
    path = export.write()
    document = json.loads(said(capsys, "gaps", str(path), "--min-gap", "0", "-f", "json")[0])
    (gap,) = document["devices"][0]["gaps"]
    elsewhere = gap["open_elsewhere"]
    names = [other["name"] for other in elsewhere]
    crossing = [f"request {i}" for i in range(103, 3, -1)]
    assert names == [*crossing[:53], "loader", *crossing[53:], "... 4 more"]
    assert elsewhere[-1] == {"name": "... 4 more", "pid": None, "tid": None, "crosses_threads": True}
    assert [other["tid"] for other in elsewhere if other["name"] == "loader"] == [4]


def test_without_a_responsible_thread_ranges_of_all_processes_are_listed(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.push_pop("outer", 0, 100, tid=1)
    export.push_pop("inner", 10, 90, tid=1)
    export.push_pop("other", 20, 80, tid=1, pid=200)
    export.start_end("request", 5, 95, tid=2, end_tid=3, pid=200)
    report = open_report(export.write(), use_store=False)
    index = Index(report)

    def names(threads: list[int]) -> list[list[str]]:
        found = other_ranges(index, np.full(len(threads), 50), np.array(threads))
        return [[report.strings[int(report.ranges.name[o.range])] for o in row] for row in found]

    of = {(t.pid, t.tid): position for position, t in enumerate(report.threads)}
    asked = [-1, of[100, 1], of[200, 1], of[200, 2]]
    assert names(asked) == [["other", "inner", "request"], [], ["request"], ["other", "request"]]


@pytest.mark.parametrize(
    "arguments",
    [
        ("export", "-f", "csv"),
        ("gaps", "--min-gap", "0", "-f", "json"),
        ("gaps", "--min-gap", "0", "-f", "csv"),
        ("stats", "-r", "nvtx_pushpop_trace", "-f", "json"),
        ("stats", "-r", "nvtx_gpu_proj_trace", "-f", "csv"),
        ("stats", "-r", "nvtx_pushpop_trace,nvtx_gpu_proj_trace", "-f", "table"),
    ],
    ids=" ".join,
)
def test_twice_the_depth_is_twice_the_text(
    arguments: tuple[str, ...], tmp_path: Path, capsys: Capsys
) -> None:
    sizes = []
    for depth in (400, 800):
        path = pile(tmp_path / f"{depth}.sqlite", depth)
        sizes.append(len(said(capsys, arguments[0], str(path), *arguments[1:])[0]))
    assert sizes[1] < 2.5 * sizes[0]  # before it was cut: 3.5 and more
