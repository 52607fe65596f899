"""A report that takes its time: its parts are on the screen as they come, and keys work meanwhile."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from fixtures.registry import find
from tests.app.conftest import US, Session, training
from tests.support.export import Export
from tui.app.app import Explorer
from tui.app.looks import Looks
from tui.app.settings import Config
from tui.browse import capture as capture_module
from tui.browse import loader
from tui.browse.background import News
from tui.browse.capture import Capture, open_capture
from tui.browse.loader import PART, Load, Outcome
from tui.errors import ReportError
from tui.report.progress import Progress


class Staged(Load):
    """A load whose stages come when the test says so."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, use_store=False)
        self.parts: list[Capture] = []
        self.whole = open_capture(path, use_store=False, partial=self.parts.append)

    def start(self) -> Staged:
        return self

    def come(self, stage: int) -> None:
        self._show(part=self.parts[stage])

    def fail(self, error: Exception) -> None:
        self._show(outcome=Outcome(error=error))

    def end(self) -> None:
        self._show(outcome=Outcome(capture=self.whole))


@asynccontextmanager
async def staged(path: Path, size: tuple[int, int] = (160, 48)) -> AsyncIterator[tuple[Session, Staged]]:
    """The explorer on a report of which nothing has come yet."""
    load = Staged(path)
    app = Explorer(load, [path], Config(), Looks(), lambda p: load)
    async with app.run_test(size=size) as pilot:
        session = Session(app, pilot)
        await pilot.pause()
        yield session, load


async def shown(session: Session, *words: str) -> list[str]:
    """The screen, once it has ``words`` and nothing is being worked out for it any more."""

    def there() -> bool:
        text = "\n".join(session.screen)
        return session.app.background.at_rest and all(word in text for word in words)

    await session.until(there)
    await session.pilot.pause()
    return session.screen


def lanes(session: Session) -> dict[str, bool]:
    """Title of each lane on the screen, and whether it is there."""
    return {line.lane.title.partition(" · ")[0]: line.lane.ready for line in session.view.lines}


def line_with(screen: list[str], word: str) -> str:
    return next(line for line in screen if word in line)


async def test_lanes_fill_in_and_what_is_missing_says_loading(report: Path) -> None:
    async with staged(report, (240, 48)) as (session, load):
        await session.until(lambda: "loading train.sqlite" in "\n".join(session.screen))
        load.progress = Progress("NVTX_EVENTS", 30, 100)
        load.come(0)
        await session.until(lambda: session.app.browse.capture is not None)
        # The device is busy from 305 to 600 us of each step: this is known, why it is idle is not.
        screen = await shown(session, "kernel 35.3%", "30%", "idle 705 us · reason still loading")
        assert "loading NVTX, API, OS 30%: figures are partial" in screen[0]
        assert lanes(session)["GPU 0"]
        assert {t for t, there in lanes(session).items() if not there} == {"API", "NVTX", "OS"}
        for title in ("API", "NVTX", "OS"):
            assert "loading…" in line_with(screen[4:], f" {title} ")
        text = "\n".join(screen)
        assert "figures are partial until it is there" in text
        assert "host code" not in text

        load.come(1)
        await session.until(lambda: session.app.browse.capture is load.parts[1])
        screen = await shown(session, "OS 30%", "idle 705 us · reason still loading")
        assert "loading NVTX, OS 30%" in screen[0]
        assert {t for t, there in lanes(session).items() if not there} == {"NVTX", "OS"}
        assert "host code" not in "\n".join(screen)

        load.end()
        await session.until(lambda: session.app.browse.capture is load.whole)
        await session.settle()
        screen = await shown(session, "host code")
        assert "loading" not in "\n".join(screen)


@pytest.mark.parametrize(("tab", "words"), [("2", "Blame"), ("5", "NVTX"), ("6", "API"), ("8", "Steps")])
async def test_a_page_that_needs_what_is_missing_waits(report: Path, tab: str, words: str) -> None:
    async with staged(report) as (session, load):
        load.come(0)
        await session.until(lambda: session.app.browse.capture is not None)
        await session.pilot.press(tab)
        text = "\n".join(await shown(session, "waits for"))
        assert "no steps found" not in text
        load.end()
        await session.until(lambda: session.app.browse.capture is load.whole)
        await session.settle()
        text = "\n".join(await shown(session, words))
        assert "waits for" not in text


async def test_kernels_are_summed_up_as_soon_as_they_are_there(report: Path) -> None:
    async with staged(report) as (session, load):
        load.come(0)
        await session.until(lambda: session.app.browse.capture is not None)
        await session.pilot.press("3")
        await shown(session, "gemm[x]", "Still loading NVTX, API, OS")


async def test_keys_work_meanwhile(report: Path) -> None:
    async with staged(report) as (session, load):
        load.come(0)
        await session.until(lambda: session.app.browse.capture is not None)
        await shown(session)
        before = session.view.viewport
        await session.pilot.press("w", "d", "right")
        assert session.view.viewport != before
        await session.pilot.press("home", "right_curly_bracket", "right_curly_bracket")
        assert session.view.cursor == 600 * US
        assert "705.000 us · reason still loading" in session.status
        await session.pilot.press("enter")
        await session.until(lambda: "reason still loading" in "\n".join(session.screen))
        await session.pilot.press("escape", "right_square_bracket")
        assert "still looking for steps" in session.status
        await session.pilot.press("e")
        assert "once it is whole" in session.status
        await session.pilot.press("down", "full_stop", "c")
        assert "CUDA calls are still loading" in session.status
        await session.pilot.press("enter")
        text = "\n".join(session.screen)
        assert "launch" in text
        assert "not recorded" not in text
        await session.pilot.press("escape", "slash", *"forward", "enter")
        assert "no name contains 'forward' so far: still loading" in session.status
        load.end()
        await session.until(lambda: session.app.browse.capture is load.whole)
        await session.settle()
        await session.press("n")
        assert "of 3: forward" in session.status


async def test_what_is_looked_at_stays_as_more_comes(report: Path) -> None:
    async with staged(report) as (session, load):
        load.come(0)
        await session.until(lambda: session.app.browse.capture is not None)
        await shown(session)
        await session.pilot.press(
            "w", "w", "right_curly_bracket", "v", "right", "right", "v", "m", "x", "down"
        )
        view = session.view
        kept = (
            view.viewport, view.cursor, view.range, view.at and view.at.lane.key, view.line - view.top,
            dict(view.marks), list(view.history.back), view.folded,
        )  # fmt: skip
        for stage in (1, 2):
            load.come(stage)
            await session.until(lambda stage=stage: session.app.browse.capture is load.parts[stage])  # type: ignore[misc]
            await shown(session)
        load.end()
        await session.until(lambda: session.app.browse.capture is load.whole)
        await session.settle()
        view = session.view
        assert kept == (
            view.viewport, view.cursor, view.range, view.at and view.at.lane.key, view.line - view.top,
            dict(view.marks), list(view.history.back), view.folded,
        )  # fmt: skip


async def test_the_cursor_follows_its_lane_when_ranges_come_before_it(report: Path) -> None:
    async with staged(report) as (session, load):
        load.come(1)
        await session.until(lambda: session.app.browse.capture is not None)
        await shown(session)
        number = next(i for i, line in enumerate(session.view.lines) if "· API" in line.lane.title)
        session.view.go_line(number)
        await session.pilot.press("full_stop")
        picked = session.view.picked
        assert picked is not None
        assert picked.table == "calls"
        load.end()
        await session.until(lambda: session.app.browse.capture is load.whole)
        await session.settle()
        assert session.view.at is not None
        assert session.view.at.lane.title == "API"
        assert session.view.picked == picked
        assert "cudaLaunchKernel_v7000 · 10.000 us" in session.status


@pytest.mark.parametrize("stages", [[0], [0, 1, 2]])
async def test_in_the_end_it_is_as_if_opened_at_once(
    tmp_path: Path, stages: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(capture_module, "MANY", 0)  # lanes in files, as of a large report
    path = tmp_path / "ddp.sqlite"
    find("ddp").build(path)
    async with staged(path) as (session, load):
        load.end()
        await session.until(lambda: session.app.browse.capture is load.whole)
        await session.settle()
        expected = session.screen
    async with staged(path) as (session, load):
        for stage in stages:
            load.come(stage)
            await session.until(lambda stage=stage: session.app.browse.capture is load.parts[stage])  # type: ignore[misc]
            await shown(session)
        load.end()
        await session.until(lambda: session.app.browse.capture is load.whole)
        await session.settle()
        assert session.screen == expected


async def test_no_part_is_shown_after_the_whole(report: Path) -> None:
    async with staged(report) as (session, load):
        load.end()
        load.come(0)
        await session.until(lambda: session.app.browse.capture is not None)
        await session.settle()
        assert session.app.browse.capture is load.whole


async def test_a_report_that_turns_out_damaged_shows_no_figures(report: Path) -> None:
    load = Staged(report)
    app = Explorer(load, [report], Config(), Looks(), lambda p: load)
    async with app.run_test() as pilot:
        session = Session(app, pilot)
        await pilot.pause()
        load.come(0)
        await session.until(lambda: session.app.browse.capture is not None)
        load.fail(ReportError("damaged or truncated"))
        await session.until(lambda: app.crash is not None)
    assert isinstance(app.crash, ReportError)


async def test_a_report_without_device_work_waits_for_what_it_has(tmp_path: Path) -> None:
    path = Export(tmp_path / "host.sqlite").notation('R cudaFree 0-10, N(59,0-90,"a"), O poll 20-30', 1000)
    async with staged(path.write()) as (session, load):
        assert [sorted(part.loading) for part in load.parts] == [
            ["marks", "os_calls", "ranges"],
            ["os_calls"],
        ]
        load.come(0)
        await session.until(lambda: session.app.browse.capture is not None)
        screen = await shown(session)
        assert session.view.span == (0, 10_000)
        assert "loading NVTX, OS" in screen[0]
        load.end()
        await session.until(lambda: session.app.browse.capture is load.whole)
        await session.settle()
        assert session.view.span == (0, 90_000)
        assert session.view.viewport.shows(89_000, session.view.cells)


def test_only_large_reports_are_shown_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = training(tmp_path / "x.sqlite")
    heard: list[Capture] = []

    def hear(news: News) -> None:
        if news.kind == PART:
            heard.append(news.answer)

    small = Load(path, use_store=False)
    small.listen(hear)
    small.start().wait()
    assert heard == []
    monkeypatch.setattr(loader, "PARTIAL_FROM", 1)
    large = Load(path, use_store=False)
    large.listen(hear)
    outcome = large.start().wait()
    assert [sorted(part.loading) for part in heard] == [
        ["calls", "marks", "os_calls", "ranges"],
        ["marks", "os_calls", "ranges"],
        ["os_calls"],
    ]
    assert outcome is not None
    assert outcome.capture is not None
    assert not outcome.capture.loading
    # Lanes of an earlier stage are used again.
    device = outcome.capture.tree.roots[0]
    assert device.load() is heard[0].tree.roots[0].load()
