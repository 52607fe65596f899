"""Whose contexts those on a device are, and when a device worked for another process.

A context belongs to the process that the export names. Context switches are recorded by the machine, which
may number processes in another way than the container that they ran in: then the contexts of the number in
which a process's kernels ran are its own. Where kernels ran while their process had no context on the
device, the records are wrong or mean something else: nothing is claimed of the device.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.contexts.spans import ContextSpans, context_spans, gpus_with_contexts
from tui.analysis.index import Busy, Index, Processes
from tui.intervals import Coverage, Spans, overlap_length
from tui.report.columns import NULL, Bool, Positions
from tui.report.importing.global_ids import pid_of

_INSIDE = 0.9
"""The share of a process's kernel time that must lie in contexts that are taken for its own."""
_CUT = 0.1
"""The share of contexts that may lack an end."""


@dataclass(frozen=True)
class DeviceContexts:
    """The contexts on one device."""

    spans: ContextSpans
    owner: tuple[int, ...]
    """Of each span the process, a position in ``Report.processes``; -1: another process, or unknown."""
    reliable: bool
    """Whether kernels ran in their own processes' contexts."""
    note: str | None = None
    """What was assumed, or why nothing is claimed."""

    def others(self, ours: frozenset[int]) -> Coverage:
        """When a context of a known process that is none of ``ours`` was on; nothing unless reliable."""
        mine = np.isin(self.owner, list(ours))
        foreign = ~mine & (self.spans.process != NULL)
        if not self.reliable or not len(self.spans):
            foreign = np.zeros(len(self.spans), bool)
        return Coverage(self.spans.start[foreign], self.spans.end[foreign])


def device_contexts(index: Index, device: int) -> DeviceContexts | None:
    """The contexts on a device; None: its context switches were not captured."""
    return index.once(("device contexts", device), lambda: _find(index, device))


def _find(index: Index, device: int) -> DeviceContexts | None:
    every = context_spans(index)
    number = _gpu_number(index, device)
    spans = every.of(np.flatnonzero(every.gpu == number)) if number is not None else None
    if spans is None or not len(spans):
        return None
    owner, note = _owners(index, device, spans)
    cut = every.cut > _CUT * len(every)
    fits = all(
        _share_inside(index, device, process, spans, owner == process) >= _INSIDE
        for process in index.users[device]
        if process >= 0
    )
    if cut:
        note = "contexts come on before others are saved: what ran beside what is unknown"
    elif not fits:
        note = "kernels ran while their process had no context on the GPU: nothing is claimed of contexts"
    return DeviceContexts(spans, tuple(owner.tolist()), fits and not cut, note)


def _gpu_number(index: Index, device: int) -> int | None:
    """The number of a device in the records of context switches; None: it is in none."""
    numbers: list[int] = gpus_with_contexts(index).tolist()
    gpu = index.report.devices[device].gpu_id
    if gpu is not None:
        return gpu if gpu in numbers else None
    if len(numbers) == 1 and len(index.report.devices) == 1:
        return numbers[0]
    number = index.report.devices[device].cuda_id  # assumed; kernels outside their contexts refute it
    return number if number in numbers else None


def _owners(index: Index, device: int, spans: ContextSpans) -> tuple[Positions, str | None]:
    """(the process of each span, what was assumed)."""
    report = index.report
    pids = {process.pid: process.index for process in report.processes}
    known, of = np.unique(spans.process, return_inverse=True)
    numbers = [-1 if one == NULL else pid_of(one) for one in known.tolist()]
    named = np.array([pids.get(number, -1) for number in numbers], np.intp)
    users = [process for process in index.users[device] if process >= 0]
    missing = [process for process in users if process not in named.tolist()]
    note = None
    for process in missing:
        shares = [
            _share_inside(index, device, process, spans, of.reshape(-1) == at) if named[at] < 0 else 0.0
            for at in range(len(known))
        ]
        best = int(np.argmax(shares))
        if shares[best] >= _INSIDE:  # contexts of one device are disjoint: no other has as much
            named[best] = process
            note = (
                f"process {report.processes[process].pid} is called {numbers[best]} in the records of "
                "context switches: its kernels ran in that one's contexts"
            )
    return named[of.reshape(-1)], note


def _share_inside(index: Index, device: int, process: int, spans: ContextSpans, which: Bool) -> float:
    """The share of a process's kernel time on a device in which some contexts were on; 1 without kernels."""
    running = index.coverage(device, (process,), Busy.KERNELS)
    if not running.total:
        return 1.0
    on = Coverage(spans.start[which], spans.end[which])
    return overlap_length(running.spans, on.spans) / running.total


def elsewhere(index: Index, device: int, processes: Processes = None) -> Coverage | None:
    """When a device worked for a process that is none of ``processes`` (None: of those that use it).

    None: unknown, for context switches were not captured or can't be trusted.
    """
    found = device_contexts(index, device)
    if found is None or not found.reliable:
        return None
    ours = frozenset(index.users[device] if processes is None else processes)
    return index.once(("elsewhere", device, ours), lambda: found.others(ours))


def idle_elsewhere(index: Index, device: int, idle: Spans, processes: Processes = None) -> int | None:
    """How much of some idle time of a device another process's context was on; None: unknown."""
    other = elsewhere(index, device, processes)
    return None if other is None else overlap_length(idle, other.spans)
