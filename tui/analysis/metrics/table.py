"""Tables of metrics: one row a metric, one a group and metric, or one a stretch of time and metric."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tui.analysis.busy import scoped_devices
from tui.analysis.index import Busy, Index
from tui.analysis.metrics.capture import metrics_of
from tui.analysis.metrics.device_busy import idle_spans
from tui.analysis.metrics.group_means import Means, group_means
from tui.analysis.metrics.groups import By, Grouping, grouping
from tui.analysis.metrics.hints import DEFAULTS, USED, Thresholds, hint
from tui.analysis.metrics.metric import Metric
from tui.analysis.scope import Scope
from tui.analysis.table import Column, Table, Unit
from tui.errors import UsageError
from tui.intervals import Spans
from tui.text.numbers import percent

_MOST = 1_000_000
"""Rows that a series may have."""


def chosen(index: Index, scope: Scope, wanted: Sequence[str] = ()) -> list[Metric]:
    """The metrics in scope: of its devices, and of the machine unless devices were chosen.

    ``wanted``: keys, or names without their units (any case). UsageError where one of them is no metric.
    """
    metrics = metrics_of(index).all
    if scope.devices is not None or scope.processes is not None:
        devices = {device.index for device in scoped_devices(index, scope)}
        metrics = tuple(
            m for m in metrics if m.device in devices or (m.gpu is None and scope.devices is None)
        )
    if not wanted:
        return list(metrics)
    asked = {word.casefold() for word in wanted}
    there = {word: metric for metric in metrics for word in _words(metric)}
    if missing := [word for word in wanted if word.casefold() not in there]:
        listed = ", ".join(dict.fromkeys(metric.key or metric.name for metric in metrics))
        raise UsageError(f"no metric {missing[0]!r}; there are {listed}")
    return [metric for metric in metrics if asked & set(_words(metric))]


def _words(metric: Metric) -> tuple[str, ...]:
    return tuple(word.casefold() for word in (metric.key, metric.name) if word)


def _row(metrics: Iterable[Metric], index: Index) -> tuple[Column, ...]:
    """What tells metrics apart."""
    listed = list(metrics)
    devices = index.report.devices
    return (
        Column("Source", "source", Unit.TEXT, [metric.source for metric in listed], rank=1),
        Column(
            "Device",
            "device",
            Unit.ID,
            [devices[m.device].cuda_id if m.device >= 0 else m.gpu for m in listed],
            blank="-",
        ),
        Column("Metric", "metric", Unit.TEXT, [metric.kept.name for metric in listed]),
        Column("Key", "key", Unit.TEXT, [metric.key for metric in listed], blank="other"),
        Column("Unit", "unit", Unit.TEXT, [metric.unit for metric in listed], blank="?"),
    )


def metrics_table(index: Index, scope: Scope, metrics: Sequence[Metric]) -> Table:
    """One row a metric: what it was in the window, while kernels ran, and while nothing did."""
    low, high = scope.window.start, scope.window.end
    whole = Spans(np.array([low]), np.array([high]))
    rows: list[tuple[Any, ...]] = []
    for metric in metrics:
        quantity = metric.quantity
        average = quantity.average(whole)
        middle, most, greatest = quantity.quantiles(low, high, (0.5, 0.95, 1.0))
        busy = idle = None
        if metric.device >= 0:
            pieces = index.coverage(metric.device, None, Busy.KERNELS).cut(low, high)
            busy = quantity.average(Spans(pieces.start, pieces.end)).known
            idle = quantity.average(idle_spans(index, metric.device, low, high)).known
        figures = (average.known, middle, most, greatest, busy, idle)
        if metric.inactive:
            figures = (None,) * 6
        shown = [_rounded(metric, value) for value in figures]
        coverage = average.coverage_pct
        period = metric.kept.axis.period
        rows.append((average.samples, period, None if coverage is None else round(coverage, 1), *shown))
    columns = (
        ("Samples", "samples", Unit.COUNT, 1),
        ("Period (ns)", "period_ns", Unit.NS, 2),
        ("Coverage (%)", "coverage_pct", Unit.PCT, 1),
        *((header, key, Unit.DECIMAL, 0) for header, key in _FIGURES),
    )
    cells = list(zip(*rows, strict=True)) or [()] * len(columns)
    made = [
        Column(header, key, unit, list(values), rank=rank)
        for (header, key, unit, rank), values in zip(columns, cells, strict=True)
    ]
    return Table("metrics", "Metrics", (*_row(metrics, index), *made))


_FIGURES = (
    ("Mean", "mean"),
    ("P50", "p50"),
    ("P95", "p95"),
    ("Max", "max"),
    ("In busy", "mean_busy"),
    ("In idle", "mean_idle"),
)
VALUES = frozenset({*(key for _, key in _FIGURES), "pure_mean", "mixed_mean"})
"""Keys of the columns with values in the unit of their row."""


def groups_table(
    index: Index, scope: Scope, metrics: Sequence[Metric], by: By, limits: Thresholds = DEFAULTS
) -> Table:
    """One row a group of time and a metric, the groups that last longest first (steps and gaps in order)."""
    listed: list[Metric] = []
    rows: list[tuple[Any, ...]] = []
    owners = dict.fromkeys((m.device, m.gpu is None) for m in metrics)
    for device, machine in owners:
        mine = [m for m in metrics if (m.device, m.gpu is None) == (device, machine)]
        if device < 0 and (by.of_kernels or by is By.GAP):
            continue
        groups = grouping(index, scope, device, by)
        found = {metric: group_means(metric.quantity, groups) for metric in mine}
        order = (
            np.argsort(-groups.ns, kind="stable")
            if by not in (By.STEP, By.GAP)
            else np.arange(len(groups.ns))
        )
        hints = device_hints(index, device, found, groups, limits)
        for i in order[groups.ns[order] > 0].tolist():
            for metric, means in found.items():
                listed.append(metric)
                rows.append(
                    (groups.names[i], int(groups.ns[i]), *_means(metric, means, i, groups.ns), hints[i])
                )
    headers = (
        ("Name", "name", Unit.TEXT),
        ("Time (ns)", "ns", Unit.NS),
        ("Samples", "samples", Unit.COUNT),
        ("Coverage (%)", "coverage_pct", Unit.PCT),
        ("Alone", "n_pure", Unit.COUNT),
        ("Mean alone", "pure_mean", Unit.DECIMAL),
        ("Mean", "mixed_mean", Unit.DECIMAL),
        ("Hint", "hint", Unit.TEXT),
    )
    cells = list(zip(*rows, strict=True)) or [()] * len(headers)
    made = {
        key: Column(header, key, unit, list(values), blank="-" if key == "hint" else "?")
        for (header, key, unit), values in zip(headers, cells, strict=True)
    }
    name = made.pop("name")
    return Table(
        f"metrics_by_{by.value}", f"Metrics by {by.value}", (name, *_row(listed, index), *made.values())
    )


def device_hints(
    index: Index, device: int, found: dict[Metric, Means], groups: Grouping, limits: Thresholds = DEFAULTS
) -> list[str | None]:
    """The hint of each group of a device, from the samples that are its alone.

    ``found``: the means that are known already.
    """
    means: dict[str, Means] = {}
    for key in USED if device >= 0 else ():
        metric = metrics_of(index).find(device, key)
        if metric is not None and metric.is_share:
            means[key] = found[metric] if metric in found else group_means(metric.quantity, groups)
    return [
        hint({key: _known(float(values.pure[i])) for key, values in means.items()}, limits)
        for i in range(len(groups.names))
    ]


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _means(
    metric: Metric, means: Means, i: int, ns: np.ndarray[Any, np.dtype[np.int64]]
) -> tuple[int, float | None, int, float | None, float | None]:
    samples, covered = int(means.samples[i]), int(means.covered[i])
    mixed = _known(float(means.mixed[i]))
    pure = _known(float(means.pure[i]))
    if metric.inactive:
        mixed = pure = None
    coverage = percent(covered, int(ns[i]))
    shown = None if coverage is None else round(coverage, 1)
    return samples, shown, int(means.pure_samples[i]), _rounded(metric, pure), _rounded(metric, mixed)


def series_table(index: Index, scope: Scope, metrics: Sequence[Metric], every: int) -> Table:
    """One row a stretch of ``every`` ns of the window and a metric. UsageError where that is too many."""
    low, high = scope.window.start, scope.window.end
    bins = -(-(high - low) // every)
    if bins * max(len(metrics), 1) > _MOST:
        raise UsageError(f"{bins * len(metrics):,} rows; a longer --every or a shorter --range gives fewer")
    edges = np.minimum(low + np.arange(bins + 1, dtype=np.int64) * every, high)
    listed = [metric for _ in range(bins) for metric in metrics]
    cells = [(m.quantity.over(edges), m.quantity.covered(edges[:-1], edges[1:])) for m in metrics]
    length = np.diff(edges)
    means = [
        _rounded(m, _known(float(held.mean[i])))
        for i in range(bins)
        for m, (held, _) in _with(metrics, cells)
    ]
    peaks = [
        _rounded(m, _known(float(held.high[i])))
        for i in range(bins)
        for m, (held, _) in _with(metrics, cells)
    ]
    covered = [round(100 * int(known[i]) / int(length[i]), 1) for i in range(bins) for _, known in cells]
    starts = np.repeat(edges[:-1], len(metrics))
    columns = (
        Column("Start (ns)", "start_ns", Unit.NS, starts),
        *_row(listed, index),
        Column("Coverage (%)", "coverage_pct", Unit.PCT, covered),
        Column("Mean", "mean", Unit.DECIMAL, means),
        Column("Max", "max", Unit.DECIMAL, peaks),
    )
    return Table("metric_samples", "Metrics over time", columns)


def _with(metrics: Sequence[Metric], cells: list[Any]) -> list[tuple[Metric, Any]]:
    return [
        (metric, (cell if not metric.inactive else _nothing(cell)))
        for metric, cell in zip(metrics, cells, strict=True)
    ]


def _nothing(cell: Any) -> Any:
    held, known = cell
    blank = np.full(len(known), np.nan)
    return held._replace(mean=blank, high=blank), known


def _rounded(metric: Metric, value: float | None) -> float | None:
    """A value as tables and JSON show it: percent with one decimal, all else with three."""
    if value is None or math.isnan(value):
        return None
    return round(value, 1 if metric.is_share else 3)
