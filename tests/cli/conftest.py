"""Running nsystui as a user does: as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.export import Export

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment whose caches, logs and settings are the test's own."""
    own = {
        name: str(tmp_path / name.lower()) for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")
    }
    kept = {
        k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NSYSTUI_CACHE_DIR", "NO_COLOR")
    }
    return {**kept, **own, "PYTHONPATH": str(ROOT)}


@pytest.fixture
def run(environment: dict[str, str], tmp_path: Path) -> Run:
    """``run("stats", path, LC_ALL="C")``: the finished process; keywords change the environment."""

    def finished(*arguments: object, **changes: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "tui", *map(str, arguments)],
            cwd=tmp_path,
            env={**environment, **changes},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )

    return finished


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A small export with a bit of everything."""
    export = Export(tmp_path / "small run.sqlite")
    export.notation(
        'N(59,0-100,"step"), R cudaLaunchKernel_v7000 20-25 corr=1, K(0,7,30-60) corr=1 name="gemm<float,4>",'
        "R cudaMemcpy_v3020 65-82 corr=2, M(0,7,70-80) corr=2 bytes=1000000 src=0, O poll 40-45"
    )
    export.kernel(90, 95, name="=1+1")
    return export.write()
