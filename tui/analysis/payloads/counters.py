"""Numbers that a program attaches to its NVTX marks again and again: counters.

A value holds until the next one of the same mark, field and process. How NVTX counters themselves are
exported is in no file that was at hand; plugins that use them attach their values to marks like these.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.grouping import combined
from tui.analysis.index import Index
from tui.analysis.network.stretches import Stretches
from tui.analysis.payloads.blob import ALONE
from tui.analysis.payloads.reading import payloads
from tui.report.extra.tables import PAYLOAD_LINKS, PAYLOAD_SCHEMAS
from tui.report.model import Report

FEW = 5
"""Fewer values than these are no counter."""
MOST = 64
"""Counters that are looked at: more are no counters but data."""


@dataclass(frozen=True, eq=False)
class Counter:
    """One field of the marks of one name."""

    name: str
    """The mark's name, and that of the field unless it is the only one; not yet safe for a screen."""
    pid: int | None
    values: Stretches


def may_have_counters(report: Report) -> bool:
    """Whether there may be any. Costs nothing."""
    rows = {table.name: table.rows for table in report.tables}
    described = any(rows.get(table.source) for table in (PAYLOAD_SCHEMAS, PAYLOAD_LINKS))
    return described and len(report.marks) >= FEW


def counters(index: Index) -> list[Counter]:
    """The counters of a report, those with most values first."""
    return index.once("nvtx counters", lambda: _find(index))


def _find(index: Index) -> list[Counter]:
    report, found = index.report, payloads(index)
    marks = report.marks
    place = found.find(marks.rowid)
    mine = np.flatnonzero(place >= 0)
    if len(mine) < FEW or report.span is None:
        return []
    process = index.process_of_thread[marks.thread[mine]]
    group, first = combined(process, marks.domain[mine], marks.name[mine])
    counted: list[Counter] = []
    for field in sorted(found.names):
        numbers = found.reals(field)[place[mine]]
        known = ~np.isnan(numbers)
        for number in np.flatnonzero(np.bincount(group[known], minlength=len(first)) >= FEW).tolist():
            rows = np.flatnonzero(known & (group == number))
            start = marks.start[mine[rows]]
            # Of values at the same time the last one holds.
            last = np.append(start[1:] != start[:-1], True)
            start, value = start[last], numbers[rows][last]
            end = np.append(start[1:], max(report.span[1], int(start[-1]) + 1))
            mark = report.strings[int(marks.name[mine[first[number]]])]
            owner = int(process[first[number]])
            counted.append(
                Counter(
                    mark if field == ALONE else f"{mark} {field}",
                    report.processes[owner].pid if owner >= 0 else None,
                    Stretches(start, end, value),
                )
            )
    return sorted(counted, key=lambda one: (-len(one.values), one.name))[:MOST]
