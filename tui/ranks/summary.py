"""What one report says of each of its ranks: all that sets of reports are judged and drawn by.

A rank is a process with device work or with steps. Times are those of the report, int64 ns; positions
(`name`, `label`, `call`, `phase`) point into :attr:`RankSummary.names`, -1 means none. A figure that the
report can't tell is None, never zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.report.columns import Bool, Int32, Int64, UInt8, UInt16

STRIP_BINS = 2048
"""How many bins a rank's strip has over the report's span."""


class State(IntEnum):
    """What a rank does at a moment; where several are true the first counts."""

    COMPUTE = 0
    """A kernel or graph runs that is no communication. Without device work: the host, inside a step and
    outside MPI calls."""
    EXPOSED = 1
    """Communication runs and no compute. Without device work: an MPI call."""
    COPIES = 2
    """A copy or memset runs and no kernel."""
    OTHER = 3
    """Work of another API runs, or something that was launched and not recorded."""
    IDLE = 4
    """Nothing runs."""


@dataclass(frozen=True)
class StepColumns:
    """The steps of one rank, by start; one entry a step.

    The addends are clipped to the step on the device's clock, each instant counted once over all devices of
    the rank: compute + exposed + copies + other + unknown + idle = end - start, exactly. All are None where
    the rank has no device work; then ``exposed`` alone is known, as the time of the step's thread in calls of
    MPI that communicate, and not even that where the report holds no calls of MPI.
    """

    number: Int64
    """1 for the first step of the process."""
    label: Int32
    """The recorded name of the range."""
    start: Int64
    end: Int64
    unfinished: Bool
    compute: Int64 | None
    exposed: Int64 | None
    """Communication that no compute covers."""
    copies: Int64 | None
    """Copies and memsets that no kernel covers."""
    other: Int64 | None
    unknown: Int64 | None
    idle: Int64 | None
    hidden: Int64 | None
    """Communication that compute covers; in no sum."""
    kernels: Int64 | None
    launches: Int64 | None
    class_ns: Int64 | None
    """Shape (steps, classes): summed kernel time by `KernelClass`, in its order, of the kernels that start in
    the step. No union: kernels side by side count each."""

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True)
class Collectives:
    """The communication operations of one rank, by start: device kernels, or host calls of MPI.

    Several kernels of one operation are several rows here; matching puts them together.
    """

    start: Int64
    end: Int64
    name: Int32
    """The kernel's or call's own name."""
    lane: Int32
    """Position in :attr:`RankSummary.lanes`."""
    communicator: Int64
    """What the export calls its communicator; -1 not recorded. Of a call of MPI its handle, which is an
    address: it tells the communicators of this rank apart, and says nothing on another."""
    sequence: Int64
    """Number of the operation in its communicator, equal on all ranks; -1 not recorded."""
    bytes: Int64
    """Payload of this rank; -1 not recorded."""
    step: Int32
    """Position in the rank's steps of the step that launched it (that holds its start, where no launch is
    recorded); -1 outside steps."""
    peer: Int32 | None = None
    """Rank, in the communicator, of the root of an operation that has one, or of the partner of a message; -1
    not recorded. None: recorded of none."""
    size: Int32 | None = None
    """How many ranks its communicator has; -1 not recorded. None: recorded of none."""
    parts: Int32 | None = None
    """How many operations a kernel carries out together; -1 not recorded. None: recorded of none."""

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True)
class CommLane:
    """One stream of a device, or one thread of the host, on which a rank communicates."""

    host: bool
    """True: MPI calls of a thread; False: kernels on a stream."""
    device: int
    """The device's number in the report; of a thread -1."""
    stream: int
    """The stream's id; of a thread its tid."""


@dataclass(frozen=True)
class ExposedPieces:
    """The parts of communication that compute does not cover, by start; disjoint.

    Where several operations overlap, the piece belongs to the one that began first.
    """

    start: Int64
    end: Int64
    collective: Int32
    """Position in the rank's collectives."""

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True)
class KernelRows:
    """Kernels by class and whole name, most time first; at most 512 names, then one row a class for the rest.

    ``calls``, ``total`` and so on are of the whole report; ``step_calls`` and ``step_total`` of the kernels
    that start in steady steps: finished ones after the warm-up.
    """

    name: Int32
    """-1: the rest of the class."""
    kernel_class: UInt8
    """Position in `KernelClass`, in its order."""
    calls: Int64
    total: Int64
    shortest: Int64
    longest: Int64
    squares: NDArray[np.float64]
    """Sum of squared durations."""
    buckets: Int64
    """Shape (rows, 64): how many durations lie in [2^k, 2^(k+1)); those of 0 ns are in the first."""
    step_calls: Int64
    step_total: Int64
    label: Int32 | None = None
    """Of the innermost range in which most of them were launched, of equally many the first; -1 none."""

    def __len__(self) -> int:
        return len(self.name)


@dataclass(frozen=True)
class BlameRows:
    """Why the rank was idle in its steps: parts by step, class, call and phase; their sum over a step is its
    ``idle``. At most 128 reasons, the rest is `UNKNOWN` with call and phase -1.
    """

    step: Int32
    cause: UInt8
    """`BlameClass`."""
    call: Int32
    phase: Int32
    ns: Int64

    def __len__(self) -> int:
        return len(self.step)


@dataclass(frozen=True)
class PhaseRows:
    """What each step's phases took: ranges just inside the step, by label, on the step's thread."""

    step: Int32
    phase: Int32
    host_ns: Int64
    """Time of the thread in ranges of that label."""
    mpi_ns: Int64
    """The part of it in MPI calls."""
    device_ns: Int64
    """Summed time of the kernels, copies and memsets launched there, whenever they ran."""

    def __len__(self) -> int:
        return len(self.step)


@dataclass(frozen=True)
class DeviceFacts:
    """One GPU of a rank, in a JSON of its own."""

    number: int
    name: str | None
    uuid: str | None
    bus: str | None
    useful_ns: int
    """Compute in the rank's window."""
    active_ns: int
    """Any op in the rank's window."""


@dataclass(frozen=True)
class RankSummary:
    """One rank of a report."""

    process: int
    """Position in `Report.processes`."""
    pid: int
    process_name: str | None
    devices: tuple[DeviceFacts, ...]
    host_only: bool
    """True: it has steps and no device work; device figures are unknown."""
    window: tuple[int, int]
    """First device op or step to the last, of this process."""
    totals: Mapping[str, int | None]
    """The addends of :class:`StepColumns` over the window, by their names there, and `memory_peak`: bytes."""
    step_name: str | None
    warm_up: int
    """How many leading steps are warm-up: outliers at the start, at most a tenth of the steps."""
    names: tuple[str, ...]
    lanes: tuple[CommLane, ...]
    steps: StepColumns
    collectives: Collectives
    pieces: ExposedPieces
    kernels: KernelRows
    blame: BlameRows
    phases: PhaseRows
    strip: UInt16
    """Shape (STRIP_BINS, 5): the share of each :class:`State` in each bin of the report's span, 65535 = 1.
    All zero: nothing was recorded of this rank there."""

    @cached_property
    def steady(self) -> Bool:
        """Which steps count in medians: finished, after the warm-up."""
        steady: Bool = ~self.steps.unfinished
        steady[: self.warm_up] = False
        return steady


@dataclass(frozen=True)
class ReportSummary:
    """What a set keeps of one report."""

    key: str
    """Names the report's content: equal keys are the same file."""
    span: tuple[int, int] | None
    identity: Mapping[str, Any]
    """What the export says of its host, launcher and clocks: see `tui.ranks.identity`."""
    versions: Mapping[str, str | None]
    """`nsys` and `schema`."""
    doubtful: int
    """Rows that are in no figure."""
    notes: tuple[str, ...]
    tables: tuple[str, ...]
    """The tables that have rows."""
    ranks: tuple[RankSummary, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    """What it was made with: `comm`, `step`."""
