"""How long the device took for each step, and which steps are slow for a reason that is not known yet.

A step lasts on a device from the end of the step before's last kernel to the end of its own: the host's range
says when a step was asked for, and may run steps ahead.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.accounts import unknown
from tui.analysis.faults.case import Case
from tui.analysis.faults.limits import FaultLimits
from tui.analysis.faults.pace import Pace, leading_long
from tui.analysis.index import Busy
from tui.intervals import Coverage, Spans
from tui.report.columns import Bool, Int64, Positions

_EXPLAINED = 0.8
"""A step whose surplus is charged to another finding to this part is that finding's."""
_APART = 0.7
"""Of one bell of durations 64 % of the variance lies between its halves: groups that lie apart have more."""
_FAR_APART = 2.5
"""So many times the limit need no such proof: whatever scatters so widely is not even."""
_FEW = 0.25
"""Where so few steps are quick, the quick ones are the exception, and not the others slow."""


@dataclass(frozen=True)
class StepTimes:
    """The steps of one process on one device that can be compared; arrays have one entry a step, by start.

    The first step has no step before and is left out, and so are steps without kernels and those after them.
    """

    pace: Pace
    device: int
    """Position in ``Report.devices``."""
    step: Int64
    """Positions in the pace."""
    start: Int64
    end: Int64
    """On the device's clock, ns: the last end of a kernel of the step before, and of this one."""
    charged: Int64
    """Nanoseconds of each that a finding explains."""
    unknown: Int64
    """Nanoseconds of each in which work may have run that was not recorded."""
    op: Positions
    """Kernels and graphs of these steps, positions in ``Report.ops``."""
    of_step: Int64
    """For each of them its position in these arrays."""

    def __len__(self) -> int:
        return len(self.step)

    @property
    def duration(self) -> Int64:
        return self.end - self.start

    @property
    def open(self) -> Int64:
        """What of each no finding explains, ns."""
        return self.duration - self.charged


@dataclass(frozen=True)
class Split:
    """Two groups of steps that lie apart; neither: warm-up, and steps that another finding explains."""

    slow: Bool
    fast: Bool
    apart: Bool
    """Set apart: warm-up, steps slow for a reason already found, those of unknown work, a few quick ones."""


def step_times(case: Case) -> list[StepTimes]:
    """Return the steps of each process on each of its devices, where three of them can be compared."""
    found = []
    for pace in case.paces:
        for device in case.devices:
            if pace.process in case.index.users[device.index]:
                times = _of_device(case, pace, device.index)
                if times is not None:
                    found.append(times)
    return found


def _of_device(case: Case, pace: Pace, device: int) -> StepTimes | None:
    ops, window = case.report.ops, case.window
    mine = case.index.ops_of(device, (pace.process,), Busy.KERNELS)
    step = pace.of_times(case.index.launched_at(mine))
    inside = (step >= 0) & (step < len(pace))
    mine, step = mine[inside], step[inside]
    last = np.full(len(pace), np.iinfo(np.int64).min, np.int64)
    np.maximum.at(last, step, ops.end[mine])
    launched = np.bincount(step, minlength=len(pace)) > 0
    usable = launched[1:] & launched[:-1] & (last[1:] > last[:-1])
    usable &= (last[:-1] >= window.start) & (last[1:] <= window.end)
    chosen = np.flatnonzero(usable) + 1
    if len(chosen) < case.limits.steps_for_pattern:
        return None
    place = np.full(len(pace), -1, np.int64)
    place[chosen] = np.arange(len(chosen))
    kept = place[step] >= 0
    charged = case.ledger.charged(device)
    start, end = last[chosen - 1], last[chosen]
    return StepTimes(
        pace=pace,
        device=device,
        step=chosen,
        start=start,
        end=end,
        charged=Coverage(*charged).between(start, end),
        unknown=unknown(case.index, device, (pace.process,)).between(start, end),
        op=mine[kept],
        of_step=place[step[kept]],
    )


def split_steps(times: StepTimes, limits: FaultLimits) -> Split | None:
    """Return the slow and the fast steps; None where the steps are even."""
    apart = _leading(times, limits) | _explained(times, limits) | (times.unknown > 0)
    slow = _slow(times.open, ~apart, limits)
    quick = ~apart & ~slow
    if slow.any() and quick.sum() <= _FEW * (~apart).sum():
        apart = apart | quick
        slow = _slow(times.open, ~apart, limits)
    if not slow.any():
        return None
    return Split(slow, ~apart & ~slow, apart)


def _leading(times: StepTimes, limits: FaultLimits) -> Bool:
    """Return which steps are warm-up: of the host, or the first ones that take much longer on the device."""
    chosen: Bool = times.step < times.pace.warm_up_steps(limits)
    chosen[: leading_long(times.duration, limits.warm_up_ratio)] = True
    return chosen


def _explained(times: StepTimes, limits: FaultLimits) -> Bool:
    """Return which steps are longer than the usual one because of what a finding is charged with."""
    usual, usually_charged = np.median(times.duration), np.median(times.charged)
    surplus = times.duration - usual
    found: Bool = surplus > limits.uneven_share * usual
    found &= times.charged - usually_charged >= _EXPLAINED * surplus
    return found


def _slow(ns: Int64, chosen: Bool, limits: FaultLimits) -> Bool:
    """Return which of the ``chosen`` steps are of the slower of two groups that lie apart; none: one group.

    The groups are those between which most of the variance lies.
    """
    slow = np.zeros(len(ns), bool)
    rows = np.flatnonzero(chosen)
    if len(rows) < limits.steps_for_pattern:
        return slow
    order = rows[np.argsort(ns[rows], kind="stable")]
    values = ns[order].astype(np.float64)
    count = np.arange(1, len(values))
    low = np.cumsum(values)[:-1] / count
    high = (values.sum() - np.cumsum(values)[:-1]) / (len(values) - count)
    between = count * (len(values) - count) / len(values) * (high - low) ** 2
    cut = int(np.argmax(between))
    apart = between[cut] >= _APART * ((values - values.mean()) ** 2).sum()
    least = limits.uneven_share if apart else _FAR_APART * limits.uneven_share
    if high[cut] > (1 + least) * low[cut]:
        slow[order[cut + 1 :]] = True
    return slow


def surplus_spans(idle: Spans, times: StepTimes, slow: Bool, most: Int64) -> Spans:
    """Return of each slow step's ``idle`` time the longest stretches, up to ``most`` ns of each step.

    ``most``: one entry a step. ``idle`` is merged and lies on the device of ``times``.
    """
    start, end = times.start[slow], times.end[slow]
    first = np.searchsorted(idle.end, start, "right")
    until = np.searchsorted(idle.start, end, "left")
    count = np.maximum(until - first, 0)
    step = np.repeat(np.arange(len(start)), count)
    which = np.arange(len(step)) - np.repeat(np.cumsum(count) - count, count) + np.repeat(first, count)
    low = np.maximum(idle.start[which], start[step])
    length = np.minimum(idle.end[which], end[step]) - low
    order = np.lexsort((low, -length, step))
    low, length, step = low[order], length[order], step[order]
    before = np.cumsum(length) - length
    begins = np.searchsorted(step, step, "left")
    taken = np.clip(most[slow][step] - (before - before[begins]), 0, length) if len(step) else length
    kept = taken > 0
    return Spans(low[kept], low[kept] + taken[kept])
