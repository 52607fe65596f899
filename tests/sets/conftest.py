"""Sets of reports as jobs leave them, and nsystui as a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.export import Export
from tui.cli import main

ROOT = Path(__file__).resolve().parents[2]


class Said(NamedTuple):
    """What a command said and how it ended."""

    code: int
    out: str
    err: list[str]

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Ask = Callable[..., Said]


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ask:
    """``ask("info", path)``: the command, run in this process in the folder of the reports."""
    monkeypatch.setenv("NSYSTUI_CACHE_DIR", str(tmp_path / "store"))
    monkeypatch.chdir(tmp_path)

    def asked(*words: object) -> Said:
        code = main([*map(str, words), "--jobs", "1"] if "--jobs" not in words else [*map(str, words)])
        out, err = capsys.readouterr()
        return Said(code, out, err.splitlines())

    return asked


@pytest.fixture
def process(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """The same as a process of its own."""
    own = {name: str(tmp_path / name) for name in ("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")}
    kept = {k: v for k, v in os.environ.items() if k not in ("NSYSTUI_CACHE_DIR", "COLUMNS")}

    def finished(*words: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "tui", *map(str, words)],
            cwd=tmp_path,
            env={**kept, **own, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return finished


def rank_export(path: Path, number: int, host: str = "h", *, long: int = 0, size: int | None = None) -> Path:
    """A rank of two steps of 100 ns, each with a kernel of 30 + `long` ns; gemm runs on even ranks only."""
    export = Export(path)
    pid = 100 + number
    for step in (0, 1):
        at = 1_000 * step
        export.push_pop("step", at, at + 900, pid=pid, tid=pid)
        corr = export.next_of(pid)
        export.runtime("cudaLaunchKernel_v7000", at + 10, at + 20, pid=pid, tid=pid, corr=corr)
        name = "gemm" if number % 2 == 0 else "conv"
        export.kernel(at + 100, at + 130 + long, pid=pid, corr=corr, name=name)
    for name, value in (("SLURM_PROCID", number), ("SLURM_NTASKS", size)):
        if value is not None:
            export.row("META_DATA_CAPTURE", name="PROCESS_0:ENVIRONMENT_VARIABLE", value=f'{name}="{value}"')
    export.row("TARGET_INFO_SYSTEM_ENV", globalVid=1, devStateName="x", name="Hostname", value=host)
    return export.write()


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Two ranks on two hosts, the second first by name."""
    rank_export(tmp_path / "b.sqlite", 0, "node-a")
    rank_export(tmp_path / "a.sqlite", 1, "node-b", long=40)
    return tmp_path


@pytest.fixture
def broken(two: Path) -> Path:
    """The same, and a file that is no export."""
    (two / "c.sqlite").write_bytes(b"no export")
    return two
