"""When threads probably had to give up a CPU to another thread: a guess, which no sum takes part in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.index import Doing, Index
from tui.intervals import Coverage
from tui.report.columns import Int32, Int64, distinct_values
from tui.report.event_tables.cpu import CPU

AT_ONCE_NS = 20_000
"""The other thread is put on the CPU so soon after this one was taken off it."""


@dataclass(frozen=True)
class Preemptions:
    """Stretches of time off a CPU, by thread and start."""

    start: Int64
    end: Int64
    thread: Int32

    def coverage(self, thread: int) -> Coverage:
        """Those of one thread (a position in the report)."""
        low, high = np.searchsorted(self.thread, [thread, thread + 1]).tolist()
        return Coverage(self.start[low:high], self.end[low:high])


def preemptions(index: Index) -> Preemptions:
    """When another thread followed on the CPU at once, this one was in no call, and came back on that CPU.

    The scheduler's events don't tell a thread that waits from one that has to; where only the threads of one
    program were recorded, those of others that took a CPU can't be seen.
    """
    return index.once("preemptions", lambda: _find(index))


def _find(index: Index) -> Preemptions:
    stretches = CPU.of(index.report)
    start, end, thread, cpu = stretches.start, stretches.end, stretches.thread, stretches.cpu
    own = np.lexsort((start, thread))
    here, back = own[:-1], own[1:]
    again = (thread[here] == thread[back]) & (thread[here] >= 0) & (cpu[here] == cpu[back])
    here, back = here[again], back[again]
    by_cpu = np.lexsort((start, cpu))
    place = np.empty(len(by_cpu), np.intp)
    place[by_cpu] = np.arange(len(by_cpu))
    after = by_cpu[np.minimum(place[here] + 1, len(by_cpu) - 1)]  # the next on this CPU
    followed = (cpu[after] == cpu[here]) & (thread[after] != thread[here]) & (start[after] >= end[here])
    followed &= start[after] - end[here] <= AT_ONCE_NS
    here, back = here[followed], back[followed]
    waits = _in_call(index, thread[here], end[here])
    here, back = here[~waits], back[~waits]
    return Preemptions(end[here], start[back], thread[here])


def _in_call(index: Index, thread: Int32, times: Int64) -> np.ndarray:
    """Whether each thread was in a call (or a wait for Python's lock) at each time."""
    found = np.zeros(len(times), bool)
    for one in distinct_values(thread).tolist():
        activity = index.activity(one)
        calls = activity.doing != Doing.OVERHEAD
        mine = np.flatnonzero(thread == one)
        at = np.searchsorted(activity.start[calls], times[mine], "right") - 1
        found[mine] = (at >= 0) & (times[mine] < np.append(activity.end[calls], 0)[at])
    return found
