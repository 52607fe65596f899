"""Lanes drawn from real exports, read as plain text."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.export import Export
from tests.timeline.conftest import Opened, Picture
from tui.report import open_report
from tui.report.kernels.short_names import short_names
from tui.text import width
from tui.timeline.canvas import DrawOptions
from tui.timeline.draw import draw_lane_row
from tui.timeline.glyphs import ASCII
from tui.timeline.lane import Lane, LaneKind, LaneLine
from tui.timeline.overlay import shaded
from tui.timeline.runs import Run, line_width, text_of
from tui.timeline.slices import SliceId
from tui.timeline.viewport import Viewport

Drawn = Callable[..., Picture]


def test_names_stand_in_their_slices(picture: Drawn) -> None:
    drawn = picture("K 0-1000 name=gemm, K 1200-1600 name=relu, K 1700-1800 name=add", 100, 20)
    assert drawn.row("s7") == "gemm▓▓▓▓▓▓  relu █  "


def test_a_name_too_long_is_cut_and_one_without_room_left_out(picture: Drawn) -> None:
    drawn = picture("K 0-600 name=a_long_kernel_name, K 700-1000 name=another_long_name", 100, 12)
    assert drawn.row("s7") == "a_lon… ███  "


def test_slices_that_touch_are_told_apart(picture: Drawn) -> None:
    drawn = picture("K 0-400 name=aa, K 400-800 name=aa, K 800-1200 name=aa", 100, 12)
    assert drawn.row("s7") == "aa██▏aa█▏aa█"


def test_overlapping_ops_of_a_stream_are_all_drawn(picture: Drawn) -> None:
    drawn = picture("K 0-800 name=long, K 200-400 name=a, K 600-1000 name=bb", 100, 12)
    assert drawn.rows("s7") == ["long████    ", "  a█  bb██  "]


def test_an_op_without_length_is_seen_at_every_zoom(picture: Drawn) -> None:
    for scale in (1, 1000, 10_000, 100_000, 1_000_000, 10_000_000):
        drawn = picture("K(0,7,0-1000000) K(0,9,500000-500000)", scale, 10, start=500_000 // scale * scale)
        assert "┃" in drawn.row("s9")


def test_an_op_without_length_is_seen_on_top_of_another(picture: Drawn) -> None:
    drawn = picture("K 0-1000 name=k, K 500-500 name=z", 100, 10)
    assert drawn.row("s7") == "k████┃████"


def test_ops_without_length_split_nothing(picture: Drawn) -> None:
    drawn = picture("K 0-100, K 100-100, K 150-150, K 200-300", 50, 8)
    assert drawn.row("GPU 0") == "██┃┃██  "


def test_ranges_popped_in_the_wrong_order_are_both_drawn(picture: Drawn) -> None:
    drawn = picture("N A 0-1000, N B 500-1500", 100, 16)
    rows = [*drawn.rows(drawn.tree.roots[0].title), *drawn.rows("NVTX")]
    assert rows == ["A─────────      ", "     B───────── "]


def test_an_open_range_reaches_to_the_end_and_says_so(picture: Drawn) -> None:
    drawn = picture('N(59,100-NULL,"epoch") N(59,200-300,"step") K 0-3000', 100, 34)
    assert drawn.row(drawn.tree.roots[1].title) == " epoch (unfinished)───────────    "


def test_marks_stand_with_their_names(picture: Drawn) -> None:
    drawn = picture('N(34,200-NULL,"ckpt") N(34,1200-NULL,"a_rather_long_name") K 0-2000', 100, 20)
    assert drawn.row(drawn.tree.roots[1].title) == "  ┃ckpt     ┃a_rat… "


def test_synchronisations_are_visible_and_no_device_work(picture: Drawn) -> None:
    drawn = picture("K 0-100, K 900-1000, Y 0-1000", 100, 10)
    assert drawn.row("sync") == "Stream sy…"
    assert drawn.row("GPU 0") == "█        █"


@pytest.mark.parametrize(
    "name",
    [
        "void foo<int>[with T = bool]", "[CUDA memcpy HtoD]", "[bold red]x[/]", "[link=http://example.invalid]y[/link]",
        "名前の長いカーネル", "emoji 🚀 kernel", "quo\"te'd",
    ],
)  # fmt: skip
def test_names_are_verbatim(tmp_path: Path, name: str) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.kernel(0, 6000, name=name, short="other")
    export.push_pop(name, 0, 6000)
    drawn = Picture(
        open_report(export.write(), use_store=False), Viewport(0, 100), 60, DrawOptions(fill=False)
    )
    shown = {drawn.row("s7"): short_names([name])[name], drawn.row(drawn.tree.roots[1].title): name}
    for row, text in shown.items():
        assert row.startswith(text)
        assert width(row) == 60


def test_a_name_of_ten_thousand_characters_is_cut(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.kernel(0, 6000, name="kl" * 5000, short="kl" * 5000)
    drawn = Picture(
        open_report(export.write(), use_store=False), Viewport(0, 100), 60, DrawOptions(fill=False)
    )
    assert drawn.row("s7") == "kl" * 29 + "k…"


def test_control_characters_do_not_reach_the_frame(tmp_path: Path) -> None:
    export = Export(tmp_path / "x.sqlite")
    export.kernel(0, 6000, name="a\x1b[31mb\nc\x00", short="x")
    drawn = Picture(
        open_report(export.write(), use_store=False), Viewport(0, 100), 60, DrawOptions(fill=False)
    )
    assert all(ord(c) >= 32 for c in drawn.row("s7"))


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.text(max_size=30), st.integers(0, 3000), st.integers(0, 900)), min_size=1, max_size=8
    ),
    st.sampled_from([1, 10, 50, 100, 1000]),
    st.booleans(),
    st.booleans(),
)
def test_a_row_is_as_wide_as_asked_for_whatever_is_in_it(
    tmp_path: Path, events: list[tuple[str, int, int]], scale: int, fill: bool, plain: bool
) -> None:
    export = Export(tmp_path / "x.sqlite")
    for name, start, length in events:
        export.kernel(start, start + length, name=name.replace("\x00", ""), short="s")
        export.push_pop(name.replace("\x00", ""), start, start + length)
    export.kernel(0, 4000, name="base", short="base", stream=9)
    glyphs = {"glyphs": ASCII} if plain else {}
    options = DrawOptions(fill=fill, **glyphs)  # type: ignore[arg-type]
    drawn = Picture(open_report(export.write(), use_store=False), Viewport(0, scale), 37, options)
    for line in drawn.tree.lines():
        runs = draw_lane_row(line, drawn.viewport, 37, drawn.tree.catalogue, options)
        assert line_width(runs) == 37
        assert all(a.style != b.style for a, b in pairwise(runs))
        selected = shaded(runs, 5, 20)
        assert (line_width(selected), text_of(selected)) == (37, text_of(runs))


@pytest.mark.parametrize(("at", "shown"), [(10, "┃ "), (11, " ┃")])
def test_a_point_on_half_of_a_wide_character_blanks_the_other_half(
    tmp_path: Path, at: int, shown: str
) -> None:
    """A slice of two cells whose name is one wide character, and an event without length in either."""
    export = Export(tmp_path / "x.sqlite")
    export.kernel(10, 12, name="名", short="名")
    export.kernel(at, at, name="now", short="now")
    options = DrawOptions(fill=False)
    drawn = Picture(open_report(export.write(), use_store=False), Viewport(10, 1), 4, options)
    assert drawn.row("s7") == f"{shown}  "


def test_ascii_is_ascii(picture: Drawn) -> None:
    options = DrawOptions(glyphs=ASCII, fill=False)
    events = "K 0-450 name=gemm, K 450-900 name=relu, M 100-930, N step 0-930, R cudaFree 20-30"
    drawn = picture(events, 50, 20, 0, options)
    rows = [row for lane in drawn.tree.walk() for row in drawn.rows(lane.title)]
    assert all(row.isascii() for row in rows)
    assert drawn.row("s7") == "gemm@@@@@|reluoooo  "
    assert drawn.row("copies") == "  HtoD~~~~~~~~~~~~# "


def test_with_colours_a_slice_is_coloured_spaces(opened: Opened) -> None:
    report = opened("K 0-1000 name=gemm")
    drawn = Picture(report, Viewport(0, 100), 12, DrawOptions())
    line = draw_lane_row(
        LaneLine(drawn.lane("s7"), 0, False), drawn.viewport, 12, drawn.tree.catalogue, DrawOptions()
    )
    style = line[0].style
    assert style.startswith("kernel.")
    assert line == [Run(" gemm     ", style), Run("  ", "")]


def test_a_selected_range_shades_the_ground(opened: Opened) -> None:
    report = opened("K 300-500 name=gemm, K 1000-1200")
    drawn = Picture(report, Viewport(0, 100), 10, DrawOptions())
    line = draw_lane_row(
        LaneLine(drawn.lane("s7"), 0, False), drawn.viewport, 10, drawn.tree.catalogue, DrawOptions()
    )
    assert [(len(run.text), run.style.partition(".")[0]) for run in shaded(line, 1, 8)] == [
        (1, ""), (2, "select"), (2, "kernel"), (3, "select"), (2, ""),
    ]  # fmt: skip


def test_the_selected_slice_stands_out(opened: Opened) -> None:
    report = opened("K 0-500 name=a, K 500-1000 name=b")
    options = DrawOptions(selected=SliceId("ops", 1))
    drawn = Picture(report, Viewport(0, 100), 10, options)
    line = draw_lane_row(
        LaneLine(drawn.lane("s7"), 0, False), drawn.viewport, 10, drawn.tree.catalogue, options
    )
    assert [run.style for run in line][-1] == "selected"
    assert not line[0].style.startswith("selected")


def test_what_is_not_there_yet_says_loading() -> None:
    lane = Lane("gpu0", LaneKind.DEVICE, "GPU 0")
    line = draw_lane_row(LaneLine(lane, 0, False), Viewport(0, 1), 20, None, DrawOptions())
    assert line == [Run("loading…            ", "loading")]
    narrow = draw_lane_row(LaneLine(lane, 0, False), Viewport(0, 1), 5, None, DrawOptions())
    assert text_of(narrow) == "loadi"


def test_bins_stay_put_while_panning(picture: Drawn) -> None:
    drawn = picture("; ".join(f"K {37 * i}-{37 * i + 20 + i % 7}" for i in range(80)), 50, 30)
    whole = drawn.row("s7")
    drawn.viewport = drawn.viewport.pan(7)
    dense = [(i, c) for i, c in enumerate(whole[8:28]) if c in "▁▂▃▄▅▆▇"]
    moved = drawn.row("s7")
    assert dense
    assert all(moved[i + 1] == c for i, c in dense)
