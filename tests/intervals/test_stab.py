"""What is open when, against a brute force."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.intervals.test_spans import TIME, Interval, arrays, intervals
from tui.intervals import Stabber, next_index, previous_index

groups = st.lists(st.integers(0, 2), min_size=14, max_size=14)
questions = st.lists(
    st.tuples(st.integers(-8, TIME + 15), st.integers(0, 6), st.integers(0, 3)), min_size=1, max_size=12
)


def ranked(items: list[Interval], wanted: list[int]) -> list[int]:
    """Innermost first: the last to start, then the shorter, then the later row."""
    return sorted(wanted, key=lambda i: (items[i][0], -items[i][1], i), reverse=True)


@given(intervals, groups, questions)
def test_latest_and_all_holders(
    items: list[Interval], group: list[int], asked: list[tuple[int, int, int]]
) -> None:
    stabber = Stabber(*arrays(items), group[: len(items)])
    low = np.array([q[0] for q in asked])
    high = low + np.array([q[1] for q in asked])
    who = np.array([q[2] for q in asked])
    expected = [
        ranked(items, [i for i, (s, e) in enumerate(items) if group[i] == g and s <= a and e >= a + length])
        for a, length, g in asked
    ]
    latest = stabber.latest_holding(low, high, who)
    assert latest.tolist() == [e[0] if e else -1 for e in expected]
    assert stabber.count_holding(low, high, who).tolist() == list(map(len, expected))
    found: list[list[int]] = [[] for _ in asked]
    for question, interval in stabber.holding(low, high, who):
        for q, i in zip(question.tolist(), interval.tolist(), strict=True):
            found[q].append(i)
    assert found == expected


@given(intervals, st.lists(st.integers(-8, TIME + 15), min_size=1, max_size=12))
def test_open_at(items: list[Interval], times: list[int]) -> None:
    start, end = arrays(items)
    stabber = Stabber(start, end)
    expected = [ranked(items, [i for i, (s, e) in enumerate(items) if s <= t < e]) for t in times]
    assert stabber.latest_open(times).tolist() == [e[0] if e else -1 for e in expected]
    question, interval = stabber.all_holding(times, np.add(times, 1))
    assert list(zip(question.tolist(), interval.tolist(), strict=True)) == [
        (q, i) for q, e in enumerate(expected) for i in e
    ]


@given(st.lists(st.integers(0, 20), max_size=8).map(sorted), st.integers(-1, 21))
def test_neighbours(values: list[int], time: int) -> None:
    before = [i for i, v in enumerate(values) if v < time]
    after = [i for i, v in enumerate(values) if v > time]
    assert previous_index(np.array(values, np.int64), time) == (before[-1] if before else -1)
    assert next_index(np.array(values, np.int64), time) == (after[0] if after else -1)


def test_ranges_popped_in_the_wrong_order() -> None:
    stabber = Stabber([0, 50], [100, 150])
    assert stabber.latest_open([25, 75, 125, 150]).tolist() == [0, 1, 1, -1]


def test_a_range_ends_where_a_later_sibling_has_begun() -> None:
    # the last to start is over at 97; the one before it is not
    assert Stabber([0, 50, 90], [100, 150, 95]).latest_open([97]).tolist() == [1]


def test_a_deep_staircase_costs_no_walk() -> None:
    depth = 200_000
    start = np.arange(depth)
    end = 2 * depth - start
    assert Stabber(start, end).latest_open([2 * depth - 10, depth, 0]).tolist() == [9, depth - 1, 0]
