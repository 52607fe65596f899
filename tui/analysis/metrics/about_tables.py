"""What is said beside tables of metrics: how much they cover, what was left out, energy; values in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tui.analysis.index import Index
from tui.analysis.metrics.capture import metrics_of
from tui.analysis.metrics.energy import energy
from tui.analysis.metrics.metric import UNVERIFIED, Metric
from tui.analysis.metrics.table import VALUES
from tui.analysis.metrics.units import worded
from tui.analysis.scope import Scope
from tui.analysis.table import Table, Unit
from tui.text.numbers import percent


def coverage(scope: Scope, metrics: Sequence[Metric]) -> dict[str, Any]:
    """How much of the window the metrics cover, for JSON."""
    low, high = scope.window.start, scope.window.end
    known = [int(metric.quantity.covered(low, high)) for metric in metrics]
    return {
        "metrics": len(metrics),
        "samples": sum(len(metric.quantity) for metric in metrics),
        "least_pct": None if not known else round(percent(min(known), high - low) or 0.0, 1),
    }


def notes_on(index: Index, metrics: Sequence[Metric]) -> list[str]:
    """What has to be said of these metrics."""
    notes = list(metrics_of(index).notes)
    if inactive := [metric.kept.name for metric in metrics if metric.inactive]:
        notes.append(f"full throughout, so taken to be of inactive links: {', '.join(inactive)}")
    left = [
        f"{metric.kept.name}: {count:,} with {why}"
        for metric in metrics
        for why, count in metric.kept.counts.items()
    ]
    if left:
        more = f" and {len(left) - 3} more metrics" if len(left) > 3 else ""
        notes.append(f"samples left out: {'; '.join(left[:3])}{more}")
    scaled = dict.fromkeys(metric.measure.rule for metric in metrics if "values" in metric.measure.rule)
    notes += scaled
    notes.append(UNVERIFIED)
    return notes


def worded_table(table: Table) -> Table:
    """The table with values in words: each with the unit of its row, which needs no column of its own."""
    units = next((column.values for column in table.columns if column.key == "unit"), None)
    if units is None:
        return table
    columns = []
    for column in table.columns:
        if column.key == "unit":
            continue
        if column.key not in VALUES:
            columns.append(column)
            continue
        texts = ["?" if v is None else worded(u, v) for u, v in zip(units, column.values, strict=True)]
        cells = max((len(text) for text in (column.header, *texts)), default=0)
        lined = [text.rjust(cells) for text in texts]
        columns.append(replace(column, header=column.header.rjust(cells), unit=Unit.TEXT, values=lined))
    return replace(table, columns=tuple(columns))


def energies(index: Index, scope: Scope, metrics: Sequence[Metric]) -> list[dict[str, Any]]:
    """The energy of each device whose power was sampled, for JSON."""
    low, high = scope.window.start, scope.window.end
    found = []
    for metric in metrics:
        if metric.key == "power":
            taken = energy(metric.quantity, low, high)
            device = index.report.devices[metric.device].cuda_id if metric.device >= 0 else metric.gpu
            joules = None if taken is None else round(taken.joules, 3)
            known = None if taken is None else round(percent(taken.covered_ns, high - low) or 0.0, 1)
            found.append({"device": device, "joules": joules, "coverage_pct": known})
    return found


def energy_words(index: Index, scope: Scope, metrics: Sequence[Metric]) -> list[str]:
    """The same for people: nothing of devices of which it is unknown."""
    return [
        f"GPU {one['device']} took {one['joules']:,.1f} J in {one['coverage_pct']} % of the window"
        for one in energies(index, scope, metrics)
        if one["joules"] is not None
    ]
