"""Summaries of ranks, written down by hand: times in ns, unknown left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from tui.analysis.blame import BlameClass
from tui.intervals import subtract, union
from tui.ranks.rank_set import Member, Rank, RankSet, RankSource, Run
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
from tui.report.kernels.class_table import KernelClass

Span = tuple[int, int]


def ints(values: Sequence[int]) -> np.ndarray:
    return np.asarray(values, np.int64)


@dataclass
class MadeStep:
    """One step and what is in it. Device spans are in no order and may overlap."""

    start: int
    end: int
    compute: list[Span] = field(default_factory=list)
    comm: list[Span] = field(default_factory=list)
    copies: list[Span] = field(default_factory=list)
    name: str = "train_step"
    kernels: int | None = None
    phases: dict[str, tuple[int, int, int]] = field(default_factory=dict)
    """Label: host, MPI and device time."""
    blame: dict[tuple[BlameClass, str | None, str | None], int] = field(default_factory=dict)
    unfinished: bool = False
    classes: dict[KernelClass, int] = field(default_factory=dict)


def covered(spans: Sequence[Span], low: int, high: int) -> int:
    s, e = union([max(a, low) for a, _ in spans], [min(b, high) for _, b in spans])
    return int((e - s).sum())


def make_rank(
    steps: Sequence[MadeStep],
    *,
    host_only: bool = False,
    pid: int = 100,
    operation: str = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
    devices: int = 1,
    warm_up: int = 0,
) -> RankSummary:
    """Return the summary of a rank with these steps; ``comm`` of a host-only one are its MPI calls."""
    names: dict[str, int] = {}

    def number(name: str | None) -> int:
        return -1 if name is None else names.setdefault(name, len(names))

    compute = [span for step in steps for span in step.compute]
    comm = sorted(span for step in steps for span in step.comm)
    copies = [span for step in steps for span in step.copies]
    busy = union(ints([a for a, _ in compute]), ints([b for _, b in compute]))
    alone = subtract(union(ints([a for a, _ in comm]), ints([b for _, b in comm])), busy)
    owner = [next((i for i, (a, b) in enumerate(comm) if a <= s < b), -1) for s in alone.start.tolist()]
    columns: dict[str, list[int]] = {name: [] for name in ("compute", "exposed", "copies", "idle", "hidden")}
    for step in steps:
        whole = {"compute": compute, "kernels": compute + comm, "all": compute + comm + copies, "comm": comm}
        ns = {name: covered(spans, step.start, step.end) for name, spans in whole.items()}
        columns["compute"].append(ns["compute"])
        columns["exposed"].append(ns["kernels"] - ns["compute"])
        columns["copies"].append(ns["all"] - ns["kernels"])
        columns["idle"].append(step.end - step.start - ns["all"])
        columns["hidden"].append(ns["comm"] - columns["exposed"][-1])
    zero = ints([0] * len(steps))
    known = {name: None if host_only and name != "exposed" else ints(v) for name, v in columns.items()}
    classes = [[step.classes.get(c, 0) for c in KernelClass] for step in steps]
    labels = [number(step.name) for step in steps]
    counts = [len(s.compute) + len(s.comm) if s.kernels is None else s.kernels for s in steps]
    columns_of_steps = StepColumns(
        number=np.arange(1, len(steps) + 1),
        label=np.asarray(labels, np.int32),
        start=ints([s.start for s in steps]),
        end=ints([s.end for s in steps]),
        unfinished=np.asarray([s.unfinished for s in steps], bool),
        other=None if host_only else zero,
        unknown=None if host_only else zero,
        kernels=None if host_only else ints(counts),
        launches=None if host_only else ints(counts),
        class_ns=None if host_only else ints(classes).reshape(len(steps), len(KernelClass)),
        **known,
    )
    of_step = [next((i for i, s in enumerate(steps) if s.start <= a < s.end), -1) for a, _ in comm]
    none = np.full(len(comm), -1, np.int64)
    collectives = Collectives(
        start=ints([a for a, _ in comm]),
        end=ints([b for _, b in comm]),
        name=np.full(len(comm), number("MPI_Allreduce" if host_only else operation), np.int32),
        lane=np.zeros(len(comm), np.int32),
        communicator=none,
        sequence=none,
        bytes=none,
        step=np.asarray(of_step, np.int32),
    )
    phases = [(i, number(name), *ns) for i, s in enumerate(steps) for name, ns in s.phases.items()]
    blame = [
        (i, int(cause), number(call), number(phase), ns)
        for i, s in enumerate(steps)
        for (cause, call, phase), ns in s.blame.items()
    ]
    p, b = ints(phases).reshape(-1, 5), ints(blame).reshape(-1, 5)
    every = [*compute, *comm, *copies, *((s.start, s.end) for s in steps)]
    window = (min((a for a, _ in every), default=0), max((e for _, e in every), default=0))
    facts = DeviceFacts(0, "NVIDIA H100", None, None, covered(compute, *window), covered(every, *window))
    empty = np.zeros(0, np.int64)
    return RankSummary(
        process=0,
        pid=pid,
        process_name="python",
        devices=() if host_only else (facts,) * devices,
        host_only=host_only,
        window=window,
        totals={},
        step_name="train_step" if steps else None,
        warm_up=warm_up,
        names=tuple(names),
        lanes=(CommLane(True, -1, 100),) if host_only else (CommLane(False, 0, 13),),
        steps=columns_of_steps,
        collectives=collectives,
        pieces=ExposedPieces(alone.start, alone.end, np.asarray(owner, np.int32)),
        kernels=KernelRows(
            empty.astype(np.int32), empty.astype(np.uint8), empty, empty, empty, empty,
            empty.astype(np.float64), np.zeros((0, 64), np.int64), empty, empty,
        ),
        blame=BlameRows(
            b[:, 0].astype(np.int32), b[:, 1].astype(np.uint8), b[:, 2].astype(np.int32),
            b[:, 3].astype(np.int32), b[:, 4],
        ),
        phases=PhaseRows(p[:, 0].astype(np.int32), p[:, 1].astype(np.int32), p[:, 2], p[:, 3], p[:, 4]),
        strip=np.zeros((STRIP_BINS, 5), np.uint16),
    )  # fmt: skip


def make_set(
    ranks: Sequence[RankSummary | None], *, hosts: Sequence[str] = ("node-a",), expected: int | None = None
) -> RankSet:
    """Return a set of one run, a report a rank, all with one clock; None: that rank has no report.

    ``hosts``: the ranks are spread over them in blocks.
    """
    members: list[Member] = []
    found: list[Rank] = []
    block = -(-len(ranks) // len(hosts))
    for number, rank in enumerate(ranks):
        if rank is None:
            continue
        host = hosts[number // block]
        identity = {"host": host, "utc_ns": 0, "system_ns": None, "shift_ns": 0}
        summary = ReportSummary(f"key{number}", rank.window, identity, {}, 0, (), (), (rank,))
        found.append(
            Rank(number, RankSource.ENVIRONMENT, host, number % block, None, len(members), rank, str(number))
        )
        members.append(Member(Path(f"rank{number}.sqlite"), summary))
    missing = tuple(number for number, rank in enumerate(ranks) if rank is None)
    run = Run("", tuple(found), RankSource.ENVIRONMENT, "RANK", expected or len(ranks), missing)
    return RankSet(tuple(members), (run,), ())
