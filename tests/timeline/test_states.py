"""What a rank's lane shows: which state a cell went into most, and how much of it."""

from __future__ import annotations

import numpy as np
import pytest

from tui.ranks.summary import STRIP_BINS, ExposedPieces, State
from tui.timeline.glyphs import ASCII, UNICODE
from tui.timeline.runs import text_of
from tui.timeline.state_lane import NO_DATA, cell_codes, draw_codes, draw_pair, state_legend, style_of
from tui.timeline.state_times import Communication, Runs, RunTimes, Shown, StateTimes, StripTimes
from tui.timeline.style_colours import Depth, Theme

NO_PIECES = ExposedPieces(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int32))
NO_ROWS = np.zeros(0, np.int64)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def runs(*parts: tuple[int, int, Shown]) -> RunTimes:
    start, end, state = zip(*parts, strict=True)
    return RunTimes(Runs(ints(*start), ints(*end), np.array(state, np.uint8)))


def strip(shares: dict[State, tuple[int, int]]) -> np.ndarray:
    """A strip whose bins ``[first, last)`` are of one state throughout."""
    made = np.zeros((STRIP_BINS, len(State)), np.uint16)
    for state, (first, last) in shares.items():
        made[first:last, state] = 65535
    return made


def picture(times: StateTimes, *edges: int, ascii_only: bool = False) -> str:
    return text_of(draw_codes(cell_codes(times, ints(*edges)), ASCII if ascii_only else UNICODE))


def test_a_cell_shows_its_largest_state_and_blank_is_no_data() -> None:
    times = runs(
        (0, 60, Shown.COMPUTE), (60, 100, Shown.IDLE), (100, 140, Shown.TRANSFER), (150, 200, Shown.WAIT)
    )
    # 100-200: 40 transfer, 50 wait; 200-300: nothing was recorded.
    assert picture(times, 0, 100, 200, 300) == "█░ "
    assert picture(times, 60, 100, 150) == "╌▒"


@pytest.mark.parametrize("state", list(Shown))
def test_every_state_has_a_glyph_of_its_own(state: Shown) -> None:
    times = runs((0, 10, state))
    assert picture(times, 0, 10) == "█▒░▚▓≡╌"[state]
    assert picture(times, 0, 10, ascii_only=True) == "@/.%&o-"[state]


def test_the_share_of_a_cell_is_its_lightness() -> None:
    def level(ns: int) -> int:
        return int(cell_codes(runs((0, ns, Shown.COMPUTE)), ints(0, 1000))[0])

    # Quarters: under 250 of 1000 ns the darkest, from 750 on the lightest.
    assert [style_of(level(ns)) for ns in (249, 250, 500, 750, 1000)] == [
        "state.compute.0", "state.compute.1", "state.compute.2", "state.compute.3", "state.compute.3",
    ]  # fmt: skip
    assert level(1) == NO_DATA  # a thousandth is rounding


def test_waits_are_the_beginning_of_a_collective() -> None:
    # A collective [100, 200), 30 of it waiting; compute covers [110, 150): pieces 100-110 and 150-200.
    pieces = ExposedPieces(ints(100, 150), ints(110, 200), np.zeros(2, np.int32))
    split = Communication.of(pieces, ints(100), ints(30))
    assert (split.wait.total, split.all.total, split.unsplit.total) == (10, 60, 0)
    # 70 waiting: to 170; the second piece waits 20 of its 50.
    split = Communication.of(pieces, ints(100), ints(70))
    assert (split.wait.total, split.all.total) == (30, 60)
    # Not matched: nothing is called waiting, nothing transfer.
    split = Communication.of(pieces, ints(100), ints(-1))
    assert (split.wait.total, split.unsplit.total) == (0, 60)
    assert Communication.of(pieces, ints(100), None).unsplit.total == 60


def test_a_strip_is_exact_in_communication_and_shares_the_rest() -> None:
    # 2048 bins of 10 ns; the first half computes, the second half is idle; a piece [10235, 10245) waits 5.
    pieces = ExposedPieces(ints(10235), ints(10245), np.zeros(1, np.int32))
    made = strip({State.COMPUTE: (0, 1024), State.IDLE: (1024, 2048)})
    times = StripTimes(made, (0, 20480), Communication.of(pieces, ints(10235), ints(5)))
    spent = times.over(ints(10200, 10235, 10240, 10245, 10280))
    assert spent[0].tolist() == [35, 0, 0, 0, 0, 0, 0]
    assert spent[1].tolist() == [0, 0, 5, 0, 0, 0, 0]
    assert spent[2].tolist() == [0, 5, 0, 0, 0, 0, 0]
    assert spent[3].tolist() == [0, 0, 0, 0, 0, 0, 35]
    assert times.over(ints(-100, 0)).sum() == times.over(ints(20480, 30000)).sum() == 0


def test_without_pieces_a_strips_communication_is_not_split() -> None:
    made = strip({State.EXPOSED: (0, 2048)})
    times = StripTimes(made, (0, 2048), Communication.of(NO_PIECES, NO_ROWS, None))
    assert picture(times, 0, 2048) == "▓"


def test_the_runs_of_a_strip_are_its_neighbouring_bins_of_one_state() -> None:
    made = strip({State.COMPUTE: (10, 20), State.IDLE: (20, 24), State.COPIES: (30, 31)})
    times = StripTimes(made, (0, 20480), Communication.of(NO_PIECES, NO_ROWS, None))
    found = times.runs
    assert found.start.tolist() == [100, 200, 300]
    assert found.end.tolist() == [200, 240, 310]
    assert [Shown(state) for state in found.state.tolist()] == [Shown.COMPUTE, Shown.IDLE, Shown.COPIES]
    assert [found.at(time) for time in (99, 100, 239, 240, 305)] == [-1, 0, 1, -1, 2]


def test_two_ranks_share_a_row_by_halves_where_they_differ() -> None:
    compute, idle = (cell_codes(runs((0, 10, state)), ints(0, 10)) for state in (Shown.COMPUTE, Shown.IDLE))
    nothing = np.array([NO_DATA])
    upper = np.concatenate((compute, compute, nothing, compute, nothing))
    lower = np.concatenate((compute, idle, idle, nothing, nothing))
    line = draw_pair(upper, lower, UNICODE, fill=True)
    assert text_of(line) == "█▄▄▀ "
    assert [run.style for run in line] == [
        "state.compute.3|", "state.idle.3|state.compute.3", "state.idle.3|", "state.compute.3|", "",
    ]  # fmt: skip
    # Without colours halves would tell nothing: the lower rank alone, the upper one where it has no data.
    assert text_of(draw_pair(upper, lower, UNICODE, fill=False)) == "█╌╌█ "
    assert text_of(draw_pair(upper, lower, ASCII, fill=True)) == "@--@ "


def test_the_legend_says_what_is_drawn_and_that_it_is_coarse() -> None:
    assert text_of(state_legend((), UNICODE)).split() == [
        "█",
        "compute",
        "▒",
        "transfer",
        "░",
        "wait",
        "╌",
        "idle",
        "blank:",
        "no",
        "data",
    ]
    long = text_of(state_legend((Shown.COPIES, Shown.UNSPLIT), ASCII, coarse=True))
    assert "% copies" in long and "& communication" in long and "~ from summaries" in long
    assert "█ host code in a step" in text_of(state_legend((), UNICODE, host_only=True))


@pytest.mark.parametrize("depth", [Depth.TRUE, Depth.P256, Depth.P16])
def test_states_differ_in_colour_and_levels_in_lightness(depth: Depth) -> None:
    theme = Theme(depth)
    full = {theme.paint(f"state.{shown.name.lower()}.3|").ink for shown in Shown}
    # Of sixteen colours transfer and communication that is not split share one; glyphs tell them apart.
    assert len(full) >= (6 if depth is Depth.P16 else 7)
    for shown in Shown:
        inks = [theme.paint(f"state.{shown.name.lower()}.{level}|").ink for level in range(4)]
        sums = [sum(ink) for ink in inks if ink is not None]
        assert len(sums) == 4
        assert sums == sorted(sums)
