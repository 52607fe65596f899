"""Which sets of metrics a capture has: how many, how often they were sampled, how much they cover."""

from __future__ import annotations

from dataclasses import dataclass

from tui.analysis.index import Index
from tui.analysis.metrics.capture import metrics_are_read, metrics_of
from tui.analysis.metrics.metric import Metric
from tui.report.extra.tables import METRIC_TABLES
from tui.report.model import Report
from tui.text.numbers import percent

AT_ONCE = 200_000
"""So many rows are read by the way; more only by what needs their values."""

UNREAD = "metrics: too many rows to read by the way; `nsystui metrics` lists sampling rates and coverage"


@dataclass(frozen=True)
class MetricSet:
    """The metrics of one device, or of the machine, from one source."""

    source: str
    device: int | None
    """The number of the device, or of a GPU without recorded work; None: the machine."""
    metrics: int
    samples: int
    """Of the metric that has most."""
    rate_hz: float | None
    """By the median time between two samples."""
    coverage_pct: float | None
    """Of the capture; less where samples came late."""
    missing: int
    """Samples that came too late to say anything of the time before them."""


def are_read_by_the_way(index: Index) -> bool:
    """Whether :func:`metric_sets` may read what is there."""
    rows = sum(table.rows for table in index.report.tables if table.name in METRIC_TABLES)
    return metrics_are_read(index) or rows <= AT_ONCE


def metric_sets(index: Index) -> list[MetricSet]:
    """All sets, those of devices first. Reads the metrics."""
    report = index.report
    groups: dict[tuple[str, int, int | None], list[Metric]] = {}
    for metric in metrics_of(index).all:
        groups.setdefault((metric.source, metric.device, metric.gpu), []).append(metric)
    return [
        _set(report, source, report.devices[device].cuda_id if device >= 0 else gpu, metrics)
        for (source, device, gpu), metrics in groups.items()
    ]


def _set(report: Report, source: str, number: int | None, metrics: list[Metric]) -> MetricSet:
    most = max(metrics, key=lambda metric: len(metric.quantity))
    period, span = most.kept.axis.period, report.span
    coverage = None
    if span is not None:
        coverage = percent(int(most.quantity.covered(*span)), span[1] - span[0])
    return MetricSet(
        source,
        number,
        len(metrics),
        len(most.quantity),
        round(1e9 / period, 1) if period else None,
        None if coverage is None else round(coverage, 1),
        max(metric.kept.axis.missing for metric in metrics),
    )
