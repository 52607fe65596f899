"""NVTX ranges."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from tui.report import schema
from tui.report.columns import Array, Bool, Columns, Int32, Int64, Positions, UInt8
from tui.report.data import ReportData
from tui.report.event_tables import words
from tui.report.event_tables.event_table import (
    EventTable,
    LaneShape,
    Owner,
    Phase,
    Split,
    own_colour,
    own_colours,
    tint,
)
from tui.text.labels import label
from tui.text.stacks import DEEPEST, left_out

_UNFINISHED = "its end was not recorded; drawn to the end of the capture"


class RangeStyle(IntEnum):
    """How an NVTX range was opened; the values of :attr:`Ranges.style`."""

    PUSH_POP = 0
    START_END = 1


@dataclass(frozen=True, eq=False, repr=False)
class Ranges(Columns):
    """NVTX ranges, by start, longer first. An open range ends with the capture."""

    start: Int64
    end: Int64
    thread: Int32
    end_thread: Int32  # the thread that ended a start/end range; -1 unknown
    name: Int32
    domain: Int32  # -> Report.strings; -1 the default domain
    style: UInt8  # RangeStyle
    unfinished: Bool
    level: Int32  # nesting depth on its thread, 0 outermost (push/pop; start/end ranges: 0)
    parent: Int32  # -> Ranges: tightest enclosing push/pop range of the same thread; -1 none
    color: Int64  # ARGB or NULL
    category: Int64
    rowid: Int64


def _looks(report: ReportData, rows: Positions) -> Array:
    """The colour that the application gave, as a negative number; if it gave none, the name."""
    ranges = RANGES.of(report)
    colours = own_colours(ranges.color[rows])
    return np.where(colours, -colours, ranges.name[rows])


def _names(report: ReportData, row: int, name: str) -> tuple[str, str]:
    end = " (unfinished)" if bool(RANGES.of(report).unfinished[row]) else ""
    return name + end, label(name) + end


def _ended_by(report: ReportData, end_thread: int, thread: int) -> str:
    """The thread that ended a range, where another one began it."""
    return "" if end_thread in (-1, thread) else words.thread(report, end_thread)


def _path(report: ReportData, parent: int) -> str:
    """The names of the ranges around one, outermost first."""
    ranges, names = RANGES.of(report), list[str]()
    left = 0
    while parent >= 0:
        if len(names) < DEEPEST:
            names.append(words.string(report, int(ranges.name[parent])))
        else:
            left += 1
        parent = int(ranges.parent[parent])
    if left:
        names.append(left_out(left))
    return " > ".join(reversed(names))


RANGES = EventTable(
    "ranges",
    Ranges,
    facts=(
        ("style", "style", lambda report, style: "push/pop" if style == RangeStyle.PUSH_POP else "start/end"),
        ("domain", "domain", words.domain),
        ("thread", "thread", words.thread),
        ("level", "level", words.number),
        ("category", "category", words.number_if_any),
        ("colour", "color", words.number_if_any),
        ("ended by", "end_thread thread", _ended_by),
        ("unfinished", "unfinished", lambda report, unfinished: _UNFINISHED if unfinished else ""),
        ("inside", "parent", _path),
    ),
    sources=(schema.NVTX,),
    title="NVTX",
    noun="NVTX range",
    owner=Owner.THREAD,
    lanes=(
        LaneShape("NVTX", lambda ranges: ranges.style == RangeStyle.PUSH_POP, Split.LEVELS),
        LaneShape("start/end", lambda ranges: ranges.style == RangeStyle.START_END),
    ),
    looks=_looks,
    style=lambda report, look: own_colour(-look) if look < 0 else f"range.{tint(report.strings[look])}",
    legend=(("range.1", "NVTX range"),),
    names=_names,
    phase=Phase.IS_ONE,
    exports=("range",),
    absent="no NVTX ranges recorded: phases and steps are unknown",
)
