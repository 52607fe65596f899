"""NVTX ranges on the host: their sums by name, and push/pop ranges with their place in the nesting.

The sums do not subtract children: nested ranges all count.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tui.analysis.choices import Choices
from tui.analysis.grouping import combined
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.stats.dominant import dominant_note, with_note
from tui.analysis.stats.groups import by_total, figures
from tui.analysis.stats.lazy import Computed, Names, OwnerIds
from tui.analysis.stats.select import RowSet, host_rows, narrowed, take
from tui.analysis.stats.stats_report import SUMS, StatsReport, stats_report
from tui.analysis.stats.std9 import count, ident, std9, text, time
from tui.analysis.table import Table
from tui.report.columns import NULL, Int64
from tui.report.importing.name_pool import UNNAMED
from tui.report.importing.range_levels import depths
from tui.report.model import RangeStyle, Report

STYLES = {RangeStyle.PUSH_POP: "PushPop", RangeStyle.START_END: "StartEnd"}


def range_ends(report: Report) -> Int64:
    """The end of each range, an open one ending with the latest NVTX timestamp in the file."""
    ranges = report.ranges
    if not ranges.unfinished.any():
        return ranges.end
    return np.where(ranges.unfinished, np.maximum(ranges.start, latest_timestamp(report)), ranges.end)


def latest_timestamp(report: Report) -> int:
    """The last moment at which a range or mark began or ended."""
    ranges = report.ranges
    moments = (ranges.start[-1:], ranges.end[~ranges.unfinished], report.marks.start[-1:])
    return int(np.concatenate(moments).max())


def range_names(report: Report, rows: RowSet) -> list[str]:
    """The names of ranges as nsys prints them: ``Domain:name``, ``:name`` in the default domain."""
    domains = Names(report.strings, take(report.ranges.domain, rows))[:]
    names = Names(report.strings, take(report.ranges.name, rows))[:]
    pairs = zip(domains, names, strict=True)
    return [f"{domain}:{'' if name == UNNAMED else name}" for domain, name in pairs]


def range_styles(report: Report, rows: RowSet) -> list[str]:
    """``PushPop`` or ``StartEnd`` for each range."""
    return [STYLES[RangeStyle(style)] for style in take(report.ranges.style, rows).tolist()]


def range_rows(report: Report, scope: Scope, style: RangeStyle | None = None) -> RowSet:
    """The ranges in scope, of one style where ``style`` is given."""
    rows = host_rows(report, scope, report.ranges)
    return rows if style is None else narrowed(rows, take(report.ranges.style, rows) == style)


def open_note(report: Report, rows: RowSet) -> str | None:
    """The note on ranges among ``rows`` that were never closed; None without any."""
    number = int(take(report.ranges.unfinished, rows).sum())
    if not number:
        return None
    return (
        f"{number:,} ranges were still open when the capture ended; "
        f"they count up to the latest NVTX timestamp, {latest_timestamp(report)} ns"
    )


def range_sums(of: StatsReport, index: Index, choices: Choices, style: RangeStyle | None = None) -> Table:
    """The sums of the ranges of one style, or of both with the style as a column."""
    report, ranges = index.report, index.report.ranges
    rows = range_rows(report, choices.scope, style)
    length = take(range_ends(report), rows) - take(ranges.start, rows)
    groups, first = combined(*(take(column, rows) for column in (ranges.style, ranges.domain, ranges.name)))
    sums = figures(groups, length, len(first))
    examples = np.arange(len(ranges))[rows][first]
    names, styles = range_names(report, examples), range_styles(report, examples)
    style_column = (text("Style", styles, rank=5),) if style is None else ()
    columns = (*std9(sums, "Instances"), *style_column, text("Range", names))
    order = by_total(sums.total, sums.count, list(zip(names, styles, strict=True)))
    long = dominant_note(groups, length, take(ranges.start, rows), names.__getitem__, sums)
    return of.table(columns, with_note(open_note(report, rows), long)).ordered(order)


@stats_report(
    "NVTX Range Summary",
    "NV Tools Extension (NVTX)",
    "How long the program's own ranges took on the host.",
    f"{SUMS} Children are not subtracted; `Domain:name`, `:name` in the default domain.",
    "Equal to nsys's. A range never closed ends with the latest NVTX timestamp; a note counts them.",
    aliases=("nvtxsum",),
)
def nvtx_sum(index: Index, choices: Choices) -> Table:
    """Ranges of both styles by name."""
    return range_sums(nvtx_sum, index, choices)


@stats_report(
    "NVTX Push/Pop Range Summary",
    "NVTX push/pop range",
    "As nvtx_sum, push/pop ranges only.",
    aliases=("pushpopsum", "nvtxppsum"),
)
def nvtx_pushpop_sum(index: Index, choices: Choices) -> Table:
    """Push/pop ranges by name."""
    return range_sums(nvtx_pushpop_sum, index, choices, RangeStyle.PUSH_POP)


@stats_report(
    "NVTX Start/End Range Summary",
    "NVTX start/end range",
    "As nvtx_sum, start/end ranges only.",
    aliases=("startendsum", "nvtxsesum"),
)
def nvtx_startend_sum(index: Index, choices: Choices) -> Table:
    """Start/end ranges by name."""
    return range_sums(nvtx_startend_sum, index, choices, RangeStyle.START_END)


class RangeTree:
    """The nesting of all ranges; their ids are those that the reports print, rowids of the export."""

    def __init__(self, report: Report) -> None:
        self._parent = report.ranges.parent
        self._rowid = report.ranges.rowid
        self.depth = depths(self._parent.astype(np.int64)).astype(np.int64)
        """How many ranges are around each one."""
        self.children = np.bincount(self._parent[self._parent >= 0], minlength=len(self._parent))
        """How many direct children each one has."""

    def parent_ids(self, rows: NDArray[np.intp]) -> Int64:
        """The id of each range's parent; NULL for none."""
        parent = self._parent[rows]
        return np.where(parent >= 0, self._rowid[parent], NULL)

    def stacks(self, rows: NDArray[np.intp]) -> list[str]:
        """The ids from the outermost range to each one: ``:1:5:9``."""
        stacks = {-1: ""}
        for row in rows.tolist():
            path = []
            while row not in stacks:
                path.append(row)
                row = int(self._parent[row])
            for place in reversed(path):
                stacks[place] = f"{stacks[int(self._parent[place])]}:{int(self._rowid[place])}"
        return [stacks[row] for row in rows.tolist()]


@stats_report(
    "NVTX Push/Pop Range Trace",
    "NVTX push/pop range",
    "Every push/pop range with its place in the nesting and the time of its children.",
    "Parent: the tightest range around it on its thread, bounds included. Ids are rows of NVTX_EVENTS.",
    aliases=("pushpoptrace", "nvtxpptrace"),
)
def nvtx_pushpop_trace(index: Index, choices: Choices) -> Table:
    """Every push/pop range, by start."""
    report, ranges = index.report, index.report.ranges
    rows = np.arange(len(ranges))[range_rows(report, choices.scope, RangeStyle.PUSH_POP)]
    ends = range_ends(report)
    in_children = np.zeros(len(ranges), np.int64)
    nested = ranges.parent >= 0
    np.add.at(in_children, ranges.parent[nested], (ends - ranges.start)[nested])
    length, thread = ends[rows] - ranges.start[rows], ranges.thread[rows]
    ids, tree = OwnerIds(report), RangeTree(report)

    def branches(part: NDArray[np.intp]) -> list[str]:
        levels = tree.depth[part].tolist()
        return ["--" * level + name for level, name in zip(levels, range_names(report, part), strict=True)]

    columns = (
        time("Start (ns)", ranges.start[rows]),
        time("End (ns)", ends[rows], rank=4),
        time("Duration (ns)", length),
        time("DurChild (ns)", in_children[rows], rank=2, key="dur_child_ns"),
        time("DurNonChild (ns)", length - in_children[rows], rank=1, key="dur_non_child_ns"),
        text("Name", Computed(rows, lambda part: range_names(report, part)), rank=9),
        ident("PID", ids.pid[thread], rank=5),
        ident("TID", ids.tid[thread], rank=3),
        count("Lvl", tree.depth[rows], rank=4),
        count("NumChild", tree.children[rows], rank=6),
        ident("RangeId", ranges.rowid[rows], rank=7),
        ident("ParentId", tree.parent_ids(rows), rank=7, blank="-"),
        text("RangeStack", Computed(rows, tree.stacks), rank=8),
        text("NameTree", Computed(rows, branches)),
    )
    return nvtx_pushpop_trace.table(columns, open_note(report, rows))
