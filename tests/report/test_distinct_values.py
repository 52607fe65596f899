"""The distinct values of columns."""

from __future__ import annotations

import numpy as np
import pytest

from tui.report.columns import distinct_values


@pytest.mark.parametrize(
    ("values", "wanted"), [([], []), ([7], [7]), ([3, -1, 3, 2, -1], [-1, 2, 3]), ([5, 5, 5], [5])]
)
def test_ascending_and_once(values: list[int], wanted: list[int]) -> None:
    found = distinct_values(np.array(values, np.int32))
    assert found.tolist() == wanted
    assert found.dtype == np.int32


def test_many_values_and_what_was_given_stays() -> None:
    given = np.arange(300_000, dtype=np.int64)[::-1] // 100_000
    assert distinct_values(given).tolist() == [0, 1, 2]
    assert given[0] == 2
