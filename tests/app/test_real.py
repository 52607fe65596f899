"""The real exports in the explorer: each opens, has a lane for every kind of row, and takes the main keys."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.conftest import Start
from tests.support.real import EXPORTS, needs_real
from tui.browse.neighbours import linked
from tui.timeline.slices import SliceId

KEYS = ("}", "f", "enter", "escape", "0", "]", "down", "down", "full_stop", "r", "escape", "F", "F", "b", "b")


@needs_real
@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.stem)
async def test_opens_and_takes_keys(path: Path, explore: Start) -> None:
    async with explore(path) as session:
        report = session.app.browse.capture.report if session.app.browse.capture else None
        assert report is not None
        tables = {row.table for line in session.view.tree.lines() for row in line.lane.rows}
        devices = {root.device for root in session.view.tree.roots if root.device >= 0}
        assert devices == {device.index for device in report.devices if device.ops}
        for table in ("ops", "calls", "ranges", "marks", "os_calls", "syncs"):
            assert (table in tables) == (len(getattr(report, table)) > 0), table
        for key in KEYS:
            await session.pilot.press(key)
        for tab in "234567891":
            await session.press(tab)
            assert session.page.pane.blocks, tab
            assert "can't be worked out" not in session.page.pane.message
        assert session.app.crash is None


@needs_real
@pytest.mark.parametrize("path", EXPORTS[:3], ids=lambda path: path.stem)
async def test_opens_on_a_small_screen(path: Path, explore: Start) -> None:
    async with explore(path, size=(80, 24)) as session:
        for key in (*KEYS, "tab", "3", "down", "enter", "z", "z"):
            await session.pilot.press(key)
        await session.settle()
        assert all(len(line) <= 80 for line in session.screen)
        assert session.app.crash is None


@needs_real
@pytest.mark.parametrize(
    "path", [p for p in EXPORTS if p.stem.startswith("ddp-before")], ids=lambda path: path.stem
)
async def test_no_kernel_is_linked_to_two_launches(path: Path, explore: Start) -> None:
    async with explore(path) as session:
        capture = session.app.browse.capture
        assert capture is not None
        report, links = capture.report, capture.links
        for op in range(0, len(report.ops), 97):
            launch = linked(links, SliceId("ops", op))
            assert len(launch) <= 1
            if launch:
                assert SliceId("ops", op) in linked(links, launch[0])
