"""Waits of operations with a root and of messages, by clocks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fixtures.ranks_summaries import RankRows, rank_set_from
from tests.support.export import Export
from tests.support.ranks import case_of
from tui.analysis.index import Index
from tui.ranks.align import align
from tui.ranks.alignment import Mode
from tui.ranks.summarise import summarise
from tui.ranks.waits import Waits, find_waits
from tui.report import open_report

US = 1_000


def waits_of(name: str, starts: list[int], ends: list[int], root: int, mode: Mode = Mode.CLOCK) -> Waits:
    """One operation of three ranks in one report, in us."""
    rows = [
        RankRows(rank, "h", np.array([start * US]), np.array([end * US]), [name], [7], utc_ns=10**18,
                 host_only=name.startswith("MPI"), peer=np.array([root], np.int32))
        for rank, (start, end) in enumerate(zip(starts, ends, strict=True))
    ]  # fmt: skip
    case = case_of(rank_set_from(rows, [0, 0, 0]))
    return find_waits(case.matched, align(case.run, case.clocks, case.matched, mode))


def by_rank(waits: Waits) -> list[int]:
    return [int(waits.of_rank(rank).wait_ns[0]) for rank in range(3)]


def test_all_wait_for_the_root_of_a_broadcast() -> None:
    """The root comes at 60: 0 waits 50, 2 has ended at 40 and waits no longer than it took."""
    waits = waits_of("MPI_Bcast", [10, 60, 20], [90, 70, 40], root=1)
    assert by_rank(waits) == [50 * US, -1, 20 * US]
    assert [bool(waits.of_rank(rank).resolved[0]) for rank in range(3)] == [True, False, True]
    # Durations tell nothing of it.
    assert not waits.instances[0].measured.any() and waits.instances[0].transfer_ns.tolist() == [-1]


def test_a_root_waits_for_all() -> None:
    waits = waits_of("MPI_Reduce", [10, 30, 25], [50, 40, 35], root=0)
    assert by_rank(waits) == [20 * US, -1, -1]
    assert by_rank(waits_of("MPI_Gather", [10, 30, 25], [15, 40, 35], root=0)) == [5 * US, -1, -1]


def test_who_comes_after_the_root_waits_for_nobody() -> None:
    assert by_rank(waits_of("MPI_Bcast", [10, 5, 20], [90, 70, 40], root=1)) == [-1, -1, -1]


@pytest.mark.parametrize("mode", [Mode.NONE, Mode.START])
def test_without_a_clock_nothing_is_known(mode: Mode) -> None:
    assert by_rank(waits_of("MPI_Bcast", [10, 60, 20], [90, 70, 40], root=1, mode=mode)) == [-1, -1, -1]


def test_an_unknown_root() -> None:
    assert by_rank(waits_of("MPI_Bcast", [10, 60, 20], [90, 70, 40], root=-1)) == [-1, -1, -1]
    assert by_rank(waits_of("MPI_Bcast", [10, 60, 20], [90, 70, 40], root=7)) == [-1, -1, -1]


def test_waits_below_the_uncertainty_are_unresolved() -> None:
    """Two hosts through UTC: 50 ms may hide a wait of 50 us."""
    rows = [
        RankRows(rank, f"h{rank}", np.array([start * US]), np.array([end * US]), ["MPI_Bcast"], [7],
                 utc_ns=10**18, host_only=True, peer=np.array([1], np.int32))
        for rank, (start, end) in enumerate(((10, 90), (60, 70)))
    ]  # fmt: skip
    case = case_of(rank_set_from(rows))
    waits = find_waits(case.matched, align(case.run, case.clocks, case.matched, Mode.CLOCK))
    assert waits.of_rank(0).wait_ns.tolist() == [-1]


def messages_of(*ranks: list[tuple[str, int, int, int]]) -> Waits:
    """Calls of ranks of one report: name, start and end in us, partner."""
    rows = []
    for rank, calls in enumerate(ranks):
        start, end = (np.array([call[at] * US for call in calls], np.int64) for at in (1, 2))
        rows.append(
            RankRows(rank, "h", start, end, [call[0] for call in calls], [7] * len(calls), utc_ns=10**18,
                     host_only=True, peer=np.array([call[3] for call in calls], np.int32))
        )  # fmt: skip
    case = case_of(rank_set_from(rows, [0] * len(rows)))
    return find_waits(case.matched, align(case.run, case.clocks, case.matched))


def test_late_senders_and_late_receivers() -> None:
    """0 sends to 1 at 50 (received since 10) and at 100 (received from 130 on)."""
    waits = messages_of(
        [("MPI_Send", 50, 60, 1), ("MPI_Send", 100, 140, 1)],
        [("MPI_Recv", 10, 61, 0), ("MPI_Recv", 130, 141, 0)],
    )
    assert waits.of_rank(0).wait_ns.tolist() == [-1, 30 * US]
    assert waits.of_rank(1).wait_ns.tolist() == [40 * US, -1]


def test_a_wait_is_no_longer_than_the_call() -> None:
    waits = messages_of([("MPI_Ssend", 50, 60, 1)], [("MPI_Recv", 10, 30, 0)])
    assert waits.of_rank(1).wait_ns.tolist() == [20 * US]


def test_messages_go_by_pair() -> None:
    """1 receives from 2 first, from 0 then; each has its own order."""
    waits = messages_of(
        [("MPI_Send", 70, 80, 1)],
        [("MPI_Recv", 10, 50, 2), ("MPI_Recv", 55, 85, 0)],
        [("MPI_Send", 40, 45, 1)],
    )
    assert waits.of_rank(1).wait_ns.tolist() == [30 * US, 15 * US]


def test_messages_that_were_not_all_seen_are_unknown() -> None:
    waits = messages_of([("MPI_Send", 50, 60, 1)], [("MPI_Recv", 10, 61, 0), ("MPI_Recv", 70, 90, 0)])
    assert waits.of_rank(1).wait_ns.tolist() == [-1, -1]


def test_roots_and_partners_are_read(tmp_path: Path) -> None:
    export = Export(tmp_path / "report.sqlite")
    export.push_pop("step 1", 0, 100)
    export.row("MPI_COLLECTIVES_EVENTS", start=10, end=20, globalTid=_tid(), textId="MPI_Bcast", rootRank=3)
    export.row("MPI_COLLECTIVES_EVENTS", start=30, end=40, globalTid=_tid(), textId="MPI_Barrier")
    export.row("MPI_P2P_EVENTS", start=50, end=60, globalTid=_tid(), textId="MPI_Send", remoteRank=2, tag=0)
    (rank,) = summarise(Index(open_report(export.write(), use_store=False))).ranks
    assert rank.collectives.peer is not None
    assert rank.collectives.peer.tolist() == [3, -1, 2]


def _tid() -> int:
    from fixtures.trace import global_id

    return global_id(100, 1)
