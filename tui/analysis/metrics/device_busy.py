"""What a device's metrics say of its busy and its idle time, in any window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.accounts import not_idle
from tui.analysis.index import Busy, Index
from tui.analysis.metrics.average import Average
from tui.analysis.metrics.capture import may_have_metrics, metrics_of
from tui.intervals import Coverage, Spans
from tui.report.columns import Int64

AWAKE = 5.0
"""A device whose engine is active for more percent of an interval works, for whomever."""


@dataclass(frozen=True)
class Hollow:
    """How full a device's busy time is."""

    sm_active: Average
    """Over the time that kernels run."""
    kernel_ns: int
    hollow_ns: int | None
    """Kernel time in which SMs stood empty, in all: kernel time times (1 - SM active). None: unknown."""


def hollow(index: Index, device: int, low: int, high: int) -> Hollow | None:
    """How full the kernel time of a device is in ``[low, high)``; None: the metric was not captured.

    Kernels of all processes count: the metric is of the whole device.
    """
    if not may_have_metrics(index.report):
        return None
    quantity = metrics_of(index).quantity(device, "sm_active")
    if quantity is None:
        return None
    pieces = index.coverage(device, None, Busy.KERNELS).cut(low, high)
    average = quantity.average(Spans(pieces.start, pieces.end))
    busy = average.length_ns
    empty = None if average.known is None else empty_ns(busy, average.known)
    return Hollow(average, busy, empty)


def empty_ns(kernel_ns: int, sm_active: float) -> int:
    """How much of some kernel time SMs stood empty, given how many percent of them were active."""
    return round(kernel_ns * (1 - min(sm_active, 100.0) / 100))


def idle_spans(index: Index, device: int, low: int, high: int) -> Spans:
    """When nothing that is recorded or may have run unseen runs on a device, of any process."""
    return not_idle(index, device).gaps(low, high)


def busy_elsewhere(index: Index, device: int) -> Coverage | None:
    """When a device worked though nothing recorded ran on it: for another process, or unrecorded work.

    Only samples that lie in idle time altogether count. None: the metric was not captured.
    """
    if not may_have_metrics(index.report):
        return None
    return index.once(("busy elsewhere", device), lambda: _elsewhere(index, device))


def _elsewhere(index: Index, device: int) -> Coverage | None:
    quantity = metrics_of(index).quantity(device, "gr_active")
    if quantity is None:
        return None
    begin, end = quantity.axis.begin, quantity.axis.end
    awake = np.flatnonzero(quantity.values() > AWAKE)
    busy: Int64 = not_idle(index, device).between(begin[awake], end[awake])
    mine = awake[busy == 0]
    return Coverage(begin[mine], end[mine])
