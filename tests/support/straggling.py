"""Sets of ranks that are written down: sixteen on two hosts of which one is late, and variants of it."""

from __future__ import annotations

from collections.abc import Sequence

from tests.support.rank_summaries import MadeStep, make_rank, make_set
from tui.analysis.blame import BlameClass
from tui.ranks.rank_set import RankSet
from tui.ranks.summary import RankSummary
from tui.report.kernels.class_table import KernelClass

US = 1_000
STEP = 512_400 * US
TRANSFER = 58_100 * US
COPIES = 3_200 * US


def device_rank(
    compute: Sequence[int], idle: Sequence[int], host_code: int, *, copies: int = COPIES, start: int = 0
) -> RankSummary:
    """A rank whose steps of 512.4 ms are idle, copy, compute and then communicate to the end.

    ``compute`` and ``idle``: of each step, in us; ``host_code``: us of the idle time spent in `data_to_gpu`.
    """
    steps = []
    for i, (work, rest) in enumerate(zip(compute, idle, strict=True)):
        begin = start + i * STEP
        copied = begin + rest * US + copies
        done = copied + work * US
        blame = {
            (BlameClass.HOST_CODE, None, "data_to_gpu"): host_code * US,
            (BlameClass.LAUNCH_LATENCY, None, "forward"): (rest - host_code) * US,
        }
        steps.append(
            MadeStep(
                begin, begin + STEP, compute=[(copied, done)], comm=[(done, begin + STEP)],
                copies=[(begin + rest * US, copied)], blame=blame, kernels=10,
                classes={KernelClass.GEMM: work * US},
            )
        )  # fmt: skip
    return make_rank(steps)


def sixteen(steps: int = 40) -> RankSet:
    """Rank 11 of sixteen is 61.2 ms later than rank 3, which is later than all others; rank 14 is missing."""
    others = device_rank([331_000] * steps, [31_700] * steps, 11_900)
    third = device_rank([331_100] * steps, [58_800] * steps, 39_000)
    late = device_rank([332_800] * steps, [118_300] * steps, 96_000)
    ranks: list[RankSummary | None] = [others] * 16
    ranks[3], ranks[11], ranks[14] = third, late, None
    return make_set(ranks, hosts=("node-a", "node-b"))
