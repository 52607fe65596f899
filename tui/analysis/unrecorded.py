"""Work that was given to a device and that the export does not show: unknown time, which is not idle.

A call that launches a kernel or graph and owns no device row gave the device something to do: tracing was
off in a child process, another profiler held the device, a graph was not traced, rows were lost. From the
start of the call the device may be busy, until the program has waited for it, or until the next recorded op
that was launched later starts: what the call gave is done then, as far as anyone can tell.

A wait that ends long after all recorded work of its process hints at the same, and is told in a note: real
waits return within microseconds of the work that they wait for. Alone it proves nothing, since the host may
have been late to wake up.

Calls that failed, that were recorded into a graph instead of run, or that lie inside (or around) the call
that does own an op are no such calls. Ops without a launch are: where some follow a call, they may be its
work, so as many of the latest calls before them are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from tui.analysis.grouping import that_fit
from tui.analysis.index import Index, Processes
from tui.intervals import NEVER, Coverage, Spans, empty, overlaps, union
from tui.report.classify import base_api_name
from tui.report.columns import Bool, Int32, Int64, Positions, distinct_values
from tui.report.event_tables.ops import is_work
from tui.report.model import CallClass
from tui.text.numbers import plural

LAUNCHES = re.compile(r"cu(da)?(Launch(?!HostFunc)|GraphLaunch)")
"""Calls that give a device a kernel or a graph."""
_GRAPH_LAUNCH = re.compile(r"cu(da)?GraphLaunch")
_CAPTURE_BEGINS = re.compile(r"cu(da)?StreamBeginCapture")
_CAPTURE_ENDS = re.compile(r"cu(da)?StreamEndCapture")
_WAITS_FOR_DEVICE = re.compile(r"cudaDeviceSynchronize|cudaThreadSynchronize|cuCtxSynchronize")


TOLD_APART_NS = 100_000
"""Shorter holes beside unrecorded work are part of it: what ran there can't be told to a microsecond."""


LATE_RETURN_NS = 80_000
"""A wait that lasts this much longer than the work did not wait for that work: in captures of ten programs
the latest return came 61 us after it, nearly all within 25."""


@dataclass(frozen=True)
class Unrecorded:
    """Calls that gave a device work of which no row was recorded; all arrays have one entry a call."""

    call: Positions
    """Positions in ``Report.calls``, by start."""
    process: Int32
    device: Int32
    """Position in ``Report.devices``; -1: the export does not tell which."""
    until: Int64
    """When its work is done at the latest, ns; :data:`NEVER`: nothing tells."""
    is_graph: Bool

    def __len__(self) -> int:
        return len(self.call)

    def of(self, device: int, processes: Processes = None) -> Positions:
        """Which of them gave work to ``device`` (and are of the ``processes``)."""
        chosen: Bool = self.device == device
        if processes is not None:
            chosen = chosen & np.isin(self.process, processes)
        return np.flatnonzero(chosen)


@dataclass(frozen=True)
class Unseen:
    """Stretches of one device in which unrecorded work may have run, by start; arrays of one length."""

    start: Int64
    end: Int64
    launches: Int64
    """Calls without device rows that began in each."""
    graphs: Int64
    """Those of them that launched graphs."""

    def __len__(self) -> int:
        return len(self.start)

    def words(self, i: int) -> str:
        """``100 graph launches not recorded``."""
        return unrecorded_words(int(self.launches[i]), int(self.graphs[i]))


def unrecorded_words(launches: int, graphs: int) -> str:
    """What was not recorded, in words."""
    kind = "graph launch" if graphs == launches else "launch"
    return f"{plural(launches, kind)} not recorded"


def unseen_in(
    index: Index, device: int, processes: Processes, spans: Coverage, low: int, high: int
) -> Unseen:
    """The unknown stretches ``spans`` of a device inside ``[low, high)``, with what was launched in each."""
    inside = spans.cut(low, high)
    found = unrecorded(index)
    mine = found.of(device, processes)
    begun = index.report.calls.start[found.call[mine]]
    graphs = np.concatenate(([0], np.cumsum(found.is_graph[mine])))
    first, last = np.searchsorted(begun, inside.start, "left"), np.searchsorted(begun, inside.end, "left")
    return Unseen(inside.start, inside.end, last - first, graphs[last] - graphs[first])


@dataclass(frozen=True)
class LongWaits:
    """Waits that outlast all recorded work of their process; all arrays have one entry a wait."""

    call: Positions
    """Positions in ``Report.calls``, by start."""
    process: Int32
    since: Int64
    """When the recorded work was over, or the wait began, ns."""


def long_waits(index: Index) -> LongWaits:
    """All such waits of a report, found once."""
    return index.once(("account", "waits"), lambda: _find_waits(index))


def next_unrecorded(index: Index, device: int, processes: Processes, times: Int64) -> Int64:
    """The first such call on a device from each of ``times`` on: positions in ``Report.calls``, -1 none."""
    found = unrecorded(index)
    mine = found.call[found.of(device, processes)]
    at = np.searchsorted(index.report.calls.start[mine], times, "left")
    return np.append(mine, -1)[at].astype(np.int64)


def unrecorded(index: Index) -> Unrecorded:
    """All such calls of a report, found once."""
    return index.once(("account", "launches"), lambda: _find(index))


def unknown_spans(index: Index, device: int, processes: Processes, recorded: Coverage) -> Spans:
    """When a device may have done work that was not recorded: merged, outside of what was ``recorded``.

    Where less than :data:`TOLD_APART_NS` of nothing lies between such a stretch and other work, recorded or
    not, that belongs to it: a program that launches and waits in turn leaves microseconds between.
    """
    found = unrecorded(index)
    mine = found.of(device, processes)
    span = index.report.span
    if not len(mine) or span is None:
        return empty()
    maybe = union(index.report.calls.start[found.call[mine]], np.minimum(found.until[mine], span[1]))
    if not len(maybe.start):  # launches with which the capture ends
        return empty()
    holes = recorded.gaps(min(span[0], int(maybe.start[0])), span[1])
    parts = overlaps(holes, maybe)
    order = np.lexsort((parts.start, parts.left))
    begin, end, hole = parts.start[order], parts.end[order], parts.left[order]
    opens, closes = holes.start[hole], holes.end[hole]
    after_work, before_work = np.isin(opens, recorded.end), np.isin(closes, recorded.start)
    begin = np.where(after_work & (begin - opens < TOLD_APART_NS), opens, begin)
    end = np.where(before_work & (closes - end < TOLD_APART_NS), closes, end)
    near = (hole[1:] == hole[:-1]) & (begin[1:] - end[:-1] < TOLD_APART_NS)
    end[:-1][near] = begin[1:][near]
    return union(begin, end)


def launches_work(index: Index, calls: Positions, pattern: re.Pattern[str] = LAUNCHES) -> Bool:
    """For each of these calls, whether the pattern fits its name."""
    strings = index.report.strings
    return that_fit(
        index.report.calls.name[calls], lambda n: n >= 0 and bool(pattern.match(base_api_name(strings[n])))
    )


def _find(index: Index) -> Unrecorded:
    report = index.report
    calls = report.calls
    candidates = np.flatnonzero(
        (calls.call_class == CallClass.LAUNCH) & (calls.returned <= 0) & (calls.thread >= 0)
    )
    owning = np.zeros(len(calls), bool)
    owning[index.launches] = True
    candidates = candidates[launches_work(index, candidates)]
    candidates = candidates[~owning[candidates]]
    candidates = candidates[~_nested(index, candidates, owning)]
    candidates = candidates[~_captured(index, candidates)]
    process = index.process_of_thread[calls.thread[candidates]]
    keep = np.ones(len(candidates), bool)
    for one in distinct_values(process).tolist():
        mine = np.flatnonzero(process == one)
        keep[mine] = _without_ops(index, candidates[mine], one)
    candidates, process = candidates[keep], process[keep]
    device = _devices(index, candidates, process)
    return Unrecorded(
        candidates,
        process,
        device,
        _until(index, candidates, process, device),
        launches_work(index, candidates, _GRAPH_LAUNCH),
    )


def _find_waits(index: Index) -> LongWaits:
    ops, calls = index.report.ops, index.report.calls
    waits = np.flatnonzero(
        (calls.call_class == CallClass.SYNCHRONISATION) & (calls.returned <= 0) & (calls.thread >= 0)
    )
    waits = waits[calls.end[waits] - calls.start[waits] >= LATE_RETURN_NS]
    process = index.process_of_thread[calls.thread[waits]]
    since = np.full(len(waits), NEVER, np.int64)
    for one in distinct_values(process).tolist():
        own = ops.process == one
        mine = np.flatnonzero(process == one)
        reach = np.maximum.accumulate(ops.end[own]) if own.any() else np.zeros(0, np.int64)
        begun = np.searchsorted(ops.start[own], calls.end[waits[mine]], "left")
        some = begun > 0  # before its first op a process creates its context
        over = np.append(reach, 0)[np.maximum(begun - 1, 0)]
        since[mine] = np.where(some, np.maximum(over, calls.start[waits[mine]]), NEVER)
    late = calls.end[waits] - np.minimum(since, calls.end[waits]) >= LATE_RETURN_NS
    waits, process, since = waits[late], process[late], since[late]
    return LongWaits(waits, process, since)


def _nested(index: Index, candidates: Positions, owning: Bool) -> Bool:
    """Which calls lie inside another launch of their thread, or around one that owns an op."""
    calls = index.report.calls
    inside = np.zeros(len(candidates), bool)
    for thread in distinct_values(calls.thread[candidates]).tolist():
        asked = np.flatnonzero(calls.thread[candidates] == thread)
        start, end = calls.start[candidates[asked]], calls.end[candidates[asked]]
        owners = np.flatnonzero(owning & (calls.thread == thread))
        both = distinct_values(
            np.concatenate((owners, candidates[asked]))
        )  # by start; of two that start together by row
        reach = np.maximum.accumulate(calls.end[both])
        at = np.searchsorted(both, candidates[asked])
        inside[asked] = (at > 0) & (np.append(reach, 0)[at - 1] >= end)
        first = np.searchsorted(calls.start[owners], start, "left")
        closing = np.append(calls.end[owners], NEVER)[first]
        inside[asked] |= closing <= end
    return inside


def _captured(index: Index, candidates: Positions) -> Bool:
    """Which calls were made while their process recorded a graph: they run nothing by themselves."""
    calls = index.report.calls
    captured = np.zeros(len(candidates), bool)
    other = np.flatnonzero(calls.call_class == CallClass.OTHER)
    begins = other[launches_work(index, other, _CAPTURE_BEGINS)]
    if not len(begins):
        return captured
    ends = other[launches_work(index, other, _CAPTURE_ENDS)]
    process = index.process_of_thread
    for one in distinct_values(process[calls.thread[begins]]).tolist():
        begun = calls.start[begins[process[calls.thread[begins]] == one]]
        ended = np.append(calls.end[ends[process[calls.thread[ends]] == one]], NEVER)
        over = ended[np.searchsorted(ended, begun, "right")]
        mine = np.flatnonzero(process[calls.thread[candidates]] == one)
        at = np.searchsorted(begun, calls.start[candidates[mine]], "right") - 1
        reach = np.maximum.accumulate(over)
        captured[mine] = (at >= 0) & (calls.start[candidates[mine]] < np.append(reach, 0)[at])
    return captured


def _without_ops(index: Index, launches: Positions, process: int) -> Bool:
    """Which launches of one process remain when each op without a launch takes the latest one before it."""
    ops, calls = index.report.ops, index.report.calls
    stray = is_work(ops.kind) & (ops.launch < 0) & ((ops.process == process) | (ops.process < 0))
    begun = ops.start[stray]
    times = np.concatenate((calls.start[launches], begun))
    change = np.concatenate((np.ones(len(launches), np.int64), np.full(len(begun), -1, np.int64)))
    order = np.argsort(times, kind="stable")  # a call comes before an op of the same time
    depth = np.cumsum(change[order])
    depth -= np.minimum(np.minimum.accumulate(depth), 0)  # ops before any call take none
    later = np.minimum.accumulate(depth[::-1])[::-1]
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    at = place[: len(launches)]
    left: Bool = later[at] >= depth[at]
    return left


def _devices(index: Index, launches: Positions, process: Int32) -> Int32:
    """The device of each launch: that of its process, of several that of its thread's nearest launch.

    A process without any recorded op can only have used the device of the report, if that has just one.
    """
    report = index.report
    found = np.full(len(launches), -1, np.int32)
    working = [d.index for d in report.devices if d.ops]
    for one in distinct_values(process).tolist():
        mine = np.flatnonzero(process == one)
        used = [d for d in working if one in index.users[d]]
        if len(used) == 1 or (not used and len(working) == 1):
            found[mine] = (used or working)[0]
        elif used:
            found[mine] = _nearest_device(index, launches[mine], one)
    return found


def _nearest_device(index: Index, launches: Positions, process: int) -> Int32:
    """The device of the nearest recorded launch before (else after) each one, of its thread if it has any."""
    ops, calls = index.report.ops, index.report.calls
    own = np.flatnonzero((ops.process == process) & (ops.launch >= 0) & (ops.device >= 0))
    found = np.full(len(launches), -1, np.int32)
    for thread in distinct_values(calls.thread[launches]).tolist():
        asked = np.flatnonzero(calls.thread[launches] == thread)
        known = own[calls.thread[ops.launch[own]] == thread]
        known = known if len(known) else own
        if len(known):
            known = known[np.argsort(ops.launch[known], kind="stable")]
            at = np.searchsorted(ops.launch[known], launches[asked]) - 1
            found[asked] = ops.device[known[np.maximum(at, 0)]]
    return found


def _until(index: Index, launches: Positions, process: Int32, device: Int32) -> Int64:
    """When each launch's work is done at the latest."""
    ops, calls = index.report.ops, index.report.calls
    until = np.full(len(launches), NEVER, np.int64)
    waits = np.flatnonzero(calls.call_class == CallClass.SYNCHRONISATION)
    for_device = launches_work(index, waits, _WAITS_FOR_DEVICE)
    of_wait = index.process_of_thread[calls.thread[waits]]
    recorded = is_work(ops.kind)
    for one in distinct_values(process).tolist():
        mine = np.flatnonzero(process == one)
        own = of_wait == one
        _shorten(until, mine, calls.end[launches[mine]], calls.start, calls.end, waits[own & for_device])
        for thread in distinct_values(calls.thread[launches[mine]]).tolist():
            asked = mine[calls.thread[launches[mine]] == thread]
            here = waits[own & (calls.thread[waits] == thread)]
            _shorten(until, asked, calls.end[launches[asked]], calls.start, calls.end, here)
        for d in distinct_values(device[mine]).tolist():
            asked = mine[device[mine] == d]
            work = np.flatnonzero(recorded & (ops.process == one) & (ops.device == d))
            launched = index.launched_at(work)
            order = np.argsort(launched, kind="stable")
            _shorten(
                until, asked, calls.start[launches[asked]] + 1, launched[order], ops.start[work[order]],
                np.arange(len(work)),
            )  # fmt: skip
    return until


def _shorten(
    until: Int64, which: Positions, times: Int64, begin: Int64, over: Int64, among: Positions
) -> None:
    """Lower ``until`` of ``which`` to the least ``over`` of those ``among`` that begin at its time or later.

    ``begin`` of ``among`` is sorted.
    """
    least = np.append(np.minimum.accumulate(over[among][::-1])[::-1], NEVER)
    first = np.searchsorted(begin[among], times, "left")
    until[which] = np.minimum(until[which], least[first])
