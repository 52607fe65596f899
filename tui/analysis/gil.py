"""When threads of Python waited for the lock of the interpreter, where a capture traced it."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from tui.analysis.grouping import that_fit
from tui.intervals import Coverage
from tui.report.columns import Bool, Int32, Int64, Positions
from tui.report.model import Report

DOMAIN = "GIL Trace"
"""The NVTX domain of ``nsys profile --trace=python-gil``: ranges "Waiting for GIL" and "Holding GIL"."""
_WAIT = re.compile(r"GIL[ _]?wait|wait(ing)?[ _]for[ _](the[ _])?GIL", re.IGNORECASE)
_LOCK = re.compile(r"pthread_(cond_(timed|clock)?wait|mutex_(timed|clock)?lock)|sem_(timed|clock)?wait|futex")
"""The OS calls by which the interpreter waits for its lock."""


class GilWaits(NamedTuple):
    """Waits for the lock, by known threads."""

    start: Int64
    end: Int64
    thread: Int32
    name: Int32
    """Positions in ``Report.strings``."""


def find_gil_waits(report: Report) -> GilWaits:
    """Return the waits: NVTX ranges, or rows among the OS calls, that are called so."""
    parts = []
    for table in (report.ranges, report.os_calls):
        rows = np.flatnonzero(_called_waits(report, table.name) & (table.thread >= 0))
        parts.append([getattr(table, field)[rows] for field in GilWaits._fields])
    return GilWaits(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def _called_waits(report: Report, names: Int32) -> Bool:
    return that_fit(names, lambda name: name >= 0 and bool(_WAIT.fullmatch(report.strings[name])))


def gil_ranges(report: Report) -> Bool:
    """Per range whether the tracing of the lock recorded it: it is no phase of the program."""
    return that_fit(report.ranges.domain, lambda name: name >= 0 and report.strings[name] == DOMAIN)


def ways_to_wait(report: Report, calls: Positions, waits: GilWaits, thread: int) -> Bool:
    """Which of a thread's OS ``calls`` are waits for the lock, or how the thread did that wait."""
    mine = waits.thread == thread
    waiting = Coverage(waits.start[mine], waits.end[mine])
    start, end, name = (getattr(report.os_calls, field)[calls] for field in ("start", "end", "name"))
    locks = that_fit(name, lambda n: n >= 0 and bool(_LOCK.match(report.strings[n])))
    inside = waiting.between(start, end) == end - start
    found: Bool = _called_waits(report, name) | (inside & locks)
    return found
