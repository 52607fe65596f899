"""NVTX ranges."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from tui.report import schema
from tui.report.columns import Array, Bool, Columns, Int32, Int64, Positions, UInt8
from tui.report.data import ReportData
from tui.report.tables import words
from tui.report.tables.table import (
    EventTable,
    LaneShape,
    Owner,
    Pairs,
    Phase,
    Split,
    own_colour,
    own_colours,
    tint,
)
from tui.text.labels import label

UNFINISHED = " (unfinished)"


class RangeStyle(IntEnum):
    """How an NVTX range was opened; the values of :attr:`Ranges.style`."""

    PUSH_POP = 0
    START_END = 1


@dataclass(frozen=True)
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


def _push_pop(ranges: Ranges) -> Bool:
    chosen: Bool = ranges.style == RangeStyle.PUSH_POP
    return chosen


def _start_end(ranges: Ranges) -> Bool:
    chosen: Bool = ranges.style == RangeStyle.START_END
    return chosen


def _looks(report: ReportData, rows: Positions) -> Array:
    """The colour that the application gave, as a negative number; else the name."""
    ranges = RANGES.of(report)
    colours = own_colours(ranges.color[rows])
    return np.where(colours, -colours, ranges.name[rows])


def _style(report: ReportData, look: int) -> str:
    return own_colour(-look) if look < 0 else f"range.{tint(report.strings[look])}"


def _shown(report: ReportData, row: int, name: str) -> tuple[str, str]:
    end = UNFINISHED if bool(RANGES.of(report).unfinished[row]) else ""
    return name + end, label(name) + end


def _details(report: ReportData, row: int) -> Pairs:
    ranges = RANGES.of(report)
    thread, ended_by = int(ranges.thread[row]), int(ranges.end_thread[row])
    pairs: Pairs = [
        ("style", "push/pop" if ranges.style[row] == RangeStyle.PUSH_POP else "start/end"),
        ("domain", words.string(report, int(ranges.domain[row])) if ranges.domain[row] >= 0 else "default"),
        ("thread", words.thread(report, thread)),
        ("level", words.plain(ranges.level[row])),
        *words.if_known("category", ranges.category[row]),
        *words.if_known("colour", ranges.color[row]),
    ]
    if ended_by not in (-1, thread):
        pairs.append(("ended by", words.thread(report, ended_by)))
    if bool(ranges.unfinished[row]):
        pairs.append(("unfinished", "its end was not recorded; drawn to the end of the capture"))
    names: list[str] = []
    parent = int(ranges.parent[row])
    while parent >= 0:
        names.append(words.string(report, int(ranges.name[parent])))
        parent = int(ranges.parent[parent])
    return [*pairs, ("inside", " > ".join(reversed(names)))] if names else pairs


RANGES = EventTable(
    "ranges",
    Ranges,
    sources=(schema.NVTX,),
    title="NVTX",
    noun="NVTX range",
    owner=Owner.THREAD,
    lanes=(LaneShape("NVTX", _push_pop, Split.LEVELS), LaneShape("start/end", _start_end)),
    looks=_looks,
    style=_style,
    legend=(("range.1", "NVTX range"),),
    shown=_shown,
    details=_details,
    phase=Phase.IS_ONE,
    exports=("range",),
    absent="no NVTX ranges recorded: phases and steps are unknown",
)
