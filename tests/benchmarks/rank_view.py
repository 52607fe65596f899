"""The ranks view of a warm set: its first frame, a fresh frame of a thousand ranks, a key."""

from __future__ import annotations

import asyncio
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.benchmarks.process import best
from tests.benchmarks.sets import summarised
from tests.benchmarks.table import Row, seconds

Result = dict[str, Any]
KEYS = ("d", "d", "a", "w", "s", "right_square_bracket", "down", "down", "pagedown", "pageup", "space", "x")
AREA = (160, 46)
"""Cells of the lanes on a screen of 160 x 48 without a pane."""


def rank_view_rows(folder: Path, repeats: int, *, quick: bool) -> Iterator[Row]:
    """The rows of the table."""
    ranks = 100 if quick else 1000
    cache, place = folder / f"set-store-{ranks}", folder / f"set-warm-{ranks}"
    summarised(place, cache, ranks, 40, 2000)
    found, _ = best("rank_view", repeats, folder=str(place), cache=str(cache), count=ranks)
    yield Row(
        f"ranks view, {ranks:,} ranks, warm: first frame",
        seconds(found["first"]),
        f"of these {seconds(found['opened'])} for the summaries; figures over ranks come after it",
        "<= 1 s",
        found["first"] <= 1 if ranks == 1000 else None,
    )
    yield Row(
        f"fresh frame of 46 rows, {ranks:,} ranks, two of them a row",
        seconds(found["frame"]),
        f"the first of a set, which reads its strips: {seconds(found['cold'])}",
        "<= 10 ms",
        found["frame"] <= 0.010,
    )
    yield Row(
        "key to repainted frame there",
        f"median {seconds(found['key'])}, most {seconds(found['slowest'])}",
        f"{found['keys']} keys, the work for each until the screen is painted again",
        "<= 50 ms",
        found["key"] <= 0.05,
    )


def rank_view(folder: str, cache: str, count: int) -> Result:
    """Open a set whose summaries are kept, draw its lanes, and press keys on them."""
    from textual.cache import LRUCache

    from tui.browse.drawing import Drawing
    from tui.browse.ranks.browse import RanksBrowse
    from tui.browse.ranks.build import judged_scene, partial_scene
    from tui.browse.ranks.lines import RankLines
    from tui.ranks.collecting import collect
    from tui.ranks.reduce import judge
    from tui.ranks.runs import build_set

    paths = sorted(Path(folder).glob("*.sqlite"))[:count]
    begun = time.perf_counter()
    members = collect(paths, cache_dir=Path(cache))
    found: Result = {"opened": time.perf_counter() - begun}
    made = build_set(members)
    browse = RanksBrowse(Path(folder), Drawing())
    browse.show(partial_scene(made, "set", count, count, 1))
    lines = RankLines(browse, LRUCache(4096))
    _draw(browse, lines)
    found["first"] = time.perf_counter() - begun
    scene = judged_scene(judge(made), "set", count, 2)
    browse.show(scene)
    begun = time.perf_counter()
    _draw(browse, lines)
    found["cold"] = time.perf_counter() - begun
    times = []
    for turn in range(20):
        assert browse.view is not None
        browse.view.pan(7 if turn % 2 else -5)
        browse.view.zoom(bool(turn % 3))
        begun = time.perf_counter()
        _draw(browse, lines)
        times.append(time.perf_counter() - begun)
    found["frame"] = statistics.median(times)
    pressed = asyncio.run(_pressed(scene, paths))
    return found | {"key": statistics.median(pressed), "slowest": max(pressed), "keys": len(pressed)}


def _draw(browse: Any, lines: Any) -> None:
    lines.resize(*AREA, browse.view)
    backdrop = browse.backdrop()
    for y in range(AREA[1]):
        lines.line(y, browse.view, backdrop)


async def _pressed(scene: Any, paths: list[Path]) -> list[float]:
    """How long each key keeps the process busy on the running view, without a terminal.

    Not how long it takes: whoever presses keys there waits 60 ms between two.
    """
    from tui.app.app import Explorer
    from tui.app.looks import Looks
    from tui.app.settings import Config
    from tui.browse.loader import Load
    from tui.browse.ranks.loading import SetLoad

    sets = SetLoad(paths, lambda take, show: paths, lambda members: scene, lambda members: scene)
    app = Explorer(Load(paths[0]), paths, Config(), Looks(), Load, ranks=sets)
    times = []
    async with app.run_test(size=(160, 48)) as pilot:
        while app.computing:
            await pilot.pause(0.01)
        await pilot.pause()
        for key in KEYS * 3:
            begun = time.process_time()
            await pilot.press(key)
            await pilot.pause()
            times.append(time.process_time() - begun)
    return times
