"""Overhead of the profiler and of CUDA's driver: what is counted, and what gaps are put down to."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.export import Export
from tests.support.real import real_export
from tui.analysis.blame import BlameClass, find_blame
from tui.analysis.gaps import find_gaps
from tui.analysis.index import Index
from tui.analysis.overhead import OverheadKind, find_overhead, overhead_totals
from tui.analysis.scope import Scope
from tui.analysis.work_window import work_window
from tui.cli import main
from tui.report import Report, open_report

Part = tuple[str, str | None, int]


def parts(path: Path) -> list[Part]:
    """What each part of the first gap is put down to, in time."""
    index = Index(open_report(path, use_store=False))
    (gaps,) = find_gaps(index, Scope(work_window(index)), 0)
    blame = find_blame(index, gaps)
    assert int(blame.ns.sum()) == int(gaps.duration.sum())
    strings = index.report.strings
    return [
        (BlameClass(c).words, strings[n] if n >= 0 else None, d)
        for c, n, d in zip(blame.cause.tolist(), blame.call.tolist(), blame.ns.tolist(), strict=True)
    ]


@pytest.fixture
def gap(tmp_path: Path) -> Export:
    """A gap from 100 to 600: host code, cudaMalloc 150-250, and a launch call 500-590."""
    export = Export(tmp_path / "x.sqlite")
    export.launch((0, 1), (0, 100))
    export.runtime("cudaMalloc_v3020", 150, 250)
    export.launch((500, 590), (600, 700))
    return export


LAUNCH = "cudaLaunchKernel_v7000"


def test_without_overhead(gap: Export) -> None:
    assert parts(gap.write()) == [
        ("host code", None, 50),
        ("memory management", "cudaMalloc_v3020", 100),
        ("host code", None, 250),
        ("launch latency", LAUNCH, 100),
    ]


def test_it_comes_before_calls(gap: Export) -> None:
    """A flush 120-170 and another 240-260, the second of them through a call's end."""
    gap.overhead("CUPTI Buffer flush", 120, 170, kind=3)
    gap.overhead("CUPTI Buffer flush", 240, 260, kind=3)
    assert parts(gap.write()) == [
        ("host code", None, 20),
        ("profiler overhead", "CUPTI Buffer flush", 50),
        ("memory management", "cudaMalloc_v3020", 70),
        ("profiler overhead", "CUPTI Buffer flush", 20),
        ("host code", None, 240),
        ("launch latency", LAUNCH, 100),
    ]


@pytest.mark.parametrize(
    ("kind", "name", "words"),
    [
        (2, "Driver Compiler", "JIT compilation"),
        (6, "Runtime Triggered Module Loading", "module load"),
        (7, "Lazy Function Loading", "module load"),
        (8, "Command Buffer Full", "launch"),
        (3, "Buffer Flush", "profiler overhead"),
        (5, "Resource", "profiler overhead"),
    ],
)
def test_what_goes_on_in_the_launch_itself(gap: Export, kind: int, name: str, words: str) -> None:
    """510-580 of a call 500-590 whose kernel starts at 600; what the thread does later is not its own."""
    gap.cuda_overhead(name, 510, 580, kind)
    gap.cuda_overhead(name, 591, 599, kind)
    assert parts(gap.write())[-3:] == [
        ("launch latency", LAUNCH, 10),
        (words, name, 70),
        ("launch latency", LAUNCH, 20),
    ]


def test_a_launch_that_was_in_progress_when_the_gap_began(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.launch((0, 1), (0, 100))
    export.launch((50, 400), (500, 600))
    export.cuda_overhead("Lazy Function Loading", 60, 300, 7)
    export.cuda_overhead("Lazy Function Loading", 450, 490, 7)
    assert parts(export.write()) == [
        ("module load", "Lazy Function Loading", 200),
        ("launch latency", LAUNCH, 200),
    ]


def test_queued_work_and_other_threads_are_left_alone(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.launch((0, 1), (0, 100))
    export.launch((2, 50), (500, 600))
    export.launch((700, 710), (720, 800))
    export.overhead("CUPTI Buffer flush", 120, 300, kind=3)
    export.overhead("CUPTI Buffer flush", 620, 650, kind=3, tid=2)
    assert parts(export.write()) == [
        ("queued", LAUNCH, 400),
        ("host code", None, 100),
        ("launch latency", LAUNCH, 20),
    ]


def test_a_library_that_is_loaded_is_not_the_profilers_doing(gap: Export) -> None:
    """Only the profiler's own libraries are; of a type that says nothing the name decides."""
    gap.overhead("dlopen(libcudnn.so.9)", 110, 130)
    gap.overhead("dlopen(libToolsInjectionCuda64.so)", 130, 140)
    assert parts(gap.write())[:3] == [
        ("host code", None, 30),
        ("profiler overhead", "dlopen(libToolsInjectionCuda64.so)", 10),
        ("host code", None, 10),
    ]


def kinds(report: Report) -> list[str]:
    return [OverheadKind(kind).words for kind in find_overhead(report).kind.tolist()]


@pytest.mark.parametrize("schema", ["2020", "2022", "2026.2"])
def test_the_forms_of_the_profilers_table(tmp_path: Path, schema: str) -> None:
    """With correlationId, with returnValue, with overheadType: nothing but names says what a row is."""
    export = Export(tmp_path / "x.sqlite", schema=schema)
    export.kernel(0, 10)
    for number, name in enumerate(("CUPTI: Buffer flush", "TLS allocation", "dlclose", "Unknown")):
        export.overhead(name, 100 * number, 100 * number + 7)
    report = open_report(export.write(), use_store=False)
    assert kinds(report) == ["profiler", "profiler", "library load (dlopen)", "profiler"]


def test_types_that_say_nothing(tmp_path: Path) -> None:
    """0 and 1, an unknown one, NULL: by name, else unknown."""
    export = Export(tmp_path / "x.sqlite")
    export.kernel(0, 10)
    rows = [("Instrumentation", 0), ("Whatever", 1), ("Whatever", 99), (None, 5), ("Whatever", None)]
    for number, (name, kind) in enumerate(rows):
        export.cuda_overhead(name, 100 * number, 100 * number + 7, kind)  # type: ignore[arg-type]
    report = open_report(export.write(), use_store=False)
    unknown = "of a kind that is not known"
    assert kinds(report) == ["profiler", unknown, unknown, "profiler", unknown]


def test_cupti_s_own_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A form without names, threads and classes: counted, but no thread is blamed for it."""
    export = Export(tmp_path / "x.sqlite")
    export.launch((0, 1), (0, 100))
    export.launch((500, 590), (600, 1000))
    export.sql("CREATE TABLE CUPTI_ACTIVITY_KIND_OVERHEAD (_id_ INTEGER PRIMARY KEY, overheadKind INT, "
               "objectKind INT, objectId BLOB, start INT, end INT)")  # fmt: skip
    for kind, start in ((1, 100), (65536, 200), (131072, 300), (262144, 400), (327680, 450)):
        export.sql(
            "INSERT INTO CUPTI_ACTIVITY_KIND_OVERHEAD VALUES (NULL, ?, 2, X'0102', ?, ?)",
            kind, start, start + 10,
        )  # fmt: skip
    path = export.write()
    report = open_report(path, use_store=False)
    assert kinds(report) == ["JIT compilation", "profiler", "profiler", "module load", "module load"]
    assert {p[0] for p in parts(path)} == {"host code", "launch latency"}
    assert main(["info", str(path), "--no-cache", "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["overhead"] == {
        "window_ns": 1000,
        "profiler_ns": 20,
        "profiler_pct": 2.0,
        "kinds": [
            {"kind": "profiler", "rows": 2, "ns": 20},
            {"kind": "module load", "rows": 2, "ns": 20},
            {"kind": "JIT compilation", "rows": 1, "ns": 10},
        ],
    }


def test_the_total_counts_an_instant_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """100-200 and, on another thread, 150-250 of a window 0-1000: 150 ns are 15 %."""
    export = Export(tmp_path / "x.sqlite")
    export.kernel(0, 1000)
    export.overhead("CUPTI Buffer flush", 100, 200, kind=3)
    export.overhead("CUPTI Buffer flush", 150, 250, kind=3, tid=2)
    export.overhead("CUPTI Buffer flush", 2000, 3000, kind=3)
    assert main(["info", str(export.write()), "--no-cache"]) == 0
    assert "overhead:    profiler 15.0% of the window (150 ns)" in capsys.readouterr().out


def test_no_table_is_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.kernel(0, 1000)
    assert main(["info", str(export.write()), "--no-cache", "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["overhead"] is None


times = st.tuples(st.integers(0, 80), st.integers(1, 30)).map(lambda p: (p[0], p[0] + p[1]))
CLASSES = {0: "profiler overhead", 2: "JIT compilation", 7: "module load", 8: "launch"}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.tuples(st.sampled_from([0, 2, 7, 8]), times, st.booleans()), max_size=5),
    st.lists(times, max_size=3),
    times,
)
def test_every_nanosecond_of_a_gap(
    beside: list[tuple[int, tuple[int, int], bool]], calls: list[tuple[int, int]], launch: tuple[int, int]
) -> None:
    """A gap 10-120, looked at by the nanosecond: overhead on the thread, else a call, else host code."""
    with tempfile.TemporaryDirectory() as folder:
        export = Export(Path(folder) / "x.sqlite")
        export.kernel(0, 10)
        export.launch(launch, (120, 130))
        for start, end in calls:
            export.runtime("cudaFree_v3020", start, end)
        for kind, (start, end), mine in beside:
            export.cuda_overhead("x", start, end, kind or 3, tid=1 if mine else 2)
        index = Index(open_report(export.write(), use_store=False))
        (gaps,) = find_gaps(index, Scope(work_window(index)), 0)
        blame = find_blame(index, gaps)
    begun, returned = launch
    for t in range(10, 120):
        (at,) = [i for i in range(len(blame)) if blame.start[i] <= t < blame.end[i]]
        found = BlameClass(int(blame.cause[at])).words
        here = sorted((s, -e, n) for n, (_, (s, e), mine) in enumerate(beside) if mine and s <= t < e)
        outermost = {CLASSES[beside[n][0]] for s, e, n in here if (s, e) == here[0][:2]}
        if begun > 10 and t >= begun:
            expected = outermost if outermost and t < returned else {"launch latency"}
        elif begun <= 10:
            late = {"queued"} if returned <= 10 else {"launch latency"}
            expected = outermost if outermost and t < returned and returned > 10 else late
        elif outermost:
            expected = outermost
        elif any(s <= t < e for s, e in calls):
            expected = {"memory management"}
        else:
            expected = {"host code"}
        assert found in expected, (t, found, expected)


def test_recorded_overhead_by_sql() -> None:
    """198 full command buffers, 911,969,806 ns in sum: SELECT count(*), sum(end - start)."""
    report = open_report(real_export("ddp-2gpu-2026.2"), use_store=False)
    found = find_overhead(report)
    assert set(kinds(report)) == {"command buffer full"}
    assert (len(found.start), int((found.end - found.start).sum())) == (198, 911_969_806)


def test_recorded_module_loads() -> None:
    """1,413,291,800 - 1,412,373,440 + 1,444,889,276 - 1,413,294,770 + 1,444,937,459 - 1,444,896,131."""
    report = open_report(real_export("osrt-2026.1"), use_store=False)
    totals = {
        t.kind.words: (t.rows, t.ns) for t in overhead_totals(report, 1_400_000_000, 1_500_000_000) or []
    }
    assert totals == {"module load": (3, 32_554_194)}


def test_lanes_of_overhead_are_folded_and_last(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.launch((0, 5), (10, 100))
    export.on_cpu(0, 50)
    export.overhead("TLS allocation", 10, 90)
    export.overhead("Chunk Allocation", 20, 80)
    assert main(["view", str(export.write()), "--no-cache", "--size", "100x20"]) == 0
    titles = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.startswith("  ▸")]
    assert titles == ["▸CPU", "▸profiler"]
