"""Waits, transfers and last arrivers: measured ranks by hand, simulated ones by their truth."""

from __future__ import annotations

import numpy as np
import pytest

from fixtures.ranks_sim import Job
from tests.support.ranks import case_of, nine, simulated
from tui.ranks.alignment import unaligned
from tui.ranks.arrivals import Level
from tui.ranks.waits import Waits, find_waits


def waits_of(job: Job) -> tuple[object, Waits]:
    found, case = simulated(job)
    return found, find_waits(case.matched, unaligned(case.clocks))


def test_nine_ranks() -> None:
    case = case_of(nine())
    waits = find_waits(case.matched, unaligned(case.clocks))
    (one,) = waits.instances
    assert one.transfer_ns.tolist() == [11_126_721, 42_747_878]
    assert one.last.tolist() == [1, 1]
    assert one.margin_ns.tolist() == [640_120, 591_781]
    # 640.1, 0, 859.4, 3996.7, 4182.1, 3188.0, 23926.7, 23093.9 and 22630.5 us.
    expected = [640_120, 0, 859_384, 3_996_711, 4_182_136, 3_188_000, 23_926_728, 23_093_865, 22_630_493]
    assert [int(waits.of_rank(rank).wait_ns[0]) for rank in range(9)] == expected
    assert one.wait_sum_ns[0] == sum(expected) == 82_517_437
    assert one.wait_max_ns[0] == 23_926_728
    ranks, hosts = waits.arrivals(Level.RANK)[0], waits.arrivals(Level.HOST)[0]
    assert ranks is not None and hosts is not None
    assert ranks.caused_ns[0] == 8 * 640_120  # 5.12 ms
    assert hosts.groups == ("A", "B", "C")
    assert hosts.last.tolist() == [0, 0]
    assert hosts.margin_ns[0] == 3_188_000
    assert hosts.caused_ns[0] == 6 * 3_188_000  # 19.13 ms
    # No position on the host is known.
    assert waits.arrivals(Level.POSITION) == [None]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    "shape",
    [
        {"straggler": "pinned"},
        {"straggler": "rotating"},
        {"ranks": 16, "hosts": 4, "tensor": 4},
        {"ranks": 8, "pipeline": 2},
        {"host_only": True},
        {"dropped": ((1, 5), (4, 17))},
        {"payload": "id"},
    ],
)
def test_waits_are_the_truth_to_a_microsecond(seed: int, shape: dict[str, object]) -> None:
    """Clocks are off by up to 5 ms and drift by 20 ppm; no wait needs them."""
    job = Job(seed=seed, **shape)  # type: ignore[arg-type]
    found, case = simulated(job)
    waits = find_waits(case.matched, unaligned(case.clocks))
    checked = 0
    truth = {}
    for meeting in found.meetings:
        for rank, start, wait in zip(
            meeting.ranks, meeting.start.tolist(), meeting.waits.tolist(), strict=True
        ):
            clock = found.clocks[found.host[rank]]
            session = int(clock.at(found.session[rank : rank + 1])[0])
            truth[rank, int(clock.at(np.array([start]))[0]) - session] = (wait, meeting)
    for at, rank in enumerate(case.run.ranks):
        mine = waits.of_rank(at)
        for row, start in enumerate(rank.summary.collectives.start.tolist()):
            if mine.wait_ns[row] < 0:
                continue
            wait, meeting = truth[rank.number or 0, start]
            assert abs(int(mine.wait_ns[row]) - wait) <= 1_000
            table = waits.instances[mine.communicator[row]]
            instance = mine.instance[row]
            if table.resolved[instance]:
                assert case.run.ranks[table.last[instance]].number == meeting.last
            assert table.participants[instance] == len(meeting.ranks)
            checked += 1
    assert checked > 0.9 * sum(len(meeting.ranks) for meeting in found.meetings)


def test_a_missing_rank_makes_all_partial() -> None:
    _, waits = waits_of(Job(missing=(3,)))
    (one,) = waits.instances
    assert one.partial.all()


def test_first_is_kept_apart() -> None:
    _, waits = waits_of(Job())
    (one,) = waits.instances
    assert np.flatnonzero(one.first).tolist() == [0]
    assert not one.judged[0] and one.judged[1:].all()
    assert one.step.tolist() == np.repeat(np.arange(1, 41), 3).tolist()


def test_several_kernels_of_one_operation_wait_once() -> None:
    """Rank 0's operation is two kernels, 0-40 and 20-100; rank 1's one, 60-100 on its own clock."""
    from fixtures.ranks_summaries import RankRows, rank_set_from

    name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL"
    ones = np.array([5, 5], np.int64)
    numbers = np.array([0, 0], np.int64)
    rows = [
        RankRows(0, None, np.array([0, 20]), np.array([40, 100]), [name] * 2, [7, 8],
                 communicator=ones, sequence=numbers),
        RankRows(1, None, np.array([1_060]), np.array([1_100]), [name], [7],
                 communicator=ones[:1], sequence=numbers[:1]),
    ]  # fmt: skip
    case = case_of(rank_set_from(rows))
    waits = find_waits(case.matched, unaligned(case.clocks))
    (one,) = waits.instances
    assert (one.transfer_ns[0], one.wait_sum_ns[0], one.last[0]) == (40, 60, 1)
    # Until 60: all of the first kernel, 40 of the second.
    assert waits.of_rank(0).wait_ns.tolist() == [40, 40]
    assert waits.of_rank(1).wait_ns.tolist() == [0]
