"""NVTX marks: they have a time and no length."""

from __future__ import annotations

from dataclasses import dataclass

from tui.report import schema
from tui.report.columns import Columns, Int32, Int64
from tui.report.event_tables import words
from tui.report.event_tables.event_table import EventTable, LaneShape, Owner, own_colour, own_colours


@dataclass(frozen=True, eq=False, repr=False)
class Marks(Columns):
    """NVTX marks, by start."""

    start: Int64
    thread: Int32
    name: Int32
    domain: Int32
    color: Int64
    rowid: Int64


MARKS: EventTable[Marks] = EventTable(
    "marks",
    Marks,
    facts=(
        ("domain", "domain", words.domain),
        ("thread", "thread", words.thread),
        ("colour", "color", words.number_if_any),
    ),
    sources=(schema.NVTX,),
    title="marks",
    noun="NVTX mark",
    owner=Owner.THREAD,
    lanes=(LaneShape("marks"),),
    looks=lambda report, rows: own_colours(MARKS.of(report).color[rows]),
    style=lambda report, look: own_colour(look) if look else "mark",
    instant=True,
    comes_with="ranges",
    exports=("mark",),
)
