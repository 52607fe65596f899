"""Every key of the ranks view, on a set whose every figure is known."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.app.conftest import US, training
from tests.app.conftest import Session as ExplorerSession
from tests.support.rank_scene import MS, STEP, sixteen
from tui.app.app import Explorer
from tui.app.looks import Looks
from tui.app.settings import Config
from tui.app.widgets.bar import Bar
from tui.browse.loader import Load
from tui.browse.ranks.browse import Lower, RanksBrowse
from tui.browse.ranks.frame import draw_ranks, ranks_shape
from tui.browse.ranks.lanes import GROUPS, PAIRS, Order, RankLane
from tui.browse.ranks.loading import SetLoad
from tui.browse.ranks.scene import Scene
from tui.browse.view import View
from tui.timeline.runs import text_of
from tui.timeline.style_colours import Depth

START = 100 * MS
"""Where the first step of host a's ranks begins on the axis."""


class Session(ExplorerSession):
    """The running ranks view."""

    @property
    def browse(self) -> RanksBrowse:
        assert self.app.sets is not None
        return self.app.sets.browse

    @property
    def view(self) -> View:
        assert self.browse.view is not None
        return self.browse.view

    @property
    def title(self) -> str:
        assert self.view.at is not None
        return self.view.at.lane.title

    @property
    def status(self) -> str:
        assert self.app.sets is not None
        return text_of(self.app.sets.screen.query_one("#status", Bar).line)


Start = Callable[..., AbstractAsyncContextManager[Session]]


@pytest.fixture
def ranks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Start:
    """``async with ranks(scene, size=...) as session``: the explorer on a set that is a scene already."""
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.chdir(tmp_path)

    @asynccontextmanager
    async def start(
        scene: Scene, size: tuple[int, int] = (160, 48), depth: Depth = Depth.TRUE, ascii_only: bool = False
    ) -> AsyncIterator[Session]:
        paths = list(dict.fromkeys(facts.path for facts in scene.ranks))

        def load(path: Path) -> Load:
            return Load(path, use_store=False)

        sets = SetLoad(paths, lambda take, show: paths, lambda members: scene, lambda members: scene)
        looks = Looks(depth, ascii_only)
        app = Explorer(load(paths[0]), paths, Config(), looks, load, ranks=sets)
        async with app.run_test(size=size) as pilot:
            session = Session(app, pilot)
            await session.until(lambda: session.browse.scene is not None)
            await session.settle()
            yield session

    return start


def on_reports(scene: Scene, folder: Path) -> Scene:
    """The scene with small real reports behind its ranks."""
    made = training(folder / "rank.sqlite").read_bytes()
    facts = []
    for rank in scene.ranks:
        path = folder / rank.path.name
        path.write_bytes(made)
        facts.append(replace(rank, path=path))
    return replace(scene, ranks=tuple(facts))


async def test_the_first_screen_shows_who_is_late_and_where_to_go(ranks: Start) -> None:
    async with ranks(sixteen()) as session:
        text = "\n".join(session.screen)
        assert "15 of 16 ranks" in session.screen[0]
        assert "aligned: collectives, ± 64.0 us" in session.screen[0]
        assert "no report: rank 14 of 16 is missing" in text
        assert session.title == "rank 11"
        assert "rank 11 *" in text
        assert "rank 11 · idle about" in session.status
        assert "host code in data_to_gpu · last of 15 by 61.2 ms" in session.status
        assert "x slowest" in session.status


@pytest.mark.parametrize("size", [(160, 48), (120, 34), (80, 24)])
async def test_a_frame_and_the_explorers_screen_are_the_same_cells(
    ranks: Start, size: tuple[int, int]
) -> None:
    async with ranks(sixteen(), size) as session:
        browse = RanksBrowse(Path("ranks"), session.browse.drawing, session.browse.hint)
        browse.show(sixteen())
        drawn = draw_ranks(browse, ranks_shape(*size))
        assert [text_of(row).rstrip() for row in drawn.rows] == session.screen


async def test_steps_are_walked_and_x_finds_the_slowest(ranks: Start) -> None:
    async with ranks(sixteen()) as session:
        await session.press("home", "]")
        assert session.view.cursor == START + 669_000  # of rank 11, whose host's clock is 669 us ahead
        await session.press("]")
        assert session.view.cursor == START + STEP + 669_000
        session.view.reveal_lane(session.view.lines[1].lane.key)
        assert session.title == "rank 0"
        await session.press("x")
        assert session.title == "rank 11"
        assert "slowest of step 2: rank 11, own time 512 ms" in session.status
        await session.press("[")
        assert session.view.cursor == START + 669_000


async def test_capital_x_goes_through_collectives_by_margin(ranks: Start) -> None:
    async with ranks(sixteen()) as session:
        session.view.go_line(1)
        await session.press("X")
        assert session.title == "rank 11"
        assert "rank 11 last by 61.2 ms: 1 of 39 by margin" in session.status
        first = session.view.cursor
        await session.press("X")
        assert "2 of 39 by margin" in session.status
        assert session.view.cursor == first + STEP


async def test_c_goes_through_the_participants_of_a_collective(ranks: Start) -> None:
    async with ranks(sixteen()) as session:
        await session.press("X", "c")
        assert session.title == "rank 12"
        assert "rank 12: waits 88.4 ms" in session.status
        await session.press("c", "c", "c")
        assert session.title == "rank 0"  # round again, past the missing 14
        for _ in range(11):
            await session.press("c")
        assert session.title == "rank 11"
        assert "rank 11: last in" in session.status
        await session.press("home", "c")
        assert "no matched collective under the cursor" in session.status


async def test_o_sorts_by_lateness_own_time_host_and_number(ranks: Start) -> None:
    async with ranks(sixteen()) as session:
        await session.press("O")
        assert session.browse.order is Order.LATENESS
        titles = [line.lane.title for line in session.view.lines]
        assert titles[:3] == ["rank 11", "rank 3", "rank 0"]
        assert titles[-1] == "rank 14"
        assert session.title == "rank 11"  # the cursor stays on its rank
        assert "by lateness" in session.screen[0]
        await session.press("O")
        assert [line.lane.title for line in session.view.lines][:2] == ["rank 11", "rank 3"]
        await session.press("O", "O")
        assert session.browse.order is Order.RANK
        assert [line.lane.title for line in session.view.lines][:2] == ["node-a", "rank 0"]


async def test_space_folds_a_host_into_its_median_and_its_slowest(ranks: Start) -> None:
    async with ranks(sixteen()) as session:
        await session.press("space")
        assert session.title == "node-b"
        assert "node-b: 7 ranks · slowest rank 11, own 512 ms a step" in session.status
        assert len(session.view.lines) == 10
        line = next(line for line in session.screen if "▸ node-b" in line)
        assert "▄" in line  # where rank 11 differs from the median
        await session.press("enter")
        assert session.title == "rank 11"
        await session.press("F")
        assert len(session.view.lines) == 2


async def test_distances_by_key_and_by_minus_in_the_titles(ranks: Start) -> None:
    async with ranks(sixteen()) as session:
        scale = session.view.viewport.ns_per_cell
        await session.press("_")
        assert session.browse.distance == PAIRS
        assert session.title == "ranks 10, 11"
        await session.press("_")
        assert session.browse.distance == GROUPS
        assert [line.lane.title for line in session.view.lines] == ["node-a", "node-b"]
        assert "r11  512 ms" in "\n".join(session.screen)
        await session.press("x")
        assert session.title == "node-b"
        await session.press("_")
        await session.pilot.click("RankLanes", offset=(4, 5))
        await session.press("minus")
        assert session.browse.distance == PAIRS
        assert session.view.viewport.ns_per_cell == scale
        await session.press("plus")
        assert session.browse.distance not in (PAIRS, GROUPS)
        await session.pilot.click("RankLanes", offset=(60, 5))
        await session.press("minus")
        assert session.view.viewport.ns_per_cell > scale


async def test_b_shows_heat_of_lateness_then_of_own_times(ranks: Start) -> None:
    async with ranks(sixteen()) as session:
        await session.press("B")
        assert session.browse.lower is Lower.LATENESS
        text = "\n".join(session.screen)
        assert "lateness of each rank at each collective" in text
        late = [line for line in session.screen if "rank 3 " in line and "▃" * 10 in line]
        assert late  # by 27.2 of 88.4 ms: three eighths
        await session.press("B")
        assert "own time of each rank in each step" in "\n".join(session.screen)
        await session.press("B")
        assert session.browse.lower is Lower.BOTH


async def test_gaps_and_collectives_of_a_rank_are_walked(ranks: Start) -> None:
    async with ranks(sixteen()) as session:
        await session.press("home", "full_stop")
        # The all-reduce of step 1: 118.3 + 3.2 + 332.8 ms after its start.
        assert session.view.cursor == START + 454_300_000 + 669_000
        await session.press("full_stop", "comma")
        assert session.view.cursor == START + 454_300_000 + 669_000
        await session.press("home", "}")
        begun = session.view.cursor
        assert abs(begun - START) < 12 * MS  # a bin of the strip is 10 ms
        await session.press("}", "{")
        assert session.view.cursor == begun
        await session.press("G")
        assert "longest idle stretch of rank 11" in session.status


async def test_history_ranges_and_marks_work_as_on_a_report(ranks: Start) -> None:
    async with ranks(sixteen()) as session:
        before = session.view.viewport
        await session.press("w", "w")
        assert session.view.viewport.ns_per_cell < before.ns_per_cell
        await session.press("u")
        assert session.view.viewport == before
        await session.press("u")
        assert "no view before this one" in session.status
        await session.press("v", "right", "right", "v", "f")
        assert session.view.chosen is not None
        await session.press("m", "a", "0", "'", "a")
        assert session.title == "rank 11"
        await session.press("0", "0")
        assert session.view.viewport.ns_per_cell > before.ns_per_cell


async def test_enter_puts_the_ranks_own_lanes_below_and_then_opens_its_report(
    ranks: Start, tmp_path: Path
) -> None:
    async with ranks(on_reports(sixteen(), tmp_path)) as session:
        await session.press("enter")
        await session.until(lambda: session.browse.opened_rank is not None)
        await session.settle()
        text = "\n".join(session.screen)
        assert "▾ rank 11   node-b · GPU 4 · python 100" in text
        assert "GPU 0" in text and "NVTX" in text
        assert session.title == "rank 11"
        own = session.view.line_of("gpu0", 0)
        assert own is not None
        # gemm of the report at 330 us lies 669 us later on the axis.
        session.view.reveal_lane("gpu0")
        session.view.go(669 * US + 340 * US)
        session.browse.message = ""
        session.app.sets.screen.refresh_view()
        await session.settle()
        assert "GPU 0 busy" in session.status
        await session.press("enter")
        await session.until(lambda: session.app.browse.capture is not None)
        await session.settle()
        assert session.app.screen is session.app.main
        assert session.app.browse.view is not None
        assert session.app.browse.view.cursor == 340 * US
        assert "rank11.sqlite" in session.screen[0]
        assert "  u ranks  } next gap " in session.screen[-1]
        await session.press("u")
        assert session.app.screen is not session.app.main
        assert "ranks" in session.screen[0]
        await session.press("u", "u")  # the view before, then the lanes
        assert session.browse.opened_rank is None


async def test_a_missing_rank_has_nothing_to_open(ranks: Start) -> None:
    async with ranks(sixteen()) as session:
        for number, line in enumerate(session.view.lines):
            if isinstance(line.lane, RankLane) and line.lane.reason:
                session.view.go_line(number)
        await session.press("enter")
        assert "rank 14 of 16 is missing" in session.status
        for key in ("x", "X", "c", "}", "full_stop", "G", "space", "O", "B", "_", "r", "f"):
            await session.press(key)
        assert session.app.crash is None


async def test_a_report_that_is_gone_says_so(ranks: Start) -> None:
    async with ranks(sixteen()) as session:
        await session.press("enter")
        await session.until(lambda: "rank 11: " in session.status)
        assert session.browse.opened_rank is None


async def test_r_goes_through_the_reports_and_back_to_the_ranks(ranks: Start, tmp_path: Path) -> None:
    scene = on_reports(sixteen(late=1, missing=None, count=2, per_host=1), tmp_path)
    async with ranks(scene) as session:
        assert session.title == "rank 1"
        session.view.go_line(1)
        assert session.title == "rank 0"
        session.view.go(340 * US)
        await session.press("R")
        await session.until(lambda: session.app.browse.capture is not None)
        await session.settle()
        assert session.screen[0].startswith(" rank 0 · 1/2 rank0.sqlite ")
        assert session.app.browse.view is not None
        assert session.app.browse.view.cursor == 340 * US
        await session.press("R")
        await session.until(lambda: "2/2" in session.screen[0] and session.app.browse.capture is not None)
        await session.settle()
        assert session.app.browse.view.cursor == 340 * US - 669 * US  # the same instant on the axis
        await session.press("R")
        assert session.app.screen is not session.app.main
        assert session.title == "rank 0"
        assert session.view.cursor == 340 * US


async def test_r_takes_the_instant_of_a_report_back_to_the_ranks(ranks: Start, tmp_path: Path) -> None:
    scene = on_reports(sixteen(late=1, missing=None, count=2, per_host=1), tmp_path)
    async with ranks(scene) as session:
        session.view.go_line(3)
        assert session.title == "rank 1"
        session.view.go(340 * US)
        await session.press("R")
        await session.until(lambda: session.app.browse.capture is not None)
        await session.settle()
        assert session.app.browse.view is not None
        session.app.browse.view.go(100 * US)
        await session.press("R")
        assert session.app.screen is not session.app.main
        assert session.view.cursor == 769 * US  # the report's clock is 669 us behind the axis


async def test_tabs_by_digit_and_help_and_palette(ranks: Start) -> None:
    async with ranks(sixteen()) as session:
        await session.press("question_mark")
        assert "Ranks view" in "\n".join(session.screen)
        assert "To the slowest rank of the step here" in "\n".join(session.screen)
        await session.press("escape", "L")
        assert "waiting for others" in "\n".join(session.screen)
        await session.press("escape", "colon", *"slowest rank", "enter")
        assert "slowest of step" in session.status


async def test_while_summaries_arrive_there_are_lanes_and_no_totals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    scene = sixteen()
    partial = replace(
        scene, ranks=tuple(replace(f, own=None, marked=False) for f in scene.ranks[:4]), absent=(),
        communicators=(), headline="", judged=None, arrived=4, reports=15, waits_of=lambda rank: None,
    )  # fmt: skip
    paths = [facts.path for facts in scene.ranks]
    sets = SetLoad(paths, lambda take, show: paths, lambda members: partial, lambda members: scene)
    app = Explorer(Load(paths[0]), paths, Config(), Looks(), lambda path: Load(path), ranks=sets)
    async with app.run_test(size=(160, 48)) as pilot:
        session = Session(app, pilot)
        await session.settle()
        assert app.sets is not None
        app.sets.screen.show_scene(scene)
        app.sets.browse.view = None
        app.sets.screen.show_scene(partial)
        await session.settle()
        assert "4 of 15 reports" in session.screen[0]
        assert "▓" in "\n".join(session.screen)  # communication whose waits are not known yet
        await session.press("x")
        assert "once every report has been read" in session.status
        app.sets.screen.show_scene(scene)
        await session.settle()
        assert session.title == "rank 11"
        assert "15 of 16 ranks" in session.screen[0]
