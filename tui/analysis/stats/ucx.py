"""Messages of UCX: how long they were under way, and how many bytes they had."""

from __future__ import annotations

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.grouping import combined, sums_where
from tui.analysis.index import Index
from tui.analysis.stats.extra import left_out_note, pooled, rows_in_scope
from tui.analysis.stats.groups import by_total, figures
from tui.analysis.stats.stats_report import stats_report
from tui.analysis.stats.std9 import count, std9, text, time
from tui.analysis.table import Column, Table, Unit
from tui.report.columns import NULL, Bool, Int64
from tui.report.extra.extra_table import ExtraRows
from tui.report.extra.tables import UCX_PROGRESS, UCX_SUBMIT
from tui.report.importing.global_ids import global_pid_of


@stats_report(
    "UCX Summary",
    "UCX trace",
    "How long calls of UCX took, how many bytes they were about, and how long requests lived.",
    "Sums durations by name. A request lives from the start of the call that submits it to the end of the "
    "first later progress, in its process, on the same buffer, tag and peer; requests that no progress ends "
    "are counted, and their life is unknown. Bytes are the packed sizes; unknown where one is.",
    "nsys has no such report. Read as documented, unverified: no real capture of UCX was at hand.",
)
def ucx_sum(index: Index, choices: Choices) -> Table:
    """UCX calls by name, with what became of the requests."""
    report = index.report
    tables = [report.extra_rows(table) for table in (UCX_SUBMIT, UCX_PROGRESS)]
    chosen = [rows_in_scope(report, choices.scope, rows, "globalTid") for rows in tables]
    chosen = [w[rows["end"][w] != NULL] for rows, w in zip(tables, chosen, strict=True)]
    ended = request_ends(*tables)[chosen[0]]

    def column(name: str) -> Int64:
        return np.concatenate([rows[name][which] for rows, which in zip(tables, chosen, strict=True)])

    texts, codes = pooled(tables, chosen, "textId")
    name = np.where(codes < 0, len(texts) - 1, codes)
    groups, first = combined(name)
    number, start = len(first), column("start")
    sums = figures(groups, column("end") - start, number)
    size, submits = column("packedSize"), len(chosen[0])
    sent = sums_where(groups, number, np.where(size == NULL, 0, size))
    sent[np.unique(groups[size == NULL])] = NULL
    done = np.flatnonzero(ended != NULL)
    lived = sums_where(groups[done], number, ended[done] - start[done])
    ends = np.bincount(groups[done], minlength=number)
    names = [texts[i] for i in name[first].tolist()]
    columns = (
        *std9(sums, "Count"),
        Column("Bytes", "bytes", Unit.BYTES, sent),
        count("Requests", np.bincount(groups[:submits], minlength=number), rank=1),
        count("Ended", ends, rank=1),
        time("Avg Life (ns)", np.where(ends > 0, lived // np.maximum(ends, 1), NULL), rank=1, blank="-"),
        text("Name", names),
    )
    table = ucx_sum.table(columns, left_out_note(*tables))
    return table.ordered(by_total(sums.total, sums.count, [str(one) for one in names]))


def request_ends(submits: ExtraRows, progress: ExtraRows) -> Int64:
    """When each request that was submitted ended; NULL where no progress ends it.

    Each progress ends the oldest open request of its process, buffer, tag and peer.
    """
    keys = [_keys(rows) for rows in (submits, progress)]
    group, _ = combined(*(np.concatenate(columns) for columns in zip(*keys, strict=True)))
    ends = np.full(len(submits), NULL, np.int64)
    mine, theirs = group[: len(submits)], group[len(submits) :]
    known = np.flatnonzero(_told(submits))
    over = np.flatnonzero(_told(progress) & (progress["end"] != NULL))
    over = over[np.isin(theirs[over], mine[known])]
    key = np.concatenate((mine[known], theirs[over]))
    time = np.concatenate((submits["start"][known], progress["end"][over]))
    is_end = np.arange(len(key)) >= len(known)
    order = np.lexsort((is_end, time, key))
    key, time, is_end = key[order], time[order], is_end[order]
    _, began = np.unique(key, return_index=True)
    place = np.repeat(began, np.diff(np.append(began, len(key))))
    open_ = np.cumsum(np.where(is_end, -1, 1))
    open_ -= np.append(0, open_)[place]
    # An end that finds nothing open takes the count below zero, and below whatever was least before.
    apart = len(key) + 1
    number = np.searchsorted(began, np.arange(len(key)), "right")
    least = np.minimum.accumulate(open_ - number * apart) + number * apart
    lost = np.maximum(-least, 0)
    before = np.where(np.arange(len(key)) == place, 0, np.append(0, lost)[:-1])
    effective = is_end & (lost == before)
    nth = np.cumsum(effective) - np.append(0, np.cumsum(effective))[place]
    starts = np.flatnonzero(~is_end)
    row = order[starts]  # of ``known``: submits come before progress in what was sorted
    ordinal = np.cumsum(~is_end) - np.append(0, np.cumsum(~is_end))[place]
    wanted = place[effective] * apart + nth[effective]
    have = place[starts] * apart + ordinal[starts]
    at = np.searchsorted(have, wanted)
    ends[known[row[at]]] = time[effective]
    return ends


def _keys(rows: ExtraRows) -> tuple[Int64, Int64, Int64, Int64]:
    process = np.where(rows["globalTid"] == NULL, NULL, global_pid_of(rows["globalTid"]))
    return process, rows["bufferAddr"], rows["tag"], rows["peerWorkerUid"]


def _told(rows: ExtraRows) -> Bool:
    found: Bool = (rows["bufferAddr"] != NULL) & (rows["globalTid"] != NULL)
    return found
