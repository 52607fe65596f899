"""Sums of NVTX ranges by name. Children are not subtracted: nested ranges all count."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tui.analysis.choices import Choices
from tui.analysis.grouping import combined
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.stats.groups import by_total, figures
from tui.analysis.stats.select import RowSet, host_rows, narrowed, take
from tui.analysis.stats.stats_report import SUMS, StatsReport
from tui.analysis.stats.std9 import std9, text
from tui.analysis.table import Table, picked
from tui.report.columns import Int64
from tui.report.importing.name_pool import UNNAMED
from tui.report.model import RangeStyle, Report

STYLES = {RangeStyle.PUSH_POP: "PushPop", RangeStyle.START_END: "StartEnd"}

OPEN_NOTE = (
    "{count:,} ranges were still open when the capture ended; "
    "they count up to the latest NVTX timestamp, {end} ns"
)


def range_ends(report: Report) -> Int64:
    """The end of each range, an open one ending with the latest NVTX timestamp in the file."""
    ranges = report.ranges
    if not ranges.unfinished.any():
        return ranges.end
    ends = ranges.end.copy()
    latest = latest_timestamp(report)
    ends[ranges.unfinished] = np.maximum(ranges.start[ranges.unfinished], latest)
    return ends


def latest_timestamp(report: Report) -> int:
    """The last moment at which a range or mark began or ended."""
    ranges, marks = report.ranges, report.marks
    moments = [int(ranges.start[-1])]
    if not ranges.unfinished.all():
        moments.append(int(ranges.end[~ranges.unfinished].max()))
    if len(marks):
        moments.append(int(marks.start[-1]))
    return max(moments)


def range_names(report: Report, domains: NDArray[np.int32], names: NDArray[np.int32]) -> list[str]:
    """Ranges' names as nsys prints them: ``Domain:name``, ``:name`` in the default domain."""
    strings = report.strings
    known: dict[int, str] = {-1: ""}
    texts = []
    for domain, name in zip(domains.tolist(), names.tolist(), strict=True):
        for index in (domain, name):
            if index not in known:
                known[index] = strings[index]
        own = known[name]
        texts.append(f"{known[domain]}:{'' if own == UNNAMED else own}")
    return texts


def range_rows(report: Report, scope: Scope, style: RangeStyle | None = None) -> RowSet:
    """The ranges in scope, of one style where ``style`` is given."""
    rows = host_rows(report, scope, report.ranges)
    if style is None:
        return rows
    return narrowed(rows, take(report.ranges.style, rows) == style)


def open_note(report: Report, rows: RowSet) -> str | None:
    """What a reader must know where ``rows`` hold open ranges; else None."""
    count = int(take(report.ranges.unfinished, rows).sum())
    return OPEN_NOTE.format(count=count, end=latest_timestamp(report)) if count else None


def summary(of: StatsReport, index: Index, choices: Choices, style: RangeStyle | None = None) -> Table:
    """The sums of the ranges of one style, or of both with the style as a column."""
    report, scope = index.report, choices.scope
    ranges = report.ranges
    rows = range_rows(report, scope, style)
    length = take(range_ends(report), rows) - take(ranges.start, rows)
    domains, names = take(ranges.domain, rows), take(ranges.name, rows)
    styles = take(ranges.style, rows)
    groups, first = combined(styles, domains, names)
    known = figures(groups, length, len(first))
    texts = range_names(report, domains[first], names[first])
    labels = [STYLES[RangeStyle(value)] for value in styles[first].tolist()]
    order = by_total(known.total, known.count, list(zip(texts, labels, strict=True)))
    columns = [*std9(known, order, "Instances")]
    if style is None:
        columns.append(text("Style", picked(labels, order), rank=5))
    columns.append(text("Range", picked(texts, order)))
    return of.table(tuple(columns), open_note(report, rows))


def nvtx_sum(index: Index, choices: Choices) -> Table:
    """Ranges of both styles by name."""
    return summary(NVTX_SUM, index, choices)


NVTX_SUM = StatsReport(
    "nvtx_sum",
    "NVTX Range Summary",
    nvtx_sum,
    "NV Tools Extension (NVTX)",
    "How long the program's own ranges took on the host.",
    f"{SUMS} Children are not subtracted; `Domain:name`, `:name` in the default domain.",
    "Equal to nsys's. A range never closed ends with the latest NVTX timestamp; a note counts them.",
    ("nvtxsum",),
)


def nvtx_pushpop_sum(index: Index, choices: Choices) -> Table:
    """Push/pop ranges by name."""
    return summary(NVTX_PUSHPOP_SUM, index, choices, RangeStyle.PUSH_POP)


NVTX_PUSHPOP_SUM = StatsReport(
    "nvtx_pushpop_sum",
    "NVTX Push/Pop Range Summary",
    nvtx_pushpop_sum,
    "NVTX push/pop range",
    "As nvtx_sum, push/pop ranges only.",
    SUMS,
    aliases=("pushpopsum", "nvtxppsum"),
)


def nvtx_startend_sum(index: Index, choices: Choices) -> Table:
    """Start/end ranges by name."""
    return summary(NVTX_STARTEND_SUM, index, choices, RangeStyle.START_END)


NVTX_STARTEND_SUM = StatsReport(
    "nvtx_startend_sum",
    "NVTX Start/End Range Summary",
    nvtx_startend_sum,
    "NVTX start/end range",
    "As nvtx_sum, start/end ranges only.",
    SUMS,
    aliases=("startendsum", "nvtxsesum"),
)
