"""The samples of network devices: one series a device, port and metric."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tui.analysis.grouping import combined
from tui.analysis.index import Index
from tui.analysis.network.devices import NetworkDevice, adapters, port_labels, switches, unnamed
from tui.analysis.network.stretches import Stretches, disjoint
from tui.analysis.network.units import Measure, measure
from tui.report.columns import NULL
from tui.report.extra.extra_table import ExtraRows
from tui.report.extra.tables import NETWORK_METRICS, NIC_METRICS, SWITCH_METRICS
from tui.report.model import Report

UNVERIFIED = "how nsys exports samples of networks is taken from its documentation, not from files"


@dataclass(frozen=True, eq=False)
class NetworkSeries:
    """What one metric of one port was over time."""

    key: int
    """The device's globalId."""
    device: NetworkDevice
    port: int | None
    port_label: str | None
    metric: str
    """Its name in the export, not yet safe for a screen."""
    measure: Measure
    values: Stretches
    overlapping: int = 0
    """Samples that begin before the one before them ends: the rest of them counts."""
    negative: int = 0
    """Samples that say that less than nothing was moved: nothing is known of their time."""

    @property
    def port_name(self) -> str | None:
        """The port's label, else its number; None where the export tells neither."""
        return self.port_label or (None if self.port is None else str(self.port))

    @cached_property
    def greatest(self) -> int:
        """The greatest value of the capture."""
        return self.values.greatest or 0

    @property
    def is_idle(self) -> bool:
        """Whether it is 0 throughout the capture."""
        return not self.values.value.any()


@dataclass(frozen=True)
class NetworkSamples:
    """All series of a report, those of adapters first; bytes before packets before the rest."""

    series: tuple[NetworkSeries, ...]
    left_out: int
    """Rows whose times can't be true."""

    def __bool__(self) -> bool:
        return bool(self.series)

    def of_bytes(self) -> Iterator[NetworkSeries]:
        """The series of bytes of adapters, without those that others count too (IP over InfiniBand)."""
        for one in self.series:
            if one.measure.thing == "bytes" and not one.device.is_switch and not is_part(one.metric):
                yield one


def is_part(metric: str) -> bool:
    """Whether what a metric counts is counted by another one of the same port, too."""
    return metric.lower().startswith("ipoib")


def may_have_samples(report: Report) -> bool:
    """Whether there may be any. Costs nothing."""
    rows = {table.name: table.rows for table in report.tables}
    return any(rows.get(table.source) for table in (NIC_METRICS, SWITCH_METRICS))


def network_samples(index: Index) -> NetworkSamples:
    """The samples of network devices of a report, read once. Raises ReportError."""
    return index.once("network samples", lambda: _read(index.report))


def _read(report: Report) -> NetworkSamples:
    tables = [(report.extra_rows(table), table is SWITCH_METRICS) for table in (NIC_METRICS, SWITCH_METRICS)]
    names = _metric_names(report)
    series = [one for rows, of_switches in tables for one in _series(report, rows, names, of_switches)]
    return NetworkSamples(tuple(sorted(series, key=_order)), sum(rows.left_out for rows, _ in tables))


def _order(one: NetworkSeries) -> tuple[object, ...]:
    things = ("bytes", "packets", "ticks")
    thing = one.measure.thing or ""
    place = things.index(thing) if thing in things else len(things)
    return (
        one.device.is_switch,
        one.device.name,
        one.key,
        one.port or 0,
        place,
        is_part(one.metric),
        one.metric,
    )


def _metric_names(report: Report) -> dict[tuple[int, int], tuple[str, str | None]]:
    rows = report.extra_rows(NETWORK_METRICS)
    numbers = zip(rows["metricsListId"].tolist(), rows["metricsIdx"].tolist(), strict=True)
    found: dict[tuple[int, int], tuple[str, str | None]] = {}
    for key, name, unit in zip(numbers, rows.texts("name"), rows.texts("unit"), strict=True):
        if name:
            found.setdefault(key, (name, unit))
    return found


def _series(
    report: Report, rows: ExtraRows, names: dict[tuple[int, int], tuple[str, str | None]], of_switches: bool
) -> Iterator[NetworkSeries]:
    usable = np.flatnonzero(rows["value"] != NULL)
    if not len(usable):
        return
    columns = [rows[column][usable] for column in ("globalId", "portId", "metricsListId", "metricsIdx")]
    groups, first = combined(*columns)
    order = np.argsort(groups, kind="stable")
    known = switches(report) if of_switches else adapters(report)
    labels = port_labels(report) if of_switches else {}
    for mine, at in zip(
        np.split(order, np.flatnonzero(np.diff(groups[order])) + 1), first.tolist(), strict=True
    ):
        key, port, listed, number = (int(column[at]) for column in columns)
        name, unit = names.get((listed, number), (f"metric {_words(listed)}/{_words(number)}", None))
        what = measure(name, unit)
        taken = usable[mine]
        if what.thing is not None:
            taken = taken[rows["value"][taken] >= 0]
        values, overlapping = disjoint(rows["start"][taken], rows["end"][taken], rows["value"][taken])
        yield NetworkSeries(
            key=key,
            device=known.get(key) or unnamed(key, is_switch=of_switches),
            port=None if port == NULL else port,
            port_label=labels.get((key, port)),
            metric=name,
            measure=what,
            values=values,
            overlapping=overlapping,
            negative=len(mine) - len(taken),
        )


def _words(number: int) -> str:
    return "?" if number == NULL else str(number)
