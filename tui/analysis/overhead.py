"""What a capture costs the program that is captured, and what CUDA's driver does beside its calls."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from tui.intervals import Coverage
from tui.report.columns import NULL, Bool, Int32, Int64, UInt8, distinct_values
from tui.report.event_tables.other import CUDA_OVERHEAD, PROFILER_OVERHEAD
from tui.report.model import OtherEvents, Report


class OverheadKind(IntEnum):
    """What some overhead is."""

    PROFILER = 0
    JIT_COMPILATION = 1
    MODULE_LOAD = 2
    COMMAND_BUFFER_FULL = 3
    LIBRARY_LOAD = 4
    """A call of ``dlopen`` or ``dlclose`` that the profiler attends to: most of it is the library's own."""
    OTHER = 5

    @property
    def words(self) -> str:
        return _WORDS[self]


_WORDS = {
    OverheadKind.PROFILER: "profiler",
    OverheadKind.JIT_COMPILATION: "JIT compilation",
    OverheadKind.MODULE_LOAD: "module load",
    OverheadKind.COMMAND_BUFFER_FULL: "command buffer full",
    OverheadKind.LIBRARY_LOAD: "library load (dlopen)",
    OverheadKind.OTHER: "of a kind that is not known",
}
_TYPES = {
    2: OverheadKind.JIT_COMPILATION,
    3: OverheadKind.PROFILER,  # a buffer is flushed
    4: OverheadKind.PROFILER,  # code is instrumented
    5: OverheadKind.PROFILER,  # resources of the profiler
    6: OverheadKind.MODULE_LOAD,
    7: OverheadKind.MODULE_LOAD,  # of a function at its first use
    8: OverheadKind.COMMAND_BUFFER_FULL,
}
"""nsys's numbers: ENUM_CUPTI_OVERHEAD_TYPE. 0 and 1 say nothing."""
_CUPTI_KINDS = {
    1: OverheadKind.JIT_COMPILATION,
    1 << 16: OverheadKind.PROFILER,
    2 << 16: OverheadKind.PROFILER,
    3 << 16: OverheadKind.PROFILER,
    4 << 16: OverheadKind.MODULE_LOAD,
    5 << 16: OverheadKind.MODULE_LOAD,
    6 << 16: OverheadKind.COMMAND_BUFFER_FULL,
}
"""CUPTI's own numbers, in tables that have them."""
_NAMES = (
    (r"^dl(open|close)\b.*(libToolsInjection|libcupti|libnvperf)", OverheadKind.PROFILER),
    (r"^dl(open|close)\b", OverheadKind.LIBRARY_LOAD),
    (r"(?i)\bjit\b|compil", OverheadKind.JIT_COMPILATION),
    (r"(?i)module load|lazy|function load", OverheadKind.MODULE_LOAD),
    (r"(?i)command buffer", OverheadKind.COMMAND_BUFFER_FULL),
    (r"(?i)buffer flush|instrumentation|resource (creation|management)|profiling", OverheadKind.PROFILER),
)
"""What names say; the first that fits counts. Patterns are compiled once there is overhead."""
_VAGUE = (OverheadKind.PROFILER, OverheadKind.LIBRARY_LOAD)
"""What a name says only where no number says anything."""


class Overhead(NamedTuple):
    """Stretches of overhead, by table and then as they come; arrays of one length."""

    start: Int64
    end: Int64
    thread: Int32
    """Position in ``Report.threads``; -1 unknown."""
    name: Int32
    """Position in ``Report.strings``; -1 none."""
    kind: UInt8
    """:class:`OverheadKind`."""

    def where(self, chosen: Bool) -> Overhead:
        """Only the ``chosen`` stretches."""
        return Overhead._make(column[chosen] for column in self)


def find_overhead(report: Report) -> Overhead:
    """Return all overhead that the export records."""
    tables = [(source, report.others[source]) for source in SOURCES if source in report.others]
    parts = [Overhead(t.start, t.end, t.thread, t.name, _kinds(report, source, t)) for source, t in tables]
    kinds = (np.int64, np.int64, np.int32, np.int32, np.uint8)
    parts.append(Overhead._make(np.zeros(0, kind) for kind in kinds))
    return Overhead._make(np.concatenate(columns) for columns in zip(*parts, strict=True))


SOURCES = (PROFILER_OVERHEAD, CUDA_OVERHEAD)
"""The tables of an export that hold overhead."""


def _kinds(report: Report, source: str, table: OtherEvents) -> UInt8:
    """The kind of each row: by a name that is plain, else its number, else a vague name, else its table."""
    as_nsys = source == PROFILER_OVERHEAD or bool((table.event_class != NULL).any())
    known = _TYPES if as_nsys else _TYPES | _CUPTI_KINDS
    rest = OverheadKind.PROFILER if source == PROFILER_OVERHEAD else OverheadKind.OTHER
    found = np.full(len(table.start), rest, np.uint8)
    numbered = np.zeros(len(found), bool)
    for number, kind in known.items():
        found[mine := table.kind == number] = kind
        numbered |= mine
    for name in distinct_values(table.name).tolist():
        text = report.strings[name] if name >= 0 else ""
        told = next((kind for pattern, kind in _NAMES if re.search(pattern, text)), None)
        if told is not None:
            found[(table.name == name) & ~(numbered & (told in _VAGUE))] = told
    return found


class OverheadTotal(NamedTuple):
    """How much overhead of one kind there is in a window."""

    kind: OverheadKind
    rows: int
    """Stretches that overlap the window."""
    ns: int
    """How long any thread was in it."""


def overhead_totals(report: Report, start: int, end: int) -> list[OverheadTotal] | None:
    """The overhead in a window, by kind, the most time first; None where none of it can be recorded."""
    if not report.has.intersection(SOURCES):
        return None
    found = find_overhead(report)
    inside = found.where((found.start < end) & (found.end > start))
    kinds = [(kind, inside.where(inside.kind == kind)) for kind in OverheadKind]
    totals = [
        OverheadTotal(kind, len(mine.start), Coverage(mine.start, mine.end).length(start, end))
        for kind, mine in kinds
        if len(mine.start)
    ]
    return sorted(totals, key=lambda total: -total.ns)
