"""What speed rests on, as counts: exact, the same on every machine. Times are in tests/benchmarks."""

from __future__ import annotations

import os
import subprocess
import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fixtures.big import Size, build
from tests.benchmarks import synthetic
from tui.app.app import Explorer
from tui.app.looks import Looks
from tui.app.settings import Config
from tui.browse.capture import Capture, open_capture
from tui.browse.loader import Load
from tui.browse.timeline_lines import RULER, TimelineLines
from tui.cli import main
from tui.report import open_report, opening
from tui.report.importing import sorting
from tui.report.spool import Spool
from tui.timeline.canvas import DrawOptions
from tui.timeline.draw import draw_lane_row
from tui.timeline.lane import LaneTree
from tui.timeline.lane_building import build_lanes
from tui.timeline.style_colours import Depth
from tui.timeline.viewport import Viewport

CELLS = 160


def test_help_imports_neither_numpy_nor_textual() -> None:
    code = (
        "import sys; from tui.cli import main; main(['--help'])\n"
        "sys.exit(any(name in sys.modules for name in ('numpy', 'textual', 'rich')))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def test_the_memory_of_an_import_does_not_grow_with_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks and what may stay in memory are small here, so that small reports have many of them."""
    monkeypatch.setattr(sorting, "BLOCK", 1 << 13)
    monkeypatch.setattr(sorting, "STRETCH", 1 << 14)
    monkeypatch.setattr(opening, "Spool", partial(Spool, pieces=1 << 20, gathered=1 << 20, segment=4 << 20))
    peaks = []
    for kernels in (10_000, 40_000, 160_000):  # the first one imports modules
        path = tmp_path / f"{kernels}.sqlite"
        build(path, Size(kernels=kernels))
        tracemalloc.start()
        open_report(path, cache_dir=tmp_path / "store")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < 1.2 * peaks[1]


def test_a_warm_open_reads_no_row(small: Path, tmp_path: Path) -> None:
    """It does not even import SQLite, nor anything that reads tables."""
    open_capture(small, cache_dir=tmp_path).keep_lanes()
    code = (
        "import sys; from pathlib import Path; from tui.browse.capture import open_capture\n"
        "capture = open_capture(Path(sys.argv[1]), cache_dir=Path(sys.argv[2]))\n"
        "assert capture.lanes_kept and len(capture.report.kernels) == 20_000\n"
        "sys.exit(any(name in sys.modules for name in ('sqlite3', 'tui.report.sqlite.pages',"
        " 'tui.timeline.lane_building')))"
    )
    subprocess.run([sys.executable, "-c", code, str(small), str(tmp_path)], check=True)


NEEDLESS = (
    "sqlite3", "numpy.ma", "textual", "rich", "tui.report.sqlite", "tui.report.importing.importer",
    "tui.analysis.gaps", "tui.analysis.busy", "tui.analysis.blame", "tui.analysis.named_windows",
    "tui.output.json_text", "tui.output.text_table", "tui.text.drift",
)  # fmt: skip
"""What no quick report about everything recorded needs for CSV."""


@pytest.mark.parametrize(
    ("command", "others"),
    [
        (("stats", "-r", "cuda_gpu_mem_time_sum"), ("stats.nvtx_host", "stats.wddm", "stats.network")),
        (("stats", "-r", "cuda_api_sum"), ("stats.nvtx_gpu", "stats.graphics", "stats.unified_memory")),
        (("stats", "-r", "nvtx_pushpop_sum"), ("stats.kernels", "stats.nvtx_gpu", "stats.traces")),
        (("analyze", "-r", "cuda_api_sync"), ("rules.idle", "rules.dx12", "rules.uses")),
        (("analyze", "-r", "cuda_memcpy_async"), ("rules.idle", "rules.dx12", "rules.uses")),
    ],
    ids=lambda value: value[-1],
)
def test_a_quick_report_imports_what_it_needs(
    command: tuple[str, ...], others: tuple[str, ...], small: Path, tmp_path: Path
) -> None:
    kept = ("-f", "csv", "--cache-dir", str(tmp_path))
    arguments = [command[0], str(small), *command[1:], *kept]
    assert main([*arguments, "-o", str(tmp_path / "before.csv")]) == 0
    names = (*NEEDLESS, *(f"tui.analysis.{name}" for name in others))
    code = (
        "import sys\n"
        "from tui.__main__ import run\n"
        f"names = {names!r}\n"
        "assert run() == 0\n"
        "sys.exit(' '.join(name for name in names if name in sys.modules) or None)"
    )
    output = tmp_path / "after.csv"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments, "-o", str(output)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert output.read_text() == (tmp_path / "before.csv").read_text()


def test_numpy_starts_no_threads() -> None:
    """Its linear algebra would start one a core when it is imported; nothing here uses it."""
    code = (
        "import os; from tui.__main__ import run; run()\n"
        "import numpy\n"
        "assert os.listdir('/proc/self/task') == [str(os.getpid())]"
    )
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    command = [sys.executable, "-c", code, "--version"]
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)


# -- no growth with the number of events ------------------------------------------------------------------


def calls_of(work: Callable[[], object]) -> int:
    """Python functions and built-ins that ``work`` calls."""
    found: Counter[str] = Counter()

    def note(_frame: object, event: str, _argument: object) -> None:
        found[event] += 1

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found["call"] + found["c_call"]


def held_by(work: Callable[[], object]) -> int:
    """Most bytes allocated at once while ``work`` ran."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        kept = work()
        peak = tracemalloc.get_traced_memory()[1]
        del kept
        return peak - before
    finally:
        tracemalloc.stop()


def frame(tree: LaneTree, view: Viewport, lines: int = 40) -> None:
    for line in tree.lines()[:lines]:
        draw_lane_row(line, view, CELLS, tree.catalogue, DrawOptions())


def gathered(ops: int) -> tuple[LaneTree, tuple[int, int]]:
    report = synthetic.report(ops)
    tree = build_lanes(report)
    span = report.op_span
    assert span is not None
    frame(tree, Viewport.fit(*span, CELLS))
    return tree, span


@pytest.mark.parametrize("scale", [None, 500_000, 1_000], ids=["whole", "middle", "near"])
def test_a_frame_costs_the_same_for_ten_times_the_events(scale: int | None) -> None:
    costs = []
    for ops in (40_000, 400_000):
        tree, span = gathered(ops)
        view = Viewport.fit(*span, CELLS) if scale is None else Viewport.at(span[0] + 10**7, scale)
        draw = partial(frame, tree, view)
        draw()  # names are looked up once
        costs.append((calls_of(draw), held_by(draw)))
    (few_calls, few_bytes), (many_calls, many_bytes) = costs
    assert many_calls <= 1.25 * few_calls
    assert many_bytes <= 1.25 * few_bytes
    assert many_calls <= 40 * CELLS * 6
    assert many_bytes <= 2 << 20


def warm(path: Path, kernels: int) -> Path:
    export = path / f"{kernels}.sqlite"
    build(export, Size(kernels=kernels, depth=10))
    open_capture(export, cache_dir=path).keep_lanes()
    return export


def test_a_warm_open_and_its_first_frame_allocate_the_same_for_ten_times_the_events(tmp_path: Path) -> None:
    def first_frame(export: Path) -> Capture:
        capture = open_capture(export, cache_dir=tmp_path)
        assert capture.lanes_kept
        frame(capture.tree, Viewport.fit(*capture.span, CELLS))
        return capture

    few, many = (warm(tmp_path, n) for n in (8_000, 80_000))
    first_frame(few)  # what is imported on first use
    assert held_by(lambda: first_frame(many)) <= 1.25 * held_by(lambda: first_frame(few))


# -- narrow repaints --------------------------------------------------------------------------------------


async def test_lines_drawn(small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A move of the cursor draws the ruler and its own line; a pan draws each line once."""
    drawn: list[int] = []
    draw = TimelineLines.line

    def counted(self: TimelineLines, y: int, *shown: Any) -> object:
        drawn.append(y)
        return draw(self, y, *shown)

    monkeypatch.setattr(TimelineLines, "line", counted)
    load = Load(small, cache_dir=tmp_path)
    app = Explorer(load, [small], Config(), Looks(Depth.TRUE), lambda path: Load(path, cache_dir=tmp_path))
    async with app.run_test(size=(160, 48)) as pilot:
        load.start()
        while app.browse.capture is None or app.computing:
            await pilot.pause()
        await pilot.pause()

        async def after(key: str) -> list[int]:
            drawn.clear()
            await pilot.press(key)
            await pilot.pause()
            return sorted(drawn)

        await after("w")
        await after("w")
        view, head = app.browse.view, app.main.pane.timeline.lines.head
        assert view is not None
        ruler, cursor = head.index(RULER), view.line - view.top + len(head)
        assert set(await after("right")) <= {ruler, cursor}
        moved = await after("down")
        below = view.line - view.top + len(head)  # of the next row, however many lines this one has
        assert view.lines[view.line].part == 0
        assert cursor < below
        assert set(moved) <= {ruler, cursor, below}
        panned = await after("d")
        assert len(panned) == len(set(panned)) <= app.main.pane.timeline.size.height
        # Back again: what was drawn before is still there, but for where the cursor is.
        assert set(await after("a")) <= {ruler, below}
