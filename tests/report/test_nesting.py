"""Parents and levels of intervals against a walk over all pairs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tui.report.importing.range_levels import Nesting, depths, stacked

Spans = list[tuple[int, int, int]]
SPANS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 20), st.integers(0, 12)), max_size=40)


class Span(NamedTuple):
    group: int
    start: int
    end: int


def in_order(spans: Spans) -> list[Span]:
    """(group, start, length) in the order that nesting asks for: by start, longer first."""
    return sorted((Span(g, s, s + n) for g, s, n in spans), key=lambda r: (r.start, -r.end))


def nested(rows: list[Span], block: int = 1000) -> tuple[list[int], list[int], list[int]]:
    """Levels, parents and crossed groups, ``block`` intervals at a time."""
    group, start, end = np.array(rows, np.int64).reshape(-1, 3).T
    nesting = Nesting()
    levels: list[int] = []
    parents: list[int] = []
    for at in range(0, len(rows), block):
        part = slice(at, at + block)
        here = np.arange(len(rows))[part]
        level, parent = nesting.add(here, start[part], end[part], group[part])
        levels += level.tolist()
        parents += parent.tolist()
    return levels, parents, sorted(nesting.crossed)


@given(SPANS, st.integers(1, 41))
def test_parent_is_the_nearest_earlier_one_that_encloses(spans: Spans, block: int) -> None:
    rows = in_order(spans)
    expected = []
    for i, row in enumerate(rows):
        enclosing = [j for j in range(i) if rows[j].group == row.group and rows[j].end >= row.end]
        expected.append(max(enclosing, default=-1))
    level, parent, _ = nested(rows, block)
    assert parent == expected
    assert level == depths(np.array(parent, np.int64)).tolist()


@given(SPANS, st.integers(1, 41))
def test_groups_in_which_any_two_cross_are_known(spans: Spans, block: int) -> None:
    rows = in_order(spans)
    crossed = {
        b.group
        for i, b in enumerate(rows)
        for a in rows[:i]
        if a.group == b.group and b.start < a.end < b.end
    }
    assert nested(rows, block)[2] == sorted(crossed)


@given(SPANS)
def test_no_two_of_a_level_overlap_and_children_are_below(spans: Spans) -> None:
    rows = in_order(spans)
    level, parent, crossed = nested(rows)
    for group in crossed:
        mine = [i for i, row in enumerate(rows) if row.group == group]
        for i, value in zip(mine, stacked((rows[i].start, rows[i].end) for i in mine), strict=True):
            level[i] = value
    for i, b in enumerate(rows):
        if parent[i] >= 0:
            assert level[i] > level[parent[i]]
        for j, a in enumerate(rows[:i]):
            if a.group == b.group and level[i] == level[j]:
                assert a.end <= b.start


@given(SPANS)
def test_stacked_levels_are_depths_where_all_nest(spans: Spans) -> None:
    rows = [row for row in in_order(spans) if row.group == 0]
    level, _, crossed = nested(rows)
    if not crossed:
        assert stacked((row.start, row.end) for row in rows) == level


@given(SPANS)
def test_depth_counts_ancestors(spans: Spans) -> None:
    _, parent, _ = nested(in_order(spans))
    expected: list[int] = []
    for p in parent:
        expected.append(0 if p < 0 else expected[p] + 1)
    assert depths(np.array(parent, np.int64)).tolist() == expected


def test_level_is_depth_where_all_nest() -> None:
    rows = in_order([(0, 0, 100), (0, 10, 20), (0, 12, 3), (0, 15, 5), (0, 40, 60), (1, 5, 5)])
    level, parent, crossed = nested(rows)
    assert [row.start for row in rows] == [0, 5, 10, 12, 15, 40]
    assert parent == [-1, -1, 0, 2, 2, 0]
    assert level == [0, 0, 1, 2, 2, 1]
    assert crossed == []


def test_thirty_deep_and_many_siblings() -> None:
    spans = [(0, d, 100_000 - 2 * d) for d in range(30)] + [(0, 1000 + 3 * i, 2) for i in range(10_000)]
    for block in (100_000, 777):
        level, parent, crossed = nested(in_order(spans), block)
        assert parent[:30] == list(range(-1, 29))
        assert set(parent[30:]) == {29}
        assert max(level) == 30
        assert crossed == []


def test_nothing() -> None:
    none = np.empty(0, np.int64)
    level, parent = Nesting().add(none, none, none, none)
    assert level.tolist() == parent.tolist() == []
