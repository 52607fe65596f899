"""NVTX: the program's own ranges by label, in host time and on the device."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tui.analysis.grouping import by_text, combined, group_rows
from tui.analysis.range_work import RangeWork, range_work
from tui.analysis.stats.nvtx_host import open_note
from tui.analysis.stats.range_tree import closed_ends
from tui.analysis.table import Column, Table, Unit
from tui.browse.page import Page, Pairs, Section, table_of
from tui.browse.pages.instances import instances, rows_in_window
from tui.browse.pages.request import PageRequest
from tui.report.columns import NULL, Int64, Positions
from tui.report.data import UNNAMED
from tui.report.model import Report
from tui.text import safe
from tui.text.labels import kind_of_range
from tui.text.numbers import percent
from tui.text.times import show_duration

LABEL_LEAST = 20
"""Cells that a label keeps."""
MOST_NAMES = 200
"""So many names of a label are listed."""


class Labelled(NamedTuple):
    """The ranges of one label: positions in ``Report.ranges``, and how long they take (ns, NULL unknown)."""

    label: str
    rows: Positions
    ns: Int64

    @property
    def total(self) -> int | None:
        """The time of those whose length is known; None where that of none is."""
        known = self.ns[self.ns != NULL]
        return int(known.sum()) if len(known) else None


def nvtx_page(request: PageRequest) -> Page:
    """Show NVTX ranges by label; a row in full lists the names that it stands for."""
    report = request.capture.report
    ranges = report.ranges
    rows = rows_in_window(request, ranges)
    found = labelled(report, rows)
    request.stop_if_dropped()
    # A report that is still being read may have no calls yet, which lead to the device's work.
    work = None if request.capture.loading or not len(report.ops) else range_work(request.index)
    none = "no NVTX ranges recorded (capture with --trace=nvtx)"
    empty = "no ranges in this window" if len(ranges) else none
    note = open_note(report, rows, closed_ends(report))
    return [
        Section(
            "NVTX ranges by label (GPU: from first to last op)",
            _table(found, work),
            (note,) if note else (),
            lambda row: instances("ranges", ranges, found[row].rows),
            empty,
            LABEL_LEAST,
            details=lambda row: _unfolded(report, found[row]),
        )
    ]


def labelled(report: Report, rows: Positions) -> list[Labelled]:
    """Return these ranges (positions in ``Report.ranges``) by label, the most time first."""
    ranges = report.ranges
    ends = closed_ends(report)[rows]
    ns = np.where(ends == NULL, NULL, ends - ranges.start[rows])
    names, first = combined(ranges.domain[rows], ranges.name[rows])
    spelt = [spelt_name(report, row) for row in rows[first].tolist()]
    of_name, labels = by_text(np.arange(len(first)), lambda at: kind_of_range(spelt[at]))
    group = of_name[names]
    found = [
        Labelled(label, rows[mine], ns[mine])
        for label, mine in zip(labels, group_rows(group, len(labels)), strict=True)
    ]
    return sorted(found, key=lambda one: -(one.total or 0))


def spelt_name(report: Report, row: int) -> str:
    """A range's name with its domain, as people write it: no colon in the default domain."""
    codes = (int(report.ranges.domain[row]), int(report.ranges.name[row]))
    return ":".join(filter(None, (report.strings[code] if code >= 0 else "" for code in codes))) or UNNAMED


def _table(found: list[Labelled], work: RangeWork | None) -> Table:
    totals = [one.total for one in found]
    known = [int((one.ns != NULL).sum()) for one in found]
    whole = sum(total or 0 for total in totals)
    columns = [
        Column("label", "label", Unit.TEXT, [one.label for one in found]),
        Column("total", "total_time_ns", Unit.NS, totals),
        Column("%", "time_pct", Unit.PCT, [None if t is None else percent(t, whole) for t in totals]),
        Column("count", "count", Unit.COUNT, [len(one.rows) for one in found]),
        Column("mean", "mean_ns", Unit.NS, [t and t // n for t, n in zip(totals, known, strict=True)]),
    ]
    if work is not None:
        device = [_on_device(one.rows, work) for one in found]
        columns.insert(3, Column("GPU", "gpu_proj_ns", Unit.NS, device, blank="-"))
    return table_of("nvtx", *columns)


def _on_device(rows: Positions, work: RangeWork) -> int | None:
    """The time from the first to the last op of each range, added up; None where none launched any."""
    launched = rows[work.ops[rows] > 0]
    return int((work.last[launched] - work.first[launched]).sum()) if len(launched) else None


def _unfolded(report: Report, one: Labelled) -> Pairs:
    """The names that a label stands for, the most time first."""
    groups, first = combined(report.ranges.domain[one.rows], report.ranges.name[one.rows])
    members = group_rows(groups, len(first))
    named = [Labelled(spelt_name(report, int(one.rows[mine[0]])), mine, one.ns[mine]) for mine in members]
    named.sort(key=lambda name: (-(name.total or 0), name.label))
    pairs = [("label", safe(one.label)), ("ranges", f"{len(one.rows):,}"), ("total", _time(one.total))]
    for name in named[:MOST_NAMES]:
        pairs.append((safe(name.label), f"{len(name.rows):,} x · {_time(name.total)}"))
    left = len(named) - MOST_NAMES
    return [*pairs, ("and", f"{left:,} more names")] if left > 0 else pairs


def _time(ns: int | None) -> str:
    return "?" if ns is None else show_duration(ns)
