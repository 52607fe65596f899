"""What explains a gap: which thread ended it, and what that thread did before.

*By owner*: the op that ends the gap leads to its launch, and the launch to the thread. Where the launch
began after the gap did, the host was late, and the time up to the launch is split by what the thread
was doing: what the profiler or CUDA's driver did beside its calls, else a CUDA call, else an MPI call, else
an OS call, else a wait for Python's lock (GIL), else host code; the rest is launch latency, but for what of
the profiler and the driver went on in the launch. Where the launch was in progress when the gap began, all of
the gap is launch latency, in the same way; where it had returned, the op was queued behind earlier work, an
event or the graph. A gap that no later op ends has no owner; one whose op has no recorded launch is explained
by the midpoint rule. A gap that ends where work begins of which nothing but the launch was recorded is
explained by that launch; one that ends with work of another API is not explained.

Where the GPU's context switches were recorded, what is put down to the device's own side (launch latency,
queued), guessed by the midpoint rule or unknown is *other context* while another process's context was on.

*By midpoint*: the CUDA call, of any thread, in progress at the middle of the gap. This is the classic
heuristic, for comparison.

When several ops end a gap by starting at one instant, the owner is the one whose launch began first
(an op with a recorded launch before one without): the earliest attempt to give the device work.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum, IntEnum

import numpy as np
from numpy.typing import NDArray

from tui.analysis.accounts import unknown
from tui.analysis.contexts.blame_parts import elsewhere_pieces
from tui.analysis.gaps import DeviceGaps
from tui.analysis.index import Doing, Index
from tui.analysis.library_calls import library_cuts
from tui.analysis.overhead import OverheadKind
from tui.analysis.phases import phase_of_calls
from tui.analysis.unrecorded import next_unrecorded
from tui.intervals import NEVER, expand, lookup, overlaps, split, subtract, union
from tui.report.columns import Int32, Int64, Positions, UInt8, distinct_values

HOST_CODE_MEANS = "CPU time between traced calls"
"""What "host code" means, where it first stands in a text."""


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
    MPI_CALL = 11
    HOST_CODE_OFF_CPU = 12
    """Host code during which the thread did not run: only where host code is divided on request."""
    PROFILER_OVERHEAD = 13
    JIT_COMPILATION = 14
    MODULE_LOAD = 15
    GIL = 16
    OTHER_CONTEXT = 17
    """The GPU worked for another process, as its records of context switches say."""

    @property
    def words(self) -> str:
        """As people and JSON read it: ``memory management``, ``other CUDA call``, ``MPI call``."""
        if self is BlameClass.HOST_CODE_OFF_CPU:
            return "host code, off CPU"
        return _ABBREVIATION.sub(lambda found: found[0].upper(), self.name.replace("_", " ").lower())


_ABBREVIATION = re.compile(r"\b(cuda|gil|jit|mpi|os)\b")
_OVERHEAD = {
    OverheadKind.PROFILER: BlameClass.PROFILER_OVERHEAD,
    OverheadKind.JIT_COMPILATION: BlameClass.JIT_COMPILATION,
    OverheadKind.MODULE_LOAD: BlameClass.MODULE_LOAD,
    OverheadKind.COMMAND_BUFFER_FULL: BlameClass.LAUNCH,  # more is launched than the queue takes
}
BESIDE_CALLS = (BlameClass.PROFILER_OVERHEAD, BlameClass.JIT_COMPILATION, BlameClass.MODULE_LOAD)
"""Classes of what went on beside what the program asked for; the call is what the export calls it."""


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
    """Name of the CUDA, MPI or OS call, or of the overhead, a position in ``Report.strings``; -1 none."""
    range: Int64
    """The innermost NVTX range at the time, a position in ``Report.ranges``; -1 none."""
    thread: Int32
    """The responsible thread, a position in ``Report.threads``; -1 unknown."""
    by_midpoint: NDArray[np.bool_]
    """True where the midpoint rule decided."""

    def __len__(self) -> int:
        return len(self.gap)

    @property
    def ns(self) -> Int64:
        return self.end - self.start

    def part(self, rows: Positions) -> Blame:
        """Some of the parts."""
        return Blame(**{name: getattr(self, name)[rows] for name in Blame.__dataclass_fields__})


def find_blame(
    index: Index, gaps: DeviceGaps, method: BlameMethod = BlameMethod.OWNER, *, ranges: bool = True
) -> Blame:
    """Explain every gap of one device. Without ``ranges`` no phases are found, which is quicker."""
    if method is BlameMethod.MIDPOINT:
        launch = lookup(index.report.ops.launch, closing_ops(index, gaps))
        return _midpoint(index, gaps, np.arange(len(gaps)), lookup(index.report.calls.thread, launch))
    return _owner(index, gaps, ranges)


def no_blame() -> Blame:
    """Return a blame that explains nothing, for a report whose host tables are not read yet."""
    none = np.zeros(0, np.int64)
    return _parts(none, none, none, BlameClass.UNKNOWN)


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
    fits = index.op_mask(op, gaps.device.index, gaps.processes, gaps.busy)
    fits &= ops.end[op] > ops.start[op]
    gap, op = gap[fits], op[fits]
    launch = ops.launch[op]
    begun = np.full(len(op), NEVER, np.int64)
    begun[launch >= 0] = index.report.calls.start[launch[launch >= 0]]
    order = np.lexsort((op, begun, gap))
    gap, op = gap[order], op[order]
    closing = np.full(len(gaps), -1, np.int64)
    closing[gap[::-1]] = op[::-1]  # backwards, so that the first op of each gap is written last
    return closing


def _owner(index: Index, gaps: DeviceGaps, ranges: bool) -> Blame:
    calls = index.report.calls
    closing = closing_ops(index, gaps)
    launch = lookup(index.report.ops.launch, closing)
    known = lookup(calls.thread, launch) >= 0
    owned = np.flatnonzero(known)
    call = launch[owned]
    begun, returned, thread = calls.start[call], calls.end[call], calls.thread[call]
    start, end = gaps.start[owned], gaps.end[owned]
    late = begun > gaps.since[owned]
    turn = np.clip(begun, start, end)  # up to here the host is responsible, from here on its launch
    queued = ~late & (returned <= gaps.since[owned])

    launching = np.flatnonzero(~late | (end > turn))
    own_launch = _parts(
        gap=owned[launching],
        start=np.where(late, turn, start)[launching],
        end=end[launching],
        cause=np.where(queued, BlameClass.QUEUED, BlameClass.LAUNCH_LATENCY)[launching],
        call=calls.name[call[launching]],
        range_=phase_of_calls(index, call[launching]) if ranges else -1,
        thread=thread[launching],
    )
    host_late = np.flatnonzero(late & (turn > start))
    parts = _with_overhead(index, own_launch, np.where(queued, start, np.minimum(returned, end))[launching])
    for t in distinct_values(thread[host_late]).tolist():
        mine = host_late[thread[host_late] == t]
        parts.append(_host_parts(index, t, owned[mine], start[mine], turn[mine], ranges))

    unlaunched = np.flatnonzero(~known & (closing >= 0))
    if len(unlaunched):
        parts.append(_midpoint(index, gaps, unlaunched, np.full(len(gaps), -1), closing))
    last = np.flatnonzero((closing < 0) & (gaps.until == NEVER))
    parts.append(_parts(last, gaps.start[last], gaps.end[last], BlameClass.NO_LATER_WORK))
    parts += _before_unseen_work(index, gaps, np.flatnonzero((closing < 0) & (gaps.until != NEVER)), ranges)
    return _beside_contexts(index, gaps, _joined(parts))


def _beside_contexts(index: Index, gaps: DeviceGaps, blame: Blame) -> Blame:
    """Tell apart the time of the device's own side, and what is not known, while it worked for others."""
    own = np.isin(blame.cause, (BlameClass.LAUNCH_LATENCY, BlameClass.QUEUED, BlameClass.UNKNOWN))
    which = np.flatnonzero(own | blame.by_midpoint)
    found = elsewhere_pieces(index, gaps, blame.start, blame.end, which)
    if found is None:
        return blame
    pieces, other = found
    of = np.concatenate(
        (np.setdiff1d(np.arange(len(blame)), which, assume_unique=True), which[pieces.source])
    )
    kept = len(of) - len(other)
    columns = {name: getattr(blame, name)[of] for name in Blame.__dataclass_fields__}
    elsewhere = np.append(np.zeros(kept, bool), other)
    columns["start"] = np.append(columns["start"][:kept], pieces.start)
    columns["end"] = np.append(columns["end"][:kept], pieces.end)
    columns["cause"] = np.where(elsewhere, np.uint8(BlameClass.OTHER_CONTEXT), columns["cause"])
    columns["call"] = np.where(elsewhere, np.int32(-1), columns["call"])
    columns["by_midpoint"] = columns["by_midpoint"] & ~elsewhere
    order = np.lexsort((columns["start"], columns["gap"]))
    return Blame(**{name: values[order] for name, values in columns.items()})


def _with_overhead(index: Index, launches: Blame, until: Int64) -> list[Blame]:
    """Divide what is put down to launches by the overhead in their calls, which ended ``until`` then."""
    divided = np.zeros(len(launches), bool)
    parts: list[Blame] = []
    for t in distinct_values(launches.thread[np.isin(launches.thread, index.overhead.thread)]).tolist():
        mine = np.flatnonzero((launches.thread == t) & (launches.start < until))
        activity = index.activity(t)
        own = activity.doing == Doing.OVERHEAD
        beside = activity.start[own], activity.end[own]
        found = overlaps((launches.start[mine], until[mine]), beside)
        if not len(found.left):
            continue
        hit = mine[distinct_values(found.left)]
        divided[hit] = True
        cause, call = _describe(index, activity.source[own][found.right], activity.doing[own][found.right])
        inside = launches.part(mine[found.left])
        parts.append(replace(inside, start=found.start, end=found.end, cause=cause, call=call))
        # Gaps are disjoint, and so is what lies in them.
        left = subtract((launches.start[hit], launches.end[hit]), union(found.start, found.end))
        parts.append(replace(launches.part(hit[left.source]), start=left.start, end=left.end))
    return [launches.part(np.flatnonzero(~divided)), *parts]


def _before_unseen_work(index: Index, gaps: DeviceGaps, which: Positions, ranges: bool) -> list[Blame]:
    """Explain gaps that no recorded op ends: the thread of the launch that does was late."""
    if not len(which):
        return []
    device, processes = gaps.device.index, gaps.processes
    start, end, until = gaps.start[which], gaps.end[which], gaps.until[which]
    at = np.searchsorted((unseen := unknown(index, device, processes)).start, until)
    opened = np.append(unseen.start, NEVER)[at] == until
    call = np.where(opened, next_unrecorded(index, device, processes, until), -1)
    thread = lookup(index.report.calls.thread, call)
    foreign = np.flatnonzero(thread < 0)
    parts = [_parts(which[foreign], start[foreign], end[foreign], BlameClass.UNKNOWN)]
    for t in distinct_values(thread[thread >= 0]).tolist():
        mine = np.flatnonzero(thread == t)
        parts.append(_host_parts(index, t, which[mine], start[mine], end[mine], ranges))
    return parts


def _host_parts(index: Index, thread: int, gap: Int64, start: Int64, end: Int64, ranges: bool) -> Blame:
    """Split stretches of one thread's time by what it was doing and in which range."""
    activity = index.activity(thread)
    busy = overlaps((start, end), (activity.start, activity.end))
    idle = subtract((start, end), (activity.start, activity.end))
    source = np.concatenate((activity.source[busy.right], np.full(len(idle.start), -1, np.int32)))
    doing = np.concatenate((activity.doing[busy.right], np.full(len(idle.start), Doing.HOST_CODE, np.uint8)))
    owner = np.concatenate((busy.left, idle.source))
    pieces = split(
        np.concatenate((busy.start, idle.start)),
        np.concatenate((busy.end, idle.end)),
        _cuts(index, thread) if ranges else np.zeros(0, np.int64),
    )
    owner = owner[pieces.source]
    cause, call = _describe(index, source[pieces.source], doing[pieces.source])
    return _parts(
        gap=gap[owner],
        start=pieces.start,
        end=pieces.end,
        cause=cause,
        call=call,
        range_=index.range_at(pieces.start, thread) if ranges else -1,
        thread=thread,
    )


def _cuts(index: Index, thread: int) -> Int64:
    """The times at which the phase of a thread may change, sorted."""
    ranges, libraries = index.range_cuts(thread), library_cuts(index, thread)
    return distinct_values(np.concatenate((ranges, libraries))) if len(libraries) else ranges


def _describe(index: Index, source: Int32, doing: UInt8) -> tuple[UInt8, Int32]:
    """(cause, name of the call) of what a thread was doing: see :class:`Activity`."""
    report = index.report
    cause = np.full(len(source), BlameClass.HOST_CODE, np.uint8)
    name = np.full(len(source), -1, np.int32)
    cuda = doing == Doing.CUDA_CALL
    cause[cuda] = report.calls.call_class[source[cuda]]
    name[cuda] = report.calls.name[source[cuda]]
    for kind, meaning in ((Doing.MPI_CALL, BlameClass.MPI_CALL), (Doing.OS_CALL, BlameClass.OS_CALL)):
        if (mine := doing == kind).any():
            calls = index.mpi_calls if kind is Doing.MPI_CALL else report.os_calls
            cause[mine] = meaning
            name[mine] = calls.name[source[mine]]
    if (mine := doing == Doing.OVERHEAD).any():
        beside = index.overhead
        at = source[mine]
        meant = np.zeros(len(OverheadKind), np.uint8)
        meant[list(_OVERHEAD)] = list(_OVERHEAD.values())
        cause[mine], name[mine] = meant[beside.kind[at]], beside.name[at]
    cause[doing == Doing.GIL] = BlameClass.GIL
    if len(report.calls) == 0:  # no call was traced, so that having none proves nothing
        cause[doing == Doing.HOST_CODE] = BlameClass.UNKNOWN
    return cause, name


def _midpoint(
    index: Index, gaps: DeviceGaps, which: Positions, threads: Int64, closing: Int64 | None = None
) -> Blame:
    """Blame whole gaps on the call in progress at their middle, of several the first in the file.

    With ``closing`` only calls of the process of the op that ends the gap count. Where there is no
    call, the range is that of ``threads``.
    """
    report = index.report
    start, end = gaps.start[which], gaps.end[which]
    half = end - start
    middle, middle_up = start + half // 2, start + (half + 1) // 2
    question, call = index.all_calls.all_holding(middle, middle_up)
    if closing is not None:
        process = index.process_of_thread[report.calls.thread[call]]
        mine = process == report.ops.process[closing[which]][question]
        question, call = question[mine], call[mine]
    order = np.lexsort((report.calls.rowid[call], question))
    source = np.full(len(which), -1, np.int32)
    source[question[order][::-1]] = call[order][::-1]
    found = source >= 0
    doing = np.where(found, Doing.CUDA_CALL, Doing.HOST_CODE).astype(np.uint8)
    cause, name = _describe(index, source, doing)
    thread = threads[which].copy()
    thread[found] = report.calls.thread[source[found]]
    parts = _parts(which, start, end, cause, name, index.range_at(middle, thread), thread)
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
