"""NVTX ranges on the host: their sums by name, and push/pop ranges with their place in the nesting.

The sums do not subtract children: nested ranges all count.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tui.analysis.choices import Choices
from tui.analysis.grouping import Group, combined
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.stats.dominant import dominant_note, with_note
from tui.analysis.stats.groups import by_total, figures
from tui.analysis.stats.lazy import Computed, Names, OwnerIds
from tui.analysis.stats.range_tree import RangeTree, closed_ends, lengths
from tui.analysis.stats.rounding import Integers
from tui.analysis.stats.select import RowSet, host_rows, narrowed, take
from tui.analysis.stats.stats_report import SUMS, StatsReport, stats_report
from tui.analysis.stats.std9 import count, ident, std9, text, time
from tui.analysis.table import Table
from tui.report.columns import NULL, Int64
from tui.report.data import UNNAMED
from tui.report.model import RangeStyle, Report
from tui.text.stacks import DEEPEST

SPELLING = (
    "Names are those of releases from 2024 on: `:name` in the default domain (2023: `name`). A domain whose "
    "name was not recorded shows its number, so that two of them stay apart: `domain 3:name` (nsys: `name`)."
)
"""How the names of ranges differ from those of the nsys that the reports are compared with."""

DEEP = f"Of a stack of more than {DEEPEST} ranges the innermost are printed, and how many more there are."
"""How long stacks differ from nsys's."""

STYLES = {RangeStyle.PUSH_POP: "PushPop", RangeStyle.START_END: "StartEnd"}


def range_ends(report: Report) -> Int64:
    """The end of each range, an open one ending with the latest NVTX timestamp; NULL if unknown."""
    ranges = report.ranges
    if not ranges.unfinished.any():
        return ranges.end
    return np.where(ranges.unfinished, NULL if report.nvtx_end is None else report.nvtx_end, ranges.end)


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
    wanted = np.ones(0, bool) if style is None else take(report.ranges.style, rows) == style
    return rows if wanted.all() else narrowed(rows, wanted)


def open_note(report: Report, rows: RowSet, until: Int64) -> str | None:
    """The note on ranges among ``rows`` that were never closed and end ``until`` here; None without any."""
    unfinished = np.flatnonzero(take(report.ranges.unfinished, rows))
    if not len(unfinished):
        return None
    number = f"{len(unfinished):,} ranges were still open when the capture ended"
    end = int(take(until, rows)[unfinished[0]])
    if end == NULL:
        return f"{number}; how long they took is unknown, as no range was closed"
    last = "the latest NVTX timestamp" if end == report.nvtx_end else "the end of the last range"
    return f"{number}; they count up to {last}, {end} ns"


def range_groups(report: Report, rows: RowSet) -> tuple[Group, list[str], list[str]]:
    """Ranges of one style and one printed name: each one's group, the groups' names and their styles."""
    ranges = report.ranges
    groups, first = combined(*(take(column, rows) for column in (ranges.style, ranges.domain, ranges.name)))
    examples = first if isinstance(rows, slice) else rows[first]
    found = list(zip(range_names(report, examples), range_styles(report, examples), strict=True))
    place: dict[tuple[str, str], int] = {}
    merged = np.array([place.setdefault(key, len(place)) for key in found], np.int64)
    return merged[groups], [name for name, _ in place], [style for _, style in place]


def by_total_and_name(total: Integers, names: list[str], styles: list[str]) -> NDArray[np.int64]:
    """The order of groups in a report of ranges: total descending, then name, then style."""
    return by_total(total, np.zeros(len(names), np.int64), list(zip(names, styles, strict=True)))


KNOWN = ("instances", "stddev_ns")
"""The figures of ranges whose length is unknown; as in nsys's reports, unknown values do not deviate."""


def range_sums(of: StatsReport, index: Index, choices: Choices, style: RangeStyle | None = None) -> Table:
    """The sums of the ranges of one style, or of both with the style as a column."""
    report, ranges = index.report, index.report.ranges
    rows, ends = range_rows(report, choices.scope, style), range_ends(report)
    groups, names, styles = range_groups(report, rows)
    length = lengths(take(ranges.start, rows), take(ends, rows))
    unknown = bool((length == NULL).any())  # then all are: no range was closed
    sums = figures(groups, np.maximum(length, 0), len(names))
    style_column = (text("Style", styles, rank=5),) if style is None else ()
    shown = std9(sums, "Instances")
    if unknown:
        shown = tuple(replace(c, sample=None) for c in shown)
        shown = tuple(replace(c, values=[None] * len(names)) if c.key not in KNOWN else c for c in shown)
    columns = (*shown, *style_column, text("Range", names))
    order = by_total_and_name(sums.total, names, styles)
    long = None
    if not unknown:
        long = dominant_note(groups, length, take(ranges.start, rows), names.__getitem__, sums)
    return of.table(columns, with_note(open_note(report, rows, ends), long)).ordered(order)


@stats_report(
    "NVTX Range Summary",
    "NV Tools Extension (NVTX)",
    "How long the program's own ranges took on the host.",
    f"{SUMS} Children are not subtracted. A range never closed ends with the latest NVTX timestamp, marks "
    "and domains included; a note counts them. Its length is unknown where nothing has an end.",
    f"Equal to nsys's. {SPELLING}",
    aliases=("nvtxsum",),
)
def nvtx_sum(index: Index, choices: Choices) -> Table:
    """Ranges of both styles by name."""
    return range_sums(nvtx_sum, index, choices)


@stats_report(
    "NVTX Push/Pop Range Summary",
    "NVTX push/pop range",
    "As nvtx_sum, push/pop ranges only.",
    differs=f"Equal to nsys's. {SPELLING}",
    aliases=("pushpopsum", "nvtxppsum"),
)
def nvtx_pushpop_sum(index: Index, choices: Choices) -> Table:
    """Push/pop ranges by name."""
    return range_sums(nvtx_pushpop_sum, index, choices, RangeStyle.PUSH_POP)


@stats_report(
    "NVTX Start/End Range Summary",
    "NVTX start/end range",
    "As nvtx_sum, start/end ranges only.",
    differs=f"Equal to nsys's. {SPELLING}",
    aliases=("startendsum", "nvtxsesum", "nvtxsssum"),
)
def nvtx_startend_sum(index: Index, choices: Choices) -> Table:
    """Start/end ranges by name."""
    return range_sums(nvtx_startend_sum, index, choices, RangeStyle.START_END)


@stats_report(
    "NVTX Push/Pop Range Trace",
    "NVTX push/pop range",
    "Every push/pop range with its place in the nesting and the time of its children.",
    "Parent: the shortest push/pop range around it on its thread, bounds included. Ids are rows of "
    "NVTX_EVENTS. A range never closed ends with the last push/pop range; a note counts them.",
    "Equal to nsys's but for ranges of the same bounds: the first row is around the next, while nsys drops "
    f"them and all that is inside them. {DEEP} {SPELLING}",
    aliases=("pushpoptrace", "nvtxpptrace"),
)
def nvtx_pushpop_trace(index: Index, choices: Choices) -> Table:
    """Every push/pop range, by start, shorter first."""
    report, ranges, ids = index.report, index.report.ranges, OwnerIds(index.report)
    rows = np.arange(len(ranges))[range_rows(report, choices.scope, RangeStyle.PUSH_POP)]
    ends = closed_ends(report, RangeStyle.PUSH_POP)
    start, end, thread = ranges.start[rows], ends[rows], ranges.thread[rows]
    tree, length = RangeTree(report, rows, end), lengths(start, end)
    in_children = tree.in_children(length)
    outside = lengths(in_children, length)
    order = np.lexsort((tree.breadth_first(start, length), length, start))

    def branches(part: NDArray[np.intp]) -> list[str]:
        names = range_names(report, rows[part])
        return [indent + name for indent, name in zip(tree.indents(part), names, strict=True)]

    columns = (
        time("Start (ns)", start[order]),
        time("End (ns)", end[order], rank=4),
        time("Duration (ns)", length[order]),
        time("DurChild (ns)", in_children[order], rank=2, key="dur_child_ns"),
        time("DurNonChild (ns)", outside[order], rank=1, key="dur_non_child_ns"),
        text("Name", Computed(rows[order], lambda part: range_names(report, part)), rank=9),
        ident("PID", ids.pid[thread[order]], rank=5),
        ident("TID", ids.tid[thread[order]], rank=3),
        count("Lvl", tree.depth[order], rank=4),
        count("NumChild", tree.children[order], rank=6),
        ident("RangeId", tree.ids[order], rank=7),
        ident("ParentId", tree.parent_ids()[order], rank=7, blank="-"),
        text("RangeStack", Computed(order, tree.stacks), rank=8),
        text("NameTree", Computed(order, branches)),
    )
    note = with_note(open_note(report, rows, ends), tree.cut_note())
    return nvtx_pushpop_trace.table(columns, note)
