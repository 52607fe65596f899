"""Sums of sampled quantities, against a walk over every sample."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tui.analysis.metrics.quantity import Quantity
from tui.intervals import Spans
from tui.report.columns import MemoryColumns
from tui.report.metrics.columns import Keeper, loaded
from tui.report.metrics.raw_series import RawSeries


class _Memory(MemoryColumns):
    facts: dict[str, object]


def quantity(times: list[int], values: list[float], scale: float = 1.0) -> Quantity:
    columns = _Memory()
    keeper = Keeper(lambda name, array: columns.write(name, array.dtype, [array]))
    keeper.add(RawSeries("gpu", "x", np.array(times, np.int64), np.array(values, np.float64)))
    columns.facts = keeper.facts()
    (kept,) = loaded(columns)
    return Quantity(kept, scale)


def walked(times: list[int], values: list[float]) -> list[tuple[int, int, float]]:
    """The stretches of time that values hold for, by the definition."""
    gaps = sorted(b - a for a, b in pairwise(times))
    half = len(gaps) // 2
    period = max(int(gaps[half] if len(gaps) % 2 else (gaps[half - 1] + gaps[half]) / 2), 1)
    found = [(times[0] - period, times[0], values[0])]
    found += [
        (a, b, value)
        for a, b, value in zip(times, times[1:], values[1:], strict=False)
        if b - a <= 2.5 * period
    ]
    return found


series = st.lists(
    st.tuples(st.sampled_from([1, 2, 3, 5, 40]), st.integers(-50, 300)), min_size=2, max_size=150
).map(lambda steps: (np.cumsum([step for step, _ in steps]).tolist(), [float(v) for _, v in steps]))


@settings(max_examples=150, deadline=None)
@given(series, st.lists(st.integers(-60, 700), min_size=2, max_size=12))
def test_cells_hold_what_their_time_holds(samples: tuple[list[int], list[float]], edges: list[int]) -> None:
    edges = sorted(edges)
    held = quantity(*samples).over(edges)
    stretches = walked(*samples)
    for i, (low, high) in enumerate(pairwise(edges)):
        parts = [(min(e, high) - max(b, low), v) for b, e, v in stretches if b < high and e > low]
        if not parts or high == low:
            assert math.isnan(held.mean[i]) and math.isnan(held.high[i])
            continue
        covered = sum(length for length, _ in parts)
        assert held.mean[i] == pytest.approx(sum(length * v for length, v in parts) / covered)
        assert (held.low[i], held.high[i]) == (min(v for _, v in parts), max(v for _, v in parts))


@settings(max_examples=100, deadline=None)
@given(series, st.lists(st.integers(-60, 700), min_size=3, max_size=12, unique=True))
def test_a_mean_over_a_partition_is_that_of_its_parts(
    samples: tuple[list[int], list[float]], edges: list[int]
) -> None:
    cuts = np.array(sorted(edges))
    whole = quantity(*samples)
    covered, total = whole.covered(cuts[:-1], cuts[1:]), whole.integral(cuts[:-1], cuts[1:])
    assert covered.sum() == whole.covered(cuts[0], cuts[-1])
    assert total.sum() == pytest.approx(float(whole.integral(cuts[0], cuts[-1])))
    means = whole.mean(cuts[:-1], cuts[1:])
    known = covered > 0
    if known.any():
        weighted = (means[known] * covered[known]).sum() / covered.sum()
        assert weighted == pytest.approx(float(whole.mean(cuts[0], cuts[-1])))


def test_many_samples_in_a_cell_are_seen_through_their_peaks() -> None:
    rng = np.random.default_rng(3)
    count = 600_000
    times, values = np.arange(1, count + 1) * 100, rng.integers(0, 1_000_000, count)
    held = quantity(times.tolist(), values.tolist()).over(np.arange(0, count * 100 + 1, 12_345))
    for i in (0, 17, 400, 809):
        part = values[i * 12_345 // 100 : -(-(i + 1) * 12_345 // 100)]
        assert (held.low[i], held.high[i]) == (part.min(), part.max())
    assert len(held.mean) == 4_860


def test_samples_of_two_stretches_count_once() -> None:
    found = quantity(list(range(10, 101, 10)), [5.0] * 10)
    average = found.average(Spans(np.array([12, 15]), np.array([14, 31])))
    assert (average.samples, average.covered_ns, average.length_ns, average.mean) == (3, 18, 18, 5.0)
    assert average.known is None  # fewer than five


def test_percentiles_are_values_of_samples() -> None:
    found = quantity([10, 20, 30, 40, 50, 60], [6, 5, 4, 3, 2, 1], scale=10.0)
    assert found.quantiles(0, 60, (0.5, 0.95, 1.0)) == [30.0, 60.0, 60.0]
    assert found.quantiles(21, 60, (0.5,)) == [None]


@pytest.mark.parametrize(("times", "values"), [([], []), ([5], [1.0])])
def test_too_few_for_a_period(times: list[int], values: list[float]) -> None:
    found = quantity(times, values)
    assert len(found) == 0
    assert np.isnan(found.over([0, 10, 20]).mean).all()
    assert found.covered(0, 10) == 0
    assert found.average(Spans(np.array([0]), np.array([10]))).known is None


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([0, 255], "u1"), ([-1, 100], "i2"), ([0, 65_535], "u2"), ([0, 70_000], "i4"), ([0, 2**32 - 1], "u4"),
        ([0.5, 1], "f4"), ([0.1, 1], "f8"), ([0, 2**40], "f4"), ([1, 2**40 + 1], "f8"),
    ],
)  # fmt: skip
def test_values_take_as_few_bytes_as_they_need(values: list[float], kind: str) -> None:
    found = quantity([10, 20], values)
    assert found.values().tolist() == values
    assert found._values.dtype.str[1:] == kind
