"""Memory of judging many ranks: collectives of all ranks are never held at once."""

from __future__ import annotations

import tracemalloc

import numpy as np

from fixtures.ranks_sim import ALL_REDUCE
from fixtures.ranks_summaries import RankRows, rank_set_from
from tests.support.ranks import case_of
from tui.ranks.align import align
from tui.ranks.rank_set import RankSet
from tui.ranks.straggler import judge
from tui.ranks.waits import find_waits

INSTANCES, STEPS = 20_000, 500


def many(ranks: int) -> RankSet:
    rng = np.random.default_rng(1)
    end = np.cumsum(rng.integers(1_000_000, 1_200_000, INSTANCES))
    rows = []
    for rank in range(ranks):
        start = end - 400_000 - rng.integers(0, 300_000, INSTANCES)
        mine = end + rng.integers(0, 9_000, INSTANCES)
        step = np.repeat(np.arange(STEPS, dtype=np.int32), INSTANCES // STEPS)
        each = INSTANCES // STEPS
        rows.append(
            RankRows(rank, f"n{rank // 8}", start, mine, [ALL_REDUCE] * INSTANCES, [7] * INSTANCES,
                     utc_ns=10**18, local_rank=rank % 8, step=step, step_start=start[::each] - 10,
                     step_end=mine[each - 1 :: each] + 10, labels=[f"step {k}" for k in range(STEPS)])
        )  # fmt: skip
    return rank_set_from(rows, expected=ranks)


def peak(ranks: int) -> int:
    found = many(ranks)
    tracemalloc.start()
    case = case_of(found)
    waits = find_waits(case.matched, align(case.run, case.clocks, case.matched))
    judge(waits)
    total = sum(int(waits.of_rank(rank).wait_ns.sum()) for rank in range(ranks))
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert total == int(waits.instances[0].wait_sum_ns.sum())
    return used


def test_a_rank_more_takes_less_than_its_rows() -> None:
    """Its rows hold 0.8 MB, its waits 0.16 MB; what is kept of it are anchors and its steps' names."""
    few, more = peak(8), peak(24)
    assert few < 60e6
    assert (more - few) / 16 < 150e3
