"""Sets of ranks that tests judge: simulated, the nine measured ones, and real exports."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fixtures import nine_ranks
from fixtures.ranks_sim import Job, Simulated, simulate
from fixtures.ranks_summaries import RankRows, rank_set_from, rank_set_of
from tui.ranks.clocks import Clocks, find_clocks
from tui.ranks.match import Matched, match
from tui.ranks.rank_set import RankSet, Run


class Case(NamedTuple):
    """A set of one run, and what its ranks did together."""

    ranks: RankSet
    run: Run
    clocks: Clocks
    matched: Matched


def case_of(ranks: RankSet, group: int | None = None) -> Case:
    """Match the first run of a set."""
    run = ranks.runs[0]
    clocks = find_clocks(ranks, run)
    return Case(ranks, run, clocks, match(run, clocks, group=group))


def simulated(job: Job) -> tuple[Simulated, Case]:
    """Run a job and match what its reports hold."""
    found = simulate(job)
    return found, case_of(rank_set_of(found))


def nine() -> RankSet:
    """Return the nine measured ranks, a report each, with UTC clocks as they were."""
    rows = []
    for rank, (host, times) in enumerate(zip(nine_ranks.HOSTS, nine_ranks.TIMES, strict=True)):
        start, end = np.array(times, np.int64).T
        size = np.full(2, nine_ranks.BYTES, np.int64)
        names = [nine_ranks.KERNEL] * 2
        rows.append(
            RankRows(rank, host, start, end, names, [20, 20], utc_ns=1_700_000_000 * 10**9, size=size)
        )
    return rank_set_from(rows)
