"""The calls of MPI, from whichever tables of an export hold them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tui.report.columns import Int32, Int64, Positions
from tui.report.model import RangeStyle, Report


class MpiCalls(NamedTuple):
    """The MPI calls of all threads, in the order of their tables."""

    start: Int64
    end: Int64
    thread: Int32
    name: Int32
    """Positions in ``Report.strings``; -1 none."""


def find_mpi_calls(report: Report) -> MpiCalls:
    """Return the calls of MPI that a known thread made, of all tables of the export that hold some.

    Early versions of nsys put them among the NVTX ranges, in a domain of that name.
    """
    ranges = report.ranges
    tables = [t for source, t in report.others.items() if source.startswith("MPI_")]
    rows = [np.flatnonzero(table.thread >= 0) for table in tables]
    if len(of_mpi := _ranges_of_domain(report, "MPI")):
        tables, rows = [*tables, ranges], [*rows, of_mpi]  # type: ignore[list-item]
    columns = [
        [getattr(table, field)[mine] for table, mine in zip(tables, rows, strict=True)]
        for field in MpiCalls._fields
    ]
    kinds = (np.int64, np.int64, np.int32, np.int32)
    return MpiCalls(*(np.concatenate((np.zeros(0, k), *c)) for k, c in zip(kinds, columns, strict=True)))


def _ranges_of_domain(report: Report, name: str) -> Positions:
    """Return the push/pop ranges of the NVTX domains of this name."""
    ranges, strings = report.ranges, report.strings
    named = np.flatnonzero(ranges.domain >= 0)
    seen = np.zeros(len(strings), bool)
    seen[ranges.domain[named]] = True
    for other in np.flatnonzero(seen).tolist():
        seen[other] = strings[other] == name
    mine = named[seen[ranges.domain[named]]]
    found: Positions = mine[(ranges.style[mine] == RangeStyle.PUSH_POP) & (ranges.thread[mine] >= 0)]
    return found
