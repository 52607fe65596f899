"""Which columns a narrow table leaves out, and which give way."""

from __future__ import annotations

import pytest

from tui.text.widths import ColumnNeed, fit_widths

NAMED = [
    ColumnNeed(60, True),
    ColumnNeed(7, False),
    ColumnNeed(7, False, rank=2),
    ColumnNeed(7, False, rank=1),
]


@pytest.mark.parametrize(
    ("room", "widths"),
    [
        (87, [60, 7, 7, 7]),
        (60, [33, 7, 7, 7]),
        (39, [12, 7, 7, 7]),
        (38, [20, 7, 0, 7]),
        (30, [12, 7, 0, 7]),
        (25, [16, 7, 0, 0]),
        (12, [12, 0, 0, 0]),
        (3, [3, 0, 0, 0]),
    ],
)
def test_one_by_one_by_rank_then_from_the_right(room: int, widths: list[int]) -> None:
    assert fit_widths(NAMED, room) == widths


def test_a_whole_rank_goes_at_once_and_what_has_none_stays() -> None:
    needs = [ColumnNeed(10, False), ColumnNeed(10, False, 3), ColumnNeed(10, False, 3), ColumnNeed(40, True)]
    policy = {"wanted": 24, "least": 12}
    assert fit_widths(needs, 60, keep_unranked=True, **policy) == [10, 10, 10, 24]
    assert fit_widths(needs, 59, keep_unranked=True, **policy) == [10, 0, 0, 40]
    assert fit_widths(needs, 30, keep_unranked=True, **policy) == [10, 0, 0, 18]
    assert fit_widths(needs, 20, keep_unranked=True, **policy) == [10, 0, 0, 12]


def test_the_last_rank_is_never_left_out_whole() -> None:
    needs = [ColumnNeed(30, False, 1), ColumnNeed(30, False, 1)]
    assert fit_widths(needs, 20, keep_unranked=True) == [30, 30]


def test_names_give_way_together() -> None:
    assert fit_widths([ColumnNeed(30, True), ColumnNeed(30, True)], 42) == [20, 20]
    assert fit_widths([ColumnNeed(30, True), ColumnNeed(20, True)], 37) == [17, 18]
    assert fit_widths([ColumnNeed(100_000, True), ColumnNeed(9, True)], 30) == [19, 9]


def test_figures_keep_their_width() -> None:
    assert fit_widths([ColumnNeed(30, False)], 10) == [30]
    assert fit_widths([], 10) == []


def test_a_name_is_left_out_before_the_last_figure() -> None:
    needs = [ColumnNeed(20, True), ColumnNeed(30, True), ColumnNeed(15, True)]
    needs += [ColumnNeed(6, False), ColumnNeed(4, False)]
    assert fit_widths(needs, 39) == [14, 15, 0, 6, 0]
    spare = [ColumnNeed(20, True), ColumnNeed(15, True), ColumnNeed(6, False, 1)]
    assert fit_widths(spare, 30) == [14, 14, 0]
