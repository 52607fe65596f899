"""When contexts were on a GPU: from the first tag that restores one to the tag that saves it.

Tags are read as NVIDIA documents them: 8 restores a context, 7 saves it; a restore that repeats changes
nothing. A context that was never saved is on until another one comes, which is doubtful, else to the end of
the capture. One that is saved first of all was on from the capture's start.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.grouping import combined, dense
from tui.analysis.index import Index
from tui.errors import ReportError
from tui.intervals import NEVER
from tui.report.columns import NULL, Int64, Positions
from tui.report.extra.tables import CONTEXT_SWITCHES, SWITCH_TAGS
from tui.report.model import Report

RESTORED, SAVED = 8, 7


@dataclass(frozen=True)
class ContextSpans:
    """When contexts were on, by GPU and start; those of one GPU are disjoint."""

    start: Int64
    end: Int64
    gpu: Int64
    """TARGET_INFO_GPU.id; NULL unknown."""
    process: Int64
    """globalPid; NULL unknown."""
    context: Int64
    """The hardware's number, not CUDA's."""
    cut: int = 0
    """How many were not saved before another context came on: lost records, or contexts side by side."""
    problem: str | None = None
    """Why the records can't be read; blame goes on without them."""

    def __len__(self) -> int:
        return len(self.start)

    def of(self, rows: Positions) -> ContextSpans:
        """Some of them."""
        start, end, gpu, process, context = (
            column[rows] for column in (self.start, self.end, self.gpu, self.process, self.context)
        )
        return ContextSpans(start, end, gpu, process, context, self.cut)


def context_spans(index: Index) -> ContextSpans:
    """All of a report; none where no context switches were captured."""
    return index.once("context spans", lambda: _found(index.report))


def _found(report: Report) -> ContextSpans:
    try:
        return _find(report)
    except ReportError as error:
        none = np.zeros(0, np.int64)
        return ContextSpans(none, none, none, none, none, problem=str(error))


def _find(report: Report) -> ContextSpans:
    tables = [report.extra_rows(table) for table in CONTEXT_SWITCHES]
    names = ("timestamp", "tag", "gpuId", "vmId", "contextId", "globalPid", "seqNo")
    time, tag, gpu, vm, context, process, number = (
        np.concatenate([rows[name] for rows in tables]) for name in names
    )
    on, off = _tags(report)
    known = np.flatnonzero((time != NULL) & ((tag == on) | (tag == off)) & (context != NULL))
    known = known[np.lexsort((number[known], time[known], gpu[known]))]
    time, gpu, vm, context, process = (column[known] for column in (time, gpu, vm, context, process))
    restores = tag[known] == on
    key, _ = combined(gpu, vm, context)
    order = np.argsort(key, kind="stable")
    same = np.append(False, key[order][1:] == key[order][:-1])[: len(order)]
    before = np.append(False, restores[order][:-1])[: len(order)] & same
    opens = restores[order] & ~before  # a repeated restore is no new one
    closes = ~restores[order] & before

    # The end of a span is the next save of its context.
    at = np.flatnonzero(opens)
    next_close = np.searchsorted(np.flatnonzero(closes), at)
    close_at = np.append(np.flatnonzero(closes), len(order))[next_close]
    of_same = close_at < len(order)
    of_same[of_same] = key[order][close_at[of_same]] == key[order][at[of_same]]
    begun = order[at]
    end = np.full(len(at), NEVER, np.int64)
    end[of_same] = time[order[close_at[of_same]]]
    start, rows = time[begun], begun
    first_of_gpu = np.append(True, gpu[1:] != gpu[:-1])[: len(gpu)]
    early = np.flatnonzero(first_of_gpu & ~restores)  # on already when the capture began
    low = min([int(time[early].min()), report.span[0]]) if len(early) and report.span else 0
    rows = np.concatenate((early, rows))
    start = np.concatenate((np.full(len(early), low), start))
    end = np.concatenate((time[early], end))
    by_record = np.argsort(rows, kind="stable")
    rows = rows[by_record]
    return _disjoint(report, start[by_record], end[by_record], gpu[rows], process[rows], context[rows])


def _disjoint(
    report: Report, start: Int64, end: Int64, gpu: Int64, process: Int64, context: Int64
) -> ContextSpans:
    """End each span at the next one of its GPU, and the last at the end of the capture.

    The spans are by record, those of one GPU one after the other.
    """
    order = np.argsort(gpu, kind="stable")
    start, end, gpu, process, context = (column[order] for column in (start, end, gpu, process, context))
    last = np.append(gpu[1:] != gpu[:-1], True)[: len(gpu)]
    follower = np.where(last, NEVER, np.append(start[1:], NEVER)[: len(gpu)])
    cut = int(((end > follower) & ~last).sum())
    end = np.minimum(end, follower)
    closing = max(report.span[1] if report.span else 0, int(start.max()) if len(start) else 0)
    end = np.where(end == NEVER, closing, end)
    keep = np.flatnonzero(end > start)
    return ContextSpans(start[keep], end[keep], gpu[keep], process[keep], context[keep], cut)


def _tags(report: Report) -> tuple[int, int]:
    """The tags that restore and that save a context: by the export's own labels, else the usual ones."""
    rows = report.extra_rows(SWITCH_TAGS)
    names = [rows.strings[code] if code >= 0 else "" for code in rows["name"].tolist()]
    numbers = dict(zip(names, rows["id"].tolist(), strict=True))
    return numbers.get("RESTORE_START", RESTORED), numbers.get("SAVE_END", SAVED)


def gpus_with_contexts(index: Index) -> Int64:
    """The numbers of the GPUs whose context switches were recorded."""
    return dense(context_spans(index).gpu)[1]
