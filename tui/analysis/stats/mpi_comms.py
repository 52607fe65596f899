"""MPI calls by communicator and operation: how long, and how many bytes."""

from __future__ import annotations

import re

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.grouping import combined, sums_where
from tui.analysis.index import Index
from tui.analysis.stats.extra import addresses, first_values, left_out_note, pooled, rows_in_scope
from tui.analysis.stats.groups import by_total, figures
from tui.analysis.stats.stats_report import SUMS, stats_report
from tui.analysis.stats.std9 import count, std9, text
from tui.analysis.table import Column, Table, Unit
from tui.report.columns import NULL, Int64, Positions
from tui.report.extra.tables import MPI_COMMUNICATORS, MPI_EVENTS

_RECEIVE = re.compile(r"^P?MPI_(I?m?recv(?!v?send)|Recv_init)", re.IGNORECASE)
"""Calls whose size is what they receive."""


@stats_report(
    "MPI Communicator Summary",
    "MPI event",
    "How long MPI calls took and how many bytes they moved, by communicator and operation.",
    f"{SUMS} Sent and received bytes are as nsys records them: of a message its own, of a collective those "
    "of all ranks of the communicator; a sum is unknown where the bytes of one of its calls are. A call that "
    "was still going on when the capture ended is left out. The communicator is the program's handle of it, "
    "which distinguishes those of one process.",
    "nsys has no such report.",
)
def mpi_comm_sum(index: Index, choices: Choices) -> Table:
    """MPI calls by communicator and name."""
    report = index.report
    tables = [report.extra_rows(table) for table in MPI_EVENTS]
    chosen = [rows_in_scope(report, choices.scope, rows, "globalTid") for rows in tables]
    chosen = [which[rows["end"][which] != NULL] for rows, which in zip(tables, chosen, strict=True)]

    def column(name: str) -> Int64:
        return np.concatenate([rows[name][which] for rows, which in zip(tables, chosen, strict=True)])

    texts, codes = pooled(tables, chosen, "textId")
    codes = np.where(codes < 0, len(texts) - 1, codes)
    distinct: dict[str | None, int] = {}
    place = np.array([distinct.setdefault(name, len(distinct)) for name in texts], np.intp)
    name, handle = place[codes], column("commHandle")
    groups, first = combined(handle, name)
    sums = figures(groups, column("end") - column("start"), len(first))
    receives = np.array([name is not None and bool(_RECEIVE.search(name)) for name in texts], bool)[codes]
    size, received = column("size"), column("recvSize")
    received, size = np.where(receives, size, received), np.where(receives, NULL, size)
    known = report.extra_rows(MPI_COMMUNICATORS)
    names = [list(distinct)[i] for i in name[first].tolist()]
    columns = (
        *std9(sums, "Count"),
        _bytes("Sent (bytes)", "sent_bytes", groups, len(first), size),
        _bytes("Received (bytes)", "received_bytes", groups, len(first), received),
        text("Communicator", addresses(handle[first]), blank="-"),
        count("Ranks", first_values(known["commHandle"], known["size"], handle[first]), blank="-"),
        text("Event", names),
    )
    table = mpi_comm_sum.table(columns, left_out_note(*tables))
    return table.ordered(by_total(sums.total, sums.count, [str(one) for one in names]))


def _bytes(header: str, key: str, groups: Positions, number: int, size: Int64) -> Column:
    """The bytes of each group's calls; NULL where one of them has none."""
    told = size != NULL
    sums = sums_where(groups, number, np.where(told, size, 0))
    calls, with_size = np.bincount(groups, minlength=number), np.bincount(groups[told], minlength=number)
    sums[with_size < calls] = NULL
    blank = "?" if ((with_size > 0) & (with_size < calls)).any() else "-"
    return Column(header, key, Unit.BYTES, sums, rank=1, blank=blank)
