"""Host code in gaps: what ran and what waited, its hot function, and who made the calls."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cpu.conftest import Answer, index_of
from tests.support.export import Export
from tui.analysis.blame import BlameClass, find_blame
from tui.analysis.cpu.blame_parts import divided
from tui.analysis.gaps import find_gaps
from tui.analysis.window import make_scope
from tui.cli import main

LIBC = "/lib/libc-2.31.so"


def reasons(blame: list[dict[str, Any]], *keys: str) -> list[tuple[Any, ...]]:
    return [tuple(row[key] for key in keys) for row in blame]


@pytest.fixture
def late(export: Export) -> Export:
    """A gap from 1,000 to 11,000: 4,000 ns of host code that ran, 4,000 that did not, 1,500 in a read."""
    export.launch((0, 10), (20, 1_000))
    export.osrt("read", 2_000, 3_500, callchainId=1)
    export.chain("OSRT", 1, [("__read", LIBC), "load_batch", "main"])
    export.launch((10_500, 10_600), (11_000, 12_000))
    export.on_cpu(None, 2_100)
    export.on_cpu(3_400, 6_500)
    export.on_cpu(10_500, None)
    for at in (1_500, 4_000, 4_500):
        export.sample(at, ["postprocess(float const*)", "main"])
    export.sample(5_000, ["decode", "main"])
    export.sample(2_050, [("__read", LIBC)])  # within the call: no sample of host code
    return export


def test_divided(late: Export, answer: Answer) -> None:
    found = answer("gaps", late.write(), "--min-gap", "1us", "--cpu")
    (device,) = found["devices"]
    keys = ("class", "call", "idle_ns", "on_cpu_ns")
    assert reasons(device["blame"], *keys) == [
        ("host code", None, 4_000, 4_000),
        ("host code, off CPU", None, 4_000, 0),
        ("OS call", "read", 1_500, 200),
        ("launch latency", "cudaLaunchKernel", 500, 500),
    ]
    hot = {"name": "postprocess(float const*)", "module": "app", "count": 3, "samples": 4}
    assert reasons(device["blame"], "hot", "caller") == [
        (hot, None),
        (None, None),
        (None, {"name": "load_batch", "module": "app"}),
        (None, None),
    ]
    (gap,) = device["gaps"]
    assert reasons(gap["blame"], "class", "ns", "on_cpu_ns") == reasons(
        device["blame"], "class", "idle_ns", "on_cpu_ns"
    )
    assert found["cpu"] is True


def test_without_the_option_only_the_time_on_a_cpu_is_said(late: Export, answer: Answer) -> None:
    found = answer("gaps", late.write(), "--min-gap", "1us")
    (device,) = found["devices"]
    assert reasons(device["blame"], "class", "idle_ns", "on_cpu_ns") == [
        ("host code", 8_000, 4_000),
        ("OS call", 1_500, 200),
        ("launch latency", 500, 500),
    ]
    assert "hot" not in device["blame"][0]
    assert "cpu" not in found


def test_without_scheduling_nothing_is_divided(late: Export, answer: Answer) -> None:
    late.drop("SCHED_EVENTS")
    (device,) = answer("gaps", late.write(), "--min-gap", "1us", "--cpu")["devices"]
    assert reasons(device["blame"], "class", "idle_ns", "on_cpu_ns") == [
        ("host code", 8_000, None),
        ("OS call", 1_500, None),
        ("launch latency", 500, None),
    ]
    assert device["blame"][0]["hot"]["name"] == "postprocess(float const*)"


def test_two_samples_are_too_few_for_a_hot_function(export: Export, answer: Answer) -> None:
    export.launch((0, 10), (20, 1_000))
    export.launch((10_500, 10_600), (11_000, 12_000))
    for at in (2_000, 3_000):
        export.sample(at, ["decode"])
    (device,) = answer("gaps", export.write(), "--min-gap", "1us", "--cpu")["devices"]
    assert reasons(device["blame"], "class", "hot")[0] == ("host code", None)


def test_as_a_table_and_as_csv(late: Export, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(late.write())
    assert main(["gaps", path, "--min-gap", "1us", "--cpu", "--no-cache", "--ascii"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "host code 40.0%, host code, off CPU 40.0%, OS call 15.0%" in text
    assert (
        main(["gaps", path, "--min-gap", "1us", "--cpu", "--no-cache", "--table", "blame", "-f", "csv"]) == 0
    )
    assert capsys.readouterr().out.splitlines() == [
        "Idle (ns),Share (%),Gaps,Class,Call,Phase,On CPU (ns),Hot function,Caller",
        "4000,40.0,1,host code,,,4000,postprocess(float const*),",
        '4000,40.0,1,"host code, off CPU",,,0,,',
        "1500,15.0,1,OS call,read,,200,,load_batch",
        "500,5.0,1,launch latency,cudaLaunchKernel,,500,,",
    ]
    assert main(["gaps", path, "--min-gap", "1us", "--cpu", "--no-cache", "-f", "csv"]) == 0
    header, row = capsys.readouterr().out.splitlines()
    assert header.endswith(",After,On CPU (ns),Hot function,Caller")
    assert row.endswith(",4000,postprocess(float const*),")


CALLS = st.lists(st.tuples(st.integers(0, 90), st.integers(1, 9), st.sampled_from("co")), max_size=6)
SCHED = st.lists(st.tuples(st.integers(0, 100), st.booleans()), max_size=8, unique_by=lambda e: e[0])


@settings(deadline=None)
@given(CALLS, SCHED, st.lists(st.integers(1, 99), min_size=1, max_size=3))
def test_a_divided_class_keeps_every_sum(
    calls: list[tuple[int, int, str]], sched: list[tuple[int, bool]], launches: list[int]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        export = Export(Path(folder) / "x.sqlite")
        export.kernel(0, 1)
        for at in launches:
            export.launch((at, at + 1), (at + 2, at + 3))
        for start, length, kind in calls:
            if kind == "c":
                export.runtime("cudaFree_v3020", start, start + length)
            else:
                export.osrt("read", start, start + length)
        for at, is_in in sched:
            export.on_cpu(*((at, None) if is_in else (None, at)))
        index = index_of(export.write())
    scope = make_scope(index.report, "/", index=index)
    (gaps,) = find_gaps(index, scope, 0)
    whole = find_blame(index, gaps)
    parts = divided(index, whole)
    for gap in range(len(gaps)):
        for causes in ((BlameClass.HOST_CODE, BlameClass.HOST_CODE_OFF_CPU), *[(c,) for c in range(6)]):
            before, after = (
                sum(
                    end - start
                    for g, start, end, cause in zip(
                        *(getattr(blame, c).tolist() for c in ("gap", "start", "end", "cause")), strict=True
                    )
                    if g == gap and cause in causes
                )
                for blame in (whole, parts)
            )
            assert before == after
    events = sorted(sched)
    for start, end, cause in zip(parts.start.tolist(), parts.end.tolist(), parts.cause.tolist(), strict=True):
        if events and cause in (BlameClass.HOST_CODE, BlameClass.HOST_CODE_OFF_CPU):
            for now in range(start, end):
                before = [is_in for at, is_in in events if at <= now]
                is_on = before[-1] if before else not events[0][1]
                assert is_on == (cause == BlameClass.HOST_CODE)
