"""What queued work waited for: the stream and the work of a CUDA event, else the stream's own order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.blame import BlameClass, closing_ops
from tui.analysis.blame_rows import BlameRows
from tui.analysis.cuda_events import Waits, readable_waits
from tui.analysis.gap_context import op_name
from tui.analysis.gaps import DeviceGaps
from tui.analysis.index import Index
from tui.report.columns import NULL, Positions, distinct_values
from tui.report.model import Report
from tui.text import safe


@dataclass(frozen=True)
class Awaited:
    """What an op or a call waited for."""

    device: int | None
    """The number that the process calls the device of the stream; None unknown."""
    stream: int
    """The stream in which the event was recorded."""
    event: int | None
    op: int
    """The work before the event, a position in ``Report.ops``; -1: none is known."""
    by: str
    """``eventSyncId`` or ``order``: how the record of the event was told."""
    assumed: bool
    """Whether it is not told which stream waits: the next that its thread launched is taken to."""


def awaited_by_ops(index: Index, ops: Positions) -> list[Awaited | None]:
    """What each op (position in ``Report.ops``; -1 none) waited for; None where no event tells it.

    The last wait of the op's stream between the launch before in that stream and its own.
    """
    waits = readable_waits(index)
    if not waits.of_stream.any():
        return [None] * len(ops)
    return [_of_op(index, waits, op) for op in ops.tolist()]


def awaited_by_call(index: Index, call: int) -> Awaited | None:
    """What a call that waits for an event waits for; None where it is none, or not known."""
    waits = readable_waits(index)
    found = np.flatnonzero(waits.call == call)
    return _awaited(waits, int(found[0]), assumed=False) if len(found) else None


def _of_op(index: Index, waits: Waits, op: int) -> Awaited | None:
    table, calls = index.report.ops, index.report.calls
    if op < 0 or (launch := int(table.launch[op])) < 0:
        return None
    process, context, stream = (int(column[op]) for column in (table.process, table.context, table.stream))
    launched, thread = int(calls.start[launch]), int(calls.thread[launch])
    before = index.once(("launches into", process, context, stream), lambda: _launches(index, op))
    at = int(np.searchsorted(before, launched, "left"))
    since = int(before[at - 1]) if at else np.iinfo(np.int64).min
    low, high = np.searchsorted(waits.time, since, "left"), np.searchsorted(waits.time, launched, "left")
    rows = np.arange(low, high)
    rows = rows[waits.of_stream[rows] & (waits.process[rows] == process)]
    known = rows[(waits.stream[rows] == stream) & (waits.context[rows] == context)]
    if len(known):
        return _awaited(waits, int(known[-1]), assumed=False)
    own = index.launch_times(process, thread)
    place = int(np.searchsorted(own, launched, "left"))
    last = int(own[place - 1]) if place else np.iinfo(np.int64).min
    vague = rows[(waits.stream[rows] == NULL) & (waits.thread[rows] == thread) & (waits.time[rows] >= last)]
    return _awaited(waits, int(vague[-1]), assumed=True) if len(vague) else None


def _launches(index: Index, op: int) -> Positions:
    """The times at which work was launched into an op's stream, sorted."""
    table = index.report.ops
    mine = (table.stream == table.stream[op]) & (table.launch >= 0)
    mine &= (table.process == table.process[op]) & (table.context == table.context[op])
    times: Positions = distinct_values(index.report.calls.start[table.launch[np.flatnonzero(mine)]])
    return times


def _awaited(waits: Waits, row: int, *, assumed: bool) -> Awaited:
    device = int(waits.device[row])
    return Awaited(
        device=None if device == NULL else device,
        stream=int(waits.awaited_stream[row]),
        event=int(waits.event[row]),
        op=int(waits.op[row]),
        by="eventSyncId" if waits.numbered[row] else "order",
        assumed=assumed,
    )


def awaited_in_gaps(index: Index, gaps: DeviceGaps, rows: BlameRows) -> list[Awaited | None]:
    """What the op that ends each gap waited for, where it was queued and that is told; None elsewhere."""
    queued = np.zeros(len(gaps), bool)
    queued[rows.gap[rows.cause == BlameClass.QUEUED]] = True
    if not queued.any() or not readable_waits(index).of_stream.any():
        return [None] * len(gaps)
    return awaited_by_ops(index, np.where(queued, closing_ops(index, gaps), -1))


def awaited_name(report: Report, found: Awaited) -> str | None:
    """The name of the awaited work as recorded; None: no work is known."""
    return op_name(report, found.op, short=False)


def awaited_words(index: Index, found: Awaited) -> str:
    """``stream 13: gemm (event 4)``, safe for a screen."""
    name = op_name(index.report, found.op, short=True)
    work = "work that was not recorded" if name is None else safe(name)
    sure = ", if its stream is the one that waits" if found.assumed else ""
    return f"stream {found.stream}: {work} (event {found.event}{sure})"
