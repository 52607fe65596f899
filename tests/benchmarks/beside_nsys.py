"""Every report and rule beside NVIDIA's own, each a process that writes a CSV file."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.process import ROOT
from tests.benchmarks.table import Row, seconds
from tui.analysis.index import Index
from tui.analysis.rules import RULES
from tui.analysis.stats import REPORTS, choose
from tui.analysis.window import make_scope
from tui.report import open_report

TURNS, QUICK_S = 7, 2.0
"""What takes two programs less than so many seconds together is timed so often."""
PATIENCE_S = 1800
"""A report that takes nsys longer is counted at that."""


def beside_nsys(path: Path, cache: Path) -> Iterator[Row]:
    """One row a report or rule that has rows in the export; none where no nsys is at hand."""
    nsys = shutil.which("nsys")
    if nsys is None:
        print("nsys is not on the PATH: its reports are not timed", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory(prefix="nsystui-bench-") as folder:
        work = Path(folder)
        export = work / "beside.sqlite"
        shutil.copyfile(path, export)  # nsys makes indices in the file that it reads
        for kind, name in asked(path, cache):
            # An empty folder: nsys runs every Python file of its own.
            asking = [nsys, kind, "-q", "-r", name, "-f", "csv", "--force-overwrite", "true"]
            asking += ["-o", str(work / "theirs"), str(export)]
            command = [sys.executable, "-m", "tui", kind, str(path), "-r", name, "-f", "csv"]
            kept = ["--cache-dir", str(cache), "-o", str(work / "ours.csv")]
            warm, theirs = least(([*command, *kept], ROOT), (asking, work))
            cold = timed([*command, "--no-cache", "-o", str(work / "cold.csv")], ROOT)
            yield Row(
                f"`{kind} -r {name}`",
                f"{seconds(warm)} = {theirs / warm:.1f} x as fast; with the import {seconds(cold)}",
                f"nsys {seconds(theirs)}",
                "not longer than nsys",
                warm <= theirs,
            )


def asked(path: Path, cache: Path) -> Iterator[tuple[str, str]]:
    """(command, name) of the reports and rules that have anything to say about the export."""
    report = open_report(path, cache_dir=cache)
    index, scope = Index(report), make_scope(report)
    for name in REPORTS:
        if len(choose(name).table(index, scope)):
            yield "stats", name
    yield from (("analyze", name) for name, rule in RULES.items() if rule.has_data(index, scope))


def least(*commands: tuple[list[str], Path]) -> list[float]:
    """The least time of each, in turns: :data:`TURNS` where that takes seconds, else one."""
    times = [timed(*command) for command in commands]
    for _ in range(TURNS - 1 if sum(times) < QUICK_S else 0):
        times = [min(time, timed(*command)) for time, command in zip(times, commands, strict=True)]
    return times


def timed(command: list[str], folder: Path) -> float:
    """How long a process takes, at most :data:`PATIENCE_S`."""
    begun = time.perf_counter()
    try:
        subprocess.run(command, cwd=folder, check=False, capture_output=True, timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        return float(PATIENCE_S)
    return time.perf_counter() - begun
