"""The zoom ladder and the moves: bins stay put, what is pointed at stays where it is."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui.timeline.viewport import Viewport, fitting_scale, rung_above, rung_below

TIMES = st.integers(-(10**12), 10**18)
SCALES = st.integers(1, 10**12)
WIDTHS = st.integers(2, 400)


def test_the_ladder_is_1_2_5() -> None:
    rungs = [1]
    while rungs[-1] < 2000:
        rungs.append(rung_above(rungs[-1]))
    assert rungs == [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000]
    assert [rung_below(rung) for rung in rungs] == [1, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]


def test_zooming_from_between_the_rungs_goes_to_the_next_one() -> None:
    assert (rung_below(37), rung_above(37)) == (20, 50)


def test_a_fit_fills_the_width() -> None:
    assert fitting_scale(1000, 101) == 10
    assert fitting_scale(4_120_000_000, 76) == 55_000_000
    assert fitting_scale(0, 80) == 1
    view = Viewport.fit(123, 4_567_890, 100)
    assert view.start <= 123
    assert view.end(100) >= 4_567_890
    assert view.ns_per_cell == 47_000


@given(TIMES, st.integers(0, 10**15), WIDTHS)
def test_a_fit_shows_both_ends_and_wastes_little(start: int, length: int, width: int) -> None:
    view = Viewport.fit(start, start + length, width)
    assert view.start % view.ns_per_cell == 0
    assert view.start <= start
    assert view.end(width) >= start + length
    if length > 100 * width:
        assert length > (width - 1) * view.ns_per_cell * 0.9


@given(TIMES, SCALES, st.integers(-500, 500))
def test_the_start_is_a_multiple_of_the_scale_whatever_is_done(start: int, scale: int, cells: int) -> None:
    view = Viewport.at(start, scale)
    for moved in (view, view.pan(cells), view.zoom_in(start), view.zoom_out(start)):
        assert moved.start % moved.ns_per_cell == 0


@given(TIMES, SCALES, st.integers(0, 200), st.integers(0, 10**12))
def test_zooming_keeps_what_is_pointed_at_in_its_cell(start: int, scale: int, cell: int, part: int) -> None:
    view = Viewport.at(start, scale)
    about = view.time(cell) + part % scale
    assert view.zoom_in(about).cell(about) == cell
    assert view.zoom_out(about).cell(about) == cell


@given(TIMES, SCALES, TIMES, st.integers(0, 10**15), WIDTHS)
def test_a_clamped_view_shows_some_of_the_capture(
    start: int, scale: int, first: int, length: int, width: int
) -> None:
    view = Viewport.at(start, scale).clamp((first, first + length), width)
    assert view.start % view.ns_per_cell == 0
    assert view.start <= first + length
    assert view.end(width) >= first
    assert view.clamp((first, first + length), width) == view


def test_edges_are_the_cells_borders() -> None:
    assert Viewport(100, 50).edges(3).tolist() == [100, 150, 200, 250]


def test_reveal_leaves_alone_what_is_in_sight() -> None:
    view = Viewport(0, 10)
    assert view.reveal(95, 10) is view
    assert view.reveal(1000, 10).cell(1000) == 5


def test_a_margin_is_about_a_tenth_on_either_side() -> None:
    view = Viewport.fit_with_margin(1_000_000, 2_000_000, 100)
    assert 5 <= view.cell(1_000_000) <= 15
    assert 85 <= view.cell(2_000_000) <= 95
