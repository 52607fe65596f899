"""Why a rank is late: the excess of its parts over the others, and what explains it."""

import numpy as np

from tests.support.rank_summaries import MadeStep, ints, make_rank
from tui.analysis.blame import BlameClass
from tui.ranks.exposure import split_steps
from tui.ranks.step_grid import match_steps
from tui.ranks.summary import RankSummary
from tui.ranks.why import Excess, why_late
from tui.report.kernels.class_table import KernelClass

US = 1_000


def ask(ranks: list[RankSummary], waits: list[list[int]], late: list[int]) -> tuple[Excess, ...]:
    grid = match_steps(ranks, [None] * len(ranks))
    splits = [split_steps(rank, ints(wait)) for rank, wait in zip(ranks, waits, strict=True)]
    others = [row for row in range(len(ranks)) if row not in late]
    return why_late(grid, splits, late, others, np.ones(len(grid), bool))


def device_rank(compute: int, idle: int, host_code: int, *, kernels: int = 10) -> RankSummary:
    """Two steps of 512.4 ms: idle, compute, an all-reduce to the end."""
    steps = []
    for i in range(2):
        start = i * 512_400 * US
        busy = start + idle * US
        blame = {
            (BlameClass.HOST_CODE, None, "data_to_gpu"): host_code * US,
            (BlameClass.LAUNCH_LATENCY, None, "forward"): (idle - host_code) * US,
        }
        end = start + 512_400 * US
        steps.append(
            MadeStep(
                start, end, compute=[(busy, busy + compute * US)], comm=[(busy + compute * US, end)],
                blame=blame, kernels=kernels, classes={KernelClass.GEMM: compute * US},
            )
        )  # fmt: skip
    return make_rank(steps)


def test_idle_in_data_loading_is_named() -> None:
    # What the last one computes and idles more is what the others wait: 88.4 ms.
    others = [device_rank(331_000, 31_700, 11_900) for _ in range(3)]
    late = device_rank(332_800, 118_300, 96_000, kernels=10)
    found = ask([*others, late], [[88_400 * US] * 2] * 3 + [[0, 0]], [3])
    assert [(excess.kind, excess.excess_ns) for excess in found] == [
        ("idle", 86_600 * US),
        ("compute", 1_800 * US),
    ]
    (part,) = found[0].parts
    assert (part.excess_ns, part.reason) == (84_100 * US, ("host code", None, "data_to_gpu"))
    assert found[0].words == "idle +86.6 ms: host code in data_to_gpu"


def test_more_computing_is_more_kernels_or_slower_ones() -> None:
    others = [device_rank(300_000, 31_700, 11_900) for _ in range(3)]
    slow, more = (device_rank(360_000, 31_700, 11_900, kernels=count) for count in (10, 13))
    waits = [[60_000 * US] * 2] * 3 + [[0, 0]]
    (found,) = ask([*others, slow], waits, [3])
    assert (found.kind, found.excess_ns) == ("compute", 60_000 * US)
    assert found.words == "compute +60.0 ms: slower kernels, gemm"
    (found,) = ask([*others, more], waits, [3])
    assert found.words == "compute +60.0 ms: more work, 13 kernels instead of 10, gemm"


def test_a_host_only_rank_by_phase() -> None:
    def rank(forward: int, backward: int) -> RankSummary:
        steps = []
        for i in range(3):
            start, own = i * 30_000 * US, (forward + backward) * US
            phases = {
                "forward": (forward * US, 0, 0),
                "backward": (backward * US, 0, 0),
                "all_reduce": (30_000 * US - own, 30_000 * US - own, 0),
            }
            mpi = [(start + own, start + 30_000 * US)]
            steps.append(MadeStep(start, start + 30_000 * US, comm=mpi, phases=phases))
        return make_rank(steps, host_only=True)

    ranks = [rank(6_000, 10_000), rank(6_000, 10_000), rank(9_000, 15_000), rank(6_000, 10_000)]
    waits = [[8_000 * US] * 3, [8_000 * US] * 3, [0] * 3, [8_000 * US] * 3]
    (found,) = ask(ranks, waits, [2])
    assert (found.kind, found.excess_ns) == ("host", 8_000 * US)
    assert [(part.reason[2], part.excess_ns) for part in found.parts] == [
        ("backward", 5_000 * US),
        ("forward", 3_000 * US),
    ]
    assert found.words == "host code outside MPI +8.0 ms: backward +5.0 ms, forward +3.0 ms"


def test_equal_ranks_have_no_reason() -> None:
    ranks = [device_rank(331_000, 31_700, 11_900) for _ in range(3)]
    assert ask(ranks, [[0, 0]] * 3, [1]) == ()


def test_communication_that_cannot_be_split_is_no_reason() -> None:
    ranks = [device_rank(300_000, 31_700, 11_900), device_rank(300_000, 31_700, 11_900)]
    assert ask(ranks, [[60_000 * US] * 2, [-1, -1]], [1]) == ()


def test_alone_there_is_nobody_to_compare_with() -> None:
    assert ask([device_rank(300_000, 31_700, 11_900)], [[0, 0]], [0]) == ()
    assert ask([make_rank([]), device_rank(300_000, 31_700, 11_900)], [[], [0, 0]], [1]) == ()
