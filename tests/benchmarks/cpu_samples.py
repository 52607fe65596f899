"""CPU samples: those of one gap, a frame of their lane, and what a million of them with stacks take."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.benchmarks.process import run
from tests.benchmarks.table import Row, megabytes, seconds

DEEP = 8
FUNCTIONS = 2_000
EACH = 100_000
"""Nanoseconds between the samples of one thread."""
THREADS = 4


def write(path: Path, samples: int) -> Path:
    """An export of ``samples`` samples with stacks of 8 functions, of 4 threads, one of which launches."""
    from fixtures.schema import Column
    from fixtures.trace import global_id
    from fixtures.writer import Writer

    draw = random.Random(1)
    span, pace = samples // THREADS * EACH, 5_000_000
    launches = range(span // pace)
    threads = [global_id(100, 1 + i) for i in range(THREADS)]
    half = path.with_suffix(".part")
    with Writer(half) as writer:

        def table(name: str, columns: str, rows: Iterable[tuple[int, ...]]) -> None:
            writer.create(name, [Column(column) for column in columns.split()])
            writer.insert(name, columns.split(), rows)

        writer.versions()
        names = [writer.string(f"app::function_{i}(float const*)") for i in range(FUNCTIONS)]
        module, api, kernel = (writer.string(s) for s in ("/opt/app/app", "cudaLaunchKernel_v7000", "gemm"))
        table(
            "CUPTI_ACTIVITY_KIND_KERNEL",
            "start end deviceId contextId streamId correlationId globalPid demangledName shortName",
            ((n * pace, n * pace + pace // 2, 0, 1, 7, n, global_id(100), kernel, kernel) for n in launches),
        )
        table(
            "CUPTI_ACTIVITY_KIND_RUNTIME",
            "start end eventClass globalTid correlationId nameId returnValue",
            ((n * pace - 9_000, n * pace - 4_000, 0, threads[0], n, api, 0) for n in launches),
        )
        table(
            "SCHED_EVENTS",
            "start cpu isSchedIn globalTid",
            ((0 if is_in else span, i, is_in, t) for is_in in (1, 0) for i, t in enumerate(threads)),
        )
        table(
            "COMPOSITE_EVENTS",
            "id start cpu threadState globalTid cpuCycles",
            ((n + 1, n // 4 * EACH + n % 4, n % 4, 1, threads[n % 4], 1) for n in range(samples)),
        )
        stacks = [[names[draw.randrange(FUNCTIONS)] for _ in range(DEEP)] for _ in range(5_000)]
        table(
            "SAMPLING_CALLCHAINS",
            "id symbol module kernelMode unwindMethod stackDepth",
            (
                (n + 1, symbol, module, 0, 1, depth)
                for n in range(samples)
                for depth, symbol in enumerate(stacks[draw.randrange(5_000)])
            ),
        )
    half.rename(path)
    return path


def cpu_samples(path: str, cache: str) -> dict[str, Any]:
    """What the samples of one gap cost, and a frame of a lane, once they are kept."""
    import numpy as np

    from tui.analysis.cpu.hot import hot_functions
    from tui.analysis.cpu.sampling import samples
    from tui.analysis.index import Index
    from tui.report import open_report
    from tui.timeline.extra.cpu_lanes import cpu_lanes
    from tui.timeline.series import Sampled

    report = open_report(Path(path), cache_dir=Path(cache))
    index = Index(report)
    begun = time.perf_counter()
    taken = samples(index)
    read = time.perf_counter() - begun
    span = int(taken.start[-1])

    def gap(at: int) -> float:
        begun = time.perf_counter()
        low = np.array([span // 20 * at], np.int64)
        part, rows = taken.inside(low, low + 50_000_000, np.array([0]))
        hot_functions(taken, rows, part, 1)
        return time.perf_counter() - begun

    first = gap(1)
    gaps = [gap(at) for at in range(2, 18)]
    lane = next(lane for lane in cpu_lanes(report) if lane.title == "samples")
    assert lane.late is not None
    (line,) = lane.late(index)
    assert isinstance(line, Sampled)
    frames = []
    for at in range(16):
        edges = np.linspace(span // 40 * at, span, 161).astype(np.int64)
        begun = time.perf_counter()
        line.names.over(edges)
        frames.append(time.perf_counter() - begun)
    return {"read": read, "first": first, "gap": statistics.median(gaps), "frame": statistics.median(frames)}


def cpu_rows(folder: Path, *, quick: bool) -> Iterator[Row]:
    """The rows about samples."""
    folder.mkdir(parents=True, exist_ok=True)
    for count, name in ((50_000, "50k"), (100_000 if quick else 1_000_000, "100k" if quick else "1M")):
        path = folder / f"samples-{name}.sqlite"
        if not path.exists():
            write(path, count)
        arguments = {"path": str(path), "cache": str(folder / f"store-samples-{name}")}
        cold, _ = run("cpu_samples", **arguments)
        found, peak = run("cpu_samples", **arguments)
        yield Row(
            f"samples of one gap, {name} samples in all",
            f"{seconds(found['gap'])}, the first {seconds(found['first'])}",
            f"reading them {seconds(found['read'])} kept, {seconds(cold['read'])} anew",
            "20 ms" if count == 50_000 else "",
            found["gap"] <= 0.02 if count == 50_000 else None,
        )
        yield Row(f"samples of a lane, {name}, 160 cells", seconds(found["frame"]))
        if count > 50_000:
            yield Row(
                f"{name} samples with stacks of {DEEP}, kept",
                f"{megabytes(peak.anonymous)} anonymous, {megabytes(peak.resident)} resident",
                "",
                "250 MB",
                peak.anonymous <= 250e6,
            )
