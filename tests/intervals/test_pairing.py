"""Begins with their ends, and covered time by group, against brute forces."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tui.intervals import covered, paired

Edges = list[tuple[int, int]]
edges = st.lists(st.tuples(st.integers(0, 2), st.integers(-4, 8)), max_size=8)
grouped = st.lists(st.tuples(st.integers(0, 2), st.integers(-9, 9), st.integers(0, 6)), max_size=10)


def columns(rows: list[tuple[int, ...]], width: int) -> list[np.ndarray]:
    return list(np.array(rows, np.int64).reshape(-1, width).T)


def by_stack(begins: Edges, ends: Edges) -> Edges:
    events = [(time, 0, i, key) for i, (key, time) in enumerate(begins)]
    events += [(time, 1, i, key) for i, (key, time) in enumerate(ends)]
    open_: dict[int, list[int]] = {}
    found = []
    for _, is_end, i, key in sorted(events):
        if not is_end:
            open_.setdefault(key, []).append(i)
        elif open_.get(key):
            found.append((open_[key].pop(), i))
    return sorted(found)


@given(edges, edges)
def test_an_end_closes_the_latest_open_begin(begins: Edges, ends: Edges) -> None:
    first, last = paired(*columns(begins, 2), *columns(ends, 2))
    assert list(zip(first.tolist(), last.tolist(), strict=True)) == by_stack(begins, ends)


def test_ends_without_a_begin_close_nothing() -> None:
    #  key 1:  )  (  (  )  )  )  (        key 2:  )  (  )
    begins: Edges = [(1, 2), (1, 3), (1, 9), (2, 5)]
    ends: Edges = [(1, 1), (1, 4), (1, 6), (1, 7), (2, 1), (2, 6)]
    first, last = paired(*columns(begins, 2), *columns(ends, 2))
    assert (first.tolist(), last.tolist()) == ([0, 1, 3], [2, 1, 5])


@given(grouped)
def test_covered_time_is_that_of_the_union(rows: list[tuple[int, int, int]]) -> None:
    groups, start, length = columns(rows, 3)
    expected = [len({t for g, s, n in rows if g == k for t in range(s, s + n)}) for k in range(3)]
    assert covered(groups, start, start + length, 3).tolist() == expected


def test_covered_time_of_long_intervals_is_exact() -> None:
    far = 1 << 61
    groups, start, end = columns([(0, -far, far), (0, 0, far - 1), (1, far - 3, far)], 3)
    assert covered(groups, start, end, 2).tolist() == [1 << 62, 3]
