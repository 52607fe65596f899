"""Exposed communication, split: the parts add up to the step whatever overlaps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.rank_summaries import MadeStep, Span, ints, make_rank
from tui.ranks.exposure import Exposed, own_time, split_steps


def test_compute_hides_the_first_half_of_the_wait() -> None:
    step = MadeStep(0, 100, compute=[(0, 60)], comm=[(50, 90)], copies=[(92, 95)])
    rank = make_rank([step])
    split = split_steps(rank, ints([20]))
    assert split is not None
    assert (split.transfer.tolist(), split.wait.tolist(), split.unsplit.tolist()) == ([20], [10], [0])
    steps = rank.steps
    parts = [steps.compute, split.transfer, split.wait, split.unsplit, steps.copies, steps.idle]
    assert [values.tolist() for values in parts] == [[60], [20], [10], [0], [3], [7]]
    assert steps.hidden.tolist() == [10]
    assert own_time(steps, split)[0].tolist() == [90]


def test_communication_without_a_match_is_neither_transfer_nor_wait() -> None:
    rank = make_rank([MadeStep(0, 100, comm=[(10, 30), (50, 90)]), MadeStep(100, 200)])
    split = split_steps(rank, ints([-1, 5]))
    assert (split.transfer.tolist(), split.wait.tolist(), split.unsplit.tolist()) == (
        [35, 0],
        [5, 0],
        [20, 0],
    )
    nothing = split_steps(rank, None)
    assert nothing.unsplit.tolist() == [60, 0]
    own, known = own_time(rank.steps, nothing)
    assert known.tolist() == [False, True]  # no communication: nothing waited
    assert own.tolist() == [100, 100]


def test_a_transfer_beside_a_wait_counts_as_transfer() -> None:
    # The first waits to 30, the second, from 10 to 20, to 12.
    rank = make_rank([MadeStep(0, 40, comm=[(0, 40), (10, 20)])])
    split = split_steps(rank, ints([30, 2]))
    assert (split.transfer.tolist(), split.wait.tolist()) == ([18], [22])


def test_a_wait_is_clipped_to_its_operation_and_its_step() -> None:
    rank = make_rank([MadeStep(0, 50, comm=[(40, 70)]), MadeStep(50, 100)])
    split = split_steps(rank, ints([1_000]))
    assert (split.wait.tolist(), split.transfer.tolist()) == ([10, 20], [0, 0])
    assert Exposed(rank, ints([1_000])).between([45], [60]).wait.tolist() == [15]


def test_mpi_calls_of_a_host_only_rank_are_split_alike() -> None:
    rank = make_rank([MadeStep(0, 100, comm=[(50, 90)])], host_only=True)
    split = split_steps(rank, ints([30]))
    assert (split.transfer.tolist(), split.wait.tolist()) == ([10], [30])
    assert own_time(rank.steps, split)[0].tolist() == [70]
    assert rank.steps.compute is None


def spans(most: int) -> st.SearchStrategy[list[Span]]:
    pair = st.tuples(st.integers(0, 99), st.integers(1, 40)).map(lambda p: (p[0], p[0] + p[1]))
    return st.lists(pair, max_size=most)


@settings(max_examples=200, deadline=None)
@given(spans(5), spans(5), spans(3), st.data())
def test_parts_add_up_to_the_step_instant_by_instant(
    compute: list[Span], comm: list[Span], copies: list[Span], data: st.DataObject
) -> None:
    comm = sorted(comm)
    waits = data.draw(st.lists(st.integers(-1, 50), min_size=len(comm), max_size=len(comm)))
    made = [MadeStep(0, 60, compute, comm, copies), MadeStep(60, 150)]
    rank = make_rank(made)
    split = split_steps(rank, ints(waits))
    expected = np.zeros((2, 3), int)
    for t in range(150):
        if any(a <= t < b for a, b in compute):
            continue
        over = [(a, b, w) for (a, b), w in zip(comm, waits, strict=True) if a <= t < b]
        if not over:
            continue
        if any(w >= 0 and t >= min(a + w, b) for a, b, w in over):
            kind = 0
        else:
            kind = 1 if any(w >= 0 for _, _, w in over) else 2
        expected[int(t >= 60), kind] += 1
    assert np.stack([split.transfer, split.wait, split.unsplit], axis=1).tolist() == expected.tolist()
    steps = rank.steps
    whole = steps.compute + split.transfer + split.wait + split.unsplit + steps.copies + steps.idle
    assert whole.tolist() == (steps.end - steps.start).tolist()


def test_without_steps_there_is_nothing_to_split() -> None:
    rank = make_rank([])
    split = split_steps(rank, None)
    assert split is not None
    assert len(split.wait) == 0


@pytest.mark.parametrize("wait", [None, [0]])
def test_a_window_before_everything_is_empty(wait: list[int] | None) -> None:
    rank = make_rank([MadeStep(0, 50, comm=[(40, 50)])])
    found = Exposed(rank, None if wait is None else ints(wait)).between([-100], [0])
    assert [found.transfer.tolist(), found.wait.tolist(), found.unsplit.tolist()] == [[0], [0], [0]]
