"""The heading of a section is whole, however narrow the pane."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.export import Export
from tui.analysis.index import Busy
from tui.analysis.table import Column, Unit
from tui.browse.block import Block
from tui.browse.capture import capture_of
from tui.browse.clock import Clock
from tui.browse.drawing import Drawing
from tui.browse.page import ColumnFormat, Section, SortedRows, table_of
from tui.browse.pages.diagnosis_tab import diagnosis_page
from tui.browse.pages.request import PageRequest
from tui.report import open_report


def texts(block: Block, message: str = "") -> list[str]:
    lines = (block.line(at, message, None) for at in range(block.height))
    return ["".join(run.text for run in line).rstrip() for line in lines]


def test_a_long_title_goes_on_below() -> None:
    block = Block(Section("GPU 0 (NVIDIA GeForce RTX 3060): why it was idle", lines=("one line",)), Drawing())
    assert block.lay_out(0, 40) == 4
    assert texts(block, "3 of 9") == [
        " GPU 0 (NVIDIA GeForce RTX 3060): why",
        " it was idle · 3 of 9",
        " one line",
        "",
    ]
    assert block.lay_out(0, 80) == 3
    assert texts(block)[0] == " GPU 0 (NVIDIA GeForce RTX 3060): why it was idle"


def test_a_diagnosis_without_steps_has_no_column_for_them(tmp_path: Path) -> None:
    export = Export(tmp_path / "capture.sqlite")
    for at in range(0, 4_000_000, 1_000_000):
        export.launch((at, at + 10_000), (at + 20_000, at + 300_000), name="gemm")
    capture = capture_of(open_report(export.write(), use_store=False))
    with capture.lookups() as index:
        sections = diagnosis_page(PageRequest(capture, index, capture.home, Busy.ALL, 100_000, Clock(0)))
    table = sections[0].table
    assert table is not None
    assert len(table)
    assert [column.header for column in table.columns] == ["cost", "%", "finding", "confidence", "fault"]


@pytest.mark.parametrize(("room", "figures"), [(36, 1), (42, 1), (58, 3)])
def test_a_name_leaves_room_for_a_figure(room: int, figures: int) -> None:
    names = [f"elementwise_kernel_of_a_long_name_{n}" for n in range(3)]
    table = table_of(
        "kernels",
        Column("name", "name", Unit.TEXT, names),
        *(
            Column(h, h, Unit.NS, np.array([1_000_000, 2_000_000, 3_000_000]))
            for h in ("total", "avg", "max")
        ),
    )
    section = Section("Kernels", table, least=28)
    block = Block(section, Drawing(), SortedRows(table), tuple(map(ColumnFormat.of, table.columns)))
    block.lay_out(0, room)
    assert sum(width > 0 for width in block.widths[1:]) == figures
