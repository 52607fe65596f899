"""The walk itself: what it must not miss."""

from __future__ import annotations

import pytest

from tests.nsys.differences import Cell, Meant, OnlyOurs, OnlyTheirs, Order
from tests.nsys.printed import Printed, Row, Rows, Walked
from tests.nsys.walk import walk
from tui.analysis.stats.std9 import count, text
from tui.analysis.table import Table

HERE = Walked("none")


def ours(*rows: tuple[str, int | None]) -> Rows:
    names, numbers = zip(*rows, strict=True)
    return Rows(Table("r", "R", (text("Name", list(names)), count("Number", list(numbers)))))


def theirs(*rows: tuple[str, int | float | None], more: int = 0) -> Printed:
    found: list[Row] = [{"Name": name, "Number": number} for name, number in rows]
    return Printed("none", "r", found, len(found) + more)


def test_equal_rows_are_equal() -> None:
    outcome = walk(HERE, theirs(("a", 1), ("b", None), more=1), ours(("a", 1), ("b", None), ("c", 3)), ())
    assert (outcome.wrong, outcome.cells) == ([], 4)


@pytest.mark.parametrize(
    ("printed", "wrong"),
    [
        (theirs(("a", 2), ("b", 2)), ["row 0: Number: 1 for 2"]),
        (theirs(("a", 1), ("b", 2.0)), ["row 1: Number: 2 for 2.0"]),
        (theirs(("a", 1), ("b", None)), ["row 1: Number: 2 for None"]),
        (theirs(("b", 1), ("a", 2)), ["row 0: Name: 'a' for 'b'", "row 1: Name: 'b' for 'a'"]),
        (theirs(("a", 1)), ["2 rows of ours for 1 of nsys's"]),
        (theirs(("a", 1), ("b", 2), more=7), ["2 rows of ours for 9 of nsys's"]),
        (
            Printed("none", "r", [{"Name": "a"}, {"Name": "b"}], 2),
            ["columns ['Name', 'Number'] for ['Name']"],
        ),
    ],
)
def test_each_difference_is_a_line(printed: Printed, wrong: list[str]) -> None:
    assert walk(HERE, printed, ours(("a", 1), ("b", 2)), ()).wrong == wrong


def test_only_what_is_meant_is_let_through_and_noted() -> None:
    meant: tuple[Meant, ...] = (
        Cell(
            ("r",),
            "why",
            columns=("Number",),
            when=lambda their, our, _: their["Number"] == our["Number"] * 2,
        ),
        OnlyOurs(("r",), "why", when=lambda row, _: row["Name"] == "o"),
        OnlyTheirs(("r",), "why", when=lambda row, _: row["Name"] == "t"),
        OnlyOurs(("other",), "of another report", when=lambda row, _: True),
    )
    outcome = walk(HERE, theirs(("t", 9), ("a", 2), ("b", 5)), ours(("a", 1), ("o", 8), ("b", 2)), meant)
    assert outcome.wrong == ["row 1: Number: 2 for 5"]
    assert outcome.met == set(meant[:3])


def test_another_order_is_met_where_it_matters() -> None:
    by_number = Order(("r",), "why", when=lambda _: True, key=lambda row: row["Number"])
    outcome = walk(HERE, theirs(("b", 1), ("a", 2)), ours(("a", 2), ("b", 1)), (by_number,))
    assert (outcome.wrong, outcome.met) == ([], {by_number})
    assert not walk(HERE, theirs(("b", 1), ("a", 2)), ours(("b", 1), ("a", 2)), (by_number,)).met
