"""A device's line: exact busy share, and gaps that say how long they are and why."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.intervals import Coverage
from tui.timeline.canvas import DeviceTime, DrawOptions, GapMarks
from tui.timeline.device_line import draw_summary
from tui.timeline.glyphs import ASCII, UNICODE
from tui.timeline.runs import line_width, text_of
from tui.timeline.slices import Summary
from tui.timeline.viewport import Viewport

NO_POINTS = (np.zeros(0, np.int64), np.zeros(0, np.intp))


def summary(work: list[tuple[int, int]], copies: list[tuple[int, int]] | None = None) -> Summary:
    busy = [*work, *(copies or [])]
    return Summary(Coverage(*_arrays(busy)), Coverage(*_arrays(work)), *NO_POINTS)


def _arrays(spans: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    return [s for s, _ in spans], [e for _, e in spans]


def gaps(*spans: tuple[int, int], cause: str = "host code in data_to_gpu") -> GapMarks:
    start, end = _arrays(list(spans))
    return GapMarks(np.array(start, np.int64), np.array(end, np.int64), lambda _: cause)


def drawn(
    device: Summary, marks: GapMarks | None, scale: int, cells: int, start: int = 0, plain: bool = False
) -> str:
    options = DrawOptions(glyphs=ASCII if plain else UNICODE, fill=False)
    return text_of(draw_summary(device, Viewport.at(start, scale), cells, marks, options))


MS = 1_000_000


@pytest.mark.parametrize(
    ("cells_of_gap", "words"),
    [
        (50, "╌╌╌╌╌ idle 152 ms · host code in data_to_gpu ╌╌╌╌╌"),
        (41, " idle 152 ms · host code in data_to_gpu ╌"),
        (38, " idle 152 ms · host code in data_to_… "),
        (30, "╌╌ idle 152 ms · host code ╌╌╌"),
        (25, " idle 152 ms · host code "),
        (24, " idle 152 ms · host co… "),
        (20, "╌╌╌ idle 152 ms ╌╌╌╌"),
        (16, "╌ idle 152 ms ╌╌"),
        (13, " idle 152 ms "),
        (10, "╌ 152 ms ╌"),
        (6, "152 ms"),
        (4, "╌╌╌╌"),
    ],
)
def test_a_gap_says_what_there_is_room_for(cells_of_gap: int, words: str) -> None:
    scale = 152 * MS // cells_of_gap
    gap = 152 * MS
    begin = 2 * scale
    device = summary([(0, begin), (begin + gap, begin + gap + 3 * scale)])
    line = drawn(device, gaps((begin, begin + gap)), scale, cells_of_gap + 4)
    assert line[2 : 2 + cells_of_gap] == words


def test_the_part_of_a_gap_in_sight_carries_the_words() -> None:
    device = summary([(0, 100), (100_000, 100_100)])
    line = drawn(device, gaps((100, 100_000)), 100, 46, start=50_000)
    assert line == "╌╌ idle 99.9 us · host code in data_to_gpu ╌╌╌"


def test_gaps_shorter_than_a_cell_lower_the_block_instead() -> None:
    work = [(1000 * i, 1000 * i + 500) for i in range(100)]
    assert drawn(summary(work), gaps((500, 1000)), 10_000, 10) == "▄" * 10


def test_idle_time_that_is_no_listed_gap_is_blank() -> None:
    assert drawn(summary([(0, 100), (500, 600)]), None, 100, 6) == "█    █"


def test_ascii_gap() -> None:
    line = drawn(summary([(0, 100), (3000, 3100)]), gaps((100, 3000)), 100, 32, plain=True)
    assert line == "#. idle 2.90 us - host code ..# "


@given(
    st.lists(st.tuples(st.integers(0, 2000), st.integers(1, 300)), min_size=1, max_size=30),
    st.lists(st.tuples(st.integers(0, 2000), st.integers(1, 300)), max_size=10),
    st.sampled_from([1, 10, 50, 100, 200]),
)
def test_levels_are_the_busy_share_to_an_eighth(
    work: list[tuple[int, int]], copies: list[tuple[int, int]], scale: int
) -> None:
    spans = [(s, s + n) for s, n in work], [(s, s + n) for s, n in copies]
    line = draw_summary(summary(*spans), Viewport(0, scale), 20, None, DrawOptions())
    assert line_width(line) == 20
    busy = np.zeros(20 * scale, bool)
    kernel = np.zeros(20 * scale, bool)
    for s, e in [*spans[0], *spans[1]]:
        busy[s:e] = True
    for s, e in spans[0]:
        kernel[s:e] = True
    text = text_of(line)
    styles = [run.style for run in line for _ in run.text]
    for cell in range(20):
        ns = int(busy[cell * scale : (cell + 1) * scale].sum())
        own = int(kernel[cell * scale : (cell + 1) * scale].sum())
        if ns == 0:
            assert text[cell] == " "
            continue
        assert UNICODE.up.index(text[cell]) == max(1, min(8, (16 * ns + scale) // (2 * scale)))
        assert styles[cell] == ("busy|" if 2 * own >= ns else "busy.copy|")


def test_an_op_without_length_is_seen_on_the_device_too() -> None:
    device = Summary(
        Coverage([0], [100]), Coverage([0], [100]), np.array([50, 550], np.int64), np.array([1, 2])
    )
    assert drawn(device, None, 100, 8) == "█    ┃  "


def accounted(
    window: tuple[int, int], busy: list[tuple[int, int]], unknown: list[tuple[int, int]]
) -> GapMarks:
    """No listed gap, and a device's time in a window: busy, unknown, or idle."""
    made = [Coverage(*_arrays(spans)) for spans in (busy, [*busy, *unknown], unknown)]
    return GapMarks(*(np.zeros(0, np.int64),) * 2, lambda _: "", time=DeviceTime(window, *made))


def test_a_cell_is_idle_unknown_or_busy_however_short_its_parts() -> None:
    """Cells of 100 ns from 0; the window is 100 to 950. By cell:

    0 outside; 1 busy; 2 half busy; 3 idle; 4 unknown; 5 idle but for 40 unknown; 6 busy for 50, then unknown;
    7 idle but for 60 unknown; 8 idle; 9 half in the window, idle; 10 outside.
    """
    busy = [(100, 250), (600, 650)]
    unknown = [(400, 440), (440, 500), (500, 540), (650, 700), (720, 780)]
    marks = accounted((100, 950), busy, unknown)
    line = draw_summary(summary(busy), Viewport(0, 100), 11, marks, DrawOptions())
    styles = [run.style for run in line for _ in run.text]
    assert text_of(line) == " █▄╌?╌▄?╌╌ "
    assert styles == [
        "", "busy|", "busy|idle", "gap", "unknown", "gap", "busy|unseen", "unknown", "gap", "gap", "",
    ]  # fmt: skip


def test_what_counts_as_busy_decides_what_is_idle() -> None:
    device = summary([(0, 100)], copies=[(200, 300)])
    kernels = accounted((0, 300), [(0, 100)], [])
    assert drawn(device, kernels, 100, 3) == "█╌╌"
    both = accounted((0, 300), [(0, 100), (200, 300)], [])
    assert drawn(device, both, 100, 3) == "█╌█"


def test_idle_cells_of_a_launch_bound_run_are_few_runs() -> None:
    """However many gaps: neighbours of one look are one run, so a frame stays small."""
    work = [(1000 * i, 1000 * i + 30) for i in range(100_000)]
    marks = accounted((0, 100_000_000), work, [])
    line = draw_summary(summary(work), Viewport(0, 1_000_000), 100, marks, DrawOptions())
    assert [run.style for run in line] == ["busy|idle"]
    close = draw_summary(summary(work), Viewport(0, 100), 100, marks, DrawOptions())
    assert text_of(close) == ("▂" + "╌" * 9) * 10
