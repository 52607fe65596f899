"""The time scale, the steps on it and the map above it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.intervals import Coverage
from tui.timeline.glyphs import ASCII, UNICODE
from tui.timeline.ruler import (
    TICK_CELLS,
    StepMarks,
    draw_minimap,
    draw_ruler,
    draw_steps,
    minimap_time,
    origin_label,
    ticks,
)
from tui.timeline.runs import line_width, text_of
from tui.timeline.viewport import Viewport

MS = 1_000_000
VIEWS = st.builds(Viewport.at, st.integers(-(10**12), 10**15), st.integers(1, 10**10))


@given(VIEWS, st.integers(1, 300))
def test_ticks_are_round_and_far_enough_apart(view: Viewport, cells: int) -> None:
    marks = ticks(view, cells)
    mantissa = str(marks.interval).rstrip("0")
    assert mantissa in ("1", "2", "5")
    assert marks.interval >= TICK_CELLS * view.ns_per_cell
    assert marks.interval < 2.5 * TICK_CELLS * view.ns_per_cell + view.ns_per_cell
    assert all(time % marks.interval == 0 for time in marks.times)
    assert all(0 <= view.cell(time) < cells for time in marks.times)
    assert marks.origin <= view.start or marks.origin == 0 > view.start
    assert len(marks.times) >= cells * view.ns_per_cell // marks.interval


def test_labels_are_offsets_from_the_origin() -> None:
    view = Viewport.at(820 * MS, 4 * MS)
    assert origin_label(view, 60) == "0.500 s"
    assert text_of(draw_ruler(view, 60, UNICODE)) == (
        "│0.820 s            │+400 ms    │+450 ms     │+500 ms    │  "
    )


def test_absolute_labels() -> None:
    view = Viewport.at(820 * MS, 4 * MS)
    text = text_of(draw_ruler(view, 60, UNICODE, absolute=True))
    assert re.findall(r"│([\d. ]*s)", text) == ["0.820 s", "0.900 s", "0.950 s", "1.000 s"]


@given(VIEWS, st.integers(0, 60))
def test_labels_stay_with_their_times_while_panning(view: Viewport, cells: int) -> None:
    moved = view.pan(cells)
    if ticks(view, 80).origin != ticks(moved, 80).origin:
        return
    before, after = text_of(draw_ruler(view, 80, UNICODE)), text_of(draw_ruler(moved, 80, UNICODE))
    # The left edge's own time is the one label that goes with the view: its room is left out.
    shared, moved_to = before[cells + 32 : 80 - 12], after[32:]
    if "│" in shared[:12]:
        at = shared.index("│")
        assert shared[at:] == moved_to[at : len(shared)]


def steps(*spans: tuple[int, int]) -> StepMarks:
    start = np.array([s for s, _ in spans], np.int64)
    end = np.array([e for _, e in spans], np.int64)
    return StepMarks(start, end, lambda step: f"train_step {step + 1}")


def test_steps_are_named_in_their_middle_or_numbered() -> None:
    marks = steps((0, 200), (200, 400), (400, 450))
    assert text_of(draw_steps(Viewport(0, 10), 45, marks)) == (
        "    train_step 1        train_step 2      3  "
    )


def test_boundaries_never_break_a_label() -> None:
    marks = steps(*((i * 50, i * 50 + 50) for i in range(12)))
    view = Viewport(0, 10)
    plain = text_of(draw_ruler(view, 60, UNICODE))
    marked = text_of(draw_ruler(view, 60, UNICODE, steps=marks))
    for label in re.findall(r"│\+?[\d.]+ ?[a-z]*", plain):
        assert label in marked
    assert marked.count("│") > plain.count("│")


def test_the_cursor_stands_on_the_ruler() -> None:
    line = draw_ruler(Viewport(0, 10), 30, UNICODE, cursor=155)
    assert text_of(line)[15] == "▼"
    assert text_of(draw_ruler(Viewport(0, 10), 30, UNICODE, cursor=10_000)).count("▼") == 0


def test_the_cursor_cuts_no_label_in_two() -> None:
    # Ticks every 12 cells and more: at 0, 20, 40 of 10 ns a cell.
    assert text_of(draw_ruler(Viewport(0, 10), 50, UNICODE)).split() == [
        "│0.000", "000", "000", "s", "│+200", "ns", "│+400", "ns",
    ]  # fmt: skip
    inside = text_of(draw_ruler(Viewport(0, 10), 50, UNICODE, cursor=230))
    assert inside[20:30] == "│  ▼      "
    assert inside[40:48] == "│+400 ns"
    on_the_tick = text_of(draw_ruler(Viewport(0, 10), 50, UNICODE, cursor=200))
    assert on_the_tick[20:28] == "▼+200 ns"


@pytest.mark.parametrize(
    "selection",
    [(0, 100), (900, 1000), (1400, 1500)],  # 1000 to 1400 ns are in sight
)
def test_a_selection_out_of_sight_is_pointed_to(selection: tuple[int, int]) -> None:
    text = text_of(draw_ruler(Viewport(1000, 10), 40, UNICODE, selection=selection, selected="train_step 3"))
    assert text.startswith("◂ train_step 3") == (selection[1] <= 1000)
    assert text.endswith("train_step 3 ▸") == (selection[0] >= 1400)
    plain = text_of(draw_ruler(Viewport(1000, 10), 40, ASCII, selection=selection, selected="x"))
    assert plain.isascii()
    assert ("< x" in plain, "x >" in plain) == (selection[1] <= 1000, selection[0] >= 1400)


def test_a_selection_in_sight_is_marked_not_pointed_to() -> None:
    text = text_of(
        draw_ruler(Viewport(1000, 10), 40, UNICODE, selection=(900, 1001), selected="train_step 3")
    )
    assert "train_step" not in text


def test_the_map_shows_the_mean_of_the_devices_and_the_view() -> None:
    half, full = Coverage([0], [500]), Coverage([0], [1000])
    line = draw_minimap([half, full], (0, 1000), Viewport(0, 10), 50, 12, UNICODE, fill=True)
    assert text_of(line) == "▕█████▄▄▄▄▄▏"
    assert [(len(r.text), r.style) for r in line] == [
        (1, "minimap.frame"), (5, "minimap.view"), (5, "minimap"), (1, "minimap.frame"),
    ]  # fmt: skip


def test_without_colours_brackets_mark_the_view() -> None:
    line = draw_minimap([Coverage([0], [1000])], (0, 1000), Viewport(400, 10), 20, 12, ASCII, fill=False)
    assert text_of(line) == "|###[##]###|"


@given(st.integers(4, 200), st.integers(-(10**12), 10**12), st.integers(0, 10**13), VIEWS)
def test_a_map_is_as_wide_as_asked_for(cells: int, first: int, length: int, view: Viewport) -> None:
    line = draw_minimap(
        [Coverage([first], [first + length])], (first, first + length), view, 80, cells, UNICODE
    )
    assert line_width(line) == cells


def test_a_click_on_the_map_means_a_time() -> None:
    assert [minimap_time(cell, 12, (0, 1000)) for cell in (0, 1, 6, 10, 11)] == [0, 0, 500, 900, 900]


@pytest.mark.parametrize("cells", [1, 3, 5])
def test_a_map_without_room_is_blank(cells: int) -> None:
    assert text_of(draw_minimap([], (0, 10), Viewport(0, 1), 10, cells, UNICODE)) == " " * cells
