"""Where a rank's time goes, over all its devices, each instant counted once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis import accounts
from tui.analysis.busy import joint
from tui.analysis.index import Busy
from tui.intervals import Coverage, Pieces, inner_last, outermost, subtract
from tui.ranks.summary import State
from tui.ranks.summing.subject import Subject
from tui.report.columns import Int64, Positions

ADDENDS = ("compute", "exposed", "copies", "other", "unknown", "idle")
"""What a stretch of time is made of, as `StepColumns` calls it; of a rank without device work ``exposed``
alone is known."""


@dataclass(frozen=True)
class DeviceTime:
    """Each of these covers the one before, so that their differences add up to any stretch, exactly."""

    compute: Coverage
    kernels: Coverage
    cuda: Coverage
    shown: Coverage
    """And work of other APIs."""
    busy: Coverage
    """And what may have run unseen."""
    comm: Coverage

    def addends(self, low: Int64, high: Int64) -> dict[str, Int64]:
        """Return the addends of each ``[low, high)``, ns."""
        layers = [
            c.between(low, high) for c in (self.compute, self.kernels, self.cuda, self.shown, self.busy)
        ]
        edges = [np.zeros_like(low), *layers, high - low]
        return {name: edges[i + 1] - edges[i] for i, name in enumerate(ADDENDS)}

    def hidden(self, low: Int64, high: Int64) -> Int64:
        """Return how much communication compute covers in each ``[low, high)``, ns."""
        exposed = self.kernels.between(low, high) - self.compute.between(low, high)
        return self.comm.between(low, high) - exposed


def device_time(subject: Subject) -> DeviceTime:
    """The device time of a rank that has device work."""
    index, own = subject.index, (subject.process,)
    devices = subject.devices
    comm = communicating(subject)
    return DeviceTime(
        compute=joint([index.coverage(d, own, Busy.COMPUTE) for d in devices]),
        kernels=joint([index.coverage(d, own, Busy.KERNELS) for d in devices]),
        cuda=joint([index.coverage(d, own) for d in devices]),
        shown=joint([accounts.shown_work(index, d, own) for d in devices]),
        busy=joint([accounts.not_idle(index, d, own) for d in devices]),
        comm=Coverage(index.report.ops.start[comm], index.report.ops.end[comm]),
    )


def communicating(subject: Subject) -> Positions:
    """The communication kernels of a rank, positions in ``Report.ops`` by start."""
    return subject.ops[subject.index.communicates[subject.ops]]


@dataclass(frozen=True)
class HostTime:
    """What is known of a rank without device work: when its thread is in its steps, and when in MPI."""

    steps: Coverage
    mpi: Coverage
    recorded: bool
    """Whether the report holds any call of MPI: without, nobody knows how long a rank was in such calls."""


def host_time(subject: Subject) -> HostTime:
    """The time of the thread that has the steps."""
    calls = subject.index.mpi_calls
    mine = subject.mpi[calls.thread[subject.mpi] == subject.thread]
    mpi = Coverage(calls.start[mine], calls.end[mine])
    return HostTime(Coverage(*subject.bounds), mpi, len(calls.start) > 0)


def first_owns(start: Int64, end: Int64) -> Pieces:
    """Cut intervals so that each instant belongs to the one that began first; by start, disjoint."""
    order = inner_last(start, end)
    pieces = outermost(start[order], end[order])
    return Pieces(pieces.start, pieces.end, order[pieces.source])


def uncovered(pieces: Pieces, cover: Coverage) -> Pieces:
    """What of ``pieces`` lies outside ``cover``."""
    left = subtract((pieces.start, pieces.end), cover.spans)
    return Pieces(left.start, left.end, pieces.source[left.source])


def states(time: DeviceTime | HostTime, edges: Int64) -> Int64:
    """Return how long each state of :class:`State` lasts between consecutive ``edges``: (cells, states)."""
    low, high = edges[:-1], edges[1:]
    found = np.zeros((len(low), len(State)), np.int64)
    if isinstance(time, DeviceTime):
        parts = time.addends(low, high)
        found[:, State.COMPUTE], found[:, State.EXPOSED] = parts["compute"], parts["exposed"]
        found[:, State.COPIES] = parts["copies"]
        found[:, State.OTHER] = parts["other"] + parts["unknown"]
        found[:, State.IDLE] = parts["idle"]
        return found
    own = Coverage.of(*subtract(time.steps.spans, time.mpi.spans)[:2])
    found[:, State.COMPUTE], found[:, State.EXPOSED] = own.between(low, high), time.mpi.between(low, high)
    found[:, State.IDLE] = high - low - found.sum(axis=1)
    return found
