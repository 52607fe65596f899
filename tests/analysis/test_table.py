"""Tables cut, picked and put in order."""

from __future__ import annotations

import numpy as np

from tui.analysis.table import Column, Table, Unit, plain, unknown
from tui.report.columns import NULL

TABLE = Table(
    "t",
    "T",
    (
        Column("Name", "name", Unit.TEXT, ["c", "a", "b"], rank=1, blank="-"),
        Column("Total (ns)", "total_ns", Unit.NS, np.array([3, 1, 2])),
    ),
    "seen",
)


def test_picked_columns_have_another_header_and_order() -> None:
    found = TABLE.pick({"total_ns": "total", "none": "none", "name": "name"})
    assert [c.header for c in found.columns] == ["total", "name"]
    assert list(found.rows()) == [(3, "c"), (1, "a"), (2, "b")]
    assert (found.columns[1].rank, found.columns[1].blank) == (1, "-")
    assert (found.name, found.title, found.note) == ("t", "T", "seen")


def test_the_first_rows() -> None:
    assert list(TABLE.head(2).rows()) == [("c", 3), ("a", 1)]
    assert TABLE.head(2).note == "seen"
    assert TABLE.head(1, "--rows 0").note == "2 more rows; --rows 0 lists all; seen"
    assert TABLE.head(0) is TABLE
    assert TABLE.head(3, "--rows 0") is TABLE


def test_rows_in_another_order() -> None:
    assert list(TABLE.ordered(np.array([1, 2, 0])).rows()) == [("a", 1), ("b", 2), ("c", 3)]
    assert len(TABLE.ordered(np.array([], np.int64))) == 0


def test_units_say_how_they_are_written() -> None:
    assert [unit.name for unit in Unit if unit.is_time] == ["NS", "NS_1"]
    assert {unit.name: unit.decimals for unit in Unit if unit.decimals} == {
        "NS_1": 1, "PCT": 1, "DECIMAL": 1, "MB": 3,
    }  # fmt: skip


def test_unknown_cells() -> None:
    values = np.array([5, NULL, 7])
    assert [unknown(v) for v in (None, values[1], values[0], 0)] == [True, True, False, False]
    assert plain(values, 0, 2) == [5, None]
    assert plain(["a", None], 1, 9) == [None]
