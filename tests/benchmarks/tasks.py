"""The measurements, each run alone: ``python -m tests.benchmarks.tasks NAME JSON`` prints its result as JSON.

A task imports what it measures inside, so that a process holds nothing else. Seconds unless said.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.benchmarks.cpu_samples import cpu_samples  # noqa: F401 - run by its name
from tests.benchmarks.metric_tasks import metric_frame, metric_import, metric_open, metric_scan  # noqa: F401 - run by their names
from tests.benchmarks.rank_view import rank_view  # noqa: F401 - run by its name
from tests.benchmarks.set_tasks import set_cold, set_warm  # noqa: F401 - run by their names
from tests.benchmarks.value_frames import value_frames  # noqa: F401 - run by its name

Result = dict[str, Any]


def clock(work: Callable[[], object], repeats: int = 1) -> float:
    """The least of ``repeats`` runs."""
    best = float("inf")
    for _ in range(repeats):
        begun = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begun)
    return best


def help_imports() -> Result:
    """What ``nsystui --help`` imports, and how long it takes in a process of its own."""
    import subprocess

    code = (
        "import sys, io; sys.stdout = io.StringIO(); from tui.cli import main; main(['--help'])\n"
        "sys.stderr.write(' '.join(m for m in ('numpy', 'textual', 'rich', 'sqlite3') if m in sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr
    seconds = clock(lambda: subprocess.run([sys.executable, "-c", code], capture_output=True, check=True), 3)
    bare = clock(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True), 3)
    return {"imported": found.split(), "seconds": seconds, "bare": bare}


def straight_read(path: str) -> Result:
    from tests.benchmarks.exports import warm

    return {"seconds": clock(lambda: warm(Path(path)), 2), "bytes": Path(path).stat().st_size}


def sqlite(path: str) -> Result:
    """SQLite's own work on the same columns."""
    from tests.benchmarks import sql

    at = Path(path)
    return {
        "scan": min(sql.scan(at) for _ in range(2)),
        "sums": min(sql.sums(at) for _ in range(2)),
        "gaps": sql.gaps(at),
    }


def cold(path: str, cache: str) -> Result:
    """Open without a store, and again with the store that this made; what each stage took."""
    import shutil

    from tui.report import open_report

    shutil.rmtree(cache, ignore_errors=True)
    stages: dict[str, float] = {}
    last = ["opening", time.perf_counter()]

    def note(progress: Any) -> None:
        now = time.perf_counter()
        stages[last[0]] = stages.get(last[0], 0.0) + now - last[1]
        last[:] = [progress.stage, now]

    def work() -> None:
        open_report(path, cache_dir=Path(cache), progress=note)

    seconds = clock(work)
    kept = sum(f.stat().st_size for f in Path(cache).rglob("*") if f.is_file())
    return {"seconds": seconds, "stages": {k: round(v, 2) for k, v in stages.items()}, "kept": kept}


def warm(path: str, cache: str) -> Result:
    """Open from the store, and lay out the lanes."""
    from tui.browse.capture import capture_of
    from tui.report import open_report

    store = Path(cache)
    opened = clock(lambda: open_report(path, cache_dir=store), 3)
    report = open_report(path, cache_dir=store)
    return {"open": opened, "lanes": clock(lambda: capture_of(report), 3)}


def frames(ops: int, lanes: int = 40, cells: int = 160) -> Result:
    """Draw ``lanes`` lines at three scales, each frame at another place."""
    from tests.benchmarks.synthetic import report
    from tui.timeline.canvas import DrawOptions
    from tui.timeline.draw import draw_lane_row
    from tui.timeline.lane_building import build_lanes
    from tui.timeline.viewport import Viewport

    made = report(ops)
    span = made.op_span
    assert span is not None
    built = time.perf_counter()
    tree = build_lanes(made)
    layout = time.perf_counter() - built
    for lane in tree.walk():
        lane.load()
    gathered = time.perf_counter() - built - layout
    lines = tree.lines()[:lanes]
    assert len(lines) == lanes, len(lines)
    options = DrawOptions()
    result: Result = {"layout": layout, "gather": gathered}
    whole = Viewport.fit(*span, cells)
    for name, per_cell in (("whole", whole.ns_per_cell), ("middle", 500_000), ("near", 1_000)):
        times = []
        for step in range(24):
            view = Viewport.at(span[0] + (span[1] - span[0]) // 30 * step, per_cell)
            begun = time.perf_counter()
            for line in lines:
                draw_lane_row(line, view, cells, tree.catalogue, options)
            times.append(time.perf_counter() - begun)
        result[name] = statistics.median(times[4:])
    return result


def analyses(path: str, cache: str) -> Result:
    """Headless figures from a warm store, each on a fresh index as a command has it."""
    from tui.analysis.idle import idle_time
    from tui.analysis.index import Index
    from tui.analysis.phases import op_range_pairs, phase_of_calls
    from tui.analysis.scope import Scope
    from tui.analysis.stats import DEFAULT, choose
    from tui.analysis.work_window import work_window
    from tui.report import open_report

    report = open_report(path, cache_dir=Path(cache))
    scope = Scope(work_window(Index(report)))
    every = {name: clock(lambda name=name: choose(name).table(Index(report), scope), 3) for name in DEFAULT}
    return {
        "stats": sum(every.values()),
        "each": {name: round(seconds, 3) for name, seconds in every.items()},
        "gaps": clock(lambda: idle_time(Index(report), scope), 3),
        "phase": clock(lambda: phase_of_calls(Index(report), Index(report).launches), 2),
        "attribution": clock(lambda: sum(len(op) for op, _ in op_range_pairs(Index(report))), 2),
    }


def pane(path: str, cache: str) -> Result:
    """Each tab for a range of a tenth of the capture, after the whole capture was shown."""
    from tui.analysis.index import Busy
    from tui.analysis.scope import Window
    from tui.browse.capture import capture_of
    from tui.browse.clock import Clock
    from tui.browse.pages import TABS, Tab
    from tui.browse.pages.request import PageRequest
    from tui.report import open_report

    capture = capture_of(open_report(path, cache_dir=Path(cache)))
    home = capture.home
    first: dict[str, float] = {}
    chosen: dict[str, float] = {}

    def page(tab: Tab, window: Window) -> None:
        with capture.lookups() as index:
            since_start = Clock(capture.home.start, False)
            tab.build(PageRequest(capture, index, window, Busy.ALL, 100_000, since_start))

    for tab in TABS:
        first[tab.name] = clock(lambda tab=tab: page(tab, home))
    for tab in TABS:
        times = []
        for part in range(5):
            begin = home.start + home.length * (2 * part + 1) // 12
            window = Window(begin, begin + home.length // 10, "selection", chosen=True)
            times.append(clock(lambda tab=tab, window=window: page(tab, window)))
        chosen[tab.name] = statistics.median(times)
    return {
        "first": {k: round(v, 3) for k, v in first.items()},
        "chosen": {k: round(v, 3) for k, v in chosen.items()},
    }


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](**json.loads(sys.argv[2]))))
