"""The explorer on reports of several ranks: summed up, judged, opened and left again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.app.test_ranks import Session
from tests.support.export import Export
from tests.support.real import real_export
from tui.app.app import Explorer
from tui.app.looks import Looks
from tui.app.settings import Config
from tui.browse.loader import Load
from tui.browse.ranks.lanes import RankLane
from tui.cli import main
from tui.commands.lookup import parser_of
from tui.commands.shared import rank_view
from tui.errors import ReportError
from tui.timeline.state_times import Shown

US = 1000
STEPS = 10
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
Start = Callable[..., AbstractAsyncContextManager[Session]]


def put_rank(export: Export, pid: int, late_us: int) -> None:
    """Ten steps of 1 ms: gemm from 100 us (and ``late_us``) on for 300 us, then an all-reduce.

    All ranks leave the all-reduce at 900 us, so who is late by 200 us waits 200 us less.
    """
    for step in range(STEPS):
        base = step * 1000
        export.push_pop("train_step", base * US, (base + 950) * US, pid=pid, tid=pid)
        for name, start, end, stream in (
            ("gemm", 100 + late_us, 400 + late_us, 7), (ALL_REDUCE, 400 + late_us, 900, 13),
        ):  # fmt: skip
            corr = export.next_of(pid)
            call = "cudaLaunchKernel_v7000"
            export.runtime(call, (base + 20) * US, (base + 30) * US, pid=pid, tid=pid, corr=corr)
            export.kernel(
                (base + start) * US, (base + end) * US, pid=pid, corr=corr, name=name, stream=stream
            )


def rank_report(path: Path, number: int, late_us: int = 0, ranks: int = 3, job: str | None = None) -> Path:
    """The report of one rank of ``ranks``, of which two are on a host; ``job``: the launcher's id."""
    export = Export(path)
    put_rank(export, 100 + number, late_us)
    variables = [("SLURM_PROCID", number), ("SLURM_NTASKS", ranks), *([("SLURM_JOB_ID", job)] if job else [])]
    for name, value in variables:
        export.row("META_DATA_CAPTURE", name="PROCESS_0:ENVIRONMENT_VARIABLE", value=f'{name}="{value}"')
    host = f"node-{number // 2}"
    export.row("TARGET_INFO_SYSTEM_ENV", globalVid=1, devStateName="x", name="Hostname", value=host)
    return export.write()


@pytest.fixture
def three(tmp_path: Path) -> list[Path]:
    """Three ranks, the second of which is 200 us late in every step."""
    return [rank_report(tmp_path / f"rank{n}.sqlite", n, 200 if n == 1 else 0) for n in range(3)]


@pytest.fixture
def ranks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Start:
    """``async with ranks(path, ...) as session``: the explorer on reports, summed up and judged."""
    for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))

    @asynccontextmanager
    async def start(
        *paths: Path, options: tuple[str, ...] = (), size: tuple[int, int] = (160, 48)
    ) -> AsyncIterator[Session]:
        words = [*map(str, paths), "--jobs", "1", "--cache-dir", str(tmp_path / "store"), *options]
        args = parser_of("explore").parse_args(words)

        def load(path: Path) -> Load:
            return Load(path, cache_dir=tmp_path / "store")

        set_of = partial(rank_view.set_load, args, list(paths), False)
        as_set = len(paths) > 1
        first = load(paths[0]) if as_set else load(paths[0]).start()
        app = Explorer(
            first, paths, Config(), Looks(), load, ranks=set_of() if as_set else None, set_of=set_of
        )
        async with app.run_test(size=size) as pilot:
            session = Session(app, pilot)
            await session.until(lambda: not app.computing)
            await session.settle()
            yield session

    return start


async def test_a_set_is_summed_up_judged_and_says_who_is_late(ranks: Start, three: list[Path]) -> None:
    async with ranks(*three) as session:
        text = "\n".join(session.screen)
        assert "3 ranks · 2 hosts" in session.screen[0]
        assert session.title == "rank 1"
        assert "pinned: rank 1 (node-0, GPU 0) is last in 9 of 9" in text
        assert "last of 3 by 200 us" in session.status
        scene = session.browse.scene
        assert scene is not None
        assert scene.headline == "pinned: rank 1, 200.0 us a step"
        # 950 us a step: 100 (300) of idle, 300 of compute, 200 of waiting (0), 300 of transfer, 50 of idle.
        assert [facts.own_ns for facts in scene.ranks] == [750 * US, 950 * US, 750 * US]


async def test_opened_columns_make_a_lane_exact(ranks: Start, three: list[Path]) -> None:
    async with ranks(*three) as session:
        session.browse.go_rank(0)
        await session.press("enter")
        await session.until(lambda: session.browse.opened_rank is not None)
        scene = session.browse.scene
        assert scene is not None
        runs = scene.exact[0].runs
        first = [(int(s) // US, int(e) // US, Shown(int(k))) for s, e, k in zip(*runs, strict=True)][:5]
        assert first == [
            (0, 100, Shown.IDLE), (100, 400, Shown.COMPUTE), (400, 600, Shown.WAIT),
            (600, 900, Shown.TRANSFER), (900, 1100, Shown.IDLE),
        ]  # fmt: skip
        await session.settle()
        text = "\n".join(session.screen)
        assert "▾ rank 0" in text and "its own lanes, the same time axis" in text
        assert "gemm" in text
        session.view.go(session.view.viewport.start)
        await session.press("[", "[", "[", "[", "[", "[", "[", "}")
        assert session.view.cursor == 900 * US  # exactly, where a strip's bin is 5 us
        assert "idle 200 us" in session.status


async def test_enter_twice_and_u_lead_into_a_report_and_back(ranks: Start, three: list[Path]) -> None:
    async with ranks(*three) as session:
        await session.press("enter")
        await session.until(lambda: session.browse.opened_rank is not None)
        await session.press("enter")
        await session.until(lambda: session.app.browse.capture is not None)
        await session.settle()
        assert "2/3" in session.screen[0]
        assert session.app.browse.view is not None
        assert session.app.browse.view.viewport.ns_per_cell == session.view.viewport.ns_per_cell
        await session.press("R")
        await session.until(lambda: "3/3" in session.screen[0] and session.app.browse.capture is not None)
        await session.press("u")
        assert session.app.screen is not session.app.main
        assert session.title == "rank 1"


@pytest.mark.parametrize("size", [(160, 48), (80, 24)])
async def test_every_key_and_tab_goes_on_a_set(
    ranks: Start, three: list[Path], size: tuple[int, int]
) -> None:
    async with ranks(*three, size=size) as session:
        for key in "123456789":
            await session.press(key, "down", "enter", "o", "escape")
        for key in (
            "x",
            "X",
            "X",
            "c",
            "c",
            "O",
            "B",
            "_",
            "O",
            "B",
            "_",
            "space",
            "F",
            "[",
            "]",
            "{",
            "}",
            "G",
        ):
            await session.press(key)
        for key in (
            "full_stop",
            "comma",
            "w",
            "s",
            "a",
            "d",
            "A",
            "D",
            "v",
            "right",
            "v",
            "r",
            "f",
            "0",
            "0",
        ):
            await session.press(key)
        for key in ("m", "a", "'", "a", "exclamation_mark", "L", "escape", "z", "z", "tab", "tab", "u", "U"):
            await session.press(key)
        assert session.app.crash is None


async def test_a_broken_report_has_a_lane_and_a_line(ranks: Start, three: list[Path], tmp_path: Path) -> None:
    three[2].write_bytes(b"no export at all" * 100)
    async with ranks(*three) as session:
        assert "2 of 3 ranks, 1 broken" in session.screen[0]
        lanes = [line.lane for line in session.view.lines if isinstance(line.lane, RankLane)]
        reasons = [lane.reason for lane in lanes if lane.reason]
        assert any(reason.startswith("no report: rank 2 of 3 is missing") for reason in reasons)
        assert "rank2.sqlite" in [lane.title for lane in lanes if lane.reason]
        await session.press("exclamation_mark")
        assert "Missing and broken" in "\n".join(session.screen)
        assert session.app.crash is None


async def test_a_set_of_broken_reports_alone_ends_with_an_error(tmp_path: Path) -> None:
    paths = [tmp_path / "a.sqlite", tmp_path / "b.sqlite"]
    for path in paths:
        path.write_bytes(b"no export" * 100)
    args = parser_of("explore").parse_args([*map(str, paths), "--jobs", "1", "--no-cache"])
    sets = rank_view.set_load(args, paths, False)
    app = Explorer(Load(paths[0]), paths, Config(), Looks(), lambda p: Load(p), ranks=sets)
    async with app.run_test() as pilot:
        await Session(app, pilot).until(lambda: app.crash is not None)
    assert isinstance(app.crash, ReportError)
    assert str(app.crash) == "none of 2 reports can be read"


async def test_one_report_of_several_ranks_shows_them_with_a_key(ranks: Start, tmp_path: Path) -> None:
    export = Export(tmp_path / "node.sqlite")
    put_rank(export, 100, 0)
    put_rank(export, 101, 200)
    async with ranks(export.write()) as session:
        assert session.app.screen is session.app.main
        assert "node.sqlite" in session.screen[0]
        await session.press("R")
        await session.until(lambda: session.app.sets is not None and not session.app.computing)
        await session.settle()
        assert "2 ranks" in session.screen[0]
        assert "aligned: one clock" in session.screen[0]
        assert "last of 2 by 200 us" in session.status
        await session.press("R")
        await session.until(lambda: session.app.screen is session.app.main and not session.app.computing)
        await session.press("R")
        assert "2 ranks" in session.screen[0]


async def test_one_report_of_one_rank_has_no_ranks_view(ranks: Start, three: list[Path]) -> None:
    async with ranks(three[0]) as session:
        await session.press("R")
        assert session.app.sets is None
        assert session.app.browse.message.startswith("only one report was given")


def test_view_draws_the_ranks_of_several_reports(
    three: list[Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    common = ["--size", "120x30", "--cache-dir", str(tmp_path / "store"), "--jobs", "1"]
    assert main(["view", *map(str, three), *common]) == 0
    text = capsys.readouterr().out
    assert "rank 1  *" in text and "pinned: rank 1" in text
    assert main(["view", *map(str, three), *common, "--tab", "pace", "--ranks", "0,1"]) == 0
    assert "Pace of the steps" in capsys.readouterr().out
    assert main(["view", str(three[0]), *common]) == 0
    assert "rank0.sqlite" in capsys.readouterr().out
    picture = tmp_path / "ranks.svg"
    assert main(["view", *map(str, three), *common, "-o", str(picture)]) == 0
    assert picture.read_text("utf-8").startswith("<svg")
    assert main(["view", *map(str, three), *common, "--lanes", "gpu0"]) == 2


def test_the_straggler_of_a_real_set_is_seen_at_once(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    paths = [str(real_export(f"ranks-mpi-2023.4/straggler-rank{n}")) for n in range(4)]
    store = ["--cache-dir", str(tmp_path), "--jobs", "1"]
    assert main(["view", *paths, "--size", "80x24", *store]) == 0
    lines = capsys.readouterr().out.splitlines()
    rank = next(line for line in lines if "rank 2 *" in line and "█" in line)
    others = [line for line in lines if line.startswith("    rank") and "░" in line and "*" not in line]
    assert "░" not in rank  # it waits for nobody
    assert len(others) == 3
    assert "pinned: rank 2, 7.9 ms a step" in "\n".join(lines)
