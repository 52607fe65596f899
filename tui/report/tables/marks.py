"""NVTX marks: they have a time and no length."""

from __future__ import annotations

from dataclasses import dataclass

from tui.report import schema
from tui.report.columns import Array, Columns, Int32, Int64, Positions
from tui.report.data import ReportData
from tui.report.tables import words
from tui.report.tables.table import EventTable, LaneShape, Owner, Pairs, own_colour, own_colours


@dataclass(frozen=True)
class Marks(Columns):
    """NVTX marks, by start."""

    start: Int64
    thread: Int32
    name: Int32
    domain: Int32
    color: Int64
    rowid: Int64


def _looks(report: ReportData, rows: Positions) -> Array:
    return own_colours(MARKS.of(report).color[rows])


def _style(report: ReportData, look: int) -> str:
    return own_colour(look) if look else "mark"


def _details(report: ReportData, row: int) -> Pairs:
    marks = MARKS.of(report)
    return [
        ("domain", words.string(report, int(marks.domain[row])) if marks.domain[row] >= 0 else "default"),
        ("thread", words.thread(report, int(marks.thread[row]))),
        *words.if_known("colour", marks.color[row]),
    ]


MARKS = EventTable(
    "marks",
    Marks,
    sources=(schema.NVTX,),
    title="marks",
    noun="NVTX mark",
    owner=Owner.THREAD,
    lanes=(LaneShape("marks"),),
    looks=_looks,
    style=_style,
    instant=True,
    comes_with="ranges",
    details=_details,
    exports=("mark",),
)
