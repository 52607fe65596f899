"""Samples, scheduling and backtraces of real captures, beside plain SQL."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cpu.conftest import Answer, index_of
from tests.support.real import real_export
from tui.analysis.cpu.callers import cuda_backtraces, os_backtraces
from tui.analysis.cpu.frames import FrameKind
from tui.analysis.cpu.sampling import samples
from tui.report.classify import base_api_name

SAMPLED = ["cpu-2023.4/cpu-samples", "osrt-sampling-2021.3", "osrt-2026.1", "saxpy-mpi-all-tables-2022.2"]
_LEAVES = """
    SELECT e.globalTid, e.start, s.value, m.value FROM COMPOSITE_EVENTS e
    JOIN SAMPLING_CALLCHAINS c ON c.id = e.id AND c.stackDepth = 0
    JOIN StringIds s ON s.id = c.symbol JOIN StringIds m ON m.id = c.module
"""


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as db:
        yield db


def shown(symbol: str, module: str) -> str:
    """What a leaf is called, worked out apart from the code under test."""
    file = module.rpartition("/")[2]
    if module == "[vdso]":
        return "clock reads (vdso)"
    if re.fullmatch("0x[0-9a-f]*", symbol):
        return {"[kernel.kallsyms]": "kernel (unresolved)", "[Unknown]": "[Unknown]"}.get(
            module, f"{file} (unresolved)"
        )
    return symbol


@pytest.mark.parametrize("name", SAMPLED)
def test_leaves_are_those_of_sql(name: str, answer: Answer) -> None:
    path = real_export(name)
    found = answer("samples", path, "--range", "/", "--per", "thread")
    low, high = (found["window"][edge] for edge in ("start_ns", "end_ns"))
    with opened(path) as db:
        expected = Counter(
            (thread & 0xFFFFFF, shown(symbol, module))
            for thread, start, symbol, module in db.execute(_LEAVES)
            if low <= start < high
        )
    counted: Counter[tuple[int, str]] = Counter()
    for row in found["rows"]:
        counted[row["tid"], row["name"]] += row["samples"]
    assert counted == expected
    assert found["coverage"]["samples"] == expected.total() > 10


def test_the_hot_function_of_the_forward_phase(answer: Answer) -> None:
    path = real_export("cpu-2023.4/cpu-samples")
    found = answer("samples", path, "--per", "phase")
    forward = [(row["name"], row["samples"]) for row in found["rows"] if row["phase"] == "forward"]
    with opened(path) as db:
        ranges = db.execute(
            "SELECT start, end, n.globalTid FROM NVTX_EVENTS n LEFT JOIN StringIds s ON s.id = n.textId "
            "WHERE n.eventType = 59 AND coalesce(n.text, s.value) = 'forward'"
        ).fetchall()
        leaves = db.execute(_LEAVES).fetchall()
    expected = Counter(
        shown(symbol, module)
        for thread, start, symbol, module in leaves
        if any(low <= start < high and thread == owner for low, high, owner in ranges)
    )
    assert len(ranges) == 30
    assert dict(forward) == expected
    assert forward[:2] == [("clock reads (vdso)", 31), ("_PyEval_EvalFrameDefault", 19)]
    assert sum(count for _, count in forward) == expected.total() == 86


@pytest.mark.parametrize("name", SAMPLED)
def test_samples_lie_inside_the_time_on_a_cpu(name: str) -> None:
    from tui.analysis.cpu.scheduling import scheduling

    index = index_of(real_export(name))
    taken, running = samples(index), scheduling(index)
    inside = running.on_cpu(taken.start, taken.start + 1, taken.positions)
    assert inside.tolist() == [1] * len(taken)


@pytest.mark.parametrize("name", SAMPLED)
def test_time_on_a_cpu_is_that_of_sql(name: str, answer: Answer) -> None:
    path = real_export(name)
    found = answer("threads", path, "--range", "/")
    low, high = (found["window"][edge] for edge in ("start_ns", "end_ns"))
    on: Counter[int] = Counter()
    switches: Counter[int] = Counter()
    with opened(path) as db:
        rows = db.execute("SELECT globalTid, start, isSchedIn FROM SCHED_EVENTS ORDER BY start").fetchall()
    for thread in {row[0] for row in rows}:
        events = [(start, is_in) for owner, start, is_in in rows if owner == thread]
        state, since = not events[0][1], low
        for start, is_in in [*events, (high, 0)]:
            on[thread & 0xFFFFFF] += (min(max(start, low), high) - since) * state
            since, state = min(max(start, low), high), bool(is_in)
            switches[thread & 0xFFFFFF] += bool(is_in) and low < start < high
    got = {row["tid"]: row for row in found["rows"] if row["on_cpu_ns"] is not None}
    assert {tid: row["on_cpu_ns"] for tid, row in got.items()} == dict(on)
    assert {tid: row["switches"] for tid, row in got.items()} == {tid: switches[tid] for tid in on}
    assert {row["on_cpu_ns"] + row["off_cpu_ns"] for row in got.values()} == {high - low}


@pytest.mark.parametrize("name", SAMPLED[:3])
def test_os_backtraces_are_those_of_sql(name: str) -> None:
    path = real_export(name)
    index = index_of(path)
    traces, calls = os_backtraces(index), index.report.os_calls
    frames = traces.stacks.tree.frames
    found = {
        int(calls.rowid[i]): frames.name[traces.stacks.tree.frame[node]]
        for i, node in enumerate(traces.node.tolist())
        if node >= 0
    }
    with opened(path) as db:
        expected = {
            rowid: shown(symbol, module)
            for rowid, symbol, module in db.execute(
                "SELECT o.rowid, s.value, m.value FROM OSRT_API o JOIN OSRT_CALLCHAINS c "
                "ON c.id = o.callchainId AND c.stackDepth = 0 JOIN StringIds s ON s.id = c.symbol "
                "JOIN StringIds m ON m.id = c.module WHERE o.eventClass = 27 AND o.callchainId > 0"
            )
        }
    assert found == expected
    assert len(found) == {"cpu-samples": 182, "osrt-sampling-2021.3": 105, "osrt-2026.1": 347}[path.stem]


def test_cuda_backtraces_that_are_off_by_one() -> None:
    index = index_of(real_export("saxpy-mpi-all-tables-2022.2"))
    traces, calls = cuda_backtraces(index), index.report.calls
    tree = traces.stacks.tree
    named = 0
    for node, name in zip(traces.node.tolist(), calls.name.tolist(), strict=True):
        if node >= 0:
            api = base_api_name(index.report.strings[name])
            named += api in [tree.frames.name[frame] for frame in tree.path(node)]
    assert named == int((traces.node >= 0).sum()) == 38


def test_a_gap_of_host_code_names_its_function(answer: Answer) -> None:
    """The longest gap of this capture: 968 samples, 605 of them in main, 90 in std::abs."""
    path = real_export("saxpy-mpi-all-tables-2022.2")
    found = answer("samples", path, "--per", "gap")
    first = found["rows"][0]["start_ns"]
    rows = [(row["name"], row["samples"]) for row in found["rows"] if row["start_ns"] == first]
    assert rows[:2] == [("main", 605), ("std::abs(double)", 90)]
    assert sum(count for _, count in rows) == 968
    (device,) = answer("gaps", path, "--cpu")["devices"]
    host = device["blame"][0]
    assert (host["class"], host["on_cpu_ns"] == host["idle_ns"], host["hot"]["name"]) == (
        "host code",
        True,
        "main",
    )


def test_a_launch_that_blocked_is_seen_by_its_time_on_a_cpu(answer: Answer) -> None:
    """8,722,676 ns, of which 448,801 on a CPU; the first 107,346 ns of them loaded code, on the CPU."""
    (device,) = answer("gaps", real_export("osrt-2026.1"))["devices"]
    launch: dict[str, Any] = device["blame"][0]
    assert (launch["class"], launch["idle_ns"], launch["on_cpu_ns"]) == ("launch latency", 8_615_330, 341_455)
    loads = [
        (part["idle_ns"], part["on_cpu_ns"]) for part in device["blame"] if part["class"] == "module load"
    ]
    assert loads == [(66_018, 66_018), (41_328, 41_328)]


def test_one_sample_in_four_has_a_stack(answer: Answer) -> None:
    """This capture says that each has one: what a row says of its unwinding decides."""
    found = answer("samples", real_export("cloverleaf-2024.5"), "--range", "/")
    index = index_of(real_export("cloverleaf-2024.5"))
    assert index.report.capture["LINUX_PERF_OPTIONS:SAMPLES_PER_BACKTRACE"] == "1"
    taken = samples(index)
    assert (len(taken), int((~taken.address_only).sum())) == (1_531, 382)
    assert (taken.kind == FrameKind.KERNEL).any()
    assert found["coverage"]["period_cycles"] == 2_450_000
