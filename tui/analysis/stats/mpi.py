"""MPI calls one by one: who called what, with whom, and how much was sent."""

from __future__ import annotations

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.index import Index
from tui.analysis.stats.extra import first_values, left_out_note, pids, pooled, rows_in_scope, tids
from tui.analysis.stats.lazy import Computed
from tui.analysis.stats.select import RowSet, take
from tui.analysis.stats.stats_report import stats_report
from tui.analysis.stats.std9 import ident, size, text, time
from tui.analysis.stats.traces import megabytes_or_none
from tui.analysis.table import Table
from tui.report.columns import NULL, Int64
from tui.report.extra.tables import MPI_EVENTS, MPI_RANKS


@stats_report(
    "MPI Event Trace",
    "MPI event",
    "Every MPI call with its rank, its peer or root, its tag and its sizes.",
    "One row a call, by start. A call that was still going on when the capture ended has no end. "
    "An MPI_Sendrecv whose two halves differ is two rows.",
    "Equal to nsys's.",
)
def mpi_event_trace(index: Index, choices: Choices) -> Table:
    """Every MPI call."""
    report = index.report
    tables = [report.extra_rows(table) for table in MPI_EVENTS]
    chosen = [rows_in_scope(report, choices.scope, rows, "globalTid") for rows in tables]

    def column(name: str) -> Int64:
        return np.concatenate([rows[name][which] for rows, which in zip(tables, chosen, strict=True)])[order]

    order = np.arange(sum(map(len, chosen)))
    order = np.argsort(column("start"), kind="stable")  # those that start together keep the tables' order
    start, end, thread, moved = map(column, ("start", "end", "globalTid", "size"))
    is_last = [i == len(tables) - 1 for i in range(len(tables))]
    is_collective = np.repeat(is_last, [len(which) for which in chosen])[order]
    texts, codes = pooled(tables, chosen, "textId")
    codes = codes[order]
    ranks = report.extra_rows(MPI_RANKS)

    def megabytes(values: Int64) -> Computed:
        return Computed(np.arange(len(values)), lambda part: megabytes_or_none(values[part]))

    def names(part: RowSet) -> list[str | None]:
        return [texts[code] for code in take(codes, part).tolist()]

    columns = (
        time("Start (ns)", start),
        time("End (ns)", end, rank=3),
        time("Duration (ns)", np.where(end == NULL, NULL, end - start)),
        text("Event", Computed(np.arange(len(start)), names)),
        ident("Pid", pids(thread), rank=4),
        ident("Tid", tids(thread), rank=5),
        ident("Tag", column("tag"), rank=2, blank="-"),
        ident("Rank", first_values(ranks["globalTid"], ranks["rank"], thread)),
        ident("PeerRank", column("remoteRank"), blank="-", key="peer_rank"),
        ident("RootRank", column("rootRank"), rank=1, blank="-", key="root_rank"),
        size("Size (MB)", megabytes(np.where(is_collective, NULL, moved)), blank="-"),
        size("CollSendSize (MB)", megabytes(np.where(is_collective, moved, NULL)), rank=1, blank="-"),
        size("CollRecvSize (MB)", megabytes(column("recvSize")), rank=1, blank="-"),
    )
    return mpi_event_trace.table(columns, left_out_note(*tables))
