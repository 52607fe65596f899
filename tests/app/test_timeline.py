"""The timeline widget: shading, narrow repaints, caches."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.conftest import US, Start
from tui.timeline.draw import DrawOptions, draw_lane_row
from tui.timeline.overlay import shaded
from tui.timeline.runs import Run, merge, text_of


def test_shading_splits_runs_and_keeps_slices() -> None:
    line = [Run("   "), Run("ab", "kernel.0"), Run("▌", "kernel.0|"), Run("▐", "|nccl"), Run("核 ", "title")]
    assert shaded(line, 1, 7) == [
        Run(" "),
        Run("  ", "select"),
        Run("ab", "kernel.0"),
        Run("▌", "kernel.0|select"),
        Run("▐", "select|nccl"),
        Run("核 ", "title"),
    ]
    assert shaded(line, 5, 5) == line
    assert text_of(shaded(line, 0, 100)) == text_of(line)


@pytest.mark.parametrize("chosen", [(305, 600), (0, 2900), (450, 451), (600, 1305)])
async def test_shading_equals_drawing_with_the_range(
    report: Path, explore: Start, chosen: tuple[int, int]
) -> None:
    async with explore(report) as session:
        view, timeline = session.view, session.main.timeline
        span = chosen[0] * US, chosen[1] * US
        first, last = view.viewport.cell(span[0]), view.viewport.cell(span[1] - 1)
        gaps = timeline.backdrop.gaps
        for line in view.lines:
            plain = draw_lane_row(line, view.viewport, 90, view.tree.catalogue, DrawOptions(gaps=gaps))
            whole = draw_lane_row(
                line, view.viewport, 90, view.tree.catalogue, DrawOptions(gaps=gaps, selection=span)
            )
            assert merge(shaded(plain, max(first, 0), min(last + 1, 90))) == merge(whole), line.lane.key


async def test_moving_the_cursor_paints_few_lines(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        timeline = session.main.timeline
        await session.press("right")
        painted: list[int] = []
        draw = timeline._draw

        def counted(y: int) -> list[Run]:
            painted.append(y)
            return draw(y)

        timeline._draw = counted  # type: ignore[method-assign]
        await session.press("right")
        assert sorted(set(painted)) == [2, 3 + session.view.line]
        painted.clear()
        await session.press("down")
        assert len(set(painted)) <= 3
        painted.clear()
        await session.press("w")
        fresh = len(painted)
        assert fresh > 5
        await session.press("s", "w")
        painted.clear()
        await session.press("s", "w")
        assert len(set(painted)) <= 3


async def test_a_range_under_way_redraws_no_lane(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        timeline = session.main.timeline
        await session.press("v", "right")
        before = len(timeline._lanes)
        await session.press("right", "right", "right")
        assert len(timeline._lanes) == before
