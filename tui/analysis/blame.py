"""What explains a gap: who ended it, and what that thread did instead of ending it sooner.

*By owner*: the op that ends the gap names its launch, the launch names the thread. Where the launch
began after the gap did, the host was late, and the time up to the launch is split by what the thread
was doing: a CUDA call, else an OS call, else host code; the rest is launch latency. Where the launch
was under way when the gap began, all of it is launch latency; where it had returned, the op was
queued behind earlier work, an event or the graph. A gap that no later op ends has no owner; one whose
op has no recorded launch falls back on the midpoint rule.

*By midpoint*: the CUDA call, of any thread, in progress at the middle of the gap. The classic
heuristic, for comparison.

When several ops end a gap by starting at one instant, the owner is the one whose launch began first
(an op with a recorded launch before one without): the earliest attempt to give the device work.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum

import numpy as np
from numpy.typing import NDArray

from tui.analysis.attribution import phase_of_calls
from tui.analysis.gaps import NEVER, DeviceGaps
from tui.analysis.index import Index
from tui.intervals import expand, overlaps, split, subtract
from tui.report.columns import Int32, Int64, Positions, UInt8


class BlameMethod(Enum):
    OWNER = "owner"
    MIDPOINT = "midpoint"


class BlameClass(IntEnum):
    """What a part of a gap is put down to. The first five are those of CallClass."""

    SYNCHRONISATION = 0
    MEMORY_MANAGEMENT = 1
    BLOCKING_COPY = 2
    LAUNCH = 3
    OTHER_CUDA_CALL = 4
    OS_CALL = 5
    HOST_CODE = 6
    LAUNCH_LATENCY = 7
    QUEUED = 8
    NO_LATER_WORK = 9
    UNKNOWN = 10

    @property
    def words(self) -> str:
        """As people and JSON read it: ``memory management``, ``other CUDA call``, ``OS call``."""
        return self.name.replace("_", " ").lower().replace("cuda", "CUDA").replace("os ", "OS ")


@dataclass(frozen=True)
class Blame:
    """Parts of gaps by cause, by gap and then time; the parts of a gap fill it exactly."""

    gap: Int64
    """Position in the :class:`DeviceGaps` that was asked about."""
    start: Int64
    end: Int64
    cause: UInt8
    """:class:`BlameClass`."""
    call: Int32
    """Name of the CUDA or OS call, a position in ``Report.strings``; -1 none."""
    range: Int64
    """The innermost NVTX range at the time, a position in ``Report.ranges``; -1 none."""
    thread: Int32
    """The thread held responsible, a position in ``Report.threads``; -1 unknown."""
    by_midpoint: NDArray[np.bool_]
    """True where the midpoint rule decided."""

    def __len__(self) -> int:
        return len(self.gap)

    @property
    def ns(self) -> Int64:
        return self.end - self.start


def find_blame(
    index: Index, gaps: DeviceGaps, method: BlameMethod = BlameMethod.OWNER, *, ranges: bool = True
) -> Blame:
    """Explain every gap of one device. Without ``ranges`` no phase is sought, which is quicker."""
    if method is BlameMethod.MIDPOINT:
        threads = _launch_threads(index, closing_ops(index, gaps))
        return _midpoint(index, gaps, np.arange(len(gaps)), threads)
    return _owner(index, gaps, ranges)


def no_blame() -> Blame:
    """Nothing is explained: what the report tells of the host is not there yet."""
    none = np.zeros(0, np.int64)
    small = none.astype(np.int32)
    return Blame(none, none, none, none.astype(np.uint8), small, none, small, none.astype(bool))


def time_by_class(blame: Blame) -> list[tuple[BlameClass, int]]:
    """How much time each class explains, the biggest first."""
    ns = blame.ns
    sums = {cause: int(ns[blame.cause == cause].sum()) for cause in BlameClass}
    return sorted(((cause, s) for cause, s in sums.items() if s), key=lambda pair: -pair[1])


def closing_ops(index: Index, gaps: DeviceGaps) -> Int64:
    """The op that ends each gap, a position in ``Report.ops``; -1 where no later op exists."""
    ops = index.report.ops
    first = np.searchsorted(ops.start, gaps.until, "left")
    last = np.searchsorted(ops.start, gaps.until, "right")
    gap, op = expand(first, np.where(gaps.until == NEVER, first, last))
    fits = index.counts(op, gaps.device.index, gaps.processes, gaps.busy.kinds)
    fits &= ops.end[op] > ops.start[op]
    gap, op = gap[fits], op[fits]
    launch = ops.launch[op]
    begun = np.full(len(op), NEVER, np.int64)
    begun[launch >= 0] = index.report.calls.start[launch[launch >= 0]]
    order = np.lexsort((op, begun, gap))
    gap, op = gap[order], op[order]
    closing = np.full(len(gaps), -1, np.int64)
    # Written back to front, so that the first of each gap stays.
    closing[gap[::-1]] = op[::-1]
    return closing


def _launch_threads(index: Index, ops: Int64) -> Int64:
    """The thread that launched each op; -1 where no op or no launch is recorded."""
    launch = _launches(index, ops)
    known = launch >= 0
    threads = np.full(len(ops), -1, np.int64)
    threads[known] = index.report.calls.thread[launch[known]]
    return threads


def _launches(index: Index, ops: Int64) -> Int64:
    launch = np.full(len(ops), -1, np.int64)
    launch[ops >= 0] = index.report.ops.launch[ops[ops >= 0]]
    return launch


def _owner(index: Index, gaps: DeviceGaps, ranges: bool) -> Blame:
    calls = index.report.calls
    closing = closing_ops(index, gaps)
    launch = _launches(index, closing)
    # Without a launch, or with one on an unknown thread, nobody can be asked what held it up.
    known = launch >= 0
    known[known] = calls.thread[launch[known]] >= 0
    owned = np.flatnonzero(known)
    call = launch[owned]
    begun, returned, thread = calls.start[call], calls.end[call], calls.thread[call]
    start, end = gaps.start[owned], gaps.end[owned]
    late = begun > gaps.since[owned]
    turn = np.clip(begun, start, end)  # from the host's part to the launch's, within the gap
    queued = ~late & (returned <= gaps.since[owned])

    waits = np.flatnonzero(~late | (end > turn))
    own_launch = _parts(
        gap=owned[waits],
        start=np.where(late, turn, start)[waits],
        end=end[waits],
        cause=np.where(queued, BlameClass.QUEUED, BlameClass.LAUNCH_LATENCY)[waits],
        call=calls.name[call[waits]],
        range_=phase_of_calls(index, call[waits]) if ranges else -1,
        thread=thread[waits],
    )
    host_late = np.flatnonzero(late & (turn > start))
    parts = [own_launch]
    for t in np.unique(thread[host_late]):
        mine = host_late[thread[host_late] == t]
        parts.append(_host_parts(index, int(t), owned[mine], start[mine], turn[mine], ranges))

    alone = np.flatnonzero(~known & (closing >= 0))
    if len(alone):
        parts.append(_midpoint(index, gaps, alone, np.full(len(gaps), -1), closing))
    ends_all = np.flatnonzero(closing < 0)
    parts.append(_parts(ends_all, gaps.start[ends_all], gaps.end[ends_all], BlameClass.NO_LATER_WORK))
    return _joined(parts)


def _host_parts(index: Index, thread: int, gap: Int64, start: Int64, end: Int64, ranges: bool) -> Blame:
    """Split stretches of one thread's time by what it was doing and in which range."""
    activity = index.activity(thread)
    busy = overlaps((start, end), (activity.start, activity.end))
    idle = subtract((start, end), (activity.start, activity.end))
    source = np.concatenate((activity.source[busy.right], np.full(len(idle.start), _HOST, np.int32)))
    owner = np.concatenate((busy.left, idle.source))
    pieces = split(
        np.concatenate((busy.start, idle.start)),
        np.concatenate((busy.end, idle.end)),
        index.range_cuts(thread) if ranges else np.zeros(0, np.int64),
    )
    source, owner = source[pieces.source], owner[pieces.source]
    cause, call = _describe(index, source)
    return _parts(
        gap=gap[owner],
        start=pieces.start,
        end=pieces.end,
        cause=cause,
        call=call,
        range_=index.range_at(pieces.start, thread) if ranges else -1,
        thread=thread,
    )


_HOST = int(np.iinfo(np.int32).max)


def _describe(index: Index, source: Int32) -> tuple[UInt8, Int32]:
    """Cause and call name of what a thread was doing (see :class:`Activity`, _HOST: no call)."""
    report = index.report
    cause = np.full(len(source), BlameClass.HOST_CODE, np.uint8)
    name = np.full(len(source), -1, np.int32)
    cuda = (source >= 0) & (source != _HOST)
    cause[cuda] = report.calls.call_class[source[cuda]]
    name[cuda] = report.calls.name[source[cuda]]
    system = source < 0
    cause[system] = BlameClass.OS_CALL
    name[system] = report.os_calls.name[~source[system]]
    if len(report.calls) == 0:  # nobody traced the host: no call is no evidence
        cause[source == _HOST] = BlameClass.UNKNOWN
    return cause, name


def _midpoint(
    index: Index, gaps: DeviceGaps, which: Positions, threads: Int64, closing: Int64 | None = None
) -> Blame:
    """Blame whole gaps on the call in progress at their middle, on any thread.

    Of several the one that comes first in the file. With ``closing`` only calls of the process of the
    op that ends the gap count. Without a call the range is sought on ``threads``.
    """
    report = index.report
    start, end = gaps.start[which], gaps.end[which]
    half = end - start
    middle, middle_up = start + half // 2, start + (half + 1) // 2
    question, call = index.calls_at(middle, middle_up)
    if closing is not None:
        process = index.process_of_thread[report.calls.thread[call]]
        mine = process == report.ops.process[closing[which]][question]
        question, call = question[mine], call[mine]
    order = np.lexsort((report.calls.rowid[call], question))
    source = np.full(len(which), _HOST, np.int32)
    source[question[order][::-1]] = call[order][::-1]
    cause, name = _describe(index, source)
    thread = threads[which].copy()
    found = source != _HOST
    thread[found] = report.calls.thread[source[found]]
    ranges = np.full(len(which), -1, np.int64)
    known = thread >= 0
    ranges[known] = index.range_at(middle[known], thread[known])
    parts = _parts(which, start, end, cause, name, ranges, thread)
    parts.by_midpoint[:] = True
    return parts


def _parts(
    gap: Positions | Int64,
    start: Int64,
    end: Int64,
    cause: NDArray[np.integer] | BlameClass,
    call: NDArray[np.integer] | int = -1,
    range_: Int64 | int = -1,
    thread: NDArray[np.integer] | int = -1,
) -> Blame:
    size = len(gap)
    return Blame(
        gap=gap.astype(np.int64),
        start=start,
        end=end,
        cause=np.broadcast_to(np.asarray(cause, np.uint8), size),
        call=np.broadcast_to(np.asarray(call, np.int32), size),
        range=np.broadcast_to(np.asarray(range_, np.int64), size),
        thread=np.broadcast_to(np.asarray(thread, np.int32), size),
        by_midpoint=np.zeros(size, bool),
    )


def _joined(parts: list[Blame]) -> Blame:
    """All parts in one, by gap and time."""
    columns = {name: np.concatenate([getattr(p, name) for p in parts]) for name in Blame.__dataclass_fields__}
    order = np.lexsort((columns["start"], columns["gap"]))
    return Blame(**{name: values[order] for name, values in columns.items()})
