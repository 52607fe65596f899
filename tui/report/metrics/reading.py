"""All metrics of an export: read at the first call, then taken from the store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tui.report.columns import Array
from tui.report.extra.tables import METRIC_TABLES
from tui.report.metrics.columns import Keeper, Kept, loaded
from tui.report.model import Report

_MEANING = 2
"""Goes up whenever what is kept is made in another way."""
_NAME = "metrics"
GPU, SOC = ("GPU_METRICS", "TARGET_INFO_GPU_METRICS"), ("SOC_METRICS", "TARGET_INFO_SOC_METRICS")


def has_metrics(report: Report) -> bool:
    """Whether the report has a table with rows that may be metrics. Reads none of them."""
    return any(table.rows for table in report.tables if table.name in METRIC_TABLES)


def metrics_in(report: Report, kind: Callable[[str], str | None], version: int) -> list[Kept]:
    """The metrics of a report, those of one table after each other.

    ``kind``: what a field of a generic event is by its name (``gpu``, ``nvml``), None for all else;
    ``version`` goes up whenever that changes. Raises ReportError where the file is damaged or has changed.
    """
    if report.extra is None or not has_metrics(report):
        return []

    def read(source: Any, spool: Any, put: Callable[[str, Array], None]) -> dict[str, Any]:
        # What is kept opens without all that reads it.
        from tui.report.metrics.cpu_counters import read_counters
        from tui.report.metrics.generic_events import read_events
        from tui.report.metrics.sample_tables import read_samples

        keeper = Keeper(put)
        seen = set()
        for name, tables in (("gpu", GPU), ("soc", SOC)):
            for series in read_samples(source, spool, name, *tables):
                seen.add(series.type_id)
                keeper.add(series)
        for series in read_events(source, spool, kind, frozenset(t for t in seen if t is not None)):
            keeper.add(series)
        for series in read_counters(source):
            keeper.add(series)
        return keeper.facts()

    return loaded(report.extra.derived(_NAME, (_MEANING << 16) + version, read))
