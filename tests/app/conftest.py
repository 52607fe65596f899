"""A small training capture, and the explorer running on it without a terminal."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from textual.pilot import Pilot

from fixtures.trace import HTOD, PAGEABLE
from tests.support.export import Export
from tui.app.app import Explorer
from tui.app.looks import Looks
from tui.app.screens.main import MainScreen
from tui.app.settings import Config
from tui.app.widgets.page_view import PageView
from tui.browse.loader import Load
from tui.browse.pages import TABS, Tab
from tui.browse.view import View
from tui.timeline.runs import text_of
from tui.timeline.style_colours import Depth

US = 1000
STEPS = 3
STEP_US = 1000


def training(path: Path) -> Path:
    """Three steps of 1 ms on one GPU. In each, by us from the step's start:

    NVTX train_step 0-900 holding data 10-300 and forward 310-600; an OS read 20-280 in data; a pageable copy
    305-328, issued 302-308; kernels gemm 330-500 (issued 310-320) and relu 500-600 (issued 350-360).
    The device idles from 600 to the next step's 305: two gaps of 705 us.
    """
    export = Export(path)
    for step in range(STEPS):
        base = step * STEP_US

        def at(us: int, base: int = base) -> int:
            return (base + us) * US

        export.push_pop("train_step", at(0), at(900))
        export.push_pop("data", at(10), at(300))
        export.push_pop("forward", at(310), at(600))
        export.osrt("read", at(20), at(280))
        copy = export.runtime("cudaMemcpyAsync_v3020", at(302), at(308))
        export.memcpy(at(305), at(328), corr=copy, bytes=1_000_000, kind=HTOD, src=PAGEABLE)
        gemm = export.runtime("cudaLaunchKernel_v7000", at(310), at(320))
        export.kernel(at(330), at(500), corr=gemm, name="gemm<float>[x]", short="gemm", grid=(8, 4, 1))
        relu = export.runtime("cudaLaunchKernel_v7000", at(350), at(360))
        export.kernel(at(500), at(600), corr=relu, name="relu", registers=16)
    return export.write()


@dataclass
class Session:
    """The running explorer, and short ways to what its tests ask."""

    app: Explorer
    pilot: Pilot[None]

    @property
    def main(self) -> MainScreen:
        return self.app.main

    @property
    def view(self) -> View:
        assert self.app.browse.view is not None
        return self.app.browse.view

    @property
    def page(self) -> PageView:
        return self.main.pane.page

    @property
    def status(self) -> str:
        """The text of the status lines."""
        from tui.app.widgets.bar import Bar

        bars = [self.main.query_one(f"#{name}", Bar) for name in ("status", "hints")]
        return " ".join(text_of(bar.line) for bar in bars if bar.display)

    @property
    def screen(self) -> list[str]:
        """The lines on the screen, blanks at the right cut off."""
        update = self.app.screen._compositor.render_strips()
        return [strip.text.rstrip() for strip in update]

    async def press(self, *keys: str) -> None:
        """Press keys and wait until everything that they started is done."""
        for key in keys:
            await self.pilot.press(key)
        await self.settle()

    async def settle(self) -> None:
        """Wait until no figure is being worked out and nothing is left to paint."""
        await self.until(lambda: not self.app.computing)
        await self.pilot.pause()

    async def until(self, true: Callable[[], bool]) -> None:
        """Wait for a condition; fails after some seconds."""
        for _ in range(1000):
            await self.pilot.pause()
            if true():
                return
            await self.pilot.pause(0.01)
        raise AssertionError("waited in vain")

    def rows(self, section: int = 0) -> list[list[str]]:
        """The cells of a section of the pane's page, as they are written, in their order."""
        block = self.page.pane.blocks[section]
        assert block.rows is not None
        return [
            [
                c.write(column.values[int(row)])
                for c, column in zip(block.cells, block.rows.table.columns, strict=True)
            ]
            for row in block.rows.order
        ]


Start = Callable[..., AbstractAsyncContextManager[Session]]


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """The capture of :func:`training`."""
    return training(tmp_path / "train.sqlite")


@pytest.fixture
def explore(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Start:
    """``async with explore(path, ..., size=(160, 48)) as session``: the explorer on its reports, loaded."""
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.chdir(tmp_path)

    @asynccontextmanager
    async def start(
        *paths: Path,
        size: tuple[int, int] = (160, 48),
        config: Config | None = None,
        depth: Depth = Depth.TRUE,
        ascii_only: bool = False,
        loaded: bool = True,
        tabs: Sequence[Tab] = TABS,
    ) -> AsyncIterator[Session]:
        def load(path: Path) -> Load:
            return Load(path, use_store=False)

        app = Explorer(
            load(paths[0]).start(), paths, config or Config(), Looks(depth, ascii_only), load, tabs
        )
        async with app.run_test(size=size) as pilot:
            session = Session(app, pilot)
            if loaded:
                await session.until(lambda: session.app.browse.capture is not None)
                await session.settle()
            yield session

    return start
