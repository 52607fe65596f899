"""Four ranks of an MPI job on two hosts, captured by nsys: with a rank that is late in every step, or none.

What they are held to was counted by SQL: MPI_Allreduce takes 8.7 ms on ranks 0, 1 and 3, 0.76 ms on rank 2.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.ranks import Case, case_of
from tests.support.real import real_export
from tui.ranks.align import align
from tui.ranks.alignment import Alignment, Mode
from tui.ranks.arrivals import Level
from tui.ranks.clocks import Relation
from tui.ranks.collecting import collect
from tui.ranks.match import MatchKind
from tui.ranks.runs import build_set
from tui.ranks.straggler import Kind, judge
from tui.ranks.waits import Waits, find_waits


def case(store: Path, *names: str) -> Case:
    paths = [real_export(f"ranks-mpi-2023.4/{name}") for name in names]
    return case_of(build_set(collect(paths, cache_dir=store, jobs=1)))


def judged(found: Case, mode: Mode = Mode.AUTO) -> tuple[Alignment, Waits]:
    axis = align(found.run, found.clocks, found.matched, mode)
    return axis, find_waits(found.matched, axis)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store")


def lost_a_step(found: Case, waits: Waits) -> list[float]:
    """By rank: the median over the steps of what it waited, in ms."""
    lost = []
    for rank in range(len(found.run.ranks)):
        step = found.run.ranks[rank].summary.collectives.step
        wait = waits.of_rank(rank).wait_ns
        counted = (step >= 0) & (wait >= 0)
        lost.append(float(np.median(np.bincount(step[counted], wait[counted]))) / 1e6)
    return lost


def test_the_late_rank_is_pinned(store: Path) -> None:
    found = case(store, *(f"straggler-rank{rank}" for rank in range(4)))
    (one,) = found.matched.communicators
    assert (one.match, len(one), one.host) == (MatchKind.ORDER, 42, True)
    assert [participant.unmatched for participant in one.participants] == [0] * 4
    axis, waits = judged(found)
    assert axis.mode is Mode.COLLECTIVES and (axis.uncertainty_ns or 0) < 100_000
    assert [domain.relation for domain in axis.clocks.domains] == [Relation.UTC, Relation.UTC]
    verdict = judge(waits)
    assert (verdict.kind, verdict.level) == (Kind.PINNED, Level.RANK)
    (who,) = verdict.who
    assert (who.name, who.times_last, who.instances) == ("2", 40, 41)
    lost = lost_a_step(found, waits)
    assert [round(ms, 1) for ms in lost] == [7.9, 7.9, 0.0, 7.9]
    (table,) = waits.instances
    assert np.median(table.transfer_ns) == pytest.approx(760_000, abs=10_000)


def test_nobody_is_pinned_where_all_are_well(store: Path) -> None:
    found = case(store, *(f"healthy-rank{rank}" for rank in range(4)))
    _, waits = judged(found)
    verdict = judge(waits)
    assert verdict.kind is not Kind.PINNED and verdict.who == ()
    assert max(lost_a_step(found, waits)) < 0.5


def test_normalised_times_land_on_the_same_axis(store: Path) -> None:
    others = [f"healthy-rank{rank}" for rank in range(1, 4)]
    found, same = case(store, "healthy-rank0", *others), case(store, "healthy-rank0-utc-times", *others)
    for mode, allowed in ((Mode.CLOCK, 0), (Mode.COLLECTIVES, 10_000)):
        starts = []
        for one in (found, same):
            axis, _ = judged(one, mode)
            starts.append(axis.to_axis(0, one.run.ranks[0].summary.collectives.start))
        assert np.abs(starts[0] - starts[1]).max() <= allowed
