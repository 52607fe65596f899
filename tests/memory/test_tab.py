"""The tab Memory: where it is offered, what it shows, where its rows lead."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.memory_rows import allocate, context, gpu_faults, migrate
from tests.support.export import Export
from tui.browse.pages import TABS, offered, tab_named
from tui.cli import main
from tui.report import open_report

Capsys = pytest.CaptureFixture[str]
MB = 10**6


def busy(tmp_path: Path) -> Export:
    export = Export(tmp_path / "capture.sqlite")
    export.device()
    export.launch((0, 10), (20, 1_000))
    return export


def shown(path: Path, capsys: Capsys, *options: str) -> str:
    size = ("--size", "130x60", "--no-cache", "--range", "/")
    assert main(["view", str(path), "--tab", "memory", *size, *options]) == 0
    return capsys.readouterr().out


def test_offered_where_anything_of_it_was_recorded(tmp_path: Path) -> None:
    memory = tab_named("Memory")
    export = busy(tmp_path)
    assert memory not in offered(open_report(export.write(), use_store=False), TABS)
    migrate(export, 100, 200)
    assert memory in offered(open_report(export.write(), use_store=False), TABS)


def test_nothing_recorded(tmp_path: Path, capsys: Capsys) -> None:
    assert "nothing recorded in this window" in shown(busy(tmp_path).write(), capsys)


def test_all_sections(tmp_path: Path, capsys: Capsys) -> None:
    export = busy(tmp_path)
    export.push_pop("setup", 0, 300)
    call = export.runtime("cudaMalloc_v3020", 90, 110)
    allocate(export, 100, 200 * MB, 0xA, corr=call)
    allocate(export, 200, 300 * MB, 0xB, pool=(0xF000, 400 * MB, 300 * MB))
    migrate(export, 300, 400, 65_536)
    gpu_faults(export, 350, 380, 7)
    context(export, 0, 1_000)
    context(export, 1_000, 1_200, 2, pid=900)
    text = shown(export.write(), capsys)
    told = " ".join(text.split())
    assert "GPU 0: 500.0 MB in use at the peak, 0.6% of 84.9 GB" in " ".join(
        line.split("│")[-1].strip() for line in text.splitlines()
    )
    for words in (
        "Memory · everything recorded", "In use at the peak · GPU 0, 500.0 MB at",
        "200 MB device cudaMalloc setup", "Memory pools",
        "Unified memory ·", "host to device page fault", "Kernels it held up", "Contexts ·",
    ):  # fmt: skip
        assert words in told, words
    assert "GPU 0: another process's context was on for" in told


def test_narrow_and_without_colours(tmp_path: Path, capsys: Capsys) -> None:
    export = busy(tmp_path)
    allocate(export, 100, 200 * MB, 0xA)
    text = shown(export.write(), capsys, "--size", "80x24", "--ascii")
    assert all(len(line) <= 80 for line in text.splitlines())
    assert text.isascii()
