"""The steps of each process inside the window: when each begins, and when its first launch comes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.faults.limits import FaultLimits
from tui.analysis.index import Index
from tui.analysis.scope import Window
from tui.analysis.steps import Steps
from tui.report.columns import Bool, Int64
from tui.report.model import OpKind


@dataclass(frozen=True)
class Pace:
    """The finished steps of one process that overlap the window, by start; arrays have one entry a step."""

    process: int
    number: Int64
    """1 for the process's first step, whatever the window."""
    start: Int64
    end: Int64
    opening: Int64
    """The end of the step before, else the step's own start: the step's preparation begins here."""
    first_work: Int64
    """Start of the call that launches the step's first kernel (its end, where it launches none)."""

    def __len__(self) -> int:
        return len(self.start)

    @property
    def duration(self) -> Int64:
        return self.end - self.start

    @property
    def cycle(self) -> Int64:
        """From the end of one step to the end of the next."""
        return self.end - self.opening

    @property
    def median_ns(self) -> float:
        return float(np.median(self.cycle))

    def warm_up_steps(self, limits: FaultLimits) -> int:
        """Return how many of the first steps are much longer than the usual one; 0 for too few steps."""
        if len(self) < limits.steps_for_pattern:
            return 0
        return leading_long(self.cycle, limits.warm_up_ratio)

    def outlier_steps(self, limits: FaultLimits) -> Bool:
        """Return which steps after the warm-up take several times the usual one."""
        if len(self) < limits.steps_for_pattern:
            return np.zeros(len(self), bool)
        far = self.cycle > limits.outlier_ratio * self.median_ns
        far[: self.warm_up_steps(limits)] = False
        return far

    def of_times(self, times: Int64) -> Int64:
        """Return each time's step, between steps the next one; -1 before, ``len`` after all."""
        after = np.searchsorted(self.start, times, "right") - 1
        inside = np.where(after >= 0, times < self.end[np.maximum(after, 0)], False)
        step: Int64 = np.where(inside, after, after + 1)
        step[(after < 0) & (times < self.opening[0])] = -1
        return step


def leading_long(durations: Int64, ratio: float) -> int:
    """Return how many of the first are longer than ``ratio`` times the median; 0 where most of all are."""
    long = durations > ratio * np.median(durations)
    leading = len(long) if long.all() else int(np.argmin(long))
    # The usual one must be what most are.
    return leading if leading <= len(durations) // 2 else 0


def starts_late(leading: Int64, ratio: float) -> bool:
    """Return whether the first step's time to its first launch is ``ratio`` times that of later ones.

    ``leading``: that time of each step. An ordinary wait shows in the first step only because the device has
    nothing queued yet.
    """
    return len(leading) < 2 or bool(leading[0] >= ratio * np.median(leading[1:]))


def paces(index: Index, steps: Steps, window: Window, processes: tuple[int, ...] | None) -> list[Pace]:
    """Return a pace for each process that has finished steps in the window."""
    found = []
    for sequence in steps.sequences:
        if processes is not None and sequence.process not in processes:
            continue
        unfinished = sequence.unfinished(index.report.ranges.unfinished)
        shown = np.flatnonzero(~unfinished & (sequence.start < window.end) & (sequence.end > window.start))
        if not len(shown):
            continue
        start, end = sequence.start[shown], sequence.end[shown]
        opening = start.copy()
        opening[1:] = np.minimum(end[:-1], start[1:])
        if shown[0] > 0:  # the step before lies outside the window, its end may not
            opening[0] = max(int(sequence.end[shown[0] - 1]), window.start)
        launches = kernel_launches(index, sequence.process)
        found.append(
            Pace(
                process=sequence.process,
                number=shown + 1,
                start=start,
                end=end,
                opening=opening,
                first_work=first_launches(launches, start, end),
            )
        )
    return found


def first_launches(launches: Int64, start: Int64, end: Int64) -> Int64:
    """Return the first of the sorted ``launches`` in each ``[start, end)``; ``end`` where there is none."""
    later = np.append(launches, np.iinfo(np.int64).max)[np.searchsorted(launches, start, "left")]
    first: Int64 = np.minimum(later, end)
    return first


def kernel_launches(index: Index, process: int) -> Int64:
    """Return the starts of the calls of one process that launched kernels or graphs, sorted."""
    report = index.report
    kind = report.ops.kind
    launch = report.ops.launch[((kind == OpKind.KERNEL) | (kind == OpKind.GRAPH)) & (report.ops.launch >= 0)]
    launch = np.unique(launch)
    mine = index.process_of_thread[report.calls.thread[launch]] == process
    times: Int64 = np.sort(report.calls.start[launch[mine]])
    return times
