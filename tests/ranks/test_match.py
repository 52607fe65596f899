"""Which operations of ranks are one, on simulated jobs whose communicators are known."""

from __future__ import annotations

import numpy as np
import pytest

from fixtures.ranks_sim import ALL_GATHER, ALL_REDUCE, Job, Simulated, simulate
from fixtures.ranks_summaries import RankRows, rank_set_from, rank_set_of
from tui.ranks.align import align
from tui.ranks.alignment import Mode, unaligned
from tui.ranks.chains import ChainKey, ChainReader, ChainRows
from tui.ranks.clocks import find_clocks
from tui.ranks.match import Matched, MatchKind, match
from tui.ranks.nearest import add_nearest
from tui.ranks.waits import find_waits


def matched_of(job: Job, group: int | None = None) -> tuple[Simulated, Matched]:
    found = simulate(job)
    ranks = rank_set_of(found)
    run = ranks.runs[0]
    return found, match(run, find_clocks(ranks, run), group=group)


def numbers(matched: Matched) -> list[tuple[int, ...]]:
    """The participants of all communicators, as rank numbers."""
    ranks = matched.run.ranks
    return sorted(tuple(ranks[r].number or 0 for r in c.ranks) for c in matched.communicators)


def is_right(found: Simulated, matched: Matched) -> bool:
    """Whether rows of one instance are of one meeting, on all ranks: by their true start."""
    truth: dict[tuple[int, int], int] = {}
    for number, meeting in enumerate(found.meetings):
        for rank, start in zip(meeting.ranks, meeting.start.tolist(), strict=True):
            clock = found.clocks[found.host[rank]]
            utc = int(clock.at(found.session[rank : rank + 1])[0])
            truth[rank, int(clock.at(np.array([start]))[0]) - utc] = number
    of_instance: dict[tuple[int, int], int] = {}
    for at, rank in enumerate(matched.run.ranks):
        rows = matched.of_rank(at)
        starts = rank.summary.collectives.start.tolist()
        for c, i, start in zip(rows.communicator.tolist(), rows.instance.tolist(), starts, strict=True):
            if (
                i >= 0
                and of_instance.setdefault((c, i), truth[rank.number or 0, start])
                != truth[rank.number or 0, start]
            ):
                return False
    return True


def test_all_ranks_are_one_communicator() -> None:
    found, matched = matched_of(Job())
    assert numbers(matched) == [tuple(range(8))]
    (one,) = matched.communicators
    assert (one.match, one.label, len(one), one.expected) == (MatchKind.ORDER, "stream 24", 120, 8)
    assert [p.unmatched for p in one.participants] == [0] * 8
    assert is_right(found, matched)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("straggler", ["even", "pinned", "rotating"])
def test_tensor_groups_are_told_apart_by_time(seed: int, straggler: str) -> None:
    job = Job(ranks=16, hosts=4, tensor=4, seed=seed, straggler=straggler, end_jitter_ns=15_000)
    found, matched = matched_of(job)
    assert numbers(matched) == sorted(found.members)
    assert sum(matched.ambiguous) == 0
    assert is_right(found, matched)


def test_hosts_whose_ends_differ_are_one_communicator() -> None:
    """Ends spread by 60 us between ranks; that is no sign of several communicators."""
    for seed in range(6):
        found, matched = matched_of(Job(ranks=12, hosts=3, seed=seed, end_jitter_ns=60_000))
        assert numbers(matched) == [tuple(range(12))]
        assert is_right(found, matched)


def test_pipeline_stages_are_communicators_of_their_own() -> None:
    found, matched = matched_of(Job(ranks=16, hosts=4, pipeline=2, end_jitter_ns=15_000))
    assert numbers(matched) == [tuple(range(8)), tuple(range(8, 16))]
    assert is_right(found, matched)
    # Point-to-point kernels are never matched by order.
    assert matched.left_out == (0,) * 8 + (40,) * 8


@pytest.mark.parametrize("numbered", [True, False])
def test_a_dropped_kernel_spoils_its_step_alone(numbered: bool) -> None:
    found, matched = matched_of(Job(dropped=((3, 7), (5, 40)), numbered=numbered))
    (one,) = matched.communicators
    # Steps 2 and 13 of three collectives each.
    assert len(one) == 114
    assert [p.unmatched for p in one.participants] == [6, 6, 6, 5, 6, 5, 6, 6]
    assert is_right(found, matched)


@pytest.mark.parametrize("job", [Job(begins=((3, 7), (6, 2))), Job(begins=((3, 7),), numbered=False)])
def test_captures_that_begin_later(job: Job) -> None:
    found, matched = matched_of(job)
    (one,) = matched.communicators
    assert len(one) == 120 and sum(matched.unmatched(r) for r in range(8)) == 0
    assert is_right(found, matched)


@pytest.mark.parametrize("dropped", [((3, 7),), ((3, 115),), ((5, 80),), ((3, 30), (6, 100))])
def test_a_dropped_kernel_without_steps(dropped: tuple[tuple[int, int], ...]) -> None:
    """What is beside its neighbours is not matched; the longer part is."""
    job = Job(stepless=True, dropped=dropped, end_jitter_ns=8_000, straggler="rotating")
    found, matched = matched_of(job)
    assert is_right(found, matched)
    assert sum(matched.matched(rank) for rank in range(8)) > 0.8 * 8 * 120


def test_captures_that_begin_later_without_steps() -> None:
    found, matched = matched_of(Job(begins=((3, 7),), stepless=True, end_jitter_ns=10_000))
    (one,) = matched.communicators
    assert len(one) == 120
    assert is_right(found, matched)


@pytest.mark.parametrize("payload", ["id", "sequence"])
def test_recorded_communicators(payload: str) -> None:
    found, matched = matched_of(Job(ranks=8, tensor=2, payload=payload))
    assert {c.match.value for c in matched.communicators} == {payload}
    assert numbers(matched) == sorted(found.members)
    assert is_right(found, matched)
    assert {c.label for c in matched.communicators} == {f"{1000 + at:#x}" for at in range(len(found.members))}


def test_numbers_match_whatever_is_dropped() -> None:
    found, matched = matched_of(Job(dropped=((3, 7), (5, 40)), payload="id"))
    (one,) = matched.communicators
    assert len(one) == 120
    assert sum(matched.unmatched(r) for r in range(8)) == 0
    assert is_right(found, matched)


def test_calls_of_mpi_by_thread() -> None:
    found, matched = matched_of(Job(ranks=4, host_only=True, end_jitter_ns=40_000))
    (one,) = matched.communicators
    assert one.host and one.label == "MPI" and len(one) == 120
    assert is_right(found, matched)


def test_a_missing_rank() -> None:
    _, matched = matched_of(Job(missing=(3,)))
    (one,) = matched.communicators
    assert len(one.participants) == 7 and one.expected == 8


def test_blocks_of_ranks_where_time_says_nothing() -> None:
    """Three instances are too few to tell tensor groups apart."""
    job = Job(ranks=8, hosts=2, steps=1, tensor=4, buckets=0, layers=3)
    _, matched = matched_of(job, group=4)
    assert numbers(matched) == [(0, 1, 2, 3), (4, 5, 6, 7)]


def test_one_rank_has_nobody_to_match_with() -> None:
    _, matched = matched_of(Job(ranks=1, hosts=1))
    assert matched.communicators == () and matched.names == ()


def test_streams_of_one_rank_that_do_the_same() -> None:
    """Two communicators over the same ranks, on streams of numbers that differ: told apart by time."""
    rng = np.random.default_rng(5)
    starts = [np.cumsum(rng.integers(2_000_000, 4_000_000, 40)) for _ in range(2)]
    rows = []
    for rank in range(4):
        order = (7, 9) if rank % 2 else (9, 7)
        late = [rng.integers(0, 300_000, 40) for _ in range(2)]
        start = np.concatenate([s + x for s, x in zip(starts, late, strict=True)])
        end = np.concatenate([s + 800_000 for s in starts])
        stream = np.repeat(order, 40)
        by = np.argsort(start, kind="stable")
        rows.append(RankRows(rank, None, start[by], end[by], [ALL_REDUCE] * 80, stream[by].tolist()))
    ranks = rank_set_from(rows)
    matched = match(ranks.runs[0], find_clocks(ranks, ranks.runs[0]))
    assert numbers(matched) == [(0, 1, 2, 3), (0, 1, 2, 3)]
    lanes = [[p.key.lane for p in c.participants] for c in matched.communicators]
    assert sorted(lanes) == [[0, 1, 0, 1], [1, 0, 1, 0]]


def test_what_time_does_not_tell_is_ambiguous() -> None:
    """The same two streams, twice at the same times: no telling which is which."""
    start = np.repeat(np.arange(40) * 2_000_000, 2)
    stream = [7, 9] * 40
    rows = [RankRows(r, None, start, start + 800_000, [ALL_REDUCE] * 80, stream) for r in range(3)]
    ranks = rank_set_from(rows)
    matched = match(ranks.runs[0], find_clocks(ranks, ranks.runs[0]))
    assert matched.communicators == ()
    assert matched.ambiguous == (80, 80, 80)
    assert [matched.unmatched(rank) for rank in range(3)] == [80, 80, 80]


def nearest_of(job: Job) -> tuple[Simulated, Matched, Matched]:
    found, matched = matched_of(job)
    ranks = rank_set_of(found)
    axis = align(matched.run, find_clocks(ranks, matched.run), matched)
    return found, matched, add_nearest(matched, axis)


def test_what_order_leaves_is_matched_by_time() -> None:
    """Two steps are spoiled by dropped kernels; aligned ends match what is left of them."""
    found, before, after = nearest_of(Job(dropped=((3, 7), (5, 40)), end_jitter_ns=5_000))
    assert sum(before.unmatched(rank) for rank in range(8)) == 46
    assert sum(after.unmatched(rank) for rank in range(8)) == 0
    added = after.communicators[1:]
    assert {c.match for c in added} == {MatchKind.NEAREST}
    assert sorted((len(c.ranks), len(c)) for c in added) == [(7, 1), (7, 1), (8, 4)]
    assert is_right(found, after)
    waits = find_waits(after, unaligned(find_clocks(rank_set_of(found), after.run)))
    assert waits.instances[-1].measured.all()


def test_nothing_is_matched_by_time_on_unsure_clocks() -> None:
    found, before = matched_of(Job(dropped=((3, 7),)))
    ranks = rank_set_of(found)
    axis = align(before.run, find_clocks(ranks, before.run), before, Mode.CLOCK)
    assert add_nearest(before, axis) is before
    assert add_nearest(before, unaligned(find_clocks(ranks, before.run))) is before


def test_ends_that_are_close_are_no_match() -> None:
    """Operations 30 us apart, on clocks that are sure within 10: which is which can't be told."""
    anchors = np.arange(1, 6) * 10_000_000
    start = np.concatenate(([0, 30_000, 1_000_000], anchors))
    names = [ALL_REDUCE] * 3 + [ALL_GATHER] * 5
    rows = [
        RankRows(rank, None, start, start + 1_000 + 100 * rank, names, [*streams, *[20] * 5])
        for rank, streams in enumerate(([7, 8, 9], [1, 1, 2]))
    ]
    ranks = rank_set_from(rows, [0, 0])
    matched = match(ranks.runs[0], find_clocks(ranks, ranks.runs[0]))
    assert [c.label for c in matched.communicators] == ["stream 20"]
    axis = align(ranks.runs[0], find_clocks(ranks, ranks.runs[0]), matched)
    _, one = add_nearest(matched, axis).communicators
    assert [p.placement.by_row(8).tolist() for p in one.participants] == [[-1, -1, 0, *[-1] * 5]] * 2


@pytest.mark.parametrize(
    "job",
    [
        Job(ranks=32, hosts=4, steps=8, tensor=4, end_jitter_ns=8_000),
        Job(ranks=32, hosts=4, steps=8, tensor=4, end_jitter_ns=8_000, stepless=True),
    ],
)
def test_ranks_are_read_a_few_times_whatever_their_number(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    reads = 0
    read = ChainReader.read

    def counted(self: ChainReader, rank: int, key: ChainKey) -> ChainRows:
        nonlocal reads
        reads += 1
        return read(self, rank, key)

    monkeypatch.setattr(ChainReader, "read", counted)
    found, matched = matched_of(job)
    assert numbers(matched) == sorted(found.members)
    # Two chains a rank.
    assert reads <= 64 * 12
