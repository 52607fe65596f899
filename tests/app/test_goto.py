"""g and a place, from the keyboard."""

from __future__ import annotations

from pathlib import Path

from tests.app.conftest import US, Start


async def test_g_and_a_time_and_tab_completes_a_name(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.press("g", *"1.2ms", "enter")
        assert session.view.cursor == 1200 * US
        await session.press("g", *"forw", "tab", "enter")
        assert session.view.cursor == 1310 * US
        assert "forward · 2 of 3" in session.status
        assert session.main.pane.timeline.has_focus
