"""The CPU samples of a report: which function a thread was in at a time, and how it came there."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tui.analysis.cpu.frames import FrameKind
from tui.analysis.cpu.kept_stacks import stacks_in
from tui.analysis.cpu.stacks import Nodes, StackTree
from tui.analysis.index import Index
from tui.intervals import expand, lookup
from tui.report.columns import NULL, Bool, Int64, Positions, UInt8, distinct_values
from tui.report.extra.tables import SAMPLE_FRAMES, SAMPLES, THREAD_NAMES
from tui.report.importing.global_ids import global_pid_of, pid_of, tid_of

_PROFILER_THREAD = re.compile(r"\[NSys|NSys |CUPTI worker")


@dataclass(frozen=True)
class SampledThread:
    """A thread that has samples."""

    position: int
    """Position in ``Report.threads``; -1: nothing but its samples was recorded."""
    process: int
    """Position in ``Report.processes``; -1 as above."""
    pid: int | None
    tid: int | None
    name: str | None

    @property
    def is_profilers(self) -> bool:
        """Whether nsys or CUPTI started it."""
        return bool(self.name and _PROFILER_THREAD.match(self.name))


@dataclass(frozen=True)
class Samples:
    """Samples of running threads, by start. A blocked thread has none."""

    start: Int64
    thread: Positions
    """Position in :attr:`threads`."""
    node: Nodes
    """The stack, a node of :attr:`tree`; -1 where none was recorded."""
    leaf: Positions
    """The innermost frame, a position in ``tree.frames``; -1 where none was recorded."""
    address_only: Bool
    """Where no stack was taken, only the address: one sample in four, often."""
    threads: tuple[SampledThread, ...]
    tree: StackTree
    weight: Int64 | None = None
    """The time on a CPU that each stands for (NULL unknown), where that is not the same as of all samples."""

    def __len__(self) -> int:
        return len(self.start)

    def part(self, rows: Positions | Bool | slice) -> Samples:
        """Some of the samples."""
        columns = ("start", "thread", "node", "leaf", "address_only")
        weight = None if self.weight is None else self.weight[rows]
        return replace(self, weight=weight, **{name: getattr(self, name)[rows] for name in columns})

    @cached_property
    def positions(self) -> Positions:
        """Each sample's thread as a position in ``Report.threads``; -1: the report has no such thread."""
        return self._of_thread(lambda thread: thread.position)

    @property
    def processes(self) -> Positions:
        """Each sample's process as a position in ``Report.processes``; -1 unknown."""
        return self._of_thread(lambda thread: thread.process)

    def inside(self, start: Int64, end: Int64, thread: NDArray[np.integer]) -> tuple[Positions, Positions]:
        """(stretch, sample) for every sample of a stretch's thread (a position in the report) in its time."""
        order, of, at = self._by_thread
        first, last = np.zeros(len(start), np.intp), np.zeros(len(start), np.intp)
        for one in distinct_values(thread[thread >= 0]).tolist():
            low, high = np.searchsorted(of, [one, one + 1]).tolist()
            asked = np.flatnonzero(thread == one)
            first[asked] = low + np.searchsorted(at[low:high], start[asked], "left")
            last[asked] = low + np.searchsorted(at[low:high], end[asked], "left")
        stretch, place = expand(first, last)
        return stretch, order[place]

    def of_thread(self, thread: int) -> Samples:
        """Those of one thread, a position in the report."""
        order, of, _ = self._by_thread
        low, high = np.searchsorted(of, [thread, thread + 1]).tolist()
        return self.part(order[low:high])

    @cached_property
    def _by_thread(self) -> tuple[Positions, Positions, Int64]:
        """All samples by their thread's position and start: (where each is here, position, start)."""
        order = np.argsort(self.positions, kind="stable")
        return order, self.positions[order], self.start[order]

    def _of_thread(self, value: Callable[[SampledThread], int]) -> Positions:
        values = np.array([*map(value, self.threads), -1], np.intp)
        return values[self.thread]

    @property
    def profilers(self) -> Bool:
        """Which samples are of threads that nsys or CUPTI started."""
        found: Bool = np.array([*(thread.is_profilers for thread in self.threads), False])[self.thread]
        return found

    @property
    def kind(self) -> UInt8:
        """Whose code each sample is in (:class:`FrameKind`): that of its leaf, or the profiler's threads'."""
        kinds = np.append(self.tree.frames.kind, np.uint8(FrameKind.UNKNOWN))
        found: UInt8 = np.where(self.profilers, np.uint8(FrameKind.PROFILER), kinds[self.leaf])
        return found


def samples(index: Index) -> Samples:
    """All samples of a report, read at the first call; none where it has no such tables.

    Rows that were taken at a scheduling event (no cycles) are no samples of time, and are left out.
    Raises ReportError where the file is damaged, or has changed since it was opened.
    """
    return index.once("samples", lambda: _read(index))


def _read(index: Index) -> Samples:
    report = index.report
    rows, stacks = report.extra_rows(SAMPLES), stacks_in(report, SAMPLE_FRAMES)
    cycles = rows["cpuCycles"]
    taken = np.flatnonzero((cycles >= 1) | (cycles == NULL))
    stack = stacks.of(rows["id"][taken])
    ids, thread = np.unique(rows["globalTid"][taken], return_inverse=True)
    return Samples(
        start=rows["start"][taken],
        thread=thread.reshape(-1),
        node=stacks.nodes(stack),
        leaf=lookup(stacks.leaf, stack).astype(np.intp),
        address_only=lookup(stacks.address_only.view(np.uint8), stack) == 1,
        threads=tuple(_threads(index, ids.tolist())),
        tree=stacks.tree,
    )


def _threads(index: Index, global_tids: list[int]) -> list[SampledThread]:
    report = index.report
    known = {thread.global_tid: thread for thread in report.threads}
    processes = {process.global_pid: process.index for process in report.processes}
    names = {} if known.keys() >= set(global_tids) else _names(index)
    found = []
    for number in global_tids:
        thread = known.get(number)
        if thread is not None:
            found.append(SampledThread(thread.index, thread.process, thread.pid, thread.tid, thread.name))
        elif number == NULL:
            found.append(SampledThread(-1, -1, None, None, None))
        else:
            process = processes.get(global_pid_of(number), -1)
            found.append(SampledThread(-1, process, pid_of(number), tid_of(number), names.get(number)))
    return found


def _names(index: Index) -> dict[int, str]:
    """The names of threads that no event of an opened report mentions."""
    rows = index.report.extra_rows(THREAD_NAMES)
    pairs = zip(rows["globalTid"].tolist(), rows["nameId"].tolist(), strict=True)
    return {thread: rows.strings[name] for thread, name in pairs if name >= 0}
