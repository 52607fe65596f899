"""Rows for overlapping intervals against a brute force."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.intervals.test_spans import Interval, arrays, intervals
from tui.intervals import lanes_for_overlaps


def by_start(items: list[Interval]) -> list[Interval]:
    return sorted(items, key=lambda i: (i[0], -i[1]))


def drawn(item: Interval) -> Interval:
    return item[0], max(item[1], item[0] + 1)


def first_fit(items: list[Interval]) -> list[int]:
    ends: list[int] = []
    rows = []
    for start, end in map(drawn, items):
        row = next((k for k, e in enumerate(ends) if e <= start), len(ends))
        if row == len(ends):
            ends.append(end)
        ends[row] = end
        rows.append(row)
    return rows


@given(intervals)
def test_lanes_are_first_fit(items: list[Interval]) -> None:
    items = by_start(items)
    assert lanes_for_overlaps(*arrays(items)).tolist() == first_fit(items)


@given(intervals, st.integers(1, 3))
def test_a_limit_folds_the_rest_onto_the_last_lane(items: list[Interval], limit: int) -> None:
    items = by_start(items)
    lanes = lanes_for_overlaps(*arrays(items), limit=limit)
    assert lanes.tolist() == [min(row, limit - 1) for row in first_fit(items)]


def test_ranges_popped_in_the_wrong_order_get_a_row_each() -> None:
    start, end = np.array([0, 50]), np.array([100, 150])
    assert lanes_for_overlaps(start, end).tolist() == [0, 1]


def test_many_intervals_in_a_row_take_one_lane() -> None:
    start = np.arange(0, 1_000_000, 10)
    assert lanes_for_overlaps(start, start + 10).max() == 0
