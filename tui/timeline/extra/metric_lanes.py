"""Below each device its metrics, and those of the machine: a line each, three of them while folded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from tui.analysis.metrics.quantity import Quantity
from tui.report.columns import Int64
from tui.report.extra.tables import METRIC_TABLES
from tui.report.model import Report
from tui.text import cut, safe
from tui.timeline.lane import Lane, LaneKind
from tui.timeline.series import Cells, Level, Pair, Series
from tui.timeline.slices import LaneRows

if TYPE_CHECKING:
    from tui.analysis.index import Index
    from tui.analysis.metrics.metric import Metric

_OF_DEVICES = frozenset({"GPU_METRICS", "GENERIC_EVENTS"})
_BRIEF = 3
_WIDEST = 14
"""Cells of a title: the column of titles is as wide as the widest, and a whole name is in the details."""
UNVERIFIED = "unverified: read as documented, not as seen in files"

_PAIRS = (
    ("DRAM", "dram_read", "dram_write", "series.2"),
    ("PCIe", "pcie_rx", "pcie_tx", "series.3"),
    ("NVLink", "nvlink_rx", "nvlink_tx", "series.4"),
)
_WAYS = {"dram_read": "read", "dram_write": "write"}
_TITLES = {
    "sm_active": "SM active",
    "tensor_active": "tensor",
    "sm_issue": "SM issue",
    "gr_active": "GR active",
    "warps": "warps",
    "warps_idle_sm": "free warps",
    "dram_read": "DRAM read",
    "dram_write": "DRAM write",
    "pcie_rx": "PCIe rx",
    "pcie_tx": "PCIe tx",
    "nvlink_rx": "NVLink rx",
    "nvlink_tx": "NVLink tx",
    "copy_sync": "sync copy",
    "copy_async": "async copy",
    "clock_gpc": "GPC clock",
    "clock_sys": "SYS clock",
    "power": "power",
    "temperature": "temperature",
    "memory_temperature": "mem. temp.",
}
_STYLES = {
    "tensor_active": "series.1",
    **{key: style for _, *keys, style in _PAIRS for key in keys},
    "copy_sync": "series.3",
    "copy_async": "series.3",
    "clock_gpc": "series.5",
    "clock_sys": "series.5",
    "power": "series.5",
    "temperature": "series.7",
    "memory_temperature": "series.7",
}
_ORDER = (
    "sm_active",
    "tensor_active",
    "DRAM",
    "sm_issue",
    "gr_active",
    "warps",
    "warps_idle_sm",
    "PCIe",
    "NVLink",
)


def metric_lanes(report: Report) -> Iterator[Lane]:
    """A lane of metrics of each device and of the machine, where a table may have some: none is read here."""
    found = {table.name for table in report.tables if table.rows and table.name in METRIC_TABLES}
    if found & _OF_DEVICES:
        for device in report.devices:
            number = device.cuda_id
            yield Lane(
                f"gpu{number}/metrics", LaneKind.SERIES, "metrics", f"metrics of GPU {number}", depth=1,
                device=device.index, late=_loader(device.index), brief=_BRIEF,
            )  # fmt: skip
    if found - _OF_DEVICES or (found and not report.devices):
        about = "metrics of the machine"
        yield Lane("machine/metrics", LaneKind.SERIES, "metrics", about, late=_loader(-1), brief=_BRIEF)


def _loader(device: int) -> Callable[[Index], LaneRows]:
    def load(index: Index) -> LaneRows:
        from tui.analysis.metrics.capture import metrics_of

        metrics = metrics_of(index).of(device)
        if device >= 0 or not index.report.devices:
            return tuple(lines_of(metrics))
        return tuple(lines_of(tuple(metric for metric in metrics if metric.gpu is None)))

    return load


class _Held:
    """The values of a quantity as lanes ask for them."""

    def __init__(self, quantity: Quantity) -> None:
        self._quantity = quantity

    def over(self, edges: Int64) -> Cells:
        return Cells(*self._quantity.over(edges))


def lines_of(metrics: tuple[Metric, ...]) -> list[Series]:
    """The lines of some metrics: the most telling first. One that is 0 throughout has none."""
    shown = [metric for metric in metrics if len(metric.quantity) and metric.constant != 0]
    names = [metric.name for metric in shown]
    lines: dict[str, Series] = {}
    taken: set[Metric] = set()
    for title, *keys, style in _PAIRS:
        pair = [next((m for m in metrics if m.key == key and len(m.quantity)), None) for key in keys]
        upper, lower = pair
        if upper is None or lower is None or not any(metric in shown for metric in pair):
            continue
        top = None if upper.is_share else max(_top(upper), _top(lower))
        parts = [
            _level(metric, style, _WAYS.get(key, key[-2:]), top)
            for metric, key in zip((upper, lower), keys, strict=True)
        ]
        details = (*parts[0].details, *parts[1].details)
        lines[title] = Pair(title=title, details=details, note=_note(upper), upper=parts[0], lower=parts[1])
        taken |= {upper, lower}
    for number, metric in enumerate(shown):
        if metric not in taken:
            name = metric.key if metric.key is not None and metric.key not in lines else f"other {number}"
            title = _TITLES.get(name, metric.name if names.count(metric.name) == 1 else metric.kept.name)
            lines[name] = _level(metric, _STYLES.get(metric.key or "", _style(metric)), title)
    order = {name: place for place, name in enumerate(_ORDER)}
    return [lines[name] for name in sorted(lines, key=lambda name: order.get(name, len(order)))]


def _style(metric: Metric) -> str:
    return "series.6" if metric.gpu is None else "series.0"


def _level(metric: Metric, style: str, title: str, top: float | None = None) -> Level:
    return Level(
        title=cut(safe(title), _WIDEST),
        details=tuple((label, safe(text)) for label, text in metric.details),
        note=_note(metric),
        values=_Unknown() if metric.inactive else _Held(metric.quantity),
        style=style,
        top=top or _top(metric),
        words=metric.words,
    )


def _top(metric: Metric) -> float:
    """The upper end of the scale: 100 for a percentage, else the greatest value of the capture."""
    if metric.is_share:
        return 100.0
    greatest = metric.quantity.extremes[1]
    return greatest if greatest > 0 else 1.0


def _note(metric: Metric) -> str:
    return "reads as full throughout: taken to be inactive, so unknown" if metric.inactive else UNVERIFIED


class _Unknown:
    """Values of which nothing is known."""

    def over(self, edges: Int64) -> Cells:
        nothing = np.full(len(edges) - 1, np.nan)
        return Cells(nothing, nothing, nothing)
