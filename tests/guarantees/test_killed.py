"""An import that is killed at any moment loses nothing: the next open is right, and the store never wrong.

More moments with ``--kill-count 50``. Chosen moments within the writing of the store, and eight openers at
once, are in tests/report/test_store.py.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fixtures.registry import find
from tests.guarantees.conftest import ROOT
from tests.report.same import assert_same
from tui.report import open_report
from tui.report.store.columnfile import ColumnReader
from tui.report.store.folder import SUFFIX

IMPORT = """
import sys
from pathlib import Path
from tui.report import open_report
print("ready", flush=True)
sys.stdin.readline()
open_report(sys.argv[1], cache_dir=Path(sys.argv[2]))
print("done", flush=True)
"""


class Importer:
    """A process that has everything loaded and begins its import when told to."""

    def __init__(self, report: Path, store: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", IMPORT, str(report), str(store)],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"

    def begin(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def end(self) -> int:
        self.process.communicate()
        return self.process.returncode


def test_killed_at_random_moments(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    count: int = request.config.getoption("--kill-count")
    report = tmp_path / "run.sqlite"
    find("resnet").build(report)
    store = tmp_path / "store"
    right = open_report(report, use_store=False)

    def long() -> float:
        importer = Importer(report, tmp_path / "timing")
        began = time.monotonic()
        importer.begin()
        assert importer.end() == 0
        for path in (tmp_path / "timing").iterdir():
            path.unlink()
        return time.monotonic() - began

    whole = min(long() for _ in range(2))
    rng = random.Random(1)
    killed = 0
    for _ in range(count):
        importer = Importer(report, store)
        importer.begin()
        time.sleep(rng.random() * whole)  # the moment is what this test is about
        os.kill(importer.process.pid, signal.SIGKILL)
        killed += importer.end() == -signal.SIGKILL
        for path in store.glob(f"*{SUFFIX}"):
            with path.open("rb") as stream:
                ColumnReader(stream)  # whole, or it would raise
        if rng.random() < 0.5:
            assert_same(open_report(report, cache_dir=store), right)
            for path in store.glob(f"*{SUFFIX}"):
                path.unlink()
    assert killed > count // 2
    assert_same(open_report(report, cache_dir=store), right)
    left = sorted(path.suffix for path in store.iterdir())
    assert left in (
        [".columns"],
        [".columns", ".lock"],
    )  # killed between the two last steps: an empty lock file
