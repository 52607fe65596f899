"""Small sets of ranks made by hand, with every figure known: no report, no matching, no clock."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.ranks.make import identity
from tui.browse.ranks.build import judged_scene, set_name
from tui.browse.ranks.scene import Absent, Communicator, RankFacts, Scene, Shift, Waits
from tui.ranks.rank_set import Member, Rank, RankSource
from tui.ranks.reduce import judge
from tui.ranks.runs import build_set
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
    State,
    StepColumns,
)

MS = 1_000_000
STEPS = 40
STEP = 512_400_000
"""Every rank's step: they all end when the slowest does."""
TRANSFER = 58_100_000
COPIES = 3_200_000
COMPUTE = 331_000_000
IDLE = 31_700_000
"""An ordinary rank's; it waits the rest of the step."""
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
LATE_IDLE, LATE_COMPUTE = 118_300_000, 332_800_000
"""Those of the late rank, which waits for nobody: 118.3 + 332.8 + 3.2 + 58.1 = 512.4 ms."""


def summary_of(idle: int, compute: int, *, pid: int, steps: int = STEPS, lead: int = 100 * MS) -> RankSummary:
    """A rank whose every step is idle, then copies, compute, one all-reduce with its wait.

    The capture begins ``lead`` before the first step.
    """
    start = lead + np.arange(steps, dtype=np.int64) * STEP
    end = start + STEP
    copies_at, compute_at = start + idle, start + idle + COPIES
    comm_at = compute_at + compute
    span = (0, lead + steps * STEP)
    none32, none64 = np.zeros(0, np.int32), np.zeros(0, np.int64)
    fixed = lambda value: np.full(steps, value, np.int64)  # noqa: E731
    strip = np.zeros((STRIP_BINS, len(State)), np.uint16)
    edges = np.linspace(span[0], span[1], STRIP_BINS + 1)
    for state, low, high in (
        (State.IDLE, start, copies_at), (State.COPIES, copies_at, compute_at),
        (State.COMPUTE, compute_at, comm_at), (State.EXPOSED, comm_at, end),
    ):  # fmt: skip
        inside = np.zeros(STRIP_BINS)
        for first, last in zip(low.tolist(), high.tolist(), strict=True):
            inside += np.maximum(np.minimum(edges[1:], last) - np.maximum(edges[:-1], first), 0)
        strip[:, state] = np.floor(inside / np.diff(edges) * 65535).astype(np.uint16)
    wait = STEP - idle - COPIES - compute
    columns = StepColumns(
        number=np.arange(1, steps + 1, dtype=np.int64), label=np.zeros(steps, np.int32), start=start, end=end,
        unfinished=np.zeros(steps, bool), compute=fixed(compute), exposed=fixed(wait), copies=fixed(COPIES),
        other=fixed(0), unknown=fixed(0), idle=fixed(idle), hidden=fixed(0), kernels=fixed(120),
        launches=fixed(120), class_ns=None,
    )  # fmt: skip
    rows = Collectives(
        start=comm_at, end=end, name=np.ones(steps, np.int32), lane=np.zeros(steps, np.int32),
        communicator=fixed(-1), sequence=fixed(-1), bytes=fixed(-1), step=np.arange(steps, dtype=np.int32),
    )  # fmt: skip
    pieces = ExposedPieces(comm_at, end, np.arange(steps, dtype=np.int32))
    empty8 = np.zeros(0, np.uint8)
    return RankSummary(
        process=0, pid=pid, process_name="python", host_only=False,
        devices=(DeviceFacts(pid % 8, "NVIDIA H100 80GB HBM3", None, None, compute * steps, STEP * steps),),
        window=(lead, span[1]), totals={"compute": compute * steps, "copies": COPIES * steps},
        step_name="train_step", warm_up=0, names=("train_step", ALL_REDUCE, "data_to_gpu"),
        lanes=(CommLane(False, 0, 13),), steps=columns, collectives=rows, pieces=pieces,
        kernels=KernelRows(none32, empty8, none64, none64, none64, none64, np.zeros(0),
                           np.zeros((0, 64), np.int64), none64, none64),
        blame=BlameRows(
            np.repeat(np.arange(steps, dtype=np.int32), 2), np.tile(np.array([6, 7], np.uint8), steps),
            np.full(2 * steps, -1, np.int32), np.tile(np.array([2, -1], np.int32), steps),
            np.tile(np.array([idle - 14 * MS, 14 * MS], np.int64), steps),
        ),
        phases=PhaseRows(none32, none32, none64, none64, none64), strip=strip,
    )  # fmt: skip


def sixteen(late: int = 11, missing: int | None = 14, *, count: int = 16, per_host: int = 8) -> Scene:
    """``count`` ranks on hosts of ``per_host``; ``late`` is idle 86.6 ms longer, ``missing`` has no report.

    Rank 3 idles 27.1 ms longer than the others, and computes 0.1 ms more. Each host's clock is 669 us
    behind that of the one before.
    """
    numbers = [number for number in range(count) if number != missing]
    names = [
        f"node-{'abcdefgh'[host]}" if count <= 64 else f"node-{host:03d}" for host in range(count // per_host)
    ]
    kinds = {
        "late": summary_of(LATE_IDLE, LATE_COMPUTE, pid=100),
        "slow": summary_of(IDLE + 27_100_000, COMPUTE + 100_000, pid=100),
        "usual": summary_of(IDLE, COMPUTE, pid=100),
    }
    waits = {"late": 0, "slow": 61_200_000, "usual": 88_400_000}  # 512.4 - 451.2 and - 424.0
    facts, kept = [], []
    for number in numbers:
        kind = "late" if number == late else "slow" if number == 3 else "usual"
        host = number // per_host
        rank = Rank(
            number,
            RankSource.ENVIRONMENT,
            names[host],
            number % per_host,
            host,
            len(facts),
            kinds[kind],
            str(number),
        )
        own = np.full(STEPS, STEP - waits[kind], np.int64)
        facts.append(
            RankFacts(
                rank, 0, Path(f"rank{number}.sqlite"), (0, 100 * MS + STEPS * STEP), Shift(669_000 * host),
                own, marked=number == late,
            )
        )  # fmt: skip
        wait = np.full(STEPS, waits[kind], np.int64)
        kept.append(Waits(wait, np.zeros(STEPS, np.int32), np.arange(STEPS, dtype=np.int64)))
    at = numbers.index(late)
    first = np.arange(STEPS) > 0
    group = Communicator(
        "all ranks", tuple(range(len(facts))), np.full(STEPS, at, np.int64),
        np.full(STEPS, waits["slow"], np.int64), np.full(STEPS, waits["usual"], np.int64), first,
    )  # fmt: skip
    absent = (
        ()
        if missing is None
        else (
            Absent(0, missing, None, f"rank {missing}", f"no report: rank {missing} of {count} is missing"),
        )
    )
    return Scene(
        "ranks/*.sqlite", tuple(facts), absent, reports=len(facts), arrived=len(facts), expected=count,
        alignment="collectives", uncertainty=64_000, communicators=(group,),
        headline=f"pinned: rank {late}, 61.2 ms a step", home=(100 * MS, 100 * MS + STEPS * STEP),
        judged=object(), waits_of=kept.__getitem__,
    )  # fmt: skip


def judged_sixteen(late: int = 11, missing: int | None = 14, *, count: int = 16) -> Scene:
    """The same ranks as reports of a job, numbered, matched, aligned and judged from what these record."""
    members = []
    for facts in sixteen(late, missing, count=count).ranks:
        rank = facts.rank
        assert rank.host is not None
        said = {
            "SLURM_PROCID": f"{rank.number}",
            "SLURM_NTASKS": f"{count}",
            "SLURM_LOCALID": f"{rank.local_rank}",
        }
        utc = 1_700_000_000 * 10**9 + 669_000 * (rank.node or 0)
        found = identity(said, host=rank.host, utc=utc)
        report = ReportSummary(
            f"key{rank.number}", facts.span, found, {"nsys": "2026.2", "schema": "3.25.0"},
            3 if rank.number == 9 else 0, (), (), (rank.summary,),
        )  # fmt: skip
        members.append(Member(Path("ranks") / f"rank{rank.number}.sqlite", report))
    judged = judge(build_set(members))
    return judged_scene(judged, set_name([member.path for member in members]), len(members), 1)
