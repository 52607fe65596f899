"""The pieces that a screen is put together from."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.timeline.coming import coming_lanes
from tui.timeline.draw import DrawOptions
from tui.timeline.frame import (
    Scene,
    ScreenLayout,
    cut_title,
    draw,
    draw_title,
    header_line,
    screen_layout,
    with_cursor,
)
from tui.timeline.glyphs import ASCII, UNICODE
from tui.timeline.lane import Lane, LaneKind, LaneLine, LaneTree
from tui.timeline.legend import legend, legend_line
from tui.timeline.runs import Run, fit_line, from_cells, line_width, merge, spread, text_of, to_ascii, write
from tui.timeline.viewport import Viewport

RUNS = st.lists(
    st.builds(Run, st.text(alphabet="ab 名é", max_size=8), st.sampled_from(["", "x", "y"])), max_size=8
)


@given(RUNS, st.integers(0, 40))
def test_a_fitted_line_is_exactly_as_wide(runs: list[Run], cells: int) -> None:
    line = fit_line(runs, cells, "rest")
    assert line_width(line) == cells
    assert all(a.style != b.style for a, b in pairwise(line))
    if line_width(runs) <= cells:
        assert text_of(line).startswith(text_of(runs))


@given(RUNS)
def test_merging_keeps_every_cell_and_its_style(runs: list[Run]) -> None:
    def cells(line: list[Run]) -> list[tuple[str, str]]:
        return [(character, run.style) for run in line for character in run.text]

    assert cells(merge(runs)) == cells(runs)


@given(RUNS, RUNS, st.integers(0, 80))
def test_left_and_right_fill_the_line(left: list[Run], right: list[Run], room: int) -> None:
    assert line_width(spread(left, right, line_width(left) + room)) == line_width(left) + room


def test_a_wide_character_takes_two_cells_and_a_combining_one_none() -> None:
    cells = [" "] * 8
    write(cells, 1, "名e\u0301x")
    assert cells == [" ", "名", "", "e\u0301", "x", " ", " ", " "]
    assert from_cells(cells, ["a"] * 4 + ["b"] * 4) == [Run(" 名e\u0301", "a"), Run("x   ", "b")]


def test_ascii_keeps_the_width() -> None:
    assert to_ascii([Run("GPU 0 · H100…", "a"), Run("名é", "b")]) == [
        Run("GPU 0 - H100~", "a"),
        Run("???", "b"),
    ]


@pytest.mark.parametrize(
    ("cells", "title"),
    [(40, "pt_data_worker 4243 · OS"), (18, "pt_data… 4243 · OS"), (12, "pt_data_wor…")],
)
def test_what_tells_threads_apart_is_not_cut(cells: int, title: str) -> None:
    assert cut_title("pt_data_worker 4243 · OS", cells, "…") == title


def test_titles_show_folds_and_the_cursor() -> None:
    child = Lane("t/x", LaneKind.EVENTS, "API", depth=1)
    lane = Lane("t", LaneKind.THREAD, "python", children=(child,))
    assert draw_title(LaneLine(lane, 0, False), 12, UNICODE) == [Run(" ▾ python   ", "title.thread")]
    assert draw_title(LaneLine(lane, 0, True), 12, ASCII) == [Run(" > python   ", "title.thread")]
    assert draw_title(LaneLine(child, 0, False), 12, UNICODE) == [Run("   API      ", "title")]
    assert draw_title(LaneLine(child, 0, False), 12, UNICODE, cursor=True)[0].style == "title.cursor"
    assert draw_title(LaneLine(lane, 1, False), 12, UNICODE) == [Run(" " * 12, "title")]


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        (120, " run.sqlite · H100 · python 7"),
        (90, " run.sqlite   "),
        (60, " run.sqlite "),
    ],
)
def test_a_header_without_room_keeps_the_figures(cells: int, text: str) -> None:
    line = header_line(
        "run.sqlite · H100 · python 7", "whole capture", 4_102_000_000, (61, 2, 37, 100), cells
    )
    assert text_of(line).startswith(text)
    assert text_of(line).endswith("4.10 s   kernel 61.0%  copy 2.0%  idle 37.0% ")
    assert line_width(line) == cells


def test_a_header_of_a_report_without_device_work_claims_no_share() -> None:
    assert "%" not in text_of(header_line("run.sqlite", "whole capture", 10, None, 80))


def test_the_pane_stands_beside_from_100_columns_up() -> None:
    assert screen_layout(99, 30, 12, pane=True) == ScreenLayout(99, 30, 12, 87, 0)
    wide = screen_layout(160, 48, 12, pane=True)
    assert (wide.pane, wide.title + wide.time + 1 + wide.pane) == (60, 160)
    assert screen_layout(160, 48, 12, pane=False).pane == 0


def test_the_cursor_takes_one_cell_of_any_run() -> None:
    line = [Run("abc", "x"), Run("名d", "y")]
    assert with_cursor(line, 1, UNICODE, True) == [
        Run("a", "x"),
        Run("b", "cursor"),
        Run("c", "x"),
        Run("名d", "y"),
    ]
    assert with_cursor(line, 4, UNICODE, True)[1] == Run("名", "cursor")
    assert with_cursor([Run("   ", "")], 1, UNICODE, False)[1] == Run("┃", "cursor")


@pytest.mark.parametrize(("columns", "lines"), [(40, 3), (80, 24), (160, 48)])
def test_a_frame_of_nothing_yet_is_whole_too(columns: int, lines: int) -> None:
    tree = LaneTree(tuple(coming_lanes({"ops", "calls"})))
    shape = screen_layout(columns, lines, 10, pane=True)
    scene = Scene(tree, tree.lines(), Viewport(0, 1), (0, 1), [Run("loading", "header")])
    frame = draw(scene, shape)
    assert [line_width(row) for row in frame.rows] == [columns] * lines


def test_lanes_past_the_last_line_are_left_out() -> None:
    tree = LaneTree(tuple(Lane(f"l{i}", LaneKind.EVENTS, f"lane {i}") for i in range(50)))
    frame = draw(
        Scene(tree, tree.lines(), Viewport(0, 1), (0, 10), [Run("x")], options=DrawOptions(fill=False)),
        screen_layout(60, 10, 10, pane=False),
    )
    text = [text_of(row) for row in frame.rows]
    assert len(text) == 10
    assert "lane 4" in text[7]
    assert text[8].strip() == "45 more lines of lanes"
    assert "lane 5" not in "".join(text)


def test_the_legend_names_what_is_drawn_and_nothing_else() -> None:
    line = text_of(legend_line({"kernel.3", "copy.d2h|", "|api.sync", "nvtx.33"}, UNICODE, True))
    assert line.split() == ["kernel", "DtoH", "NVTX", "range", "synchronisation"]
    assert {meaning for _, meaning in legend(UNICODE, True)} >= {"idle gap", "NCCL", "graph", "OS call"}


def test_the_legend_is_told_by_glyphs_where_there_are_no_colours() -> None:
    samples = [run.text for run, _ in legend(ASCII, False)]
    assert all(sample.isascii() for sample in samples)
    assert len(set(samples)) >= 10
