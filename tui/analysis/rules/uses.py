"""What keeps a device busy, for each process on each device: its ops, and the profiler's own work among them.

CUDA's work and that of each graphics interface are looked at apart, as nsys does, and the profiler's own work
counts among that of CUDA only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tui.analysis.grouping import combined, group_rows
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.stats.lazy import OwnerIds
from tui.analysis.stats.select import host_rows, op_rows, take
from tui.intervals import Coverage, Spans
from tui.report.columns import NULL, Int64
from tui.report.model import Report

WORKLOADS = ("VULKAN_WORKLOAD", "OPENGL_WORKLOAD", "DX12_WORKLOAD")
"""Tables of graphics work, in nsys's order."""
CUDA = 0
"""The kind of work of CUDA; the graphics interfaces follow."""
OVERHEAD = "PROFILER_OVERHEAD"
STALLS = frozenset(
    {"CUDA profiling overhead", "CUDA profiling data flush overhead", "CUDA profiling stop overhead"}
)
"""The profiler's overheads that stop a device's work for CUDA; no user can avoid them."""


class Work(NamedTuple):
    """Work of one kind, one entry an op, those of one table in the order of the file."""

    start: Int64
    end: Int64
    pid: Int64
    device: Int64
    context: Int64  # NULL where none is recorded


@dataclass(frozen=True)
class Use:
    """The use of one device by one process; ``start``, ``end`` and ``context`` have one entry an op."""

    kind: int
    """Which kind of work, by position in :func:`kinds_of_work`."""
    pid: int
    device: int
    start: Int64
    end: Int64
    context: Int64
    stalls: Work

    @property
    def first(self) -> int:
        """When the first op starts."""
        return int(self.start.min())

    @property
    def last(self) -> int:
        """When the last op ends."""
        return int(self.end.max())

    @property
    def last_context(self) -> int:
        """The context of the op that ends last."""
        return int(self.context[np.argmax(self.end)])

    def busy(self) -> Coverage:
        """When the device works, or can't because of the profiler."""
        return Coverage(*(np.concatenate(pair) for pair in self._intervals()))

    def gaps(self) -> Spans:
        """When it does neither, between the first and the last op. An op without length parts a gap."""
        start, end = (np.concatenate(pair) for pair in self._intervals())
        order = np.argsort(start, kind="stable")
        reached, following = np.maximum.accumulate(end[order])[:-1], start[order][1:]
        idle = following > reached
        return Spans(reached[idle], following[idle])

    def context_before(self, times: Int64) -> Int64:
        """The context of what ended last at or before each of ``times``, before which something has."""
        _, (stall_ends, ends) = self._intervals()
        end = np.concatenate((stall_ends, ends))
        context = np.concatenate((np.full(len(stall_ends), self.last_context), self.context))
        order = np.argsort(end, kind="stable")
        found: Int64 = context[order[np.searchsorted(end[order], times, "right") - 1]]
        return found

    def _intervals(self) -> tuple[tuple[Int64, Int64], tuple[Int64, Int64]]:
        """Starts and ends of the stalls between the first and the last op, and of the ops."""
        stalls = self.stalls
        mine = (self.kind == CUDA) & (stalls.pid == self.pid)
        inside = mine & (stalls.start > self.first) & (stalls.end < self.last)
        return (stalls.start[inside], self.start), (stalls.end[inside], self.end)


def uses(index: Index, scope: Scope) -> list[Use]:
    """Return each process on each device in scope, by kind of work, pid and device number."""
    stalls = stalls_in(index.report)
    found: list[Use] = []
    for kind, work in enumerate(kinds_of_work(index.report, scope)):
        groups, first = combined(work.pid, work.device)
        for rows in group_rows(groups, len(first)):
            owner = int(work.pid[rows[0]]), int(work.device[rows[0]])
            found.append(Use(kind, *owner, work.start[rows], work.end[rows], work.context[rows], stalls))
    return found


def kinds_of_work(report: Report, scope: Scope) -> list[Work]:
    """Return the work in scope of CUDA and of each graphics interface."""
    return [cuda_work(report, scope), *(graphics_work(report, scope, table) for table in WORKLOADS)]


def cuda_work(report: Report, scope: Scope) -> Work:
    """Return kernels, copies, memsets and whole graphs."""
    ops, ids, rows = report.ops, OwnerIds(report), op_rows(report, scope)
    columns = (
        take(ops.start, rows),
        take(ops.end, rows),
        ids.process_pid[take(ops.process, rows)],
        ids.device[take(ops.device, rows)],
        take(ops.context, rows),
    )
    order = np.lexsort((take(ops.rowid, rows), take(ops.kind, rows)))
    return Work(*(column[order] for column in columns))


def graphics_work(report: Report, scope: Scope, table: str) -> Work:
    """Return the work of one graphics interface, as far as a thread and a GPU are recorded for it."""
    events = report.others.get(table)
    if events is None:
        return Work(*(np.zeros(0, np.int64) for _ in Work._fields))
    rows = np.arange(len(events))[host_rows(report, scope, events)]
    rows = rows[(events.thread[rows] >= 0) & (events.gpu[rows] != NULL)]
    if scope.devices is not None:
        rows = rows[np.isin(events.gpu[rows], [report.devices[i].cuda_id for i in scope.devices])]
    rows = rows[np.argsort(events.rowid[rows], kind="stable")]
    pid = OwnerIds(report).pid[events.thread[rows]]
    return Work(events.start[rows], events.end[rows], pid, events.gpu[rows], events.context[rows])


def stalls_in(report: Report) -> Work:
    """Return the profiler's overheads that stop the devices of a process; they have no device or context."""
    events = report.others.get(OVERHEAD)
    if events is None:
        return Work(*(np.zeros(0, np.int64) for _ in Work._fields))
    named = [i for i in np.unique(events.name).tolist() if i >= 0 and report.strings[i] in STALLS]
    rows = np.flatnonzero(np.isin(events.name, named) & (events.thread >= 0))
    nowhere = np.full(len(rows), NULL)
    pid = OwnerIds(report).pid[events.thread[rows]]
    return Work(events.start[rows], events.end[rows], pid, nowhere, nowhere)
