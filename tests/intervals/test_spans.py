"""Interval algebra against a brute force over single nanoseconds."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tui.intervals import (
    Coverage,
    intersect,
    outermost,
    overlap_length,
    overlaps,
    split,
    subtract,
    total,
    union,
    union_of_blocks,
)
from tui.intervals.spans import gaps

TIME = 40
Interval = tuple[int, int]

intervals = st.lists(
    st.tuples(st.integers(-5, TIME), st.integers(0, 12)).map(lambda p: (p[0], p[0] + p[1])), max_size=14
)


def arrays(items: list[Interval]) -> tuple[np.ndarray, np.ndarray]:
    return (np.array([s for s, _ in items], np.int64), np.array([e for _, e in items], np.int64))


def cells(items: list[Interval]) -> set[int]:
    return {t for s, e in items for t in range(s, e)}


def listed(start: np.ndarray, end: np.ndarray) -> list[Interval]:
    return list(zip(start.tolist(), end.tolist(), strict=True))


def is_merged(items: list[Interval]) -> bool:
    return all(s < e for s, e in items) and all(a[1] < b[0] for a, b in itertools.pairwise(items))


@given(intervals)
def test_union_covers_the_same_time_once(items: list[Interval]) -> None:
    merged = listed(*union(*arrays(items)))
    assert is_merged(merged)
    assert cells(merged) == cells(items)


@given(intervals, st.integers(-8, TIME + 15), st.integers(-8, TIME + 15))
def test_gaps_are_what_the_union_leaves(items: list[Interval], low: int, high: int) -> None:
    start, end = union(*arrays(items))
    holes = listed(*gaps(start, end, low, high))
    assert is_merged(holes)
    assert cells(holes) == set(range(low, high)) - cells(items)
    assert listed(*Coverage(start, end).gaps(low, high)) == holes


@given(intervals)
def test_total_counts_overlaps_as_often_as_they_occur(items: list[Interval]) -> None:
    assert total(*arrays(items)) == sum(e - s for s, e in items)


@given(intervals, intervals)
def test_binary_operations_are_those_of_sets(left: list[Interval], right: list[Interval]) -> None:
    a, b = union(*arrays(left)), union(*arrays(right))
    both = listed(*intersect(a, b))
    assert all(s < e for s, e in both)
    assert cells(both) == cells(left) & cells(right)
    assert overlap_length(a, b) == len(cells(left) & cells(right))
    rest = subtract(a, b)
    assert cells(listed(rest.start, rest.end)) == cells(left) - cells(right)


@given(intervals, intervals)
def test_subtract_and_overlaps_name_their_sources(left: list[Interval], right: list[Interval]) -> None:
    a, b = arrays(left), union(*arrays(right))
    rest = subtract(a, b)
    for i, item in enumerate(left):
        mine = rest.source == i
        assert cells(listed(rest.start[mine], rest.end[mine])) == cells([item]) - cells(right)
    found = overlaps(a, b)
    pairs = set(zip(*(p.tolist() for p in found), strict=True))
    merged = listed(*b)
    assert pairs == {
        (max(s, bs), min(e, be), i, j)
        for i, (s, e) in enumerate(left)
        for j, (bs, be) in enumerate(merged)
        if max(s, bs) < min(e, be)
    }


@given(intervals)
def test_outermost_gives_each_instant_to_the_earliest_started(items: list[Interval]) -> None:
    items = sorted(items, key=lambda i: (i[0], -i[1]))
    pieces = outermost(*arrays(items))
    owner = {t: i for s, e, i in zip(*(p.tolist() for p in pieces), strict=True) for t in range(s, e)}
    # the first in order that covers an instant keeps it
    expected: dict[int, int] = {}
    for i, (s, e) in enumerate(items):
        for t in range(s, e):
            expected.setdefault(t, i)
    assert owner == expected
    assert sum(e - s for s, e, _ in zip(*(p.tolist() for p in pieces), strict=True)) == len(owner)


@given(intervals, st.lists(st.integers(-8, TIME + 15), min_size=2, max_size=9).map(sorted))
def test_coverage_of_cells(items: list[Interval], edges: list[int]) -> None:
    coverage = Coverage(*arrays(items))
    covered = cells(items)
    expected = [len(covered & set(range(a, b))) for a, b in itertools.pairwise(edges)]
    assert coverage.over(edges).tolist() == expected
    assert coverage.total == len(covered)
    low, high = edges[0], edges[-1]
    inside = sorted(covered & set(range(low, high)))
    assert coverage.extent(low, high) == ((inside[0], inside[-1] + 1) if inside else None)
    assert coverage.length(low, high) == sum(expected)
    assert cells(listed(*coverage.cut(low, high)[:2])) == covered & set(range(low, high))


def test_times_beyond_floating_point_stay_exact() -> None:
    base = 2**60
    start, end = union([base, base + 3], [base + 1, base + 4])
    assert listed(*gaps(start, end, base, base + 4)) == [(base + 1, base + 3)]
    assert Coverage(start, end).length(base, base + 4) == 2


def test_touching_intervals_join_and_empty_ones_split_nothing() -> None:
    start, end = union([0, 5, 7, 20], [5, 10, 7, 20])
    assert listed(start, end) == [(0, 10)]


@given(intervals, st.lists(st.integers(-8, TIME + 15), max_size=9, unique=True).map(sorted))
def test_split_cuts_inside_only(items: list[Interval], cuts: list[int]) -> None:
    items = [i for i in items if i[0] < i[1]]
    pieces = split(*arrays(items), np.array(cuts, np.int64))
    expected = []
    for i, (s, e) in enumerate(items):
        edges = [s, *(c for c in cuts if s < c < e), e]
        expected += [(a, b, i) for a, b in itertools.pairwise(edges)]
    assert list(zip(*(p.tolist() for p in pieces), strict=True)) == expected


@given(intervals, st.integers(1, 5))
def test_union_of_blocks_is_the_union(items: list[Interval], size: int) -> None:
    items = sorted(items)
    blocks = [arrays(items[i : i + size]) for i in range(0, len(items), size)]
    assert listed(*union_of_blocks(iter(blocks))) == listed(*union(*arrays(items)))
    assert Coverage.of(*union_of_blocks(iter(blocks))).total == len(cells(items))
