"""All about the idle time of a scope: what `gaps`, the pane and the overview show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tui.analysis.accounts import other_work, unknown
from tui.analysis.beside import words_beside
from tui.analysis.blame import Blame, BlameClass, BlameMethod, find_blame, no_blame, time_by_class
from tui.analysis.blame_rows import BlameRows, CauseTotal, blame_rows
from tui.analysis.busy import DeviceBusy, device_busy
from tui.analysis.cpu.blame_callers import Caller, callers_of
from tui.analysis.cpu.blame_parts import HotFunction, divided, hot_of
from tui.analysis.gaps import AT_LEAST, DeviceGaps, find_gaps, short_gaps
from tui.analysis.index import Busy, Index
from tui.analysis.phases import Phase
from tui.analysis.scope import DEFAULT_MIN_GAP_NS, Scope
from tui.analysis.steps import Steps, find_steps
from tui.analysis.unrecorded import Unseen, unseen_in
from tui.intervals import Coverage
from tui.report.columns import Int64, Positions


@dataclass(frozen=True)
class IdleChoices:
    """How idle time is found and explained."""

    min_gap_ns: int = DEFAULT_MIN_GAP_NS
    busy: Busy = Busy.ALL
    method: BlameMethod = BlameMethod.OWNER
    phase: Phase = Phase.INNER
    cpu: bool = False
    """Whether host code during which the thread did not run is a class of its own."""


@dataclass(frozen=True)
class DeviceIdle:
    """One device: how busy, which gaps, and why."""

    busy: DeviceBusy
    gaps: DeviceGaps
    blame: Blame
    rows: BlameRows
    totals: list[CauseTotal]
    unseen: Unseen
    """When it may have done work that was not recorded, in the window."""
    other: Coverage
    """When it did work of another API."""
    copying: Int64
    """How long a copy or memset ran in each gap (ns). Zero unless only kernels count as busy."""

    @property
    def gap_ns(self) -> int:
        """Listed and short gaps together: the window without its busy time."""
        return int(self.gaps.duration.sum()) + self.gaps.short_ns

    def longest(self, count: int | None = None) -> Positions:
        """Positions of the longest gaps, longest first (then by start)."""
        return np.argsort(-self.gaps.duration, kind="stable")[:count]

    def main_ranges(self) -> Int64:
        """The innermost range during the longest part of each gap; -1 none."""
        main = np.full(len(self.gaps), -1, np.int64)
        order = np.lexsort((-self.blame.ns, self.blame.gap))
        gap, first = np.unique(self.blame.gap[order], return_index=True)
        main[gap] = self.blame.range[order[first]]
        return main

    def main_threads(self) -> Int64:
        """The thread responsible for the biggest reason of each gap; -1 unknown."""
        return self.rows.thread[self.rows.main_causes(len(self.gaps))].astype(np.int64)


@dataclass(frozen=True)
class Idle:
    """The idle time of every device in a scope."""

    scope: Scope
    choices: IdleChoices
    steps: Steps
    devices: list[DeviceIdle]


class Told(NamedTuple):
    """What samples, backtraces, files and events tell of rows of blame; None where they tell nothing."""

    hot: list[HotFunction | None]
    """The hot function of host code."""
    caller: list[Caller | None]
    """The function that made the CUDA or OS calls."""
    beside: Sequence[str | None] = ()
    """What a row was about, in words: the file that was read, the work that was awaited. Empty: not asked."""


def told_by_row(index: Index, device: DeviceIdle) -> Told:
    """What they tell of each row of a device's blame.

    Reads their tables at the first call: ReportError where the file has changed since it was opened.
    """
    told = _told(index, device, np.arange(len(device.rows)), len(device.rows))
    return told._replace(beside=words_beside(index, device.gaps, device.rows))


def told_by_reason(index: Index, device: DeviceIdle) -> Told:
    """The same of each reason of :attr:`DeviceIdle.totals`, over all its gaps."""
    place = {(total.cause, total.call, total.phase): i for i, total in enumerate(device.totals)}
    reasons = map(device.rows.reason, range(len(device.rows)))
    of_row = np.array([place[why.cause, why.call, why.phase] for why in reasons], np.intp)
    return _told(index, device, of_row, len(device.totals))


def _told(index: Index, device: DeviceIdle, group: Positions, groups: int) -> Told:
    """``group``: of each row of the blame."""
    parts = device.rows.part_row
    assert parts is not None  # blame_rows gives it
    of = index, device.blame, group[parts], groups
    return Told(hot_of(*of), callers_of(*of))


def on_and_off_cpu(index: Index, device: DeviceIdle, steps: Steps) -> DeviceIdle:
    """The same with host code divided by whether its thread ran, where that is known; every sum stays."""
    blame = divided(index, device.blame)
    if blame is device.blame:
        return device
    rows = blame_rows(index, blame, Phase.INNER, steps)
    return replace(device, blame=blame, rows=rows, totals=rows.totals())


def short_classes(index: Index, idle: Idle, device: DeviceIdle) -> list[tuple[BlameClass, int]]:
    """Time of a device's short gaps by class, the biggest first; they add up to ``short_ns``.

    Apart from :func:`idle_time`, because a launch-bound capture has millions of them.
    """
    sums: Counter[BlameClass] = Counter()
    for short in short_gaps(index, idle.scope, device.gaps):
        blame = find_blame(index, short, idle.choices.method, ranges=False)
        sums.update(dict(time_by_class(divided(index, blame) if idle.choices.cpu else blame)))
    return sums.most_common()


def idle_time(
    index: Index,
    scope: Scope,
    choices: IdleChoices | None = None,
    steps: Steps | None = None,
    *,
    explained: bool = True,
) -> Idle:
    """Busy, gaps and blame of the devices in scope. ``steps`` (default: by rule) delimit outer phases.

    Without ``explained`` no gap has a cause: for a report whose calls and ranges are not read yet.
    """
    chosen = choices or IdleChoices()
    if steps is None:
        steps = find_steps(index) if chosen.phase is Phase.OUTER else Steps(None, "not asked", ())
    devices = []
    # The classic heuristic goes with the classic threshold alone.
    at_least = AT_LEAST if chosen.method is BlameMethod.OWNER else 0
    found = find_gaps(index, scope, chosen.min_gap_ns, chosen.busy, at_least)
    for busy, gaps in zip(device_busy(index, scope, chosen.busy), found, strict=True):
        blame = find_blame(index, gaps, chosen.method) if explained else no_blame()
        if chosen.cpu:
            blame = divided(index, blame)
        rows = blame_rows(index, blame, chosen.phase, steps)
        copying = index.coverage(gaps.device.index, gaps.processes).between(gaps.start, gaps.end)
        of = gaps.device.index, gaps.processes
        unseen = unseen_in(index, *of, unknown(index, *of), scope.window.start, scope.window.end)
        other = other_work(index, *of)
        devices.append(DeviceIdle(busy, gaps, blame, rows, rows.totals(), unseen, other, copying))
    return Idle(scope, chosen, steps, devices)
