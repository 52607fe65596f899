"""What several analyses need of one report, computed once: merged busy time, and what threads did when."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from enum import Enum, IntEnum
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from tui.analysis.gil import GilWaits, find_gil_waits, gil_ranges, lock_calls
from tui.analysis.links import Links
from tui.analysis.mpi_calls import MpiCalls, find_mpi_calls
from tui.analysis.overhead import Overhead, OverheadKind, find_overhead
from tui.intervals import (
    Coverage,
    Pieces,
    Spans,
    Stabber,
    inner_last,
    lookup,
    outermost,
    subtract,
    union,
    union_of_blocks,
)
from tui.report.columns import Bool, Int32, Int64, Positions, UInt8, distinct_values
from tui.report.model import OpKind, RangeStyle, Report, Strings
from tui.text.labels import label

T = TypeVar("T")
Processes = tuple[int, ...] | None

_BLOCK = 1 << 18
"""How many ops are merged at a time."""


class Busy(Enum):
    """What makes a device count as busy."""

    ALL = "all"
    """Any op: kernels, graphs, copies, memsets."""
    KERNELS = "kernels"
    """Kernels and graphs only."""
    COMPUTE = "compute"
    """Kernels and graphs that are no communication."""

    @property
    def kinds(self) -> tuple[OpKind, ...]:
        """The kinds of ops that count."""
        return tuple(OpKind) if self is Busy.ALL else _KERNELS


_KERNELS = (OpKind.KERNEL, OpKind.GRAPH)
_COPIES = (OpKind.MEMCPY, OpKind.MEMSET)


class Comm(Enum):
    """Which kernels are communication."""

    CLASS = "class"
    """Those of the class table: collectives of all libraries, expert dispatch, fused all-reduces."""
    NCCL = "nccl"
    """Those whose base name begins ``nccl``."""


class Doing(IntEnum):
    """What a thread was doing. The earlier one counts where two are true at a time; before all, overhead."""

    CUDA_CALL = 0
    MPI_CALL = 1
    OS_CALL = 2
    HOST_CODE = 3
    OVERHEAD = 4
    GIL = 5
    """It waited for the lock of Python's interpreter, in no call: only host code comes after it."""


class Activity(NamedTuple):
    """The calls of one thread as disjoint pieces by time. Between them runs host code.

    ``source`` is a position in ``Report.calls``, :attr:`Index.mpi_calls`, ``Report.os_calls`` or
    :attr:`Index.overhead`, as ``doing`` (:class:`Doing`) says. A call made inside another (a driver call
    inside a runtime call, an OS call inside a CUDA or MPI call) belongs to the outer one, which is what the
    program asked for. What the profiler or the driver does beside it, in it or not, is cut out.
    """

    start: Int64
    end: Int64
    source: Int32
    doing: UInt8


class Labels(dict[int, str]):
    """Labels of a report's names by their position in ``Report.strings``, each computed on first use."""

    def __init__(self, strings: Strings) -> None:
        self._strings = strings

    def __missing__(self, string: int) -> str:
        self[string] = found = label(self._strings[string])
        return found


class Index:
    """Lookups over one report, built on first use and shared by all who analyse that report.

    Two threads must not build one at the same time; ``links`` are for any thread.
    """

    def __init__(self, report: Report, comm: Comm = Comm.CLASS, step: str | None = None) -> None:
        """``step``: the range that is a step (its name or a pattern), where it is not found by rule."""
        self.report = report
        self.comm = comm
        self.step = step
        self.links = Links(report)
        self.labels = Labels(report.strings)
        self._coverage: dict[tuple[int, Processes, Busy], Coverage] = {}
        self._copy_only: dict[tuple[int, Processes], Coverage] = {}
        self._kept: dict[Hashable, Any] = {}

    def once(self, key: Hashable, build: Callable[[], T]) -> T:
        """Return what ``build`` makes, calling it only the first time for a key."""
        if key not in self._kept:
            self._kept[key] = build()
        found: T = self._kept[key]
        return found

    def knows(self, key: Hashable) -> bool:
        """Whether what :meth:`once` makes for a key is there already."""
        return key in self._kept

    def has(self, key: Hashable) -> bool:
        """Whether :meth:`once` has been called with this key: asking again costs nothing."""
        return key in self._kept

    # --- devices ---

    def ops_of(self, device: int, processes: Processes = None, busy: Busy = Busy.ALL) -> Positions:
        """Positions in ``Report.ops`` of one device's ops, by start."""
        return np.flatnonzero(self.op_mask(slice(None), device, processes, busy))

    def op_mask(
        self, which: slice | Positions, device: int, processes: Processes, busy: Busy = Busy.ALL
    ) -> Bool:
        """Which of these ops count as ``busy`` and belong to the device and processes."""
        chosen = self._of_kinds(which, device, processes, busy.kinds)
        if busy is Busy.COMPUTE:
            chosen &= ~self.communicates[which]
        return chosen

    def _of_kinds(
        self, which: slice | Positions, device: int, processes: Processes, kinds: tuple[OpKind, ...]
    ) -> Bool:
        ops = self.report.ops
        chosen: Bool = ops.device[which] == device
        if len(kinds) < len(OpKind):
            kind = ops.kind[which]
            chosen &= (kind == kinds[0]) | (kind == kinds[1])
        if processes is not None:
            chosen &= np.isin(ops.process[which], processes)
        return chosen

    def coverage(self, device: int, processes: Processes = None, busy: Busy = Busy.ALL) -> Coverage:
        """Busy time of one device: the union of its ops."""
        processes = self.distinct(device, processes)
        if busy is Busy.COMPUTE and not self.communicates.any():
            busy = Busy.KERNELS
        if busy is Busy.KERNELS and not len(self.copy_only(device, processes)):
            busy = Busy.ALL  # the same intervals, kept once
        key = (device, processes, busy)
        if key not in self._coverage:
            if busy is Busy.COMPUTE:
                mine, ops = self.ops_of(device, processes, busy), self.report.ops
                self._coverage[key] = Coverage(ops.start[mine], ops.end[mine])
            else:
                blocks = self._op_blocks(device, processes, busy.kinds)
                self._coverage[key] = Coverage.of(*union_of_blocks(blocks))
        return self._coverage[key]

    def set_busy(self, device: int, coverage: Coverage) -> None:
        """Use ``coverage`` as the union of all ops of one device, unless that is computed already."""
        self._coverage.setdefault((device, None, Busy.ALL), coverage)

    def copy_coverage(self, before: Index) -> None:
        """Copy the busy times that ``before``, an index of the same device work, has computed."""
        for mine, theirs in ((self._coverage, before._coverage), (self._copy_only, before._copy_only)):
            for key, coverage in dict(theirs).items():
                if key[1] is None:  # of all processes: their positions may have changed
                    mine.setdefault(key, coverage)  # type: ignore[arg-type]

    def copy_accounts(self, before: Index) -> None:
        """Copy what ``before``, an index of the same report, knows of work besides recorded CUDA work."""
        for key, value in dict(before._kept).items():
            if isinstance(key, tuple) and key[0] == "account":
                self._kept.setdefault(key, value)

    def copy_only(self, device: int, processes: Processes = None) -> Coverage:
        """Time in which a copy or memset runs on a device and no kernel or graph does."""
        key = (device, self.distinct(device, processes))
        if key not in self._copy_only:
            copying = union_of_blocks(self._op_blocks(*key, _COPIES))
            for start, end in self._op_blocks(*key, _KERNELS):
                copying = Spans(*subtract(copying, union(start, end))[:2])
            self._copy_only[key] = Coverage.of(*copying)
        return self._copy_only[key]

    def _op_blocks(
        self, device: int, processes: Processes, kinds: tuple[OpKind, ...]
    ) -> Iterator[tuple[Int64, Int64]]:
        """Starts and ends of a device's ops of these kinds, by start, a block at a time."""
        ops = self.report.ops
        for low in range(0, len(ops), _BLOCK):
            part = slice(low, low + _BLOCK)
            mine = self._of_kinds(part, device, processes, kinds)
            yield ops.start[part][mine], ops.end[part][mine]

    def distinct(self, device: int, processes: Processes) -> Processes:
        """Return ``processes``, or None where they are all that use the device."""
        return None if processes is None or self.users[device] <= set(processes) else processes

    @cached_property
    def users(self) -> list[frozenset[int]]:
        """Per device the processes (positions, -1 unknown) that have ops on it."""
        ops = self.report.ops
        seen = np.zeros((len(self.report.devices) + 1, len(self.report.processes) + 1), bool)
        for low in range(0, len(ops), _BLOCK):  # a device or process of -1 is the last
            seen[ops.device[low : low + _BLOCK], ops.process[low : low + _BLOCK]] = True
        none = len(self.report.processes)
        return [frozenset(p if p < none else -1 for p in np.flatnonzero(row).tolist()) for row in seen[:-1]]

    @cached_property
    def communicates(self) -> Bool:
        """Per op: whether it is a communication kernel, as :attr:`comm` defines it."""
        report = self.report
        is_kernel = report.ops.kind == OpKind.KERNEL
        named = report.ops.name[is_kernel]
        if self.comm is Comm.NCCL:
            named = np.where(report.kernels.short_name >= 0, report.kernels.short_name, named)
        fits = begins_nccl if self.comm is Comm.NCCL else report.classes.communicates
        names = [int(n) for n in distinct_values(named) if n >= 0 and fits(report.strings[int(n)])]
        found = np.zeros(len(report.ops), bool)
        found[is_kernel] = np.isin(named, names)
        return found

    # --- threads ---

    def activity(self, thread: int) -> Activity:
        """Overhead, CUDA, MPI and OS calls of one thread as disjoint pieces."""
        return self.once(("activity", thread), lambda: self._build_activity(thread))

    def _build_activity(self, thread: int) -> Activity:
        report = self.report
        found: list[Activity] = []
        for doing, calls in (
            (Doing.OVERHEAD, self.overhead),
            (Doing.CUDA_CALL, report.calls),
            (Doing.MPI_CALL, self.mpi_calls),
            (Doing.GIL, self.gil_lock_calls),
            (Doing.OS_CALL, report.os_calls),
            (Doing.GIL, self.gil_waits),
        ):
            mine = np.flatnonzero(calls.thread == thread)
            own = _owned(calls.start[mine], calls.end[mine])
            source = mine[own.source].astype(np.int32)
            if len(mine) and found:
                before = union(
                    *(np.concatenate([getattr(a, end) for a in found]) for end in ("start", "end"))
                )
                own = subtract((own.start, own.end), before)
                source = source[own.source]
            found.append(Activity(own.start, own.end, source, np.full(len(source), doing, np.uint8)))
        order = np.argsort(np.concatenate([part.start for part in found]), kind="stable")
        joined: list[Any] = [np.concatenate(column)[order] for column in zip(*found, strict=True)]
        return Activity(*joined)

    @cached_property
    def mpi_calls(self) -> MpiCalls:
        """The calls of MPI that a known thread made."""
        return find_mpi_calls(self.report)

    @cached_property
    def overhead(self) -> Overhead:
        """What the profiler and the driver did on known threads beside what the program asked for."""
        found = find_overhead(self.report)
        return found.where((found.thread >= 0) & (found.kind < OverheadKind.LIBRARY_LOAD))

    @cached_property
    def gil_waits(self) -> GilWaits:
        """When known threads waited for the lock of Python's interpreter."""
        return find_gil_waits(self.report)

    @cached_property
    def gil_lock_calls(self) -> GilWaits:
        """The parts of these waits that are done by OS calls."""
        return lock_calls(self.report, self.gil_waits)

    @cached_property
    def process_of_thread(self) -> Int32:
        """Position in ``Report.processes`` of each thread's process; the last entry is for thread -1."""
        return np.array([*(t.process for t in self.report.threads), -1], np.int32)

    @cached_property
    def launches(self) -> Positions:
        """The calls that issued a recorded op, by start: positions in ``Report.calls``."""
        issued = np.zeros(len(self.report.calls), bool)
        launch = self.report.ops.launch
        issued[launch[launch >= 0]] = True
        return np.flatnonzero(issued)

    def launched_at(self, ops: Positions) -> Int64:
        """When each of these ops was launched; where no launch is recorded: when it started."""
        launch = self.report.ops.launch[ops]
        times: Int64 = self.report.ops.start[ops]
        times[launch >= 0] = self.report.calls.start[launch[launch >= 0]]
        return times

    def launch_times(self, process: int, thread: int | None = None) -> Int64:
        """Starts of the launches of one process (on one thread), sorted."""
        return self.once(("launch times", process, thread), lambda: self._launch_times(process, thread))

    def _launch_times(self, process: int, thread: int | None) -> Int64:
        calls = self.report.calls
        if thread is not None:
            mine = calls.thread[self.launches] == thread
        else:
            mine = self.process_of_thread[calls.thread[self.launches]] == process
        times: Int64 = calls.start[self.launches[mine]]
        return times

    @cached_property
    def all_calls(self) -> Stabber:
        """The calls of all threads, as one group."""
        return Stabber(self.report.calls.start, self.report.calls.end)

    # --- ranges ---

    @cached_property
    def thread_ranges(self) -> Positions:
        """Ranges that belong to one known thread: push/pop, and start/end ones that it ended itself.

        Those of the tracing of Python's lock are no ranges of the program.
        """
        own = ~self.crossing_ranges & ~gil_ranges(self.report)
        return np.flatnonzero(own & (self.report.ranges.thread >= 0))

    @cached_property
    def owned_ranges(self) -> Positions:
        """Ranges that a known thread began, wherever they ended: positions in ``Report.ranges``."""
        return np.flatnonzero((self.report.ranges.thread >= 0) & ~gil_ranges(self.report))

    @cached_property
    def crossing_ranges(self) -> Bool:
        """Per range: whether one thread opened it and another is known to have ended it."""
        ranges = self.report.ranges
        crosses: Bool = ranges.end_thread != ranges.thread
        crosses &= (ranges.style == RangeStyle.START_END) & (ranges.end_thread >= 0)
        return crosses

    @cached_property
    def _range_stabber(self) -> Stabber:
        ranges, own = self.report.ranges, self.thread_ranges
        which = own if len(own) < len(ranges) else slice(None)  # a slice copies nothing
        return Stabber(ranges.start[which], ranges.end[which], ranges.thread[which])

    def range_at(self, times: Int64, thread: int | Int32 | Int64) -> Int64:
        """The innermost range open on ``thread`` at each time: positions in ``Report.ranges``, -1 none."""
        return self.range_holding(times, times + 1, thread)

    def range_holding(self, low: Int64, high: Int64, thread: int | Int32 | Int64) -> Int64:
        """The innermost range on ``thread`` that contains ``[low, high]``, bounds included; -1 none."""
        found = self._range_stabber.latest_holding(low, high, thread)
        return lookup(self.thread_ranges, found)

    def ranges_holding(
        self, low: ArrayLike, high: ArrayLike, thread: ArrayLike
    ) -> Iterator[tuple[Positions, Positions]]:
        """Every range on ``thread`` that contains ``[low, high]``, bounds included, innermost first.

        Yields (question, position in ``Report.ranges``), one pair of arrays a depth.
        """
        for question, found in self._range_stabber.holding(low, high, thread):
            yield question, self.thread_ranges[found]

    def range_depth(self, low: ArrayLike, high: ArrayLike, thread: ArrayLike) -> Int64:
        """How many ranges on ``thread`` contain ``[low, high]``, bounds included."""
        return self._range_stabber.count_holding(low, high, thread)

    def range_cuts(self, thread: int) -> Int64:
        """The times at which the innermost range of ``thread`` may change, sorted."""
        return self.once(("range cuts", thread), lambda: self._build_range_cuts(thread))

    def _build_range_cuts(self, thread: int) -> Int64:
        ranges, own = self.report.ranges, self.thread_ranges
        mine = own[ranges.thread[own] == thread]
        return distinct_values(np.concatenate((ranges.start[mine], ranges.end[mine])))


def begins_nccl(name: str) -> bool:
    """Whether a base name is one of NCCL's kernels: the narrower rule of what communicates."""
    return name.lower().startswith("nccl")


def _owned(start: Int64, end: Int64) -> Pieces:
    """Disjoint pieces, each instant given to the outermost interval; intervals come by start."""
    order = inner_last(start, end)
    pieces = outermost(start[order], end[order])
    return Pieces(pieces.start, pieces.end, order[pieces.source])
