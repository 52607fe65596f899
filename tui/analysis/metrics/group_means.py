"""Means of metrics over groups of time: of all samples that touch one, and of those that are its alone."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tui.analysis.metrics.average import FEW
from tui.analysis.metrics.groups import Grouping
from tui.analysis.metrics.pure import Alone, inside
from tui.analysis.metrics.quantity import Float64, Quantity
from tui.report.columns import Int64, Positions


class Means(NamedTuple):
    """One entry a group."""

    samples: Int64
    """Whose intervals touch it."""
    covered: Int64
    """How much of its time they cover (ns)."""
    mixed: Float64
    """The mean over that time; NaN: there is none."""
    pure_samples: Int64
    """Whose intervals lie inside it, with no other group running."""
    pure: Float64
    """Their mean, by time; NaN where there are fewer than five."""
    pure_ns: Float64
    """How long these are in all."""
    pure_sum: Float64
    """Their sum of value times duration."""


def group_means(quantity: Quantity, groups: Grouping) -> Means:
    """The means of a quantity over each group."""
    spans, count = groups.spans, len(groups.names)
    covered = np.zeros(count, np.int64)
    np.add.at(covered, spans.group, quantity.covered(spans.start, spans.end))
    total = np.bincount(spans.group, quantity.integral(spans.start, spans.end), count)
    first, last = quantity.samples_in(spans.start, spans.end)
    touching = last - first
    # A sample that reaches from one interval of a group into its next is one sample.
    same = spans.group[1:] == spans.group[:-1]
    touching[1:] -= np.where(same, np.maximum(last[:-1] - first[1:], 0), 0)
    samples = np.zeros(count, np.int64)
    np.add.at(samples, spans.group, touching)
    owner = _owners(quantity, groups)
    mine = np.flatnonzero(owner >= 0)
    length = (quantity.axis.end - quantity.axis.begin)[mine]
    pure_samples = np.bincount(owner[mine], minlength=count).astype(np.int64)
    weight, value = (
        np.bincount(owner[mine], weights, count).astype(np.float64)
        for weights in (length, length * quantity.values()[mine])
    )
    mixed, pure = (np.full(count, np.nan) for _ in range(2))
    np.divide(total, covered, out=mixed, where=covered > 0)
    np.divide(value, weight, out=pure, where=(pure_samples >= FEW) & (weight > 0))
    return Means(samples, covered, mixed, pure_samples, pure, weight, value)


def _owners(quantity: Quantity, groups: Grouping) -> Positions:
    """The group that each sample is of alone; -1: none."""
    begin, end = quantity.axis.begin, quantity.axis.end
    if groups.alone is not None:
        return inside(groups.alone, begin, end)
    spans = groups.spans
    order = np.argsort(spans.start, kind="stable")
    # Groups that overlap: of those that hold a sample the one that began last.
    return inside(Alone(spans.start[order], spans.end[order], spans.group[order]), begin, end)
