"""Samples on their way from the tables of an export to columns: sorted into one pile a metric."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tui.report.columns import Array, Int64
from tui.report.importing.packed import PackedColumn

Float64 = NDArray[np.float64]
LARGEST = 1e15
"""No rate, clock or power is greater: such a value is damage, and would take the sums of others along."""


@dataclass
class RawSeries:
    """The samples of one metric, before they are times and intervals."""

    source: str
    """``gpu``, ``soc``, ``nvml``, or the kind of CPU counter."""
    name: str
    """As the export has it."""
    time: Int64
    """When each value was taken, ascending; no two are equal."""
    value: Float64
    """NaN: unknown, and so is the quantity since the sample before."""
    type_id: int | None = None
    begin: Int64 | None = None
    """When each value began to hold, where the table says so; None: at the sample before it."""
    unit: str = ""
    """Where the export gives it beside the name."""
    counts: dict[str, int] = field(default_factory=dict)
    """What was left out, by why."""
    notes: list[str] = field(default_factory=list)


class Piles:
    """Rows of a table by the metric that they are of; memory is bounded by the spool behind ``keep``."""

    def __init__(self, keep: Callable[[Array], Array]) -> None:
        self._keep = keep
        self._piles: dict[Hashable, tuple[PackedColumn, PackedColumn]] = {}

    def add(self, key: Hashable, time: Int64, bits: Int64) -> None:
        """Add samples of one metric, in any order."""
        if key not in self._piles:
            self._piles[key] = PackedColumn(self._keep), PackedColumn(self._keep)
        times, values = self._piles[key]
        times.append(time)
        values.append(bits)

    def keys(self) -> list[Hashable]:
        """The metrics that have samples, in the order in which they came."""
        return list(self._piles)

    def take(self, key: Hashable) -> tuple[Int64, Int64]:
        """Times and bits of one metric, as they came; they are kept no longer."""
        times, values = self._piles.pop(key)
        return times.read(0, len(times)), values.read(0, len(values))


def in_order(time: Int64, value: Float64) -> tuple[Int64, Float64, dict[str, int]]:
    """Sort samples by time, each time once; count those of no value, which stay as NaN, and what is gone."""
    counts = {}
    unknown = np.isnan(value)
    if unknown.any():
        counts["no value"] = int(unknown.sum())
    damaged = np.abs(value) > LARGEST
    if damaged.any():
        counts["an impossible value"] = int(damaged.sum())
        value = np.where(damaged, np.nan, value)
    if (time[1:] <= time[:-1]).any():
        # Of samples of one time the first that has a value.
        order = np.lexsort((np.isnan(value), time))
        time, value = time[order], value[order]
        first = np.append(True, time[1:] != time[:-1])
        if repeated := int((~first & ~np.isnan(value)).sum()):
            counts["the time of another sample"] = repeated
        time, value = time[first], value[first]
    return time, value, counts
