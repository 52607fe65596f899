"""Exact figures: rounding, groups, medians and deviations, whatever the size of the numbers."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.stats.brute import deviation, median
from tui.analysis.grouping import combined, dense
from tui.analysis.stats.groups import by_total, figures
from tui.analysis.stats.rounding import printed, quotient, root
from tui.analysis.stats.sizes import megabytes


@pytest.mark.parametrize(
    ("above", "below", "digits", "shown"),
    [
        (225, 100, 1, 2.3),  # 2.25 is a tie: away from zero, where round() gives 2.2
        (125, 100, 1, 1.3),
        (-225, 100, 1, -2.3),
        (216_485, 100, 1, 2164.8),  # the double nearest to 2164.85 is less than it: no tie
        (-216_485, 100, 1, -2164.8),
        (15, 100, 1, 0.1),  # 0.1499999999999999944...
        (285, 100, 1, 2.9),  # 2.8500000000000000888...
        (224, 100, 1, 2.2),
        (1, 3, 1, 0.3),
        (2, 3, 3, 0.667),
        (0, 7, 1, 0.0),
        (10**17, 1, 1, Decimal(10**17)),  # no longer exact as a float with one decimal
        (9_007_199_254_740_993, 1, 1, Decimal(9_007_199_254_740_992)),  # no double is odd up there
    ],
)
def test_rounds_the_double_half_away_from_zero(above: int, below: int, digits: int, shown: float) -> None:
    assert list(printed(quotient(np.array([above]), below, digits), digits)) == [shown]


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (62_500, 0.062),
        (187_500, 0.188),
        (4_500, 0.004),
        (8_500, 0.009),
        (1_002_500, 1.002),
        (1_001_500, 1.002),
    ],
)
def test_megabytes_round_ties_to_the_even_digit(size: int, shown: float) -> None:
    assert list(megabytes(np.array([size]))) == [shown]


@given(st.integers(-(2**62), 2**62), st.integers(1, 2**61), st.integers(0, 3), st.booleans())
def test_quotients_round_the_exact_value_of_a_double(above: int, below: int, digits: int, even: bool) -> None:
    unit, rounding = Decimal(1).scaleb(-digits), ROUND_HALF_EVEN if even else ROUND_HALF_UP
    expected = Decimal(float(above) / float(below)).quantize(unit, rounding, Context(prec=60))
    found = quotient(np.array([above]), np.array([below]), digits, ties_to_even=even)
    assert found.tolist() == [int(expected.scaleb(digits))]


@given(st.lists(st.tuples(st.integers(0, 4000), st.sampled_from((4, 16, 20, 80, 125, 2000))), min_size=1))
def test_quotients_near_ties(pairs: list[tuple[int, int]]) -> None:
    expected = [
        int(Decimal(a / b).quantize(Decimal("0.1"), ROUND_HALF_UP, Context(prec=60)).scaleb(1))
        for a, b in pairs
    ]
    above, below = np.array([a for a, _ in pairs]), np.array([b for _, b in pairs])
    assert quotient(above, below, 1).tolist() == expected


@pytest.mark.parametrize(("square", "digits", "scaled"), [(2, 1, 14), (2, 3, 1414), (4, 1, 20), (0, 1, 0)])
def test_roots_round_to_the_nearest(square: int, digits: int, scaled: int) -> None:
    assert root(square, 1, digits) == scaled


groups_of_values = st.lists(
    st.tuples(st.integers(0, 5), st.one_of(st.integers(0, 50), st.integers(0, 2**40), st.integers(0, 2**62))),
    min_size=1,
    max_size=60,
)


def tenths(above: int, below: int) -> float:
    """The quotient of two doubles, as SQLite divides them, rounded half away from zero."""
    return float(
        Decimal(float(above) / float(below)).quantize(Decimal("0.1"), ROUND_HALF_UP, Context(prec=60))
    )


@given(groups_of_values)
def test_figures_equal_plain_arithmetic(pairs: list[tuple[int, int]]) -> None:
    keys = np.array([key for key, _ in pairs])
    groups, names = dense(keys)
    known = figures(groups, np.array([value for _, value in pairs], np.int64), len(names))
    for place, name in enumerate(names.tolist()):
        values = [value for key, value in pairs if key == name]
        assert known.count[place] == len(values)
        assert known.total[place] == sum(values)
        assert (known.minimum[place], known.maximum[place]) == (min(values), max(values))
        middle = median(values)
        assert float(known.average()[place]) == tenths(sum(values), len(values))
        assert float(known.median()[place]) == tenths(2 * middle.numerator // middle.denominator, 2)
        assert float(known.deviation()[place]) == deviation(values, 1, 1)


def test_a_million_values_need_no_wide_numbers() -> None:
    values = np.arange(1_000_000, dtype=np.int64) * 1_000_003
    known = figures(np.zeros(len(values), np.int64), values, 1)
    assert known.deviation().tolist() == [288676144958.2]  # 1000003 * sqrt(n (n + 1) / 12)
    assert known.median().tolist() == [500000999998.5]


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), max_size=40))
def test_combined_numbers_distinct_rows_in_order(pairs: list[tuple[int, int]]) -> None:
    a, b = np.array([p[0] for p in pairs], np.int64), np.array([p[1] for p in pairs], np.int64)
    groups, first = combined(a, b)
    distinct = sorted(set(pairs))
    assert [distinct[g] for g in groups.tolist()] == pairs
    assert [pairs[i] for i in first.tolist()] == distinct
    assert first.tolist() == [pairs.index(pair) for pair in distinct]


@given(st.lists(st.integers(0, 9), max_size=40), st.integers(1, 20))
def test_dense_is_the_same_with_and_without_a_bound(keys: list[int], size: int) -> None:
    array = np.array(keys, np.int32)
    with_bound, without = dense(array, max(keys, default=0) + size), dense(array)
    assert with_bound[0].tolist() == without[0].tolist()
    assert with_bound[1].tolist() == without[1].tolist() == sorted(set(keys))


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3), st.text(max_size=2)), max_size=30), st.booleans()
)
def test_order_is_total_then_count_then_name(rows: list[tuple[int, int, str]], wide: bool) -> None:
    total = np.array([r[0] for r in rows], object if wide else np.int64)
    count = np.array([r[1] for r in rows], np.int64)
    order = by_total(total, count, [r[2] for r in rows])
    shown = [(-rows[i][0], rows[i][1], rows[i][2]) for i in order.tolist()]
    assert shown == sorted(shown)
    assert sorted(order.tolist()) == list(range(len(rows)))
