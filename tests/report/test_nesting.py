"""Parents and levels of intervals against a walk over all pairs."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tui.report.model import Int64
from tui.report.nesting import depths, levels, parents

Spans = list[tuple[int, int, int]]
SPANS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 20), st.integers(0, 12)), max_size=40)


def arrays(spans: Spans) -> tuple[Int64, Int64, Int64]:
    """(start, end, group) of (group, start, length), in the order that nesting asks for."""
    rows = sorted(((g, s, s + n) for g, s, n in spans), key=lambda r: (r[0], r[1], -r[2]))
    columns = np.array(rows, np.int64).reshape(-1, 3).T
    return columns[1], columns[2], columns[0]


@given(SPANS)
def test_parent_is_the_nearest_earlier_one_that_encloses(spans: Spans) -> None:
    start, end, group = arrays(spans)
    expected = []
    for i in range(len(start)):
        enclosing = [j for j in range(i) if group[j] == group[i] and end[j] >= end[i]]
        expected.append(max(enclosing, default=-1))
    assert parents(end, group).tolist() == expected


@given(SPANS)
def test_no_two_of_a_level_overlap_and_children_are_below(spans: Spans) -> None:
    start, end, group = arrays(spans)
    parent = parents(end, group)
    level = levels(start, end, group, parent)
    for i in range(len(start)):
        if parent[i] >= 0:
            assert level[i] > level[parent[i]]
        for j in range(i):
            if group[i] == group[j] and level[i] == level[j]:
                assert end[j] <= start[i]


@given(SPANS)
def test_depth_counts_ancestors(spans: Spans) -> None:
    _, end, group = arrays(spans)
    parent = parents(end, group)
    expected: list[int] = []
    for p in parent:
        expected.append(0 if p < 0 else expected[p] + 1)
    assert depths(parent).tolist() == expected


def test_level_is_depth_where_all_nest() -> None:
    start, end, group = arrays([(0, 0, 100), (0, 10, 20), (0, 12, 3), (0, 15, 5), (0, 40, 60), (1, 5, 5)])
    parent = parents(end, group)
    assert parent.tolist() == [-1, 0, 1, 1, 0, -1]
    assert levels(start, end, group, parent).tolist() == [0, 1, 2, 2, 1, 0]


def test_thirty_deep_and_many_siblings() -> None:
    spans = [(0, d, 100_000 - 2 * d) for d in range(30)] + [(0, 1000 + 3 * i, 2) for i in range(10_000)]
    start, end, group = arrays(spans)
    parent = parents(end, group)
    assert parent[:30].tolist() == list(range(-1, 29))
    assert set(parent[30:].tolist()) == {29}
    assert levels(start, end, group, parent).max() == 30


def test_nothing() -> None:
    none = np.empty(0, np.int64)
    assert parents(none, none).tolist() == []
    assert levels(none, none, none, none).tolist() == []
