"""The calls of MPI, from whichever tables of an export hold them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tui.report.columns import NULL, Int32, Int64, Positions
from tui.report.extra.tables import MPI_EVENTS
from tui.report.model import OtherEvents, RangeStyle, Report


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
    tables = list(_tables(report).values())
    rows = [np.flatnonzero(table.thread >= 0) for table in tables]
    if len(of_mpi := _ranges_of_domain(report, "MPI")):
        tables, rows = [*tables, ranges], [*rows, of_mpi]  # type: ignore[list-item]
    columns = [
        [getattr(table, field)[mine] for table, mine in zip(tables, rows, strict=True)]
        for field in MpiCalls._fields
    ]
    kinds = (np.int64, np.int64, np.int32, np.int32)
    return MpiCalls(*(np.concatenate((np.zeros(0, k), *c)) for k, c in zip(kinds, columns, strict=True)))


class MpiArguments(NamedTuple):
    """What calls were given, by call; -1 unknown."""

    size: Int64
    """Bytes sent, else received."""
    peer: Int64
    """The root, else the other side of a message, as a rank in the communicator."""
    communicator: Int64
    """The handle of its communicator: an address, which tells communicators of one process apart."""


def mpi_arguments(report: Report, calls: MpiCalls) -> MpiArguments:
    """Return what each call that :func:`find_mpi_calls` found was given.

    Reads tables that an import leaves alone: raises ReportError as `Report.extra_rows` does.
    """
    found = MpiArguments(*(np.full(len(calls.start), -1, np.int64) for _ in MpiArguments._fields))
    sources = {table.source: table for table in MPI_EVENTS}
    low = 0
    for source, table in _tables(report).items():
        rowid = table.rowid[table.thread >= 0]
        mine = slice(low, low := low + len(rowid))
        if len(rowid) and source in sources:
            rows = report.extra_rows(sources[source])
            order = np.argsort(rows["rowid"])
            size = np.where(rows["size"] == NULL, rows["recvSize"], rows["size"])
            peer = np.where(rows["rootRank"] == NULL, rows["remoteRank"], rows["rootRank"])
            at = np.searchsorted(rows["rowid"][order], rowid)
            there = np.append(rows["rowid"][order], -1)[at] == rowid
            for values, column in zip(found, (size, peer, rows["commHandle"]), strict=True):
                known = np.where(column == NULL, -1, column)[order]
                values[mine] = np.where(there, np.append(known, -1)[at], -1)
    return found._replace(size=np.maximum(found.size, -1), peer=np.maximum(found.peer, -1))


def _tables(report: Report) -> dict[str, OtherEvents]:
    return {source: t for source, t in report.others.items() if source.startswith("MPI_")}


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
