"""Rows whose sentence goes on below: it is never cut, and the row stays one row."""

from __future__ import annotations

from tui.analysis.table import Column, Unit
from tui.browse.drawing import Drawing
from tui.browse.page import Section, table_of
from tui.browse.pane import Pane


def test_a_sentence_goes_on_below_and_is_never_cut() -> None:
    texts = ["a sentence of several words, longer than the column", "short", "another one of many words"]
    table = table_of(
        "said", Column("cost", "cost", Unit.COUNT, [3, 2, 1]), Column("finding", "finding", Unit.TEXT, texts)
    )
    pane = Pane(Drawing())
    pane.show([Section("Said", table, wraps="finding"), Section("Next", lines=("after",))])
    pane.lay_out(30)
    lines = ["".join(run.text for run in pane.line(number)).rstrip() for number in range(pane.length)]
    assert lines == [
        " Said",
        " cost  finding",
        "▸   3  a sentence of several",
        "       words, longer than the",
        "       column",
        "    2  short",
        "    1  another one of many",
        "       words",
        "",
        " Next",
        " after",
    ]
    rows = [None, None, (0, 0), (0, 0), (0, 0), (0, 1), (0, 2), (0, 2), None]
    assert [pane.row_at(number) for number in range(9)] == rows
    pane.move(2)
    assert pane.selected_line == 6
    assert pane.filter_by("short")
    assert pane.row_at(2) == (0, 0)
    assert pane.row_at(3) is None
