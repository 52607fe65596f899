"""A report in a folder of its own, an environment of its own, and a look at the system calls of a process."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.fuzz.mutants import everything

ROOT = Path(__file__).resolve().parents[2]
STRACE = shutil.which("strace")

Traced = Callable[..., list[str]]


ADAPTER = """
CREATE TABLE TARGET_INFO_NIC_INFO (GUID INTEGER, stateName TEXT, nicId INTEGER, name TEXT);
INSERT INTO TARGET_INFO_NIC_INFO VALUES (900, 'run', 0, 'mlx5_0');
CREATE TABLE NIC_ID_MAP (nicId INTEGER, globalId INTEGER);
INSERT INTO NIC_ID_MAP VALUES (0, 900);
CREATE TABLE TARGET_INFO_NETWORK_METRICS (metricsListId INTEGER, metricsIdx INTEGER, name TEXT, unit TEXT);
INSERT INTO TARGET_INFO_NETWORK_METRICS VALUES (3, 0, 'IB: Bytes sent', 'bytes/ms');
CREATE TABLE NET_NIC_METRIC (
    start INTEGER, end INTEGER, globalId INTEGER, metricsListId INTEGER, metricsIdx INTEGER, value INTEGER
);
INSERT INTO NET_NIC_METRIC VALUES (0, 2000000, 900, 3, 0, 12500), (2000000, 4000000, 900, 3, 0, 100);
"""
"""A network adapter that sent something, which that export lacks."""


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """An export with rows of every kind, alone in its folder."""
    folder = tmp_path / "reports"
    folder.mkdir()
    path = everything(folder / "run.sqlite", "2026.2")
    with closing(sqlite3.connect(path)) as database:
        database.executescript(ADAPTER)
    return path


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment whose caches, logs and settings are the test's own."""
    own = {f"XDG_{name}_HOME": str(tmp_path / name.lower()) for name in ("CACHE", "STATE", "CONFIG")}
    kept = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "NSYSTUI_CACHE_DIR")}
    return {**kept, **own, "PYTHONPATH": str(ROOT)}


@pytest.fixture
def traced(tmp_path: Path, environment: dict[str, str]) -> Traced:
    """``traced("openat,unlink", code, *arguments)``: the traced calls of ``python -c code arguments``.

    Skips the test where processes can't be traced.
    """

    def run(calls: str, code: str, *arguments: object) -> list[str]:
        if STRACE is None:
            pytest.skip("strace is not installed")
        log = tmp_path / "strace.log"
        done = subprocess.run(
            # -s 0: of what is written only the length, while names of files are always shown whole.
            [STRACE, "-f", "-y", "-s", "0", "-o", str(log), "-e", f"trace={calls}",
             sys.executable, "-c", code, *map(str, arguments)],
            cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=180, check=False,
        )  # fmt: skip
        if done.returncode and "ptrace" in done.stderr.lower():
            pytest.skip("tracing is not permitted here")
        assert done.returncode == 0, done.stderr[-2000:]
        return log.read_text(errors="replace").splitlines()

    return run
