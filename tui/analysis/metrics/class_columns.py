"""What metrics add to a table of kernel classes: how full the device is, and what limits it."""

from __future__ import annotations

from collections.abc import Mapping

from tui.analysis.busy import scoped_devices
from tui.analysis.index import Index
from tui.analysis.metrics.average import FEW
from tui.analysis.metrics.capture import may_have_metrics, metrics_of
from tui.analysis.metrics.group_means import group_means
from tui.analysis.metrics.groups import kernel_grouping
from tui.analysis.metrics.hints import DEFAULTS, USED, Thresholds, hint
from tui.analysis.scope import Scope
from tui.analysis.table import Column, Unit


def class_means(
    index: Index, scope: Scope, class_of: Mapping[str, str]
) -> dict[str, dict[str, float | None]]:
    """The mean of each metric that hints look at while kernels of a class run alone: by key, by class.

    Over all devices in scope, by time; unknown for fewer than five samples. ``class_of``: of kernels' names.
    """
    weight: dict[tuple[str, str], float] = {}
    total: dict[tuple[str, str], float] = {}
    count: dict[tuple[str, str], int] = {}
    low, high = scope.window.start, scope.window.end
    for device in scoped_devices(index, scope):
        groups = kernel_grouping(index, device.index, low, high, lambda name: class_of.get(name, ""))
        for key in USED:
            metric = metrics_of(index).find(device.index, key)
            if metric is None or not metric.is_share:
                continue
            means = group_means(metric.quantity, groups)
            for i, name in enumerate(groups.names):
                at = name, key
                weight[at] = weight.get(at, 0.0) + float(means.pure_ns[i])
                total[at] = total.get(at, 0.0) + float(means.pure_sum[i])
                count[at] = count.get(at, 0) + int(means.pure_samples[i])
    found: dict[str, dict[str, float | None]] = {}
    for (name, key), ns in weight.items():
        known = count[name, key] >= FEW and ns > 0
        found.setdefault(name, {})[key] = total[name, key] / ns if known else None
    return found


def metric_columns(
    index: Index, scope: Scope, class_of: Mapping[str, str], classes: list[str], limits: Thresholds = DEFAULTS
) -> tuple[Column, ...]:
    """Columns for a table of ``classes``; none where no such metrics were captured."""
    if not may_have_metrics(index.report):
        return ()
    means = class_means(index, scope, class_of)
    if not means:
        return ()
    rows = [means.get(name, {}) for name in classes]

    def rounded(values: list[float | None]) -> list[float | None]:
        return [None if value is None else round(value, 1) for value in values]

    def both(row: Mapping[str, float | None]) -> float | None:
        read, write = row.get("dram_read"), row.get("dram_write")
        return None if read is None or write is None else read + write

    return (
        Column("SM active (%)", "sm_active", Unit.PCT, rounded([row.get("sm_active") for row in rows])),
        Column("Tensor (%)", "tensor_active", Unit.PCT, rounded([row.get("tensor_active") for row in rows])),
        Column("DRAM (%)", "dram", Unit.PCT, rounded([both(row) for row in rows])),
        Column("Hint", "hint", Unit.TEXT, [hint(row, limits) for row in rows], blank="-"),
    )
