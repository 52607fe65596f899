"""When threads of Python waited for the lock of the interpreter, where a capture traced it."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from tui.analysis.grouping import that_fit
from tui.intervals import overlaps, union
from tui.report.columns import Bool, Int32, Int64, distinct_values
from tui.report.model import Report

DOMAIN = "GIL Trace"
"""The NVTX domain of ``nsys profile --trace=python-gil``: ranges "Waiting for GIL" and "Holding GIL"."""
_WAIT = re.compile(r"GIL[ _]?wait|wait(ing)?[ _]for[ _](the[ _])?GIL", re.IGNORECASE)
_LOCK = re.compile(r"pthread_(cond_(timed|clock)?wait|mutex_(timed|clock)?lock)|sem_(timed|clock)?wait|futex")
"""The OS calls by which the interpreter waits for its lock."""
_SEARCHED = 1 << 22
"""Bytes of names that are searched at once."""


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
    if not _may_name_it(report):
        return np.zeros(len(names), bool)
    return that_fit(names, lambda name: name >= 0 and bool(_WAIT.fullmatch(report.strings[name])))


def _may_name_it(report: Report) -> bool:
    """Whether any name of the report may hold the word: asked at once, which costs less than each of them."""
    names = report.strings.blob
    return len(names) > _SEARCHED or b"gil" in names.tobytes().lower()


def gil_ranges(report: Report) -> Bool:
    """Per range whether the tracing of the lock recorded it: it is no phase of the program."""
    return that_fit(report.ranges.domain, lambda name: name >= 0 and report.strings[name] == DOMAIN)


def lock_calls(report: Report, waits: GilWaits) -> GilWaits:
    """Return the parts of waits in which the thread did so by an OS call: that call is how it waits.

    The call begins a microsecond or so before the wait is traced, so that it is no call within it.
    """
    calls = report.os_calls
    if not len(waits.start) or not len(calls):
        return GilWaits(waits.start[:0], waits.end[:0], waits.thread[:0], waits.name[:0])
    named = that_fit(calls.name, lambda n: n >= 0 and bool(_LOCK.match(report.strings[n])))
    named |= _called_waits(report, calls.name)
    parts = []
    for thread in distinct_values(waits.thread).tolist():
        mine = np.flatnonzero(waits.thread == thread)
        locks = np.flatnonzero(named & (calls.thread == thread))
        both = overlaps(union(waits.start[mine], waits.end[mine]), (calls.start[locks], calls.end[locks]))
        size = len(both.start)
        name = np.full(size, waits.name[mine[0]], np.int32)
        parts.append((both.start, both.end, np.full(size, thread, np.int32), name))
    return GilWaits(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
