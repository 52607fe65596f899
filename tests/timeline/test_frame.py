"""The pieces that a screen is put together from."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.browse.drawing import Drawing
from tui.browse.frame import draw_frame
from tui.browse.screen_shape import screen_shape
from tui.browse.scroll_bar import thumb
from tui.browse.state import Browse, ReportPlace
from tui.browse.status import Shares, header_line
from tui.timeline.canvas import Canvas
from tui.timeline.glyphs import ASCII, UNICODE
from tui.timeline.lane import Lane, LaneKind, LaneLine
from tui.timeline.legend import legend, legend_line
from tui.timeline.overlay import with_cursor
from tui.timeline.runs import Run, crop, fit_line, line_width, merge, spread, text_of, to_ascii
from tui.timeline.titles import cut_title, draw_title

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
    canvas = Canvas(8, "b")
    canvas.write(1, "名e\u0301x")
    assert canvas.text == [" ", "名", "", "e\u0301", "x", " ", " ", " "]
    canvas.style[:4] = ["a"] * 4
    assert canvas.line() == [Run(" 名e\u0301", "a"), Run("x   ", "b")]


def test_ascii_keeps_the_width() -> None:
    assert to_ascii([Run("GPU 0 · H100…", "a"), Run("名é", "b")]) == [
        Run("GPU 0 - H100~", "a"),
        Run("???", "b"),
    ]


@pytest.mark.parametrize(
    ("cells", "title"), [(40, "pt_data_worker 4243 · OS"), (18, "pt_data… 4243 · OS"), (12, "pt_data_wor…")]
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
    ("cells", "text"), [(120, " run.sqlite · H100 · python 7"), (90, " run.sqlite   "), (60, " run.sqlite ")]
)
def test_a_header_without_room_keeps_the_figures(cells: int, text: str) -> None:
    shares = Shares(kernel=61, copy=2, other=0, unknown=0, idle=37, whole=100)
    line = header_line("run.sqlite · H100 · python 7", "GPU work", 4_102_000_000, shares, cells)
    assert text_of(line).startswith(text)
    assert text_of(line).endswith("4.10 s   kernel 61.0%  copy 2.0%  idle 37.0% ")
    assert line_width(line) == cells


def test_a_header_cuts_the_name_before_the_figures() -> None:
    shares = Shares(kernel=23, copy=970, other=0, unknown=1, idle=6, whole=1000)
    line = header_line("ddp-2gpu-2026.2.sqlite", "GPU work", 969_447_605, shares, 80)
    assert text_of(line) == (
        " ddp-2gpu-2026.2.sq…  969 ms   kernel 2.3%  copy 97.0%  unknown 0.1%  idle 0.6% "
    )


def test_a_header_tells_the_view_apart_from_the_window_where_there_is_room() -> None:
    shares = Shares(kernel=61, copy=2, other=0, unknown=0, idle=37, whole=100)

    def drawn(cells: int) -> str:
        seen = "view 1.176-5.373 s (4.20 s)"
        return text_of(header_line("run.sqlite · H100", "GPU work", 4_102_000_000, shares, cells, view=seen))

    assert drawn(130).startswith(" run.sqlite · H100 ")
    figures = "window: GPU work 4.10 s   kernel 61.0%  copy 2.0%  idle 37.0% "
    assert drawn(130).endswith("view 1.176-5.373 s (4.20 s)   " + figures)
    assert drawn(106).startswith(" run.sqlite   ")
    assert "view" in drawn(106)
    assert "view" not in drawn(100)
    assert drawn(100).startswith(" run.sqlite · H100 ")


def test_a_header_of_a_report_without_device_work_claims_no_share() -> None:
    assert "%" not in text_of(header_line("run.sqlite", "GPU work", 10, None, 80))


@pytest.mark.parametrize(
    ("size", "how", "parts"),
    [
        ((160, 48), {}, (99, 60, 1, 1)),
        ((100, 30), {}, (57, 42, 1, 2)),
        ((220, 60), {}, (155, 64, 1, 1)),
        ((99, 30), {}, (99, 0, 0, 2)),
        ((99, 30), {"overlay": True}, (0, 99, 0, 2)),
        ((160, 48), {"maximised": True}, (0, 160, 0, 1)),
        ((160, 48), {"overlay": True}, (99, 60, 1, 1)),
        ((80, 15), {}, (80, 0, 0, 1)),
    ],
)
def test_a_screen_is_shared_out(
    size: tuple[int, int], how: dict[str, bool], parts: tuple[int, int, int, int]
) -> None:
    """Parts: cells of timeline, pane and edge, lines of status."""
    shape = screen_shape(*size, **how)
    assert (shape.timeline, shape.pane, shape.edge, shape.status) == parts
    assert shape.timeline + shape.pane + shape.edge == size[0]
    assert shape.body + shape.status + 1 == size[1]


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


@pytest.mark.parametrize(("columns", "lines"), [(40, 1), (40, 3), (80, 24), (160, 48)])
def test_a_frame_of_nothing_yet_is_whole_too(columns: int, lines: int) -> None:
    browse = Browse(ReportPlace(Path("run.sqlite")), Drawing(), min_gap_ns=100_000)
    frame = draw_frame(browse, screen_shape(columns, lines))
    assert [line_width(row) for row in frame.rows] == [columns] * lines


@pytest.mark.parametrize(
    ("height", "total", "top", "lines"),
    [(10, 10, 0, (0, 10)), (10, 20, 0, (0, 5)), (10, 20, 10, (5, 10)), (10, 20, 5, (2, 7)),
     (10, 100_000, 0, (0, 1)), (10, 100_000, 99_990, (9, 10)), (0, 5, 0, (0, 0))],
)  # fmt: skip
def test_the_thumb_of_a_scroll_bar(height: int, total: int, top: int, lines: tuple[int, int]) -> None:
    assert thumb(height, total, top) == lines


def test_a_line_is_cropped_to_cells_not_characters() -> None:
    line = [Run("ab", "x"), Run("名前", "y")]
    assert crop(line, 1) == [Run("a", "x")]
    assert crop(line, 4) == [Run("ab", "x"), Run("名", "y")]
    assert crop(line, 5) == [Run("ab", "x"), Run("名 ", "y")]
    assert crop(line, 6) == line


def test_the_legend_names_what_is_drawn_and_nothing_else() -> None:
    line = text_of(legend_line({"kernel.memory.2", "copy.d2h|", "|api.sync", "nvtx.33"}, UNICODE, True))
    assert line.split() == ["memory-like", "DtoH", "NVTX", "range", "synchronisation"]
    assert {meaning for _, meaning in legend(UNICODE, True)} >= {
        "idle",
        "unknown: launched, not recorded",
        "other GPU work",
        "communication",
        "attention",
        "graph",
        "OS call",
    }


def test_the_legend_names_the_ground_of_idle_and_unknown_time() -> None:
    line = text_of(legend_line({"busy|idle", "busy.copy|unseen"}, UNICODE, True))
    assert line.split() == [
        "▃█",
        "busy",
        "share",
        "╌╌",
        "idle",
        "??",
        *["unknown:", "launched,", "not", "recorded"],
    ]


def test_the_legend_is_told_by_glyphs_where_there_are_no_colours() -> None:
    samples = [run.text for run, _ in legend(ASCII, False)]
    assert all(sample.isascii() for sample in samples)
    assert len(set(samples)) >= 10
