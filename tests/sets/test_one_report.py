"""One report alone is answered as it was before there were sets: byte for byte, on stdout and stderr."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.export import Export
from tui.cli import main

GOLDEN = Path(__file__).parent / "goldens" / "one-report.txt"
"""Written by the commands of the version before; it only changes with what one report is to say."""


def answers(capsys: pytest.CaptureFixture[str]) -> Iterator[str]:
    """What the commands say of `one.sqlite` in this folder."""
    for command in ("info", "stats", "gaps", "steps", "diagnose"):
        for form in ("table", "csv", "json"):
            code = main([command, "one.sqlite", "-f", form, "--no-cache"])
            out, err = capsys.readouterr()
            yield f"===== {command} {form}: {code}\n{out}----- stderr\n{err}"


def one_report(path: Path) -> None:
    """Two processes with steps, calls, kernels, copies and rows that can't be true."""
    export = Export(path)
    for pid, device in ((7, 0), (8, 1)):
        for step in range(6):
            at = 1_000_000 * step
            export.push_pop(f"step {step}", at, at + 900_000, pid=pid, tid=pid)
            export.push_pop("forward", at + 10, at + 400_000, pid=pid, tid=pid)
            for name, begin, length in (
                ("gemm", 100_000, 250_000),
                ("ncclDevKernel_AllReduce", 500_000, 90_000),
            ):
                corr = export.next_of(pid)
                export.runtime(
                    "cudaLaunchKernel_v7000",
                    at + 20 + begin // 2,
                    at + 30 + begin // 2,
                    pid=pid,
                    tid=pid,
                    corr=corr,
                )
                export.kernel(at + begin, at + begin + length, device=device, pid=pid, corr=corr, name=name)
            export.memcpy(at + 700_000, at + 720_000, device=device, pid=pid, bytes=1_000_000)
        export.osrt("poll", 200, 90_000, pid=pid, tid=pid + 1)
    export.kernel(0, 0)
    export.write()


def test_one_report_is_answered_as_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    one_report(tmp_path / "one.sqlite")
    found = "".join(answers(capsys))
    if os.environ.get("UPDATE_GOLDENS"):
        GOLDEN.write_bytes(found.encode())
    assert found == GOLDEN.read_bytes().decode()
