"""Columns of long lists: sorted and filtered without a text a row."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.analysis.table import Column, Table, Unit
from tui.browse.histogram import buckets_of, histogram_lines, spread_of
from tui.browse.lazy_columns import Coded, Written, by_key
from tui.browse.page import ColumnFormat, SortedRows
from tui.report.columns import NULL
from tui.timeline.glyphs import ASCII, UNICODE
from tui.timeline.runs import text_of


def order(table: Table, column: int, descending: bool = True, needle: str = "") -> list[int]:
    return [int(i) for i in SortedRows(table, column, descending, needle).order]


def table() -> Table:
    return Table(
        "t",
        "",
        (
            Column("at", "at", Unit.TEXT, Written(np.array([30, 10, NULL, 20]), lambda t: f"at {t}")),
            Column(
                "name", "name", Unit.TEXT, Coded(np.array([1, 0, 1, -1]), 2, ["relu", "Gemm"].__getitem__)
            ),
            Column("ns", "ns", Unit.NS, np.array([5, NULL, 5, 7])),
        ),
    )


def test_texts_made_of_numbers_are_sorted_by_them() -> None:
    assert order(table(), 0, descending=False) == [1, 3, 0, 2]
    assert order(table(), 0) == [0, 3, 1, 2]
    assert table().columns[0].values[1:3] == ["at 10", None]


def test_texts_of_few_kinds_are_sorted_as_texts_whatever_their_case() -> None:
    assert order(table(), 1, descending=False) == [0, 2, 1, 3]
    assert order(table(), 1) == [1, 0, 2, 3]
    assert order(table(), 2) == [3, 0, 2, 1]


def test_a_filter_looks_into_names_alone() -> None:
    assert order(table(), -1, needle="GEMM") == [0, 2]
    assert order(table(), -1, needle="at 1") == []


def test_two_texts_that_read_the_same_are_equal() -> None:
    same = Coded(np.array([2, 0, 1]), 3, ["A", "b", "a"].__getitem__)
    assert order(Table("t", "", (Column("n", "n", Unit.TEXT, same),)), 0, descending=False) == [0, 1, 2]


@given(st.lists(st.one_of(st.integers(-3, 3), st.none()), max_size=12), st.booleans())
def test_numpy_sorts_as_python_does(values: list[int | None], descending: bool) -> None:
    keys = np.array([NULL if v is None else v for v in values], np.int64)
    known = sorted(
        (i for i, v in enumerate(values) if v is not None), key=lambda i: values[i], reverse=descending
    )  # type: ignore[arg-type,return-value]
    rest = [i for i, v in enumerate(values) if v is None]
    assert by_key(keys, descending).tolist() == known + rest


def test_a_million_rows_are_sorted_and_filtered_at_once() -> None:
    count = 1_000_000
    rng = np.random.default_rng(1)
    made: list[int] = []

    def word(code: int) -> str:
        made.append(code)
        return f"kernel {code}"

    names = Coded(rng.integers(0, 500, count), 500, word)
    times = Written(np.arange(count), str)
    columns = (
        Column("at", "at", Unit.TEXT, times),
        Column("name", "name", Unit.TEXT, names),
        Column("ns", "ns", Unit.NS, rng.integers(0, 10**9, count)),
    )
    begin = time.perf_counter()
    [ColumnFormat.of(column) for column in columns]
    rows = SortedRows(Table("t", "", columns))
    for column in range(3):
        rows.column = column
        rows.arrange()
    rows.needle = "kernel 49"
    rows.arrange()
    assert len(rows.order) == int(np.isin(names.codes, [49, *range(490, 500)]).sum())
    assert len(made) <= 500
    assert time.perf_counter() - begin < 3


# -- how long they took -----------------------------------------------------------------------------------


def test_the_spread_by_hand() -> None:
    spread = spread_of(np.arange(1, 21) * 1000)
    assert (spread.least, spread.median, spread.p95, spread.most) == (1000, 10500, 19000, 20000)
    assert spread.words() == "min 1.00 us · median 10.5 us · p95 19.0 us · max 20.0 us"
    assert spread_of(np.zeros(0, np.int64)).count == 0
    assert spread_of(np.array([7])).median == 7


def test_two_populations_are_two_hills() -> None:
    durations = np.array([1_000] * 50 + [1_300] * 50 + [1_000_000] * 10, np.int64)
    found = buckets_of(durations, 40)
    assert found is not None
    assert (found.low, found.high, int(found.counts.sum())) == (1_000, 1_000_000, 110)
    assert found.counts[0] == 50
    assert found.counts[-1] == 10
    assert np.count_nonzero(found.counts) == 3


@given(st.lists(st.integers(0, 10**12), max_size=30), st.integers(1, 90))
def test_every_duration_with_a_length_is_in_a_bucket(durations: list[int], room: int) -> None:
    found = buckets_of(np.array(durations, np.int64), room)
    lasting = [d for d in durations if d > 0]
    assert (found is None) == (not lasting)
    if found is not None:
        assert found.counts.sum() == len(lasting)
        assert found.counts[found.at(min(lasting))] > 0
        assert found.counts[found.at(max(lasting))] > 0


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_the_picture_fits_and_one_event_is_seen(glyphs: object) -> None:
    durations = np.array([1_000] * 1000 + [90_000_000], np.int64)
    lines = [text_of(line) for line in histogram_lines(durations, 44, glyphs)]  # type: ignore[arg-type]
    assert max(map(len, lines)) <= 44
    assert len(lines) == 5
    assert lines[-2].rstrip() == lines[-2].rstrip(" ")
    assert len(lines[-2].strip()) > 30  # the hill at the left and the speck at the right
    assert lines[0].strip() in ("█" * len(lines[0].strip()), "#" * len(lines[0].strip()))
    assert lines[-1].split() == ["1.00", "us", "10.0", "us", "100", "us", "1.00", "ms", "90.0", "ms"]


def test_no_picture_of_no_length() -> None:
    assert histogram_lines(np.zeros(5, np.int64), 40, UNICODE) == []
    assert histogram_lines(np.zeros(0, np.int64), 40, UNICODE) == []
    assert [text_of(line).strip() for line in histogram_lines(np.array([5, 5]), 40, UNICODE)][-1] == "5 ns"
