"""One axis for many clocks: measured ranks by hand, simulated ones by their truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from fixtures.ranks_sim import ALL_REDUCE, SEND_RECV, Job, Simulated
from fixtures.ranks_summaries import RankRows, rank_set_from
from tests.support.ranks import Case, case_of, nine, simulated
from tui.ranks.align import align, side_by_side
from tui.ranks.alignment import Alignment, Mode
from tui.ranks.offsets import guard
from tui.ranks.waits import find_waits


def aligned(case: Case, mode: Mode = Mode.AUTO, **options: int) -> Alignment:
    return align(case.run, case.clocks, case.matched, mode, **options)


def test_nine_ranks() -> None:
    axis = aligned(case_of(nine()))
    assert axis.mode is Mode.COLLECTIVES
    a, b, c = axis.domains
    # Towards C: A +669.4 us, B -427.2 us. The reference is the host of rank 0.
    assert (c.offset_ns, b.offset_ns) == (-669_427, -669_427 - 427_157)
    assert a.offset_ns == 0
    assert [round(d.spread_ns or 0, -2) for d in (a, b, c)] == [17_400, 44_900, 15_500]
    assert axis.uncertainty_ns == pytest.approx(48_200, abs=100)
    assert axis.uncertainty(6, 7) == pytest.approx(15_539, abs=1)
    assert axis.uncertainty(4, 4) == 0
    assert axis.floor_ns == pytest.approx(89_800, abs=100)
    assert [d.violations + d.dropped for d in axis.domains] == [0, 0, 0]


def test_residuals_and_waits_by_clock_of_the_nine_ranks() -> None:
    """Waits by duration are those by aligned clocks within 65 us, in all 18 cases."""
    case = case_of(nine())
    axis = aligned(case)
    rows = [rank.summary.collectives for rank in case.run.ranks]
    ends = np.array([axis.to_axis(at, row.end) for at, row in enumerate(rows)])
    ref = np.array([35_083_870, 2_066_879_585])
    shift = axis.to_axis(6, np.zeros(1, np.int64))[0]
    assert np.abs(ends - (ref + shift)).max() == 58_698
    starts = np.array([axis.to_axis(at, row.start) for at, row in enumerate(rows)])
    by_clock = starts.max(axis=0) - starts
    waits = find_waits(case.matched, axis)
    by_duration = np.array([waits.of_rank(at).wait_ns for at in range(9)])
    assert np.abs(by_clock - by_duration).max() < 65_000
    # Rank 8 waited 22614.3 us of the first by clocks, 22630.5 by duration.
    assert by_clock[8, 0] == pytest.approx(22_614_300, abs=300)
    assert waits.disagreeing == (0,) * 9


def test_guard() -> None:
    """Rank 6 against rank 1, the first collective: -34408.8 to 11771.4 us; 669.4 is within."""
    start, end = np.array([0]), np.array([35_053_449])
    low, high = guard(start, end, np.array([23_282_080]), np.array([34_408_801]))
    assert (low, high) == (-34_408_801, 11_771_369)
    assert low <= 669_427 <= high


def true_offset(found: Simulated, axis: Alignment, true: int) -> list[int]:
    """Where a true moment is on the axis, by each rank's clock."""
    at = np.array([true], np.int64)
    moments = []
    for position, rank in enumerate(found.reported):
        clock = found.clocks[found.host[rank]]
        recorded = clock.at(at) - clock.at(found.session[rank : rank + 1])
        moments.append(int(axis.to_axis(position, recorded)[0]))
    return moments


@pytest.mark.parametrize(
    "shape",
    [
        {"end_jitter_ns": 10_000},
        {"end_jitter_ns": 40_000, "straggler": "pinned"},
        {"end_jitter_ns": 10_000, "pause_ns": 3_000_000_000},
        {"end_jitter_ns": 10_000, "hosts": 4, "ranks": 16, "tensor": 4},
        {"end_jitter_ns": 10_000, "dropped": ((0, 3), (7, 90))},
        {"end_jitter_ns": 5_000, "utc": False},
        {"end_jitter_ns": 10_000, "clock_ns": 3_600_000_000_000},
        {"end_jitter_ns": 20_000, "host_only": True},
    ],
)
def test_offsets_are_within_the_uncertainty(shape: dict[str, object]) -> None:
    """Clocks +- 5 ms (or an hour, or unknown), 20 ppm: right within u in 95 of 100 pairs, order right."""
    within = pairs = 0
    for seed in range(20):
        found, case = simulated(Job(seed=seed, **shape))  # type: ignore[arg-type]
        axis = aligned(case)
        assert axis.mode is Mode.COLLECTIVES
        true = int(found.step_start[0, found.job.steps // 2])
        moments = true_offset(found, axis, true)
        for r in range(len(moments)):
            for q in range(r):
                uncertain = axis.uncertainty(r, q)
                assert uncertain is not None
                pairs += 1
                within += abs(moments[r] - moments[q]) <= uncertain
    assert within >= 0.95 * pairs


def test_order_is_right_where_recorded_clocks_are_wrong() -> None:
    """Late by 2 ms on clocks that are off by up to 5 ms."""
    wrong = 0
    for seed in range(10):
        job = Job(ranks=4, hosts=4, seed=seed, straggler="pinned", end_jitter_ns=8_000)
        _found, case = simulated(job)
        axis = aligned(case)
        rows = [rank.summary.collectives for rank in case.run.ranks]
        starts = np.array([axis.to_axis(at, row.start) for at, row in enumerate(rows)])
        recorded = np.array([row.start + case.clocks.base_ns[at] for at, row in enumerate(rows)])
        assert np.argmax(starts.mean(axis=1)) == 2
        wrong += int(np.argmax(recorded.mean(axis=1)) != 2)
    assert wrong >= 3


def test_drift_is_taken_out() -> None:
    """120 s: 20 ppm are 2.4 ms by the end; aligned starts of a collective's end agree throughout."""
    found, case = simulated(Job(seed=4, pause_ns=3_000_000_000, end_jitter_ns=10_000, drift_ppm=40))
    axis = aligned(case)
    relative = found.clocks[1].drift_ppm - found.clocks[0].drift_ppm
    assert axis.domains[1].drift_ppm == pytest.approx(relative, abs=0.5)
    for step in (0, 20, 39):
        moments = true_offset(found, axis, int(found.step_start[0, step]))
        assert max(moments) - min(moments) < 40_000
    times = case.run.ranks[7].summary.collectives.start
    assert np.abs(axis.from_axis(7, axis.to_axis(7, times)) - times).max() <= 1


def test_one_host_takes_its_uncertainty_from_the_residuals() -> None:
    _, case = simulated(Job(ranks=4, hosts=1, end_jitter_ns=3_000))
    axis = aligned(case)
    assert len(axis.domains) == 1 and axis.domains[0].offset_ns == 0
    assert axis.uncertainty_ns == axis.domains[0].spread_ns
    assert axis.floor_ns >= 2_000


def test_two_islands() -> None:
    """Pipeline stages on hosts of their own share no collective."""
    _, case = simulated(Job(ranks=16, hosts=4, pipeline=2, end_jitter_ns=5_000))
    axis = aligned(case)
    assert [domain.island for domain in axis.domains] == [0, 0, 2, 2]
    assert axis.uncertainty(0, 15) == 50e6 and (axis.uncertainty(0, 4) or 0) < 20_000
    assert any("share no collective" in note for note in axis.notes)


def test_clocks_far_apart_are_told() -> None:
    found, case = simulated(Job(seed=1, clock_ns=10_000_000_000, end_jitter_ns=5_000))
    axis = aligned(case)
    assert axis.mode is Mode.COLLECTIVES
    ahead = found.clocks[1].offset_ns - found.clocks[0].offset_ns
    word = "ahead" if ahead > 0 else "behind"
    assert any(note.startswith("the clock of node-1 is") and note.endswith(word) for note in axis.notes)


def test_modes_by_moments() -> None:
    _, case = simulated(Job(numbered=True))
    none, start = aligned(case, Mode.NONE), aligned(case, Mode.START)
    steps = aligned(case, Mode.STEPS, anchor_step=5)
    assert none.uncertainty_ns is None and not none.related and start.uncertainty_ns is None
    for at, rank in enumerate(case.run.ranks):
        summary = rank.summary
        assert none.to_axis(at, summary.steps.start).tolist() == summary.steps.start.tolist()
        assert start.to_axis(at, np.array([summary.window[0]]))[0] == 0
        assert steps.to_axis(at, summary.steps.start)[5] == 0
    # The floor of lateness needs no axis.
    assert none.floor_ns == start.floor_ns == aligned(case).floor_ns


def test_mode_clock() -> None:
    _, case = simulated(Job())
    axis = aligned(case, Mode.CLOCK)
    assert axis.uncertainty_ns == 50e6 and axis.uncertainty(0, 1) == 1_000
    assert aligned(case, Mode.CLOCK, clock_uncertainty_ns=2_000_000).uncertainty_ns == 2e6
    for at, rank in enumerate(case.run.ranks):
        start = rank.summary.collectives.start
        expected = start + case.clocks.base_ns[at] - axis.origin_ns
        assert axis.to_axis(at, start).tolist() == expected.tolist()


def test_auto_without_collectives() -> None:
    rows = [
        RankRows(r, f"n{r}", np.array([50]), np.array([60]), [SEND_RECV], [7], utc_ns=10**18 + r,
                 step=np.array([0], np.int32), step_start=np.array([40 + r]), step_end=np.array([90]),
                 labels=["step 1"])
        for r in range(2)
    ]  # fmt: skip
    case = case_of(rank_set_from(rows))
    assert aligned(case).mode is Mode.CLOCK
    # A day lies between captures of 100 ns: by clocks there would be nothing else to see.
    case = case_of(
        rank_set_from([replace(row, utc_ns=10**18 + r * 86_400 * 10**9) for r, row in enumerate(rows)])
    )
    other_days = aligned(case)
    assert other_days.mode is Mode.STEPS
    assert other_days.to_axis(1, np.array([41])).tolist() == other_days.to_axis(0, np.array([40])).tolist()
    assert "the reports were captured at different times: the axis is no clock's" in other_days.notes
    assert aligned(case, Mode.CLOCK).mode is Mode.CLOCK  # who asks for clocks gets them
    case = case_of(rank_set_from([replace(row, utc_ns=None) for row in rows]))
    assert aligned(case).mode is Mode.STEPS
    case = case_of(
        rank_set_from([replace(row, utc_ns=None, labels=["a", "b"][r : r + 1]) for r, row in enumerate(rows)])
    )
    assert aligned(case).mode is Mode.STEPS
    none = np.zeros(0, np.int64)
    stepless = [replace(r, utc_ns=None, labels=[], step=none, step_start=none, step_end=none) for r in rows]
    assert aligned(case_of(rank_set_from(stepless))).mode is Mode.START


def test_runs_are_put_side_by_side_by_steps() -> None:
    _, case = simulated(Job())
    axis = side_by_side(case.run, aligned(case))
    firsts = [int(axis.to_axis(at, rank.summary.steps.start)[0]) for at, rank in enumerate(case.run.ranks)]
    assert min(firsts) == 0


def rows_with_clock(job: Job, change: object) -> Case:
    """A simulated set whose recorded times ``change(rank, times)`` alters."""
    from fixtures.ranks_sim import simulate
    from fixtures.ranks_summaries import rows_of

    found = simulate(job)
    rows = []
    for rank in found.reported:
        row = rows_of(found, rank)
        row = replace(
            row,
            start=change(rank, row.start),  # type: ignore[operator]
            end=change(rank, row.end),  # type: ignore[operator]
            step_start=change(rank, row.step_start),  # type: ignore[operator]
            step_end=change(rank, row.step_end),  # type: ignore[operator]
        )
        rows.append(row)
    return case_of(rank_set_from(rows, expected=job.ranks))


def test_a_clock_that_was_set_is_unresolved() -> None:
    """Host 1's clock jumps by 6 ms in the middle: no offset fits, waits by duration stay."""

    def change(rank: int, times: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
        middle = (times.min() + times.max()) // 2 if len(times) else 0
        return np.where(times > middle, times + 6_000_000, times) if rank >= 4 else times

    case = rows_with_clock(Job(end_jitter_ns=5_000, straggler="pinned"), change)
    axis = aligned(case)
    assert [clock.resolved for clock in axis.domains] == [False, False] or not axis.domains[1].resolved
    assert any("was set" in note for note in axis.notes)
    assert axis.uncertainty(0, 7) is None
    assert len(case.matched.communicators) == 1


def test_reports_of_one_host_that_disagree_are_split() -> None:
    """Rank 1's UTC is 3 ms off its host's others."""
    case = rows_with_clock(
        Job(ranks=4, hosts=1, end_jitter_ns=5_000), lambda rank, t: t + 3_000_000 if rank == 1 else t
    )
    axis = aligned(case)
    assert len(axis.domains) == 4
    assert any("differ by more than" in note for note in axis.notes)
    assert axis.domains[1].offset_ns == pytest.approx(-3_000_000, abs=30_000)


def test_a_wrong_match_is_refused() -> None:
    """Two ranks' kernels that never overlap, at any offset, are no collective."""
    start = np.arange(40) * 1_000_000
    other = start + np.arange(40) * 700_000
    rows = [
        RankRows(0, "a", start, start + 90_000, [ALL_REDUCE] * 40, [7], utc_ns=10**18),
        RankRows(1, "b", other, other + 90_000, [ALL_REDUCE] * 40, [7], utc_ns=10**18),
    ]
    rows = [replace(row, stream=[7] * 40) for row in rows]
    case = case_of(rank_set_from(rows))
    assert case.matched.communicators == ()
    assert case.matched.ambiguous == (40, 40)
