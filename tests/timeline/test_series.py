"""Lines of values, a picture each. The scale is 0 to 100 or 0 to 24; a cell is 50 us unless said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.support.values import US, Instants, Steps, Times, gigabytes, level, percent, rate, steps
from tui.intervals import Coverage
from tui.timeline.canvas import DrawOptions
from tui.timeline.glyphs import ASCII
from tui.timeline.runs import Run, line_width, text_of, to_ascii
from tui.timeline.series import (
    Area,
    Density,
    Failed,
    Heat,
    Level,
    NamedCells,
    OnCpu,
    Pair,
    Sampled,
    Series,
    usual_rows,
)
from tui.timeline.series_drawing import draw_series
from tui.timeline.series_scale import MISSING, shades
from tui.timeline.series_scale import steps as scale_steps
from tui.timeline.series_threads import named_stretches
from tui.timeline.series_words import cell_pairs, cell_words, scale_of
from tui.timeline.viewport import Viewport

NAN = float("nan")
COLOURED, PLAIN = DrawOptions(), DrawOptions(fill=False)
IN_ASCII = DrawOptions(ASCII, fill=False)


def drawn(
    series: Series, cells: int, options: DrawOptions = COLOURED, rows: int = 1, cell: int = 50 * US
) -> list[list[Run]]:
    viewport = Viewport(0, cell)
    return [draw_series(series, part, rows, viewport, cells, options) for part in range(rows)]


def text(
    series: Series, cells: int, options: DrawOptions = PLAIN, rows: int = 1, cell: int = 50 * US
) -> list[str]:
    lines = drawn(series, cells, options, rows, cell)
    if options.glyphs.plain:
        assert lines == [to_ascii(line) for line in lines]
    assert {line_width(line) for line in lines} == {cells}
    return [text_of(line) for line in lines]


def test_steps_are_rounded_and_nothing_above_zero_vanishes() -> None:
    values = np.array([NAN, 0.0, 0.001, 6.2, 6.3, 18.8, 93.7, 93.8, 100.0, 250.0, -3.0])
    assert scale_steps(values, 100.0, 8).tolist() == [MISSING, 0, 1, 1, 1, 2, 7, 8, 8, 8, 0]
    assert shades(values, 100.0).tolist() == [MISSING, 0, 1, 1, 1, 1, 4, 4, 4, 4, 0]
    assert shades(np.array([25.0, 25.1, 50.0, 75.0, 75.1]), 100.0).tolist() == [1, 2, 2, 3, 4]
    assert scale_steps(np.array([0.0, 5.0]), 0.0, 8).tolist() == [0, 8]


def test_a_level_in_one_row() -> None:
    values = level("x", [0, 1, 12.5, 25, 37.5, 50, 62.5, 75, 87.5, 100, NAN], "series.0")
    assert text(values, 12) == ["▁▁▁▂▃▄▅▆▇█  "]
    assert text(values, 12, IN_ASCII) == [".__,:-=+*#  "]


def test_nothing_is_dim_and_a_maximum_far_above_the_mean_is_a_tint() -> None:
    # Cells of 100 us: 0 and 0; 0 and 100, mean 50; 10 and 20, mean 15: the maximum is one step up; 40 and 50.
    values = level("x", [0, 0, 0, 100, 10, 20, 49, 51], "series.0")
    (line,) = drawn(values, 4, cell=100 * US)
    assert line == [
        Run("▁", "series.0.1|"),
        Run("▄", "series.0|series.0.1"),
        Run("▁", "series.0|series.0.0"),
        Run("▄", "series.0|"),
    ]


def test_the_scale_ends_at_the_greatest_of_the_capture_or_in_sight() -> None:
    values = rate("rx", [6, 3, 0, 24], "series.3")
    assert text(values, 3) == ["▂▁▁"]
    assert text(values, 3, replace(PLAIN, in_view=True)) == ["█▄▁"]
    share = level("x", [50, 25], "series.0")
    assert text(share, 2, replace(PLAIN, in_view=True)) == text(share, 2) == ["▄▂"]


def test_an_envelope_spans_from_the_least_to_the_greatest_value() -> None:
    # Half a cell is 50 us. Of 8 dots 0 is the lowest, 100 the highest; 43 is the fourth (3.01).
    values = level("x", [0, 100, 43, NAN], "series.0")
    assert text(values, 2, rows=2, cell=100 * US) == ["⠈ ", "⡀⠁"]
    # A cell of 50 us holds one value, its halves the same.
    assert text(values, 4, rows=2) == [" ⠉  ", "⣀ ⠉ "]
    # Both halves of a cell of 200 us hold two values: 0 to 100, and 43.
    assert text(values, 1, rows=2, cell=200 * US) == ["⡇", "⡏"]


def test_an_envelope_in_ascii_has_half_rows() -> None:
    values = level("x", [0, 100, 33, 67, NAN], "series.0")
    # Four half rows: 33 is the second, 67 the third.
    assert text(values, 5, IN_ASCII, rows=2) == [" ' . ", ". '  "]
    assert text(values, 2, IN_ASCII, rows=2, cell=100 * US) == [":.", ":'"]


def test_an_envelope_at_one_nanosecond_a_cell() -> None:
    values = Level(
        title="x", values=Steps([0, 1, 2], [0.0, 100.0]), style="series.0", top=100.0, words=percent, tall=3
    )
    assert text(values, 3, rows=3, cell=1) == [" ⠉ ", "   ", "⣀  "]


def test_heat_by_quarters() -> None:
    values = Heat(
        title="x", values=steps([0, 10, 30, 60, 90, NAN]), style="series.2", top=100.0, words=percent
    )
    assert text(values, 6) == ["·░▒▓█ "]
    assert text(values, 6, IN_ASCII) == [".-oOQ "]
    assert drawn(values, 6)[0][1:3] == [Run("░", "series.2.1|"), Run("▒", "series.2.2|")]


def test_two_directions_as_half_blocks_rows_and_the_greater_one() -> None:
    pair = Pair(
        title="PCIe",
        upper=rate("rx", [0, 24, 6, NAN, NAN], "series.3"),
        lower=rate("tx", [12, 0, NAN, 24, NAN], "series.4"),
    )
    assert drawn(pair, 5)[0] == [
        Run("▀", "series.3.0|series.4.2"),
        Run("▀", "series.3.4|series.4.0"),
        Run("▀", "series.3.1|"),
        Run("▄", "series.4.4|"),
        Run(" ", ""),
    ]
    assert text(pair, 5) == ["▄█▂█ "]
    assert text(pair, 5, IN_ASCII) == ["-#,# "]
    assert text(pair, 5, rows=2) == ["▁█▂  ", "▄▁ █ "]
    # Two rows a direction: of 8 dots 6 is the third (1.75 up), 12 the fifth.
    assert text(pair, 5, rows=4) == [" ⠉   ", "⣀ ⠒  ", "⣀  ⠉ ", " ⣀   "]


def test_both_directions_have_one_scale() -> None:
    small = replace(rate("tx", [6, 6], "series.4"), top=6.0)
    pair = Pair(title="PCIe", upper=rate("rx", [24, 24], "series.3"), lower=small)
    assert text(pair, 2, rows=2) == ["██", "▂▂"]


def test_a_stack_of_kinds() -> None:
    def kind(title: str, values: list[float], style: str) -> Level:
        return Level(title=title, values=steps(values), style=style, top=64.0, words=gigabytes)

    area = Area(
        title="memory",
        parts=(
            kind("device", [0, 16, 32, 32, NAN], "series.2"),
            kind("managed", [0, 0, 16, 32, NAN], "series.3"),
        ),
        top=64.0,
        words=gigabytes,
        peak=(160 * US, 64.0),
    )
    # Two rows of 8 eighths: the sums 0, 16, 48, 64 are 0, 4, 12, 16 eighths high.
    assert drawn(replace(area, peak=None), 5, rows=2) == [
        [Run("  ", ""), Run("▄█", "series.3|"), Run(" ", "")],
        [Run("▁", "series.2.1|"), Run("▄██", "series.2|"), Run(" ", "")],
    ]
    # In one row kinds that meet in a full cell are ink and paper; of others the greater one is drawn.
    assert drawn(replace(area, peak=None), 4)[0][1:] == [
        Run("▂▆", "series.2|"),
        Run("▄", "series.2|series.3"),
    ]
    assert text(area, 16, rows=2) == ["  ▄^ 64.0 GB/s  ", "▁▄██            "]
    assert text(area, 5, IN_ASCII, rows=2) == ["  -^ ", ".-@@ "]


def test_a_thread_on_and_off_the_cpu() -> None:
    # On for 10, 50 and 100 % of three cells; in a call in the fourth and the fifth; unknown from 300 us.
    thread = OnCpu(
        title="CPU",
        running=Coverage(np.array([0, 50, 100]) * US, np.array([5, 75, 150]) * US),
        in_call=Coverage(np.array([120]) * US, np.array([230]) * US),
        known=(0, 300 * US),
    )
    assert text(thread, 8, COLOURED) == ["███╌╌ ??"]
    assert [run.style for run in drawn(thread, 8)[0]] == [
        "series.6.1|", "series.6.2|", "series.6.4|", "series.6.1|", "", "pane.dim",
    ]  # fmt: skip
    assert text(thread, 8) == ["░▒█╌╌ ??"]
    assert text(thread, 8, IN_ASCII) == ["-oQ-- ??"]


def test_samples_have_their_function_where_it_fills_six_cells() -> None:
    # 0-300 us: launch each 10 us; then one sample a cell of memcpy, one without, then twelve of memcpy.
    times = np.concatenate([np.arange(0, 300, 10), [310, 360], np.arange(450, 498, 4)]) * US
    codes = np.array([0] * 30 + [2] * 14, np.int32)
    sampled = Sampled(title="x", names=Instants(times, codes), style=lambda code: f"series.{code}")
    assert drawn(sampled, 11)[0] == [
        Run(" lau… ", "series.0"),
        Run("11", "series.2|"),
        Run(" ", ""),
        Run("▄", "series.2|"),
        Run(" ", ""),
    ]
    assert text(sampled, 11) == ["launch11 ▄ "]
    assert text(sampled, 11, IN_ASCII) == ["launch11 X "]


@pytest.mark.parametrize(
    ("code", "share", "expected"),
    [
        ("aaaaaa", 1.0, [(0, 6, 0)]),
        ("aaaaa", 1.0, []),  # five cells
        ("aaaaaa", 0.5, []),  # half of the samples
        ("aabaaaa", 1.0, [(0, 7, 0)]),  # one cell of another function
        ("aaabbbaaa", 1.0, []),  # three in a row end a stretch
        ("aaa.aaa", 1.0, []),  # a cell without samples does too
        ("aaa.aaaaaa", 1.0, [(4, 10, 0)]),
        ("aabbabba", 1.0, []),  # four of eight are too few
        ("baaaaaab", 1.0, [(1, 7, 0)]),  # it ends with cells of its function
        ("aaaaaabbbbbb", 1.0, [(0, 6, 0), (6, 12, 1)]),
    ],
)
def test_where_a_name_stands(code: str, share: float, expected: list[tuple[int, int, int]]) -> None:
    codes = np.array([{"a": 0, "b": 1, ".": -1}[letter] for letter in code], np.int32)
    found = NamedCells(np.where(codes < 0, 0, 4), codes, np.where(codes < 0, np.nan, share))
    assert named_stretches(found) == expected


def test_counts_by_size() -> None:
    times = np.repeat(np.array([10, 60, 110, 160, 210, 310]) * US, [1, 2, 9, 10, 99, 100])
    faults = Density(title="faults", counts=Times(times), style="series.7", noun="page fault")
    assert text(faults, 7) == ["·::▗▗ ▄"]
    assert text(faults, 7, IN_ASCII) == [".::** X"]


def test_a_line_that_could_not_be_gathered_says_why() -> None:
    assert drawn(Failed(title="", words="can't be read: torn"), 24) == [
        [Run("can't be read: torn     ", "note")]
    ]


def test_rows_that_a_line_takes() -> None:
    assert [usual_rows(level("x", [1], "series.0", tall=tall)) for tall in (0, 1, 4, 99)] == [1, 1, 4, 8]


def words(series: Series, start: int, end: int) -> tuple[str, ...]:
    return cell_words(series, start * US, end * US)


def test_a_cell_in_words() -> None:
    values = level("x", [0, 50, 50, NAN], "series.0")
    assert words(values, 50, 150) == ("50.0 %",)
    assert words(values, 0, 100) == ("25.0 %", "min 0.0 %", "max 50.0 %")
    assert words(values, 150, 200) == ("unknown",)
    pair = Pair(title="p", upper=rate("rx", [1], "series.3"), lower=rate("tx", [NAN], "series.3"))
    assert cell_pairs(pair, 0, 50 * US) == [("rx", "1.0 GB/s"), ("tx", "unknown")]
    area = Area(title="a", parts=(pair.upper, rate("b", [2], "series.4")), top=9.0, words=gigabytes)
    assert words(area, 0, 50) == ("3.0 GB/s", "rx 1.0 GB/s", "b 2.0 GB/s")
    partly = replace(area, parts=(pair.upper, pair.lower))
    assert words(partly, 0, 50) == ("unknown", "rx 1.0 GB/s", "tx unknown")
    thread = OnCpu(
        title="CPU",
        running=Coverage(np.array([0]), np.array([30])),
        in_call=Coverage(np.array([20]), np.array([50])),
        known=(0, 80),
    )
    assert cell_words(thread, 0, 100) == ("on a CPU 37.5%", "off it in a call 25.0%", "off it 37.5%")
    assert cell_words(thread, 80, 90) == ("unknown",)
    sampled = Sampled(
        title="s",
        names=Instants(np.array([1, 2, 3, 4]), np.array([2, 0, 2, 2], np.int32)),
        style=lambda code: "series.6",
    )
    assert cell_words(sampled, 0, 5) == ("memcpy 75.0%", "4 samples")
    assert cell_words(sampled, 5, 9) == ("0 samples",)
    faults = Density(title="f", counts=Times(np.array([3, 3])), style="series.7", noun="page fault")
    assert cell_words(faults, 0, 9) == ("2 page faults",)
    assert cell_words(Failed(title="", words="torn"), 0, 9) == ("torn",)


def test_the_end_of_a_scale_in_words() -> None:
    view = Viewport(0, 50 * US)
    values = rate("rx", [6, 3, 0, 24], "series.3")
    assert scale_of(values, view, 3, in_view=False) == ("24.0 GB/s", False)
    assert scale_of(values, view, 3, in_view=True) == ("6.0 GB/s", True)
    assert scale_of(level("x", [50], "series.0"), view, 3, in_view=True) == ("100.0 %", False)
    assert scale_of(Failed(title="", words="torn"), view, 3, in_view=True) is None
