"""When threads ran on a CPU, as the scheduler's events say; nothing is said of threads without any."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.index import Index
from tui.intervals import Coverage
from tui.report.columns import NULL, Bool, Int32, Int64, Positions, distinct_values
from tui.report.event_tables.cpu import CPU, OnCpu


@dataclass(frozen=True)
class CpuTimes:
    """What each of some threads did in a window. NULL (unknown) where it has no scheduling data."""

    on: Int64
    off: Int64
    """Together with ``on`` the window, exactly."""
    switches: Int64
    """How often the thread was put on a CPU after the window began."""
    migrations: Int64
    """How often that was another CPU than the one before."""


class Scheduling:
    """The stretches of time that threads spent on CPUs, by thread and start."""

    def __init__(self, stretches: OnCpu, threads: int) -> None:
        order = np.argsort(stretches.thread, kind="stable")
        self._start, self._end = stretches.start[order], stretches.end[order]
        self._thread, self._cpu = stretches.thread[order], stretches.cpu[order]
        self._first = np.searchsorted(self._thread, np.arange(threads + 1))
        self._coverage: dict[int, Coverage] = {}

    def __bool__(self) -> bool:
        """Whether any thread has scheduling data."""
        return len(self._start) > 0

    @property
    def known(self) -> Bool:
        """Which threads have scheduling data: one value a thread of the report, and False for thread -1."""
        return np.append(np.diff(self._first) > 0, False)

    def coverage(self, thread: int) -> Coverage | None:
        """The time that a thread ran; None: unknown."""
        low, high = self._first[thread : thread + 2].tolist() if thread >= 0 else (0, 0)
        if low == high:
            return None
        if thread not in self._coverage:
            self._coverage[thread] = Coverage(self._start[low:high], self._end[low:high])
        return self._coverage[thread]

    def on_cpu(self, start: Int64, end: Int64, thread: Int32 | Int64 | Positions) -> Int64:
        """How long each thread ran in each ``[start, end)``; NULL where that is unknown."""
        found = np.full(len(start), NULL, np.int64)
        if not self:
            return found
        for one in distinct_values(thread).tolist():
            running = self.coverage(one)
            if running is not None:
                mine = np.flatnonzero(thread == one)
                found[mine] = running.between(start[mine], end[mine])
        return found

    def times(self, low: int, high: int) -> CpuTimes:
        """What every thread of the report did in ``[low, high)``."""
        threads = len(self._first) - 1
        on, switches, migrations = (np.zeros(threads, np.int64) for _ in range(3))
        inside = np.minimum(self._end, high) - np.maximum(self._start, low)
        np.add.at(on, self._thread, np.maximum(inside, 0))
        switched = (self._start > low) & (self._start < high)
        np.add.at(switches, self._thread[switched], 1)
        same = np.append(False, self._thread[1:] == self._thread[:-1])[: len(self._thread)]
        moved = switched & same & np.append(False, self._cpu[1:] != self._cpu[:-1])[: len(self._cpu)]
        np.add.at(migrations, self._thread[moved], 1)
        known = self.known[:-1]
        columns = (on, high - low - on, switches, migrations)
        return CpuTimes(*(np.where(known, values, NULL) for values in columns))


def scheduling(index: Index) -> Scheduling:
    """The scheduling of a report's threads."""
    report = index.report
    return index.once("scheduling", lambda: Scheduling(CPU.of(report), len(report.threads)))
