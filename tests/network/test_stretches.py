"""Quantities over stretches of time, beside sums nanosecond by nanosecond."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from tui.analysis.network.stretches import Stretches, disjoint
from tui.analysis.network.units import Measure, measure


def made(*rows: tuple[int, int, int]) -> Stretches:
    start, end, value = (
        (np.array(column, np.int64) for column in zip(*rows, strict=True))
        if rows
        else (np.zeros(0, np.int64),) * 3
    )
    return disjoint(start, end, value)[0]


def test_figures_by_hand() -> None:
    found = made((0, 10, 4), (10, 20, 0), (30, 50, 8))
    assert (found.known_ns, found.area, found.mean, found.greatest) == (40, 200, 5.0, 8)
    assert found.quantile(0.5) == 4
    assert found.quantile(0.51) == 8
    assert found.above(0) == 30
    part = found.between(5, 40)
    assert (part.known_ns, part.area) == (25, 100)
    mean, low, high = found.over(np.array([0, 15, 20, 30, 40, 60]))
    np.testing.assert_array_equal(mean, [40 / 15, 0, np.nan, 8, 8])
    np.testing.assert_array_equal(low, [0, 0, np.nan, 8, 8])
    np.testing.assert_array_equal(high, [4, 0, np.nan, 8, 8])


def test_nothing_is_unknown() -> None:
    found = made()
    assert (found.mean, found.quantile(0.5), found.greatest, found.area) == (None, None, None, 0)
    assert np.isnan(found.over(np.array([0, 10, 20]))).all()
    assert found.over(np.array([5]))[0].shape == (0,)


def test_sums_beyond_64_bits() -> None:
    found = made((0, 1 << 40, 1 << 40), (1 << 40, 1 << 41, 1 << 40))
    assert found.area == 1 << 81
    assert found.mean == float(1 << 40)


def test_of_overlapping_rows_the_earlier_counts() -> None:
    rows = [(0, 10, 1), (5, 8, 2), (5, 20, 3), (20, 30, 4)]
    found, overlapping = disjoint(*(np.array(column, np.int64) for column in zip(*rows, strict=True)))
    assert overlapping == 2
    assert list(zip(found.start.tolist(), found.end.tolist(), found.value.tolist(), strict=True)) == [
        (0, 10, 1), (10, 20, 3), (20, 30, 4),
    ]  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_beside_every_nanosecond(seed: int) -> None:
    random = np.random.default_rng(seed)
    cuts = np.sort(random.choice(400, 40, replace=False)) - 50
    rows = [
        (int(a), int(b), int(random.integers(0, 1000))) for a, b in zip(cuts[::2], cuts[1::2], strict=True)
    ]
    found = made(*rows)
    each = np.full(500, np.nan)
    for start, end, value in rows:
        each[start + 60 : end + 60] = value
    edges = np.unique(random.choice(480, 30)) - 60
    for at, (mean, low, high) in enumerate(zip(*found.over(edges), strict=True)):
        part = each[edges[at] + 60 : edges[at + 1] + 60]
        part = part[~np.isnan(part)]
        expected = (part.mean(), part.min(), part.max()) if len(part) else (np.nan,) * 3
        np.testing.assert_allclose((mean, low, high), expected, rtol=1e-12)
    # The mean over a partition is the weighted mean of its parts.
    parts = [found.between(int(a), int(b)) for a, b in pairwise(edges)]
    whole = found.between(int(edges[0]), int(edges[-1]))
    assert sum(part.area for part in parts) == whole.area
    assert sum(part.known_ns for part in parts) == whole.known_ns


@pytest.mark.parametrize(
    ("name", "unit", "expected"),
    [
        ("IB: Bytes sent", "bytes/ms", Measure("bytes", 1_000_000, "sent", False, "bytes/s")),
        ("Eth: Bytes received", "Bytes / s", Measure("bytes", 10**9, "received", False, "bytes/s")),
        ("IB: Send waits", "ticks/ms", Measure("ticks", 1_000_000, "sent", True, "ticks/s")),
        ("Eth: CNPs received", "packets/ms", Measure("packets", 1_000_000, "received", False, "packets/s")),
        ("CNPs", "cnps/us", Measure("cnps", 1000, None, False, "cnps/s")),
        ("Temperature", "C", Measure(None, 1, None, False, "C")),
        ("?", None, Measure(None, 1, None, False, "")),
    ],
)
def test_units(name: str, unit: str | None, expected: Measure) -> None:
    assert measure(name, unit) == expected
