"""MPI calls: what a thread was doing, and what a gap is put down to."""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.export import Export
from tests.support.real import real_export
from tui.analysis.blame import BlameClass, find_blame
from tui.analysis.gaps import find_gaps
from tui.analysis.index import Doing, Index
from tui.analysis.scope import Scope
from tui.analysis.work_window import work_window
from tui.report import open_report

Interval = tuple[int, int]
times = st.tuples(st.integers(0, 30), st.integers(1, 9)).map(lambda p: (p[0], p[0] + p[1]))
calls = st.lists(st.tuples(st.sampled_from(["cuda", "mpi", "os"]), times), max_size=9)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(calls)
def test_what_a_thread_was_doing_at_every_nanosecond(story: list[tuple[str, Interval]]) -> None:
    """A CUDA call, else an MPI call, else an OS call; of several the outermost."""
    with tempfile.TemporaryDirectory() as folder:
        export = Export(Path(folder) / "x.sqlite")
        export.runtime("cudaFree", 100, 101)
        export.osrt("poll", 100, 101)
        for number, (kind, (start, end)) in enumerate(story):
            if kind == "cuda":
                export.runtime(f"cudaFree{number}", start, end)
            elif kind == "os":
                export.osrt(f"read{number}", start, end)
            else:
                table = "MPI_P2P_EVENTS" if number % 2 else "MPI_OTHER_EVENTS"
                export.mpi(f"MPI_{number}", start, end, table=table)
        report = open_report(export.write(), use_store=False)
        index = Index(report)
        found = index.activity(0)
        tables = (report.calls, index.mpi_calls, report.os_calls)
        names = [
            report.strings[int(tables[doing].name[source])]
            for doing, source in zip(found.doing.tolist(), found.source.tolist(), strict=True)
        ]
    spans = list(zip(found.start.tolist(), found.end.tolist(), names, strict=True))
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    words = {"cuda": "cudaFree", "mpi": "MPI_", "os": "read"}
    for t in range(40):
        here = [(kind, n, when) for n, (kind, when) in enumerate(story) if when[0] <= t < when[1]]
        expected: str | None = None
        for kind in ("cuda", "mpi", "os"):
            mine = [(when[0], -when[1], n) for k, n, when in here if k == kind]
            if mine:
                first = min(mine)[:2]
                expected = kind
                allowed = {f"{words[kind]}{n}" for low, high, n in mine if (low, high) == first}
                break
        now = [name for start, end, name in spans if start <= t < end]
        if expected is None:
            assert now == []
        else:
            assert len(now) == 1
            assert now[0] in allowed


def test_an_mpi_call_is_a_class_of_its_own(tmp_path: Path) -> None:
    """K 0-100, MPI 150-400 with a poll 200-390 inside, malloc 420-440, poll 450-460; K launched at 500."""
    export = Export(tmp_path / "x.sqlite")
    export.launch((0, 1), (0, 100))
    export.mpi("MPI_Allreduce", 150, 400)
    export.osrt("poll", 200, 390)
    export.runtime("cudaMalloc_v3020", 420, 440)
    export.osrt("poll", 450, 460)
    export.launch((500, 510), (520, 600))
    index = Index(open_report(export.write(), use_store=False))
    (gaps,) = find_gaps(index, Scope(work_window(index)), 0)
    blame = find_blame(index, gaps)
    strings = index.report.strings
    assert [
        (BlameClass(c).words, strings[n] if n >= 0 else None, d)
        for c, n, d in zip(blame.cause.tolist(), blame.call.tolist(), blame.ns.tolist(), strict=True)
    ] == [
        ("host code", None, 50),
        ("MPI call", "MPI_Allreduce", 250),
        ("host code", None, 20),
        ("memory management", "cudaMalloc_v3020", 20),
        ("host code", None, 10),
        ("OS call", "poll", 10),
        ("host code", None, 40),
        ("launch latency", "cudaLaunchKernel_v7000", 20),
    ]


def test_words_of_all_classes() -> None:
    assert [cause.words for cause in BlameClass] == [
        "synchronisation", "memory management", "blocking copy", "launch", "other CUDA call", "OS call",
        "host code", "launch latency", "queued", "no later work", "unknown", "MPI call",
        "host code, off CPU", "profiler overhead", "JIT compilation", "module load", "GIL", "other context",
    ]  # fmt: skip


def test_calls_of_a_recorded_rank() -> None:
    """42 collectives and 2 other calls on one thread: SELECT count(*) of both tables."""
    index = Index(open_report(real_export("ranks-mpi-2023.4/healthy-rank0"), use_store=False))
    assert len(index.mpi_calls.start) == 44
    thread = int(index.mpi_calls.thread[0])
    found = index.activity(thread)
    inside = found.doing == Doing.MPI_CALL
    assert inside.sum() >= 44


def test_early_versions_put_mpi_calls_among_the_ranges() -> None:
    """One MPI_Init, 10 MPI_Send, 5 MPI_Recv and one MPI_Finalize, of 24 NVTX rows."""
    index = Index(open_report(real_export("saxpy-mpi-all-tables-2022.2"), use_store=False))
    assert len(index.mpi_calls.start) == 17
    names = {index.report.strings[int(n)] for n in index.mpi_calls.name}
    assert names == {"MPI_Init", "MPI_Send", "MPI_Recv", "MPI_Finalize"}
