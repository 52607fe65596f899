"""The tab of kernel classes: their figures, their names, and the way to their kernels."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.export import Export
from tui.analysis.index import Busy
from tui.browse.capture import capture_of
from tui.browse.clock import Clock
from tui.browse.pages.classes_tab import classes_page
from tui.browse.pages.request import PageRequest
from tui.cli import main
from tui.report import open_report


@pytest.fixture
def path(tmp_path: Path) -> Path:
    export = Export(tmp_path / "capture.sqlite")
    names = ("a_gemm", "render", "b_gemm", "flash_fwd", "a_gemm")
    for at, (name, us) in enumerate(zip(names, (40, 30, 100, 60, 50), strict=True)):
        export.kernel(at * 200_000, at * 200_000 + us * 1000, name=name, short=name)
    return export.write()


def test_the_figures_of_the_command(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(path), "--tab", "classes", "--size", "160x30", "--no-cache"]) == 0
    out = capsys.readouterr().out
    assert re.findall(r"\W (gemm|attention|other) +([0-9.]+ us) +([0-9.]+) +\? +(\d) +(\d)\b", out) == [
        ("gemm", "190 us", "67.9", "3", "2"),
        ("attention", "60.0 us", "21.4", "1", "1"),
        ("other", "30.0 us", "10.7", "1", "1"),
    ]
    assert "10.7% of kernel time has no class" in out
    names = re.findall(r"(\w+) +(gemm|attention|other) +([0-9.]+ us) +[0-9.]+", out)
    assert names[-4:] == [
        ("b_gemm", "gemm", "100 us"),
        ("a_gemm", "gemm", "90.0 us"),
        ("flash_fwd", "attention", "60.0 us"),
        ("render", "other", "30.0 us"),
    ]


def test_rows_lead_to_their_kernels(path: Path) -> None:
    capture = capture_of(open_report(path, use_store=False))
    with capture.lookups() as index:
        request = PageRequest(capture, index, capture.home, Busy.ALL, 100_000, Clock(0))
        classes, names = classes_page(request)
    assert classes.find is not None
    assert names.find is not None
    found = classes.find(0)
    assert found is not None
    assert found.index.tolist() == [0, 2, 4]
    one = names.find(1)
    assert one is not None
    assert one.index.tolist() == [0, 4]
    assert classes.swatch is not None
    assert [classes.swatch(row) for row in range(3)] == [
        "kernel.gemm.0",
        "kernel.attention.0",
        "kernel.other.0",
    ]


def test_nothing_of_it_without_kernels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    export = Export(tmp_path / "none.sqlite")
    export.memcpy(0, 10)
    assert main(["view", str(export.write()), "--tab", "classes", "--size", "160x30", "--no-cache"]) == 0
    assert "no kernels recorded" in capsys.readouterr().out
