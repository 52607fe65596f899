"""The timeline widget: shading, narrow repaints, caches."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.conftest import Start
from tui.timeline.draw import DrawOptions, draw_lane_row
from tui.timeline.overlay import shaded
from tui.timeline.runs import Run, text_of


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


def on_selection(style: str) -> str:
    """A style whose bare ground is the selection's: plain, or with nothing on one side of the bar."""
    ink, bar, paper = style.partition("|")
    return "select" if not style else f"{ink or 'select'}|{paper or 'select'}" if bar else style


@pytest.mark.parametrize("cells", [(0, 90), (10, 60), (42, 43), (89, 90)])
async def test_a_selection_shades_the_ground_of_its_cells_alone(
    report: Path, explore: Start, cells: tuple[int, int]
) -> None:
    async with explore(report) as session:
        view, gaps = session.view, session.main.pane.timeline.backdrop.gaps
        for line in view.lines:
            plain = draw_lane_row(line, view.viewport, 90, view.tree.catalogue, DrawOptions(gaps=gaps))
            before = [(char, run.style) for run in plain for char in run.text]
            after = [(char, run.style) for run in shaded(plain, *cells) for char in run.text]
            for x, (was, now) in enumerate(zip(before, after, strict=True)):
                inside = cells[0] <= x < cells[1]
                assert now == (was[0], on_selection(was[1]) if inside else was[1]), line.lane.key


async def test_moving_the_cursor_paints_few_lines(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        timeline = session.main.pane.timeline
        await session.press("right")
        painted: list[int] = []
        draw = timeline.lines.line

        def counted(y: int, *shown: object) -> list[Run]:
            painted.append(y)
            return draw(y, *shown)  # type: ignore[arg-type]

        timeline.lines.line = counted  # type: ignore[method-assign]
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
        timeline = session.main.pane.timeline
        await session.press("v", "right")
        before = len(timeline._lanes)
        await session.press("right", "right", "right")
        assert len(timeline._lanes) == before
