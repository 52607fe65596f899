"""The ranks that processes have in NCCL's communicators, by what the communicators' initialisation says."""

from __future__ import annotations

import numpy as np

from tui.analysis.index import Index
from tui.analysis.nccl.calls import RANK, RANKS, has_calls, nccl_calls
from tui.analysis.payloads.reading import payloads
from tui.report.columns import NULL


def communicators(index: Index) -> tuple[tuple[int, int, int], ...]:
    """``(pid, rank, ranks)`` of each communicator that a process was made part of, once each."""
    if not has_calls(index):
        return ()
    calls, found = nccl_calls(index), payloads(index)
    place = found.find(index.report.ranges.rowid[calls.range])
    rank, ranks = (np.append(found.integers(name), NULL)[place] for name in (RANK, RANKS))
    known = np.flatnonzero((ranks > 0) & (rank >= 0) & (rank < ranks))
    pids = [index.report.threads[thread].pid for thread in calls.thread[known].tolist()]
    return tuple(sorted(set(zip(pids, rank[known].tolist(), ranks[known].tolist(), strict=True))))
