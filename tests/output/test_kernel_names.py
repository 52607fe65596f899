"""Kernels in tables of a terminal: short, and no two alike; whole where there is room for anything."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tests.support.real import EXPORTS, needs_real
from tui.analysis.choices import Choices
from tui.analysis.class_table import names_table
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.stats import REPORTS
from tui.analysis.table import Column, Table, Unit
from tui.analysis.work_window import recorded_window
from tui.output import render
from tui.output.text_layout import TextLayout
from tui.output.text_table import write_table
from tui.report import open_report
from tui.text import safe

NAMES = ["void ns::k<int, 4>(x)", "void ns::k<int, 8>(x)", None]
KERNELS = Table(
    "kernels",
    "Kernels",
    (
        Column("Time (ns)", "ns", Unit.NS, [3, 2, 1]),
        Column(
            "Name", "name", Unit.TEXT, ["void ns::k<int, 4>(x)", "void ns::k<int, 8>(x)", None], kernels=True
        ),
    ),
)


def written(table: Table, **layout: object) -> str:
    out = io.StringIO()
    write_table(table, out, TextLayout(**layout))  # type: ignore[arg-type]
    return out.getvalue()


def test_a_terminal_shows_short_names_and_says_so() -> None:
    text = written(KERNELS, width=80)
    assert [line.split() for line in text.splitlines()[4:7]] == [["3", "k<4>"], ["2", "k<8>"], ["1", "?"]]
    assert "kernel names shortened, to fit 80 cells (--wide shows everything)" in text


def test_anything_else_shows_whole_names() -> None:
    assert "void ns::k<int, 4>(x)" in written(KERNELS)
    for fmt in ("csv", "tsv", "json"):
        out = io.StringIO()
        render([KERNELS], fmt, out, head={}, layout=TextLayout(width=80))
        assert "void ns::k<int, 4>(x)" in out.getvalue()


@needs_real
@pytest.mark.parametrize("path", EXPORTS, ids=lambda path: path.stem)
def test_no_two_kernels_of_a_table_read_the_same(path: Path) -> None:
    index = Index(open_report(path, use_store=False))
    scope = Scope(recorded_window(index))
    for table in (REPORTS["cuda_gpu_kern_sum"].compute(index, Choices(scope)), names_table(index, scope)):
        names = next(column.values for column in table.columns if column.kernels)
        for cells in (120, 80, 60):
            lines = written(table, width=cells).splitlines()
            begins = lines[2].rindex("Name")
            rows = [line[begins:].strip() for line in lines[4 : 4 + len(table)]]
            assert len(set(rows)) == len(set(names)) == len(table)
        assert all(safe(str(name)) in written(table, longest=None) for name in names)
