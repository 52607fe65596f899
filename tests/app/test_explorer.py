"""Every key on a capture whose every time is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.conftest import US, Session, Start
from tui.timeline.viewport import Viewport


def lane(session: Session) -> str:
    assert session.view.at is not None
    return session.view.at.lane.key


async def to_lane(session: Session, title: str, sub: int = 0) -> None:
    """Put the cursor on a lane by its title."""
    for number, line in enumerate(session.view.lines):
        if line.lane.title == title and line.sub == sub:
            session.view.go_line(number)
            session.main.refresh_view()
            await session.settle()
            return
    raise AssertionError(f"no lane {title!r}")


async def test_the_first_screen_tells_window_shares_gaps_and_keys(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        # Steps from 0 to 2900 us. Kernels 3 x 270, copies 3 x 23, idle 305 + 3 x 2 + 2 x 705 + 300.
        header = session.screen[0]
        assert "train.sqlite" in header
        assert "view 0.000 000-0.002 900 s (2.90 ms)   window: steps 1-3 + GPU work 2.90 ms" in header
        assert "kernel 27.9%" in header
        assert "copy 2.4%" in header
        assert "idle 69.7%" in header
        assert session.rows(0)[0][1:6] == ["27.9", "2.4", "69.7", "879 us", "2.02 ms"]
        longest = ["705 us", "705 us", "305 us", "300 us", "2.00 us", "2.00 us"]
        assert [row[1] for row in session.rows(1)] == longest
        assert "next gap" in session.status
        assert "help" in session.status


async def test_gaps_are_walked_with_braces(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("}", "}")  # from 0, over the 2 us between the copy and gemm
        view = session.view
        assert view.cursor == 600 * US
        assert 600 * US - view.viewport.start < 200 * US  # the gap is framed
        assert 0 < view.viewport.end(view.cells) - 1305 * US < 200 * US
        assert "gap 3 of 7" in session.status
        assert "705.000 us" in session.status or "705 us" in session.status
        # 300 us of it nobody called anything, inside train_step: more than the 260 us of the read.
        assert "host code in train_step" in session.status
        await session.press("}", "}", "}", "}")
        assert session.view.cursor == 2600 * US
        await session.press("}")
        assert session.view.cursor == 2600 * US
        assert "no later gap on GPU 0: 7 listed gaps" in session.status
        await session.press("{")
        assert session.view.cursor == 2328 * US


async def test_longest_gaps_are_walked_with_g(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        view = session.view
        await session.press("G")
        assert (view.cursor, view.viewport.start < 600 * US) == (600 * US, True)
        assert "longest of 7 listed gaps · gap 3 of 7 · 705 us · host code" in session.status
        await session.press("G")
        assert view.cursor == 1600 * US
        assert "2nd longest" in session.status


async def test_a_selection_goes_along_and_is_pointed_to(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        view = session.view
        await session.press("]", "r", "]")
        assert view.chosen == (2000 * US, 2900 * US)
        assert "window: train_step 3 900 us" in session.screen[0]
        view.go(0)
        view.fit(0, 500 * US)
        session.main.refresh_view()
        await session.settle()
        assert "train_step 3 ▸" in session.screen[3]
        await session.press("f")
        assert view.viewport.shows(2000 * US, view.cells)
        assert "▸" not in session.screen[3]
        await session.press("escape", "v", "right", "v")
        view.go(0)
        view.fit(0, 500 * US)
        session.main.refresh_view()
        await session.settle()
        assert "selection " in session.screen[3]


async def test_steps_are_walked_with_brackets(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("]")
        assert session.view.cursor == 1000 * US
        assert "step 2" in session.status
        await session.press("]", "]")
        assert session.view.cursor == 2000 * US
        assert "no later step" in session.status
        await session.press("[", "[", "[")
        assert session.view.cursor == 0


async def test_fit_after_a_step_shows_that_step(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        view = session.view
        await session.press("]", "f")
        shown = view.viewport.start, view.viewport.end(view.cells)
        assert shown[0] <= 1000 * US
        assert shown[1] >= 1900 * US
        assert shown[1] - shown[0] < 1400 * US
        assert view.cursor == 1000 * US
        await session.press("}", "}", "f")  # past the 2 us at 1328: the gap from 1600 to 2305
        assert view.viewport.start > 1000 * US
        assert view.viewport.end(view.cells) >= 2305 * US


async def test_fit_shows_the_gap_under_the_cursor_and_u_comes_back(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        before = session.view.viewport
        await session.press("G", "f")
        view = session.view
        assert view.viewport.ns_per_cell < before.ns_per_cell
        assert view.viewport.start <= 600 * US
        assert view.viewport.end(view.cells) >= 1305 * US
        assert view.cursor == 600 * US
        fitted = view.viewport
        await session.press("u")
        assert view.viewport == before
        await session.press("U")
        assert view.viewport == fitted
        await session.press("0")
        assert view.viewport == Viewport.fit(0, 2900 * US, view.cells)


async def test_zoom_keeps_the_cursor_in_its_cell(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("right", "right", "right")
        view = session.view
        cell, scale, cursor = view.viewport.cell(view.cursor), view.viewport.ns_per_cell, view.cursor
        await session.press("w")
        assert view.viewport.ns_per_cell < scale
        assert (view.viewport.cell(view.cursor), view.cursor) == (cell, cursor)
        await session.press("plus", "minus", "s", "s")
        assert view.viewport.ns_per_cell > scale


@pytest.mark.parametrize(("key", "back"), [("d", "a"), ("l", "h"), ("D", "A")])
async def test_panning_moves_the_view_there_and_back(
    report: Path, explore: Start, key: str, back: str
) -> None:
    async with explore(report) as session:
        await session.press("w", "w", "w")
        before = session.view.viewport
        await session.press(key)
        assert session.view.viewport.start > before.start
        await session.press(back)
        assert session.view.viewport == before


async def test_arrows_move_cursor_and_lane(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        view = session.view
        start = view.cursor
        await session.press("right")
        assert view.viewport.cell(view.cursor) == view.viewport.cell(start) + 1
        await session.press("left")
        assert view.viewport.cell(view.cursor) == view.viewport.cell(start)
        assert view.line == 0
        await session.press("down", "j")
        assert view.at is not None
        assert view.at.title == "copies"  # a row takes one step, however high it is
        await session.press("up", "k", "up")
        assert view.line == 0
        await session.press("pagedown")
        assert view.line == len(view.lines) - 1
        await session.press("pageup")
        assert view.line == 0


async def test_home_and_end_go_to_the_captures_ends(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("end")
        assert session.view.cursor == 2900 * US
        await session.press("home")
        assert session.view.cursor == 0


async def test_comma_and_dot_walk_the_events_of_a_lane(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await to_lane(session, "s7")
        await session.press("full_stop")
        assert session.view.cursor == 330 * US
        assert "gemm<float>[x]" in session.status
        await session.press("full_stop")
        assert session.view.cursor == 500 * US
        assert "relu" in session.status
        await session.press("full_stop")
        assert session.view.cursor == 1330 * US
        await session.press("comma")
        assert session.view.cursor == 500 * US
        await to_lane(session, "GPU 0")
        await session.press("full_stop")
        assert session.view.cursor == 1305 * US


async def test_c_goes_to_the_launch_and_back(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await to_lane(session, "s7")
        await session.press("full_stop", "full_stop", "c")
        assert session.view.cursor == 350 * US
        assert "cudaLaunchKernel" in session.status
        await session.press("c")
        assert session.view.cursor == 500 * US
        assert "relu" in session.status


async def test_range_is_anchored_moved_ended_and_cleared(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        view = session.view
        await session.press("v", "right", "right", "right")
        assert view.range == (0, view.viewport.time(3))
        assert "selection" in session.screen[0]
        chosen = view.range
        await session.press("v", "right")
        assert view.range == chosen
        await session.press("escape")
        assert view.range is None
        assert "window: steps 1-3 + GPU work" in session.screen[0]


async def test_r_makes_the_thing_under_the_cursor_the_range_and_the_pane_follows(
    report: Path, explore: Start
) -> None:
    async with explore(report) as session:
        await session.press("G", "r")
        assert session.view.range == (600 * US, 1305 * US)
        assert session.rows(0)[0][1:4] == ["0.0", "0.0", "100.0"]
        assert "selection" in session.page.pane.blocks[0].section.title


async def test_beside_its_work_a_device_is_not_nothing(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("0", "home")  # everything recorded: the first op runs at 305 us
        session.view.go_line(0)
        session.view.go(100 * US)
        session.main.refresh_view()
        await session.settle()
        assert "GPU 0 idle gap 1 of 7 · 305.000 us · read in data" in session.status
        session.view.go(2800 * US)
        session.main.refresh_view()
        await session.settle()
        assert "GPU 0 idle gap 7 of 7 · 300.000 us" in session.status


async def test_r_after_a_step_makes_that_step_the_range(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("]", "r")
        assert session.view.chosen == (1000 * US, 1900 * US)


@pytest.mark.parametrize(("size", "said"), [((160, 48), "selection"), ((80, 24), "selection 705 us")])
async def test_the_header_tells_the_shares_of_a_range(
    report: Path, explore: Start, size: tuple[int, int], said: str
) -> None:
    async with explore(report, size=size) as session:
        await session.press("G", "r")  # a gap: nothing runs in it
        header = session.screen[0]
        assert said in header
        assert "kernel 0.0%  copy 0.0%  idle 100.0%" in header


async def test_a_narrow_status_line_names_the_thing_and_leaves_room_to_type(
    report: Path, explore: Start
) -> None:
    async with explore(report, size=(20, 5)) as session:
        await session.press("}")
        assert session.status.strip().startswith("GPU 0 id")
        await session.press("e")
        assert session.screen[-1].startswith("write")
        assert session.screen[-1].rstrip().endswith(".csv")


async def test_marks(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("apostrophe")
        assert "no marks yet" in session.status
        await session.press("G", "m", "q")
        assert "marked q" in session.status
        await session.press("home", "down", "apostrophe", "q")
        assert session.view.cursor == 600 * US
        assert lane(session) == "gpu0"
        await session.press("m", "escape", "apostrophe", "z")
        assert "no mark z" in session.status


async def test_search_counts_and_walks_matches(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("slash", *"RELU", "enter")
        assert "match 1 of 3" in session.status
        assert session.view.cursor == 500 * US
        await session.press("n")
        assert session.view.cursor == 1500 * US
        await session.press("N", "N")
        assert "match 3 of 3" in session.status
        assert session.view.cursor == 2500 * US
        await session.press("slash", *"float>[", "enter")
        assert "of 3: gemm[x], GPU 0 s7" in session.status
        await session.press("slash", *"nowhere", "enter")
        assert "no name contains 'nowhere'" in session.status
        await session.press("slash", "escape", "escape", "n")
        assert "nothing searched for" in session.status


async def test_details_of_a_kernel_name_all_that_is_known(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await to_lane(session, "s7")
        await session.press("full_stop", "enter")
        text = "\n".join(session.screen)
        for part in (
            "gemm<float>[x]",
            "170.000 us",
            "8 x 4 x 1",
            "128 x 1 x 1",
            "cudaLaunchKernel_v7000",
            "10.000 us from the call's return",
            "train_step > forward",
            "100/1",
        ):
            assert part in text
        await session.press("escape")
        assert "gemm" in session.status


async def test_details_of_a_gap_add_up(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("G", "enter")
        text = "\n".join(session.screen)
        # 600 to 1305, the copy is issued at 1302: 260 read, 442 host code, 3 launch latency.
        assert "260.000 us  36.9%  OS call read in data" in text
        assert "3.000 us  0.4%  launch latency cudaMemcpyAsync" in text
        assert "relu (stream 7)" in text
        await session.press("q")
        assert session.app.screen is session.main


async def test_fold_hides_and_shows_a_groups_lanes(report: Path, explore: Start) -> None:
    async with explore(report) as session:

        def lanes() -> list[str]:
            return list(dict.fromkeys(line.lane.key for line in session.view.lines))

        whole = lanes()
        await session.press("space")
        assert len(lanes()) < len(whole)
        assert "gpu0" in session.view.folded
        await session.press("space")
        assert lanes() == whole
        await session.press("F")
        assert len(lanes()) == len(session.view.tree.roots)
        await session.press("F")
        assert lanes() == whole


async def test_b_counts_kernels_only(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("b", "G")
        # Without copies the device is idle from 600 to the next kernel at 1330.
        assert "730.000 us" in session.status or "730 us" in session.status
        assert "kernels only" in session.page.pane.blocks[0].section.lines[0]
        await session.press("b", "b", "G")
        assert "705" in session.status


async def test_times_are_as_recorded_like_those_of_commands_until_t_counts_from_the_first_work(
    report: Path, explore: Start
) -> None:
    async with explore(report) as session:
        await session.press("]")
        assert "cursor 0.001 000" in session.status or "train_step 2" in session.status
        await session.press("left", "right")
        recorded = session.status.split("cursor ")[1][:9]
        await session.press("t", "left", "right")
        assert session.status.split("cursor ")[1][:9] == recorded  # the work window begins at 0


async def test_yank_claims_nothing_and_offers_a_file(report: Path, explore: Start, tmp_path: Path) -> None:
    async with explore(report) as session:
        await session.press("G", "y")
        assert "may ignore" in session.status
        assert "copied" not in session.status
        assert "duration: 705.000 us" in session.app.clipboard or "705 us" in session.app.clipboard
        await session.press("y", "enter")
        assert "wrote nsystui-copy.txt" in session.status
        assert (tmp_path / "nsystui-copy.txt").read_text() == session.app.clipboard


async def test_quit_leaves(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("q")
        assert not session.app.is_running or session.app._exit


async def test_no_command_of_textuals_own_is_in_the_way(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("ctrl+p", "ctrl+q")
        assert session.app.screen is session.main
