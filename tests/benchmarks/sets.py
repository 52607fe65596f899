"""Sets of reports that are measured: copies of one export, and summaries without any report behind them."""

from __future__ import annotations

import shutil
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np

from fixtures.big import Size, build
from tui.analysis.index import Comm
from tui.ranks.one_report import Choices, content_key, file_summary
from tui.ranks.summary import (
    STRIP_BINS,
    BlameRows,
    Collectives,
    CommLane,
    DeviceFacts,
    ExposedPieces,
    KernelRows,
    PhaseRows,
    RankSummary,
    ReportSummary,
    StepColumns,
)
from tui.ranks.summary_file import pack
from tui.report.kernels.class_table import KernelClass

RANKS_A_HOST = 8
STEP_NS = 100_000_000
PAGE = 4096
REPORT_BYTES = 2 << 20
SLOW = 7
"""The rank that comes last to every collective."""


def copies(folder: Path, count: int, kernels: int) -> list[Path]:
    """``count`` reports of ``kernels`` kernels that differ in a word of their header; made once."""
    folder.mkdir(parents=True, exist_ok=True)
    first = folder / "rank0.sqlite"
    if not first.exists():
        part = first.with_suffix(".part")
        part.unlink(missing_ok=True)
        build(part, Size(kernels=kernels, devices=1))
        part.rename(first)
    paths = [folder / f"rank{number}.sqlite" for number in range(count)]
    for number, path in enumerate(paths):
        if not path.exists():
            shutil.copyfile(first, path)
            with closing(sqlite3.connect(path)) as db:
                db.execute(f"PRAGMA user_version = {number}")
    return paths


def summarised(folder: Path, cache: Path, ranks: int, steps: int, collectives: int) -> list[Path]:
    """Files that look like reports of 2 MB, of which the store has the summaries; made once."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"rank{number}.sqlite" for number in range(ranks)]
    for number, path in enumerate(paths):
        if path.exists():
            continue
        with path.with_suffix(".part").open("wb") as stream:  # one page, and a hole
            stream.write(_header(number, REPORT_BYTES // PAGE))
            stream.truncate(REPORT_BYTES)
        path.with_suffix(".part").rename(path)
        key = content_key(path)[0]
        data = pack(_summary(key, number, ranks, steps, collectives), path)
        outcome = file_summary(key, data, Choices(cache))
        assert outcome.data is None, "the store took it"
    return paths


def _header(number: int, pages: int) -> bytes:
    """The first page of an SQLite database with so many pages and this number for its user."""
    head = bytearray(PAGE)
    head[:16] = b"SQLite format 3\0"
    struct.pack_into(">HBBBBBB", head, 16, PAGE, 1, 1, 0, 64, 32, 32)
    struct.pack_into(">II", head, 24, 1, pages)
    struct.pack_into(">I", head, 60, number)
    struct.pack_into(">I", head, 92, 1)
    return bytes(head)


def _summary(key: str, rank: int, ranks: int, steps: int, collectives: int) -> ReportSummary:
    host, local = divmod(rank, RANKS_A_HOST)
    variables = {"RANK": str(rank), "WORLD_SIZE": str(ranks), "LOCAL_RANK": str(local)}
    purposes = (("rank", "RANK", rank), ("ranks", "WORLD_SIZE", ranks), ("local_rank", "LOCAL_RANK", local))
    return ReportSummary(
        key=key,
        span=(0, steps * STEP_NS),
        identity={
            "host": f"node-{host:03d}",
            "variables": variables,
            "environment": {purpose: {"variable": name, "value": n} for purpose, name, n in purposes},
            "mpi_ranks": {},
            "nccl": {},
            "expected": ranks,
            "hw_id": None,
            "utc_ns": 1_700_000_000_000_000_000 + 137_000 * host,
            "system_ns": None,
            "counter": None,
            "shift_ns": 0,
        },
        versions={"nsys": "2026.2.1", "schema": "3.25.0"},
        doubtful=0,
        notes=(),
        tables=("CUPTI_ACTIVITY_KIND_KERNEL",),
        ranks=(_rank(rank, steps, collectives),),
        options={"comm": Comm.CLASS.value, "step": None},
    )


def _names() -> Iterator[str]:
    yield "train_step"
    yield "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)"
    yield from ("forward", "backward", "optimizer", "cudaStreamSynchronize")
    for kernel in range(40):
        yield f"void cutlass::Kernel2<cutlass_80_tensorop_s16816gemm_bf16_{kernel}x128_nn_align8>(Params)"


def _rank(rank: int, steps: int, collectives: int) -> RankSummary:
    """A rank that computes for half of each step, and communicates now and then."""
    dice = np.random.default_rng(rank)
    each = collectives // steps
    step = np.arange(steps)
    start = step * STEP_NS + dice.integers(0, 1000, steps)
    end = start + STEP_NS - 2000
    of = np.repeat(step, each)
    ends = start[of] + (np.tile(np.arange(each), steps) + 1) * (STEP_NS // (each + 1))
    duration = dice.integers(20_000, 30_000, len(of)) if rank != SLOW else dice.integers(8000, 9000, len(of))
    exposed = np.bincount(of, duration, steps).astype(np.int64)
    zero, none = np.zeros(steps, np.int64), np.full(len(of), -1, np.int64)
    compute = np.full(steps, STEP_NS // 2)
    classes = np.zeros((steps, len(KernelClass)), np.int64)
    classes[:, :8] = dice.integers(1, STEP_NS // 20, (steps, 8))
    kernels = np.arange(40, dtype=np.int64)
    strip = np.zeros((STRIP_BINS, 5), np.uint16)
    strip[:, 0], strip[:, 1] = 32767, dice.integers(0, 16000, STRIP_BINS)
    idle = end - start - compute - exposed
    return RankSummary(
        process=0,
        pid=1000 + rank,
        process_name="python",
        devices=(DeviceFacts(0, "NVIDIA H100", None, None, int(compute.sum()), int(compute.sum())),),
        host_only=False,
        window=(int(start[0]), int(end[-1])),
        totals={
            "compute": int(compute.sum()),
            "exposed": int(exposed.sum()),
            "copies": 0,
            "other": 0,
            "unknown": 0,
            "idle": int(end[-1] - start[0] - compute.sum() - exposed.sum()),
        },
        step_name="train_step",
        warm_up=0,
        names=tuple(_names()),
        lanes=(CommLane(False, 0, 20),),
        steps=StepColumns(
            number=step + 1,
            label=np.zeros(steps, np.int32),
            start=start,
            end=end,
            unfinished=np.zeros(steps, bool),
            compute=compute,
            exposed=exposed,
            copies=zero,
            other=zero,
            unknown=zero,
            idle=idle,
            hidden=zero,
            kernels=np.full(steps, 1000),
            launches=np.full(steps, 1000),
            class_ns=classes,
        ),
        collectives=Collectives(
            start=ends - duration,
            end=ends,
            name=np.ones(len(of), np.int32),
            lane=np.zeros(len(of), np.int32),
            communicator=none,
            sequence=none,
            bytes=none,
            step=of.astype(np.int32),
        ),
        pieces=ExposedPieces(ends - duration, ends, np.arange(len(of), dtype=np.int32)),
        kernels=KernelRows(
            name=(6 + kernels).astype(np.int32),
            kernel_class=(kernels % 8).astype(np.uint8),
            calls=kernels + 1,
            total=(kernels + 1) * 1000,
            shortest=kernels + 1,
            longest=kernels + 2000,
            squares=kernels.astype(np.float64),
            buckets=np.ones((40, 64), np.int64),
            step_calls=kernels,
            step_total=kernels * 1000,
        ),
        blame=BlameRows(
            step=step.astype(np.int32),
            cause=np.full(steps, 6, np.uint8),
            call=np.full(steps, -1, np.int32),
            phase=np.full(steps, 2, np.int32),
            ns=idle,
        ),
        phases=PhaseRows(
            step=np.repeat(step, 3).astype(np.int32),
            phase=np.tile(np.array([2, 3, 4], np.int32), steps),
            host_ns=np.full(3 * steps, STEP_NS // 4),
            mpi_ns=np.zeros(3 * steps, np.int64),
            device_ns=np.full(3 * steps, STEP_NS // 5),
        ),
        strip=strip,
    )
