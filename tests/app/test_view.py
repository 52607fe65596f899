"""The view's state: history, folds, ranges, marks; stepping from event to event."""

from __future__ import annotations

import numpy as np
import pytest

from tui.browse.history import History
from tui.browse.neighbours import event_under, events_in_cell, step_event
from tui.browse.view import View
from tui.timeline.lane import Lane, LaneKind, LaneTree
from tui.timeline.slices import Row, SliceId
from tui.timeline.viewport import Viewport


def row(*slices: tuple[int, int], points: tuple[int, ...] = (), table: str = "ops") -> Row:
    """A row of slices and points; indices count through both in order of time."""
    starts = sorted([(s, e, False) for s, e in slices] + [(p, p, True) for p in points])
    whole = [(i, s, e) for i, (s, e, is_point) in enumerate(starts) if not is_point]
    dots = [(i, s) for i, (s, _, is_point) in enumerate(starts) if is_point]
    return Row(
        table,
        np.array([s for _, s, _ in whole], np.int64),
        np.array([e for _, _, e in whole], np.int64),
        np.array([i for i, _, _ in whole], np.intp),
        np.array([s for _, s in dots], np.int64),
        np.array([i for i, _ in dots], np.intp),
    )


def tree() -> LaneTree:
    rows = (row((0, 10)), row((5, 8)))
    device = Lane(
        "gpu0",
        LaneKind.DEVICE,
        "GPU 0",
        device=0,
        loader=lambda: (row((0, 100)),),
        children=(Lane("gpu0/s7", LaneKind.EVENTS, "s7", depth=1, device=0, loader=lambda: rows),),
    )
    threads = tuple(
        Lane(f"t{n}", LaneKind.THREAD, f"thread {n}", thread=n, loader=lambda: (row((0, 10)),))
        for n in range(4)
    )
    return LaneTree((device, *threads))


@pytest.fixture
def view() -> View:
    made = View(tree(), (0, 1000), (100, 900))
    made.resize(80, 4)
    return made


def test_history_takes_a_run_of_small_moves_as_one() -> None:
    history = History()
    views = [Viewport(i, 1) for i in range(5)]
    history.leave(views[0], glide=True)
    history.leave(views[1], glide=True)
    history.leave(views[2])
    assert history.step_back(views[3]) == views[2]
    assert history.step_back(views[2]) == views[0]
    assert history.step_back(views[0]) is None
    assert history.step_forward(views[0]) == views[2]
    assert history.step_forward(views[2]) == views[3]
    assert history.step_forward(views[3]) is None


def test_a_new_move_forgets_what_was_gone_back_from() -> None:
    history = History()
    history.leave(Viewport(0, 1))
    assert history.step_back(Viewport(1, 1)) == Viewport(0, 1)
    history.leave(Viewport(0, 1))
    assert history.step_forward(Viewport(5, 1)) is None


def test_a_fitted_view_stays_fitted_when_the_screen_grows(view: View) -> None:
    view.resize(160, 4)
    assert view.viewport == Viewport.of_window(100, 900, 160)
    view.zoom(closer=True)
    zoomed = view.viewport
    view.resize(100, 4)
    assert view.viewport.ns_per_cell == zoomed.ns_per_cell


def test_the_cursor_never_leaves_the_screen(view: View) -> None:
    for cells in (-200, 37, 500, -3):
        view.move_cursor(cells)
        assert 0 <= view.viewport.cell(view.cursor) < view.cells
        view.zoom(closer=cells > 0)
        assert 0 <= view.viewport.cell(view.cursor) < view.cells
    view.pan(10_000)
    assert 0 <= view.viewport.cell(view.cursor) < view.cells


def test_lanes_scroll_with_the_cursor(view: View) -> None:
    assert len(view.lines) == 7
    view.move_line(5)
    assert (view.line, view.top) == (5, 2)
    view.move_line(-5)
    assert (view.line, view.top) == (0, 0)
    view.scroll(2)
    assert (view.line, view.top) == (2, 2)
    view.move_line(100)
    assert (view.line, view.top) == (6, 3)


def test_folding_from_a_child_folds_its_group(view: View) -> None:
    view.go_line(2)
    assert view.at is not None
    assert (view.at.lane.key, view.at.sub) == ("gpu0/s7", 1)
    assert view.toggle_fold()
    assert view.at.lane.key == "gpu0/s7" or "gpu0/s7" in view.folded


def test_revealing_unfolds_what_hides(view: View) -> None:
    view.toggle_fold_all()
    assert [line.lane.key for line in view.lines] == ["gpu0", "t0", "t1", "t2", "t3"]
    assert view.reveal_lane("gpu0/s7", 1)
    assert view.at is not None
    assert (view.at.lane.key, view.at.sub) == ("gpu0/s7", 1)
    assert not view.reveal_lane("nowhere")


def test_a_range_follows_the_cursor_until_it_is_ended(view: View) -> None:
    view.go(200)
    view.toggle_anchor()
    assert view.chosen is None
    view.go(300)
    assert view.chosen == (200, 300)
    view.go(150)
    assert view.chosen == (150, 200)
    view.toggle_anchor()
    view.go(400)
    assert view.chosen == (150, 200)
    assert view.clear()
    assert not view.clear()


def test_an_empty_range_is_none(view: View) -> None:
    view.toggle_anchor()
    view.toggle_anchor()
    assert view.range is None


def test_marks_remember_lane_and_view(view: View) -> None:
    view.go_line(3)
    view.go(500)
    view.set_mark("a")
    view.go_line(0)
    view.fit(0, 10)
    assert view.go_mark("a")
    assert (view.cursor, view.line) == (500, 3)
    assert view.viewport.shows(500, view.cells)
    assert view.go_mark("'")
    assert view.line == 0
    assert not view.go_mark("z")


def test_events_are_stepped_through_one_by_one_even_where_they_start_together() -> None:
    events = row((0, 10), (20, 30), points=(20, 20, 25))
    seen = []
    at: tuple[int, SliceId] | None = (-1, SliceId("ops", -1))
    cursor, picked = -1, None
    while (at := step_event(events, cursor, True, picked)) is not None:
        seen.append((at[0], at[1].index))
        cursor, picked = at
    assert [time for time, _ in seen] == [0, 20, 20, 20, 25]
    assert len({index for _, index in seen}) == 5
    back = []
    while (at := step_event(events, cursor, False, picked)) is not None:
        back.append((at[0], at[1].index))
        cursor, picked = at
    assert back == list(reversed(seen))[1:]


def test_stepping_from_between_events() -> None:
    events = row((0, 10), (20, 30))
    assert step_event(events, 15, True) == (20, SliceId("ops", 1))
    assert step_event(events, 15, False) == (0, SliceId("ops", 0))
    assert step_event(events, 25, True) is None
    assert step_event(row(), 0, True) is None


def test_what_is_under_the_cursor_is_what_a_move_landed_on() -> None:
    events = row((0, 3), (3, 4), (4, 9))
    view = Viewport(0, 10)
    assert events_in_cell(events, 0, view) == 3
    found = event_under(events, 0, view)
    assert found is not None
    assert found.id.index == 2  # the longest in the cell
    picked = event_under(events, 0, view, SliceId("ops", 1))
    assert picked is not None
    assert (picked.start, picked.end) == (3, 4)
    assert event_under(events, 90, view) is None


@pytest.mark.parametrize("last", [False, True])
def test_an_end_of_the_capture_has_next_to_nothing_beyond_it(last: bool) -> None:
    view = View(LaneTree(()), (0, 1_000_000), (0, 1_000_000))
    view.resize(100, 4)
    view.fit(400_000, 500_000)
    view.go_to_end_of_capture(last=last)
    beyond = max(0, -view.viewport.cell(0)) + max(0, view.viewport.cell(0))
    if last:
        assert view.cursor == 1_000_000
        beyond = 99 - view.viewport.cell(1_000_000)
    assert 0 <= beyond <= 5


def test_one_short_op_has_room_around_it() -> None:
    view = View(LaneTree(()), (7_000, 9_000), (7_000, 9_000))
    view.resize(90, 4)
    first, end = view.viewport.cell(7_000), view.viewport.cell(9_000)
    assert 25 <= first <= 35
    assert 55 <= end <= 65
    view.fit(7_000, 9_000)
    view.fit_all()
    assert (view.viewport.cell(7_000), view.viewport.cell(9_000)) == (first, end)
    nothing = View(LaneTree(()), (7_000, 7_000), (7_000, 7_000))
    nothing.resize(90, 4)
    assert 30 <= nothing.viewport.cell(7_000) <= 60
