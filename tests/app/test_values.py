"""Lanes of values in the explorer: they come once they are in sight, and keys on them answer."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from tests.app.conftest import Session, Start
from tests.app.test_same_cells import frame_of, same
from tests.support import values
from tui.analysis.index import Index
from tui.timeline.slices import LaneRows


@pytest.fixture(autouse=True)
def provided(monkeypatch: pytest.MonkeyPatch) -> None:
    values.install(monkeypatch)


def line_of(session: Session, title: str) -> str:
    return next(line for line in session.screen if title in line)


async def go(session: Session, key: str, sub: int = 0) -> None:
    session.view.reveal_lane(key, sub)
    session.main.refresh_view()
    await session.settle()


async def test_the_frame_of_view_is_the_screen(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.settle()
        same(frame_of("--size", "160x48", str(report)), session, "values")


async def test_a_lane_comes_while_keys_work(
    report: Path, explore: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, begun = threading.Event(), threading.Event()

    def slow() -> LaneRows:
        begun.set()
        assert go_on.wait(20)
        return values.memory()

    monkeypatch.setattr(values, "metrics", slow)
    async with explore(report, loaded=False) as session:
        await session.until(begun.is_set)
        await session.pilot.press("down", "down", "down", "down")
        await session.pilot.pause()
        assert "loading" in line_of(session, "metrics")
        at = session.view.at
        assert at is not None
        assert at.lane.key == "gpu0/metrics"
        await session.pilot.press("down", "down")  # on the lane below
        assert session.view.at is not None
        below = session.view.at.lane.key
        go_on.set()
        await session.settle()
        assert "loading" not in "\n".join(session.screen)
        assert session.view.at.lane.key == below


async def test_only_what_is_in_sight_is_gathered(report: Path, explore: Start) -> None:
    async with explore(report, size=(120, 17)) as session:
        await session.settle()
        loaded = {lane.key: lane.loaded for lane in session.view.tree.walk()}
        assert loaded["gpu0/metrics"]
        assert not loaded["t/cpu"]
        await go(session, "t/cpu")
        assert next(lane for lane in session.view.tree.walk() if lane.key == "t/cpu").loaded


async def test_the_cell_under_the_cursor_in_words(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.settle()
        await go(session, "gpu0/metrics")
        session.view.go(260_000)  # a cell of 35 us: 5 us of 75 %, then 100 %
        session.main.refresh_view()
        assert "SM active: 96.4 % · min 75.0 % · max 100.0 %" in session.status
        await session.press("enter")
        text = "\n".join(session.screen)
        assert "Values" in text
        assert "SM active" in text
        await session.press("escape", "full_stop")
        assert "values over time" in session.status
        await session.press("i")
        assert "no events to list" in session.status
        await session.press("y")
        assert "sent" in session.status


async def test_what_could_not_be_read_is_a_line(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.settle()
        assert "can't be read: the table is torn" in line_of(session, "broken")
        assert "empty" not in "\n".join(session.screen)


async def test_a_fault_of_a_loader_is_a_line_and_told_at_the_end(
    report: Path, explore: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fault(index: Index) -> LaneRows:
        raise ValueError("no such column")

    monkeypatch.setattr(values, "_broken", fault)
    async with explore(report) as session:
        await session.settle()
        assert "can't be read: no such column" in line_of(session, "broken")
        await session.pilot.press("q")
    assert isinstance(session.app.crash, ValueError)


async def test_taller_lower_and_the_scale_in_sight(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.settle()
        await go(session, "host/network")
        before = len(session.view.lines)
        await session.press(")", ")")
        assert len(session.view.lines) == before + 2
        assert any("24.0 GB/s" in line for line in session.screen)
        await session.press("(", "(", "(")
        assert len(session.view.lines) == before
        assert "no row less" in session.status
        await session.press("S")
        assert "in sight" in session.status
        assert "mlx5_0 *" in "\n".join(session.screen)
        await session.press("S")
        assert "of the capture" in session.status
        await go(session, "t/cpu")
        await session.press(")")
        assert "shows no more in more lines" in session.status


async def test_space_shows_all_lines_of_a_lane(report: Path, explore: Start) -> None:
    async with explore(report) as session:
        await session.settle()
        assert "GPC 1" not in "\n".join(session.screen)
        await go(session, "gpu0/metrics")
        await session.press("space")
        assert "GPC 1" in "\n".join(session.screen)
        await session.press("space")
        assert "GPC 1" not in "\n".join(session.screen)
