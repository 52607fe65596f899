"""Small sets of reports for tests."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.support.export import Export
from tui.ranks.rank_set import Member
from tui.ranks.summary_file import pack

NCCL = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
GEMM = "ampere_sgemm_128x64_nn"


def small_report(path: Path, rank: int = 0, steps: int = 4) -> Path:
    """A rank of a few steps of 100: compute 50 + rank, an all-reduce up to 90, a copy, idle."""
    export = Export(path)
    export.process(1000 + rank, f"rank{rank}")
    for k in range(steps):
        at = 100 * k
        export.push_pop(f"step {k}", at, at + 98, pid=1000 + rank)
        export.push_pop("forward", at + 1, at + 40, pid=1000 + rank)
        export.launch((at + 2, at + 4), (at + 5, at + 55 + rank), pid=1000 + rank, name=GEMM)
        export.launch((at + 42, at + 44), (at + 50, at + 90), pid=1000 + rank, name=NCCL, stream=9)
        export.memcpy(at + 92, at + 94, pid=1000 + rank)
    return export.write()


def small_set(folder: Path, count: int, steps: int = 4) -> list[Path]:
    folder.mkdir(exist_ok=True)
    return [small_report(folder / f"rank{rank}.sqlite", rank, steps) for rank in range(count)]


def packed(members: list[Member]) -> list[bytes | str]:
    """Each member as bytes, or as what is wrong with it."""
    return [m.error or "" if m.summary is None else pack(m.summary, Path("x")) for m in members]


def computes(members: list[Member]) -> list[int | None]:
    """What each member computed in its first step; None for one that can't be read."""
    found: list[int | None] = []
    for member in members:
        if member.summary is None:
            found.append(None)
        else:
            steps = member.summary.ranks[0].steps
            assert steps.compute is not None
            found.append(int(np.asarray(steps.compute)[0]))
    return found
