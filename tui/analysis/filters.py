"""The filters of nsys: ``--filter-time``, ``--filter-nvtx``, and the options of rules that do the same.

A row counts if it ends at or after the start and starts before the end of the window; where a report joins
device work to its launch, the launch has to count as well. No row is clipped, and the window is not fitted to
the capture. (A ``--range`` leaves out what ends just as it starts, and asks nothing of launches.) An NVTX
range that was never closed lasts as long as the capture here; nsys leaves it out.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tui.analysis.index import Index
from tui.analysis.scope import Scope, Window
from tui.errors import NothingThere, UsageError
from tui.report.columns import distinct_values
from tui.report.model import Report
from tui.text.times import parse_times

_INDEXED = re.compile(r"(.*)/\s*\+?(\d+)", re.DOTALL)


def time_filter(report: Report, text: str) -> Window:
    """The window that ``--filter-time`` means: ``[start]/[end]``. UsageError for anything else."""
    start, slash, end = text.partition("/")
    if not slash or not (start or end):
        raise UsageError(f"{text!r} is no filter such as 1.5s/2s, 1s500ms/ or /3e9 (nanoseconds)")
    window = filter_window(
        report, parse_times(start) if start else None, parse_times(end) if end else None, f"filter {text}"
    )
    if start and end and window.start > window.end:
        raise UsageError(f"filter {text} ends before it starts")
    return window


def filter_window(report: Report, start: int | None, end: int | None, label: str) -> Window:
    """A window of this kind; None: all that was recorded before, or after."""
    if report.span is None:
        raise NothingThere(f"{report.path.name}: no CUDA, NVTX or OS events recorded")
    aside = [events for events in report.others.values() if len(events)]  # they may reach beyond the span
    first = min([report.span[0], *(int(events.start[0]) for events in aside)])
    last = max([report.span[1], *(int(events.end.max()) for events in aside)])
    low = first if start is None else start
    high = max(low, last + 1) if end is None else end
    if start is None:
        low = min(low, high)
    return Window(low, high, label, chosen=True, touching=True)


def nvtx_filter(index: Index, scope: Scope, text: str, *, numbered: bool = True) -> Scope:
    """The window of an NVTX range, and of the processes only its own: ``NAME[@DOMAIN][/INDEX]``.

    INDEX counts the ranges of that name from 0, by start; where ``numbered`` is false it belongs to the name.
    NothingThere where there is no such range.
    """
    report, ranges = index.report, index.report.ranges
    match = _INDEXED.fullmatch(text) if numbered else None
    name, number = (match[1], int(match[2])) if match else (text, 0)
    found = _closed_ranges(report, name)
    if number >= len(found):
        raise NothingThere(f"no NVTX range {name!r} of that number; a range of a domain is NAME@DOMAIN")
    chosen = int(found[number])
    window = filter_window(report, int(ranges.start[chosen]), int(ranges.end[chosen]), f"filter nvtx:{text}")
    process = report.threads[ranges.thread[chosen]].process
    allowed = scope.processes is None or process in scope.processes
    return replace(scope, window=window, processes=(process,) if allowed else ())


def _closed_ranges(report: Report, name: str) -> list[int]:
    """The ranges of this name that were closed on a known thread, by start, then as recorded.

    What follows an ``@`` is the domain, if that has such a range.
    """
    plain, at, domain = name.rpartition("@")
    for text, of in ((plain, domain), (name, None)) if at else ((name, None),):
        rows = _named(report, text, of)
        if len(rows):
            break
    ranges = report.ranges
    rows = rows[~ranges.unfinished[rows] & (ranges.thread[rows] >= 0)]
    order = np.lexsort((ranges.rowid[rows], ranges.start[rows]))
    return [int(row) for row in rows[order]]


def _named(report: Report, name: str, domain: str | None) -> NDArray[np.intp]:
    """The ranges of a name and a domain; None: the default one."""
    ranges, strings = report.ranges, report.strings
    names = [i for i in distinct_values(ranges.name).tolist() if i >= 0 and strings[i] == name]
    domains = [
        i for i in distinct_values(ranges.domain).tolist() if (strings[i] if i >= 0 else None) == domain
    ]
    return np.flatnonzero(np.isin(ranges.name, names) & np.isin(ranges.domain, domains))
