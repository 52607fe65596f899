"""The Ranges tab and its flame, from the keyboard."""

from __future__ import annotations

from pathlib import Path

from tests.app.conftest import US, Start
from tests.support.export import Export
from tui.app.widgets.flame import FlameView


async def test_ranges_by_path_and_their_instances(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("I")
        assert session.app.browse.tab.name == "Ranges"
        # By step: train_step 900, data 290, forward 290; the device works from 305 to 328 and 330 to 600.
        rows = [[cell.strip() for cell in row] for row in session.rows()]
        assert [row[:3] for row in rows] == [
            ["train_step", "3", "2.70 ms"],
            ["data", "3", "870 us"],
            ["forward", "3", "870 us"],
        ]
        assert [row[4] for row in rows] == ["879 us", "0 ns", "810 us"]
        assert [row[5] for row in rows] == ["1.82 ms", "870 us", "6.00 us"]
        assert any("   forward" in line for line in session.screen)
        await session.press("down", "down", "enter")
        assert session.view.cursor == 310 * US
        await session.press("n")
        assert session.view.cursor == 1310 * US
        await session.press("space")
        assert "train_step > forward" in "\n".join(session.screen)
        await session.press("escape", "i")
        assert session.app.browse.tab.name == "Events"
        assert len(session.rows()) == 3


async def test_f_draws_the_flame_and_goes_back(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("I", "f")
        view = session.main.query_one(FlameView)
        assert view.has_focus
        assert not session.main.pane.timeline.display
        text = session.screen
        assert "NVTX ranges by path, host time" in text[1]
        assert "all: 2.70 ms" in text[2]
        assert text[3].startswith("▏train_step")
        assert "data" in text[4]
        assert "forward" in text[4]
        assert "train_step · 2.70 ms, 100.0% · self 960 us · 3 x" in session.status
        await session.press("down")
        assert "data · 870 us, 32.2%" in session.status
        await session.press("right")
        assert "forward · 870 us" in session.status
        await session.press("right")
        assert "no range beside it there" in session.status
        await session.press("b")
        assert (
            "forward · 810 us, 92.2% · self 810 us" in session.status
        )  # of 879 us, the copies are the step's
        assert "data" not in session.screen[4]
        await session.press("enter")
        assert "train_step > forward: 810 us" in session.screen[2]
        await session.press("u", "u")
        assert "all: 879 us" in session.screen[2]
        await session.press("i")
        assert session.app.browse.tab.name == "Events"
        assert len(session.rows()) == 3
        await session.press("escape")
        assert view.has_focus
        await session.press("f")
        assert session.main.pane.timeline.has_focus
        assert session.main.pane.timeline.display


async def test_f_on_another_tab_fits_as_ever(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("G", "u", "3", "f")
        assert not session.main.query_one(FlameView).display
        assert session.main.pane.timeline.display


async def test_a_click_walks_the_flame(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("I", "f")
        view = session.main.query_one(FlameView)
        at = session.screen[4].index("forward")
        await session.pilot.click("FlameView", offset=(at + 1, 3))
        assert "forward" in session.status
        await session.pilot.click("FlameView", offset=(at + 1, 3))
        assert view.flame is not None
        assert view.flame.focus == view.flame.node


async def test_without_ranges_it_says_so(tmp_path: Path, explore: Start) -> None:
    export = Export(tmp_path / "bare.sqlite")
    export.kernel(0, 100 * US)
    async with explore(export.write()) as session:
        await session.press("I", "f")
        assert "no NVTX ranges recorded: no flame" in session.status


async def test_a_flame_on_a_small_screen(report: Path, explore: Start) -> None:
    async with explore(report, size=(80, 24), ascii_only=True) as session:
        await session.press("I", "f", "down", "b", "enter", "escape")
        assert "".join(session.screen).isascii()
        await session.press("I", "f")
        await session.pilot.resize_terminal(20, 5)
        await session.press("down", "escape")
