"""How the pane's tables are written, narrowed, sorted and filtered."""

from __future__ import annotations

import numpy as np
import pytest

from tui.analysis.table import Column, Table, Unit
from tui.app.screens.text import pair_lines
from tui.browse.page import ColumnFormat, Instances, SortedRows
from tui.report.columns import NULL
from tui.text.cells import wrapped
from tui.text.widths import fit_widths
from tui.timeline.runs import text_of


def table() -> Table:
    return Table(
        "t",
        "T",
        (
            Column("name", "name", Unit.TEXT, ["b", "A", "c[x]"]),
            Column("ns", "ns", Unit.NS, [2_000_000, 5_000_000, None]),
            Column("n", "n", Unit.COUNT, [1, 1, 2]),
        ),
    )


def order(rows: SortedRows) -> list[int]:
    return [int(i) for i in rows.order]


def test_sorting_is_stable_and_puts_the_unknown_last() -> None:
    assert order(SortedRows(table())) == [0, 1, 2]
    assert order(SortedRows(table(), 0, descending=False)) == [1, 0, 2]
    assert order(SortedRows(table(), 1)) == [1, 0, 2]
    assert order(SortedRows(table(), 1, descending=False)) == [0, 1, 2]
    assert order(SortedRows(table(), 2, descending=False)) == [0, 1, 2]


def test_filters_ignore_case_and_markup() -> None:
    assert order(SortedRows(table(), needle="a")) == [1]
    assert order(SortedRows(table(), needle="[X]")) == [2]
    assert order(SortedRows(table(), needle="zzz")) == []


@pytest.mark.parametrize(
    ("unit", "values", "texts"),
    [
        (Unit.NS, [1_500_000, 20, 0], ["1.50 ms", "20 ns", "0 ns"]),
        (Unit.NS, np.array([999, NULL]), ["999 ns", "?"]),
        (Unit.NS_1, [2_000_000_000, 1234.5, 0.2], ["2.00 s", "1.23 us", "<1 ns"]),
        (Unit.PCT, [12.345, None, 0.04, 0.0], ["12.3", "?", "<0.1", "0.0"]),
        (Unit.DECIMAL, [1514.44], ["1,514.4"]),
        (Unit.BYTES, [2_500_000_000, 512], ["2.50 GB", "512 B"]),
        (Unit.MB, [0.0005, 2500], ["500 B", "2.50 GB"]),
        (Unit.COUNT, [1234567], ["1,234,567"]),
        (Unit.ID, [1234567], ["1234567"]),
        (Unit.TEXT, ["a\x1b[31mb", None], ["a␛[31mb", "?"]),
    ],
)
def test_each_cell_has_the_unit_that_suits_it(unit: Unit, values: object, texts: list[str]) -> None:
    column = Column("t", "t", unit, values)  # type: ignore[arg-type]
    cells = ColumnFormat.of(column)
    assert cells.header == "t"
    assert [cells.write(v) for v in column.values] == texts
    assert cells.need.cells >= max(map(len, texts))


def test_a_long_column_of_times_has_room_for_every_one() -> None:
    column = Column("t", "t", Unit.NS, np.array([999] * 300 + [1_000_000_000]))
    assert ColumnFormat.of(column).need.cells == len("12.3 us")


def test_columns_give_way_by_rank_then_names_by_width() -> None:
    columns = (
        Column("name", "name", Unit.TEXT, ["x" * 60]),
        Column("a", "a", Unit.COUNT, [1000000]),
        Column("b", "b", Unit.COUNT, [1000000], rank=2),
        Column("c", "c", Unit.COUNT, [1000000], rank=1),
    )
    needs = [ColumnFormat.of(column).need for column in columns]
    assert fit_widths(needs, 100) == [60, 9, 9, 9]
    assert fit_widths(needs, 60) == [27, 9, 9, 9]


def test_the_longest_instance_is_the_first_of_equals() -> None:
    times = np.array([0, 10, 20])
    assert Instances("ops", times, times, times + np.array([5, 8, 8])).longest == 1


def test_long_names_are_wrapped_whole() -> None:
    name = "void kernel<" + "float, " * 200 + "int>(int*, float*)"
    pieces = wrapped(name, 40)
    assert all(len(piece) <= 40 for piece in pieces)
    assert "".join(pieces).replace(" ", "") == name.replace(" ", "")
    lines = [text_of(line) for line in pair_lines([("name", name), ("long", "1 ms")], 60)]
    assert len(lines) > 20
    assert lines[-1].split() == ["long", "1", "ms"]
