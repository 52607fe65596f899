"""What a rank communicates: device kernels and calls of MPI, and the parts that no compute covers."""

from __future__ import annotations

import numpy as np

from tui.analysis.grouping import combined
from tui.analysis.mpi_calls import MpiArguments, mpi_arguments
from tui.analysis.nccl.kernels import carried, payloads_of
from tui.intervals import Coverage
from tui.ranks.summary import Collectives, CommLane, ExposedPieces
from tui.ranks.summing.accounts import DeviceTime, HostTime, communicating, first_owns, uncovered
from tui.ranks.summing.subject import Subject
from tui.report.columns import NULL, Int32, Int64


def collectives(subject: Subject) -> tuple[Collectives, tuple[CommLane, ...]]:
    """The communication of a rank by start, and the streams and threads that it is on."""
    index = subject.index
    report = index.report
    ops, calls, strings = report.ops, index.mpi_calls, report.strings
    kernels, mpi = communicating(subject), subject.mpi
    numbers = np.array([d.cuda_id for d in report.devices], np.int64)
    tids = np.array([t.tid for t in report.threads], np.int64)
    host = np.append(np.zeros(len(kernels), np.int64), np.ones(len(mpi), np.int64))
    device = np.append(_at(numbers, ops.device[kernels]), np.full(len(mpi), -1))
    stream = np.append(ops.stream[kernels], _at(tids, calls.thread[mpi]))
    start = np.append(ops.start[kernels], calls.start[mpi])
    order = np.argsort(start, kind="stable")
    lane, first = combined(host, device, stream)
    lanes = tuple(CommLane(bool(host[row]), int(device[row]), int(stream[row])) for row in first.tolist())
    name = np.append(ops.name[kernels], calls.name[mpi])[order]
    asked = np.append(index.launched_at(kernels), calls.start[mpi])[order]
    none = np.full(len(start), -1, np.int64)
    given = MpiArguments(none, none, none)
    if len(mpi):
        given = index.once("mpi arguments", lambda: mpi_arguments(report, calls))
    carries = carried(index, kernels)

    def joined(of_kernels: Int64, of_calls: Int64 | None = None) -> Int64:
        of_calls = none[: len(mpi)] if of_calls is None else of_calls
        return np.append(np.where(of_kernels == NULL, -1, of_kernels), of_calls)[order]

    found = Collectives(
        start=start[order],
        end=np.append(ops.end[kernels], calls.end[mpi])[order],
        name=subject.names.of(name, lambda n: strings[n] if n >= 0 else None),
        lane=lane[order].astype(np.int32),
        communicator=joined(carries.communicator, given.communicator[mpi]),
        sequence=joined(carries.sequence),
        bytes=joined(payloads_of(index, carries), given.size[mpi]),
        step=subject.step_of(asked),
        peer=_small(joined(carries.root, given.peer[mpi])),
        size=_small(joined(carries.ranks)),
        parts=_small(joined(carries.operations)),
    )
    return found, lanes


def _small(values: Int64) -> Int32 | None:
    """Small numbers, -1 for unknown; None where all are."""
    values = np.where(values > np.iinfo(np.int32).max, -1, values)
    return values.astype(np.int32) if (values >= 0).any() else None


def _at(values: Int64, where: np.typing.NDArray[np.int32]) -> Int64:
    return values[where] if len(where) else np.zeros(0, np.int64)


def exposed_pieces(
    subject: Subject, time: DeviceTime | HostTime, rows: Collectives, lanes: tuple[CommLane, ...]
) -> ExposedPieces:
    """The parts of the rank's communication that count as exposed: of its kernels what no compute covers.

    Without device work: the MPI calls of the thread that has the steps.
    """
    on_host = np.array([lane.host for lane in lanes], bool)
    if isinstance(time, DeviceTime):
        chosen = ~on_host
        cover = time.compute
    else:
        thread = subject.index.report.threads[subject.thread].tid if subject.thread >= 0 else -1
        chosen = on_host & np.array([lane.stream == thread for lane in lanes], bool)
        cover = Coverage([], [])
    mine = np.flatnonzero(chosen[rows.lane]) if len(rows) else np.zeros(0, np.intp)
    left = uncovered(first_owns(rows.start[mine], rows.end[mine]), cover)
    return ExposedPieces(left.start, left.end, mine[left.source].astype(np.int32))
