"""The columns of kept metrics: times once for all metrics that share them, values in few bytes.

A value describes the time since the sample before it. The first is one median period long; a sample whose
time is longer than :data:`MISSING` periods is missing: nothing is known of it, and its value is not kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tui.report.columns import Array, DerivedColumns, Int64

if TYPE_CHECKING:
    from tui.report.metrics.raw_series import Float64, RawSeries

BLOCK = 16
"""Samples between two sums that are kept."""
PEAKS = 64
"""Samples whose least and greatest value are kept."""
MISSING = 2.5
_SMALL = (np.uint8, np.int16, np.uint16, np.int32, np.uint32)
_AXES = 4
"""How many of a type's axes are looked at for the times of its next metric."""

Put = Callable[[str, Array], None]


class Axis(NamedTuple):
    """When the values of some metrics hold: disjoint stretches of time, ascending."""

    begin: Int64
    end: Int64
    covered: Int64
    """How much time the stretches before each one cover, and all of them: one entry more."""
    period: int | None
    """The median time between two samples (ns); None: there are fewer than two."""
    missing: int
    """Samples whose time is too long to be theirs."""


class Kept(NamedTuple):
    """One metric as it is kept."""

    source: str
    name: str
    type_id: int | None
    unit: str
    axis: Axis
    values: Array
    before: Float64
    """The sum of value times duration before every :data:`BLOCK` samples, and before the end."""
    low: Array
    """The least value of every :data:`PEAKS` samples."""
    high: Array
    counts: dict[str, int]
    """Samples that were left out, by why."""
    notes: tuple[str, ...]


class Keeper:
    """Hands the columns of series to ``put`` as they come, and remembers what they are."""

    def __init__(self, put: Put) -> None:
        self._put = put
        self._axes: list[dict[str, Any]] = []
        self._series: list[dict[str, Any]] = []
        self._shared: dict[tuple[str, int | None], list[tuple[Int64, int, Array, Int64]]] = {}

    def add(self, series: RawSeries) -> None:
        """Keep one series."""
        axis, kept, length = self._axis(series)
        values = _narrow(series.value[kept])
        prefix = f"series.{len(self._series)}"
        self._put(f"{prefix}.values", _bits(values))
        self._put(f"{prefix}.before", _bits(_sums(series.value[kept], length)))
        for name, least in (("low", np.minimum), ("high", np.maximum)):
            starts = np.arange(0, len(values), PEAKS)
            ends = least.reduceat(values, starts) if len(values) else values
            self._put(f"{prefix}.{name}", _bits(ends))
        self._series.append(
            {
                "source": series.source,
                "name": series.name,
                "type_id": series.type_id,
                "unit": series.unit,
                "axis": axis,
                "dtype": values.dtype.str,
                "counts": series.counts,
                "notes": series.notes,
            }
        )

    def facts(self) -> dict[str, Any]:
        """What has been kept."""
        return {"axes": self._axes, "series": self._series}

    def _axis(self, series: RawSeries) -> tuple[int, Array, Int64]:
        """The number of the series' axis, which samples are on it, and the durations of those."""
        known = ~np.isnan(series.value)
        shares = series.begin is None and bool(known.all())
        shared = self._shared.setdefault((series.source, series.type_id), [])
        for time, number, kept, length in shared:
            if shares and np.array_equal(time, series.time):
                return number, kept, length
        begin, timely, period = _intervals(series.time, series.begin)
        missing = len(series.time) - int(timely.sum())
        # What has no value takes its time along: no other sample tells anything of it.
        begin, kept = begin[known[timely]], timely & known
        end = series.time[kept]
        length = end - begin
        number = len(self._axes)
        self._put(f"axis.{number}.begin", begin)
        self._put(f"axis.{number}.end", end)
        self._put(f"axis.{number}.covered", np.concatenate([[0], np.cumsum(length)]).astype(np.int64))
        self._axes.append({"period": period, "missing": missing})
        if shares:
            self._shared[series.source, series.type_id] = [
                *shared[-_AXES + 1 :], (series.time, number, kept, length)
            ]  # fmt: skip
        return number, kept, length


def loaded(columns: DerivedColumns) -> list[Kept]:
    """The metrics that a :class:`Keeper` kept."""
    axes = []
    for number, facts in enumerate(columns.facts["axes"]):
        begin, end, covered = (columns.get(f"axis.{number}.{name}") for name in ("begin", "end", "covered"))
        axes.append(Axis(begin, end, covered, facts["period"], facts["missing"]))
    found = []
    for number, facts in enumerate(columns.facts["series"]):
        kind = np.dtype(facts["dtype"])
        values, low, high = (
            columns.get(f"series.{number}.{name}").view(kind) for name in ("values", "low", "high")
        )
        before = columns.get(f"series.{number}.before").view(np.float64)
        about = facts["source"], facts["name"], facts["type_id"], facts["unit"]
        counts, notes = facts["counts"], tuple(facts["notes"])
        found.append(Kept(*about, axes[facts["axis"]], values, before, low, high, counts, notes))
    return found


def _intervals(time: Int64, begin: Int64 | None) -> tuple[Int64, Array, int | None]:
    """When the values of the samples that come in time begin to hold, which ones these are, the period."""
    if begin is not None:
        length = time - begin
        return begin, np.ones(len(time), bool), int(np.median(length)) if len(length) else None
    if len(time) < 2:
        return time[:0], np.zeros(len(time), bool), None
    since = np.diff(time)
    period = max(int(np.median(since)), 1)
    kept = np.append(True, since <= MISSING * period)
    before = np.concatenate([[time[0] - period], time[:-1]])
    return before[kept], kept, period


def _narrow(values: Float64) -> Array:
    """The same numbers in as few bytes as they need."""
    if not len(values):
        return values.astype(np.uint8)
    low, high = float(values.min()), float(values.max())
    if low >= np.iinfo(np.int32).min and high <= np.iinfo(np.uint32).max and bool((values % 1 == 0).all()):
        for kind in _SMALL:
            if low >= np.iinfo(kind).min and high <= np.iinfo(kind).max:
                return values.astype(kind)
    short = values.astype(np.float32)
    return short if bool((short == values).all()) else values


def _sums(values: Float64, length: Int64) -> Float64:
    """Sums of value times duration: before each block, and in all."""
    if not len(values):
        return np.zeros(1)
    parts = np.add.reduceat(values * length, np.arange(0, len(values), BLOCK))
    return np.concatenate([[0.0], np.cumsum(parts)])


def _bits(values: Array) -> Array:
    """The values as integers of the same width: a column of one value is kept as an integer."""
    return values.view(f"i{values.dtype.itemsize}") if values.dtype.kind == "f" else values
