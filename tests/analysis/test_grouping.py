"""Rows sorted into groups of equal keys."""

from __future__ import annotations

import numpy as np

from tui.analysis.grouping import by_text, combined, dense, group_rows, summed

KEYS = np.array([7, 3, 7, 9, 3])


def test_distinct_values_are_numbered_in_ascending_order() -> None:
    for size in (None, 10):
        groups, values = dense(KEYS, size)
        assert groups.tolist() == [1, 0, 1, 2, 0]
        assert values.tolist() == [3, 7, 9]


def test_keys_of_any_type_and_bounds() -> None:
    for keys, expected in (
        (np.array([127, -128, 127], np.int8), [-128, 127]),
        (np.array([255, 0, 255], np.uint8), [0, 255]),
        (np.array([True, False, True]), [0, 1]),
        (np.array([2**63 - 1, -(2**63), 2**63 - 1]), [-(2**63), 2**63 - 1]),
        (np.array([-(2**63) + 2, -(2**63), -(2**63) + 2]), [-(2**63), -(2**63) + 2]),
        (np.array([1_000_000_007, 1_000_000_000, 1_000_000_007], np.int32), [1_000_000_000, 1_000_000_007]),
    ):
        groups, values = dense(keys)
        assert (groups.tolist(), values.tolist()) == ([1, 0, 1], expected)
    assert [part.tolist() for part in dense(np.array([-5, -5, -5]))] == [[0, 0, 0], [-5]]
    assert [part.tolist() for part in dense(np.array([], np.int64), 1)] == [[], []]
    assert [part.tolist() for part in dense(np.array([0, 0]), 1)] == [[0, 0], [0]]


def test_distinct_rows_and_their_first() -> None:
    groups, first = combined(KEYS, np.array([1, 2, 0, 1, 2]))
    assert groups.tolist() == [2, 0, 1, 3, 0]
    assert first.tolist() == [1, 2, 0, 3]


def test_keys_of_one_text_are_one_group() -> None:
    texts = {3: "odd", 7: None, 9: "odd"}
    groups, found = by_text(KEYS, texts.__getitem__)
    assert groups.tolist() == [1, 0, 1, 0, 0]
    assert found == ["odd", None]


def test_rows_and_sums_of_groups() -> None:
    groups, values = dense(KEYS)
    assert [rows.tolist() for rows in group_rows(groups, len(values))] == [[1, 4], [0, 2], [3]]
    big = 2**53
    assert summed(groups, 3, np.array([1, big, 2, 4, 1])).tolist() == [big + 1, 3, 4]


def test_no_rows_are_no_groups() -> None:
    none = np.zeros(0, np.int64)
    assert dense(none)[1].tolist() == []
    assert combined(none, none)[1].tolist() == []
    assert by_text(none, str)[1] == []
    assert list(group_rows(none, 0)) == []
    assert summed(none, 0, none).tolist() == []
