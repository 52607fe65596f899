"""What metrics say beside busy time: how full it was, and whether a device worked for someone else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tui.analysis.busy import DeviceBusy
from tui.analysis.index import Busy, Index
from tui.analysis.scope import Window
from tui.analysis.table import Column, Table, Unit
from tui.intervals import Spans
from tui.report.columns import NULL, Int64
from tui.report.metrics.reading import has_metrics
from tui.text.numbers import hundredths, percent

if TYPE_CHECKING:
    from tui.analysis.step_table import StepRows


@dataclass(frozen=True)
class BesideBusy:
    """Of one device in one window; None: not captured, or too few samples."""

    sm_active_busy_pct: float | None
    """The mean of SM active while kernels run."""
    hollow_ns: int | None
    """Kernel time in which SMs stood empty, in all."""
    hollow_pct: float | None
    """The same in percent of the window."""
    busy_elsewhere_ns: int | None
    """Idle time in which the device's engine was active all the same."""


NOTHING = BesideBusy(None, None, None, None)


def beside_busy(index: Index, device: int, window: Window) -> BesideBusy:
    """What the metrics of a device say of a window. Reads them at the first call."""
    if not has_metrics(index.report):
        return NOTHING
    from tui.analysis.metrics.device_busy import busy_elsewhere, hollow

    found = hollow(index, device, window.start, window.end)
    elsewhere = busy_elsewhere(index, device)
    elsewhere_ns = None if elsewhere is None else elsewhere.length(window.start, window.end)
    if found is None:
        return BesideBusy(None, None, None, elsewhere_ns)
    empty = found.hollow_ns
    return BesideBusy(
        hundredths(found.sm_active.known),
        empty,
        None if empty is None else hundredths(percent(empty, window.length)),
        elsewhere_ns,
    )


def device_columns(index: Index, rows: Sequence[DeviceBusy], window: Window) -> Iterator[Column]:
    """The columns of a table of devices, where a device has such metrics."""
    found = [beside_busy(index, row.device.index, window) for row in rows]
    if any(one.sm_active_busy_pct is not None for one in found):
        yield Column("SM active (%)", "sm_active_busy_pct", Unit.PCT, [f.sm_active_busy_pct for f in found])
        yield Column("Hollow (ns)", "hollow_ns", Unit.NS, [f.hollow_ns for f in found], rank=1)
        yield Column("Hollow (%)", "hollow_pct", Unit.PCT, [f.hollow_pct for f in found])
    if any(one.busy_elsewhere_ns for one in found):
        elsewhere = [one.busy_elsewhere_ns for one in found]
        yield Column("Busy elsewhere (ns)", "busy_elsewhere_ns", Unit.NS, elsewhere, rank=1)


def hollow_of(index: Index, devices: Sequence[int], start: Int64, end: Int64) -> Int64:
    """Hollow kernel time of some devices together in each ``[start, end)`` (ns); NULL: unknown.

    Where a device has fewer than five samples in its kernel time all is unknown.
    """
    total = np.zeros(len(start), np.int64)
    if not devices or not has_metrics(index.report):
        return np.full(len(start), NULL, np.int64)
    from tui.analysis.metrics.capture import metrics_of
    from tui.analysis.metrics.device_busy import empty_ns

    for device in devices:
        quantity = metrics_of(index).quantity(device, "sm_active")
        if quantity is None:
            return np.full(len(start), NULL, np.int64)
        kernels = index.coverage(device, None, Busy.KERNELS)
        for i in np.flatnonzero(total != NULL).tolist():
            pieces = kernels.cut(int(start[i]), int(end[i]))
            average = quantity.average(Spans(pieces.start, pieces.end))
            if average.length_ns and average.known is None:
                total[i] = NULL
            elif average.known is not None:
                total[i] += empty_ns(average.length_ns, average.known)
    return total


def with_hollow(index: Index, table: Table, sequences: Sequence[StepRows]) -> Table:
    """A table of steps with their hollow time behind their busy time, where it is known of any."""
    found = [np.empty(0, np.int64)]
    for rows in sequences:
        devices = [device for device, _ in rows.device_busy]
        found.append(hollow_of(index, devices, rows.start, rows.start + rows.duration))
    values = np.concatenate(found)
    if (values == NULL).all():
        return table
    at = next(i for i, column in enumerate(table.columns) if column.key == "busy_ns") + 1
    hollow_column = Column("Hollow (ns)", "hollow_ns", Unit.NS, values, rank=1)
    return replace(table, columns=(*table.columns[:at], hollow_column, *table.columns[at:]))


def gaps_elsewhere(index: Index, device: int, start: Int64, end: Int64) -> Int64 | None:
    """How long in each gap a device worked all the same (ns); None: not captured."""
    if not has_metrics(index.report):
        return None
    from tui.analysis.metrics.device_busy import busy_elsewhere

    found = busy_elsewhere(index, device)
    return None if found is None else found.between(start, end)


def gap_column(index: Index, table: Table) -> Column | None:
    """Of a table of gaps: how long the device worked for someone else; None where it never did."""
    if not has_metrics(index.report):
        return None
    cells = {column.key: column.values for column in table.columns}
    place = {device.cuda_id: device.index for device in index.report.devices}
    start, length = (np.array(cells[key], np.int64) for key in ("start_ns", "duration_ns"))
    number = np.array([place[device] for device in cells["device"]], np.int64)
    values = np.full(len(start), NULL, np.int64)
    for device in np.unique(number).tolist():
        mine = number == device
        found = gaps_elsewhere(index, device, start[mine], (start + length)[mine])
        if found is not None:
            values[mine] = found
    return Column("Busy elsewhere (ns)", "busy_elsewhere_ns", Unit.NS, values) if (values > 0).any() else None
