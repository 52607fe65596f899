"""Everything about the idle time of a scope in one place: what `gaps`, the pane and the overview show."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from tui.analysis.blame import Blame, BlameClass, BlameMethod, find_blame, no_blame, time_by_class
from tui.analysis.blame_rows import BlameRows, CauseTotal, GapCause, blame_rows
from tui.analysis.busy import DeviceBusy, device_busy
from tui.analysis.gap_numbers import DEFAULT_MIN_GAP_NS
from tui.analysis.gaps import DeviceGaps, find_gaps, short_gaps
from tui.analysis.index import Busy, Index
from tui.analysis.phases import Phase
from tui.analysis.scope import Scope
from tui.analysis.steps import Steps, find_steps
from tui.report.columns import Bool, Int64, Positions


@dataclass(frozen=True)
class IdleChoices:
    """What is asked of idle time."""

    min_gap_ns: int = DEFAULT_MIN_GAP_NS
    busy: Busy = Busy.ALL
    method: BlameMethod = BlameMethod.OWNER
    phase: Phase = Phase.INNER


@dataclass(frozen=True)
class DeviceIdle:
    """One device: how busy, which gaps, and why."""

    busy: DeviceBusy
    gaps: DeviceGaps
    blame: Blame
    rows: BlameRows
    totals: list[CauseTotal]
    copying: Int64
    """Per gap: how long a copy or memset ran in it. Zero unless only kernels count as busy."""

    @property
    def gap_ns(self) -> int:
        """Listed and short gaps together: the window without its busy time."""
        return int(self.gaps.duration.sum()) + self.gaps.short_ns

    def classes(self) -> list[tuple[BlameClass, int]]:
        """Time of the listed gaps by class, the biggest first."""
        return time_by_class(self.blame)

    def causes(self, gap: int) -> list[GapCause]:
        """Why one gap, the biggest reason first."""
        return self.rows.of_gap(gap)

    def longest(self, count: int | None = None) -> Positions:
        """Positions of the longest gaps, longest first (then by start)."""
        return np.argsort(-self.gaps.duration, kind="stable")[:count]

    def main_ranges(self) -> Int64:
        """Per gap: the range that names the phase of the longest single part of it; -1 none."""
        main = np.full(len(self.gaps), -1, np.int64)
        order = np.lexsort((-self.blame.ns, self.blame.gap))
        gap, first = np.unique(self.blame.gap[order], return_index=True)
        main[gap] = self.blame.range[order[first]]
        return main

    def by_midpoint(self) -> Bool:
        """Per gap: whether the midpoint rule explained it."""
        found: Bool = self.rows.by_midpoint[self.rows.main_causes(len(self.gaps))]
        return found

    def main_threads(self) -> Int64:
        """Per gap: the thread held responsible for its biggest reason; -1 unknown."""
        return self.rows.thread[self.rows.main_causes(len(self.gaps))].astype(np.int64)


@dataclass(frozen=True)
class Idle:
    """The idle time of every device in a scope."""

    scope: Scope
    choices: IdleChoices
    steps: Steps
    devices: list[DeviceIdle]


def short_classes(index: Index, idle: Idle, device: DeviceIdle) -> list[tuple[BlameClass, int]]:
    """Time of a device's short gaps by class, the biggest first; they add up to ``short_ns``.

    Apart from :func:`idle_time`, because a launch-bound capture has millions of them.
    """
    sums: Counter[BlameClass] = Counter()
    for short in short_gaps(index, idle.scope, device.gaps):
        sums.update(dict(time_by_class(find_blame(index, short, idle.choices.method, ranges=False))))
    return sums.most_common()


def idle_time(
    index: Index,
    scope: Scope,
    choices: IdleChoices | None = None,
    steps: Steps | None = None,
    *,
    explained: bool = True,
) -> Idle:
    """Busy, gaps and blame of the devices in scope. ``steps`` (default: by rule) cut outer phases.

    Without ``explained`` no gap has a cause: for a report whose calls and ranges are still to come.
    """
    chosen = choices or IdleChoices()
    if steps is None:
        steps = find_steps(index) if chosen.phase is Phase.OUTER else Steps(None, "not asked", ())
    rows = device_busy(index, scope, chosen.busy)
    found = find_gaps(index, scope, chosen.min_gap_ns, chosen.busy)
    devices = [
        _device(index, busy, gaps, chosen, steps, explained) for busy, gaps in zip(rows, found, strict=True)
    ]
    return Idle(scope, chosen, steps, devices)


def _device(
    index: Index, busy: DeviceBusy, gaps: DeviceGaps, choices: IdleChoices, steps: Steps, explained: bool
) -> DeviceIdle:
    blame = find_blame(index, gaps, choices.method) if explained else no_blame()
    rows = blame_rows(index, blame, choices.phase, steps)
    everything = index.coverage(gaps.device.index, gaps.processes, Busy.ALL)
    return DeviceIdle(
        busy=busy,
        gaps=gaps,
        blame=blame,
        rows=rows,
        totals=rows.totals(),
        copying=everything.between(gaps.start, gaps.end),
    )
