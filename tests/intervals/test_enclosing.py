"""The tightest interval around each one: by hand, and against all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.intervals import tightest_around

Interval = tuple[int, int, int]  # start, end, group


def parents(intervals: list[Interval], rank: list[int] | None = None) -> list[int]:
    columns = np.array(intervals, np.int64).reshape(-1, 3).T
    ranks = np.arange(len(intervals)) if rank is None else np.array(rank, np.int64)
    found: list[int] = tightest_around(columns[0], columns[1], columns[2], ranks).tolist()
    return found


@pytest.mark.parametrize(
    ("intervals", "expected"),
    [
        ([], []),
        ([(5, 9, 0)], [-1]),
        ([(0, 100, 0), (10, 50, 0), (20, 40, 0), (60, 90, 0)], [-1, 0, 1, 0]),
        ([(0, 100, 0), (10, 200, 0), (20, 30, 0)], [-1, -1, 0]),  # both are around it: the shorter one
        ([(0, 100, 0), (10, 110, 0), (20, 30, 0)], [-1, -1, 0]),  # equally short: the first
        ([(10, 110, 0), (0, 100, 0), (20, 30, 0)], [-1, -1, 0]),
        ([(0, 10, 0), (10, 110, 0), (10, 10, 0)], [-1, -1, 0]),  # empty, where one ends and one begins
        ([(0, 10, 1), (2, 8, 2)], [-1, -1]),  # other groups do not matter
        ([(5, 9, 0), (0, 20, 0), (5, 9, 0), (6, 7, 0)], [1, -1, 0, 2]),  # same bounds: in order of rank
    ],
)
def test_by_hand(intervals: list[Interval], expected: list[int]) -> None:
    assert parents(intervals) == expected


def test_rank_decides_not_position() -> None:
    crossing = [(0, 100, 0), (10, 110, 0), (20, 30, 0)]
    assert parents(crossing, [7, 3, 5]) == [-1, -1, 1]
    same = [(0, 9, 0), (0, 9, 0), (1, 2, 0)]
    assert parents(same, [8, 2, 5]) == [1, -1, 0]


def test_an_open_stretch_of_the_whole_of_time() -> None:
    low, high = -(1 << 62), 1 << 62
    assert parents([(low, high, 0), (0, high, 0), (low, 0, 0), (0, 0, 0)]) == [-1, 0, 0, 1]


def slow(intervals: list[Interval], rank: list[int]) -> list[int]:
    """All pairs: the least (length, lowest rank among the same bounds, then highest rank)."""
    found = []
    for i, (start, end, group) in enumerate(intervals):
        best = (0, 0, 0, -1)
        for j, (s, e, g) in enumerate(intervals):
            same = (s, e, g) == (start, end, group)
            if j == i or g != group or s > start or e < end or (same and rank[j] > rank[i]):
                continue
            first = min(r for r, one in zip(rank, intervals, strict=True) if one == (s, e, g))
            key = (e - s, first, -rank[j], j)
            best = key if best[3] < 0 else min(best, key)
        found.append(best[3])
    return found


interval = st.tuples(st.integers(0, 12), st.integers(0, 6), st.integers(0, 1))


@given(st.lists(interval, max_size=24), st.randoms(use_true_random=False))
def test_equal_to_all_pairs(drawn: list[Interval], random: object) -> None:
    intervals = [(start, start + length, group) for start, length, group in drawn]
    rank = list(range(len(intervals)))
    random.shuffle(rank)  # type: ignore[attr-defined]
    assert parents(intervals, rank) == slow(intervals, rank)
