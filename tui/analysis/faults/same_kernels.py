"""Kernels that do the same work: one function, grid and block, on one device, launched by one thread.

PyTorch launches backward from a thread of its own, and one function may do different work there than in
forward.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.analysis.grouping import dense
from tui.report.columns import Bool, Int64, Positions
from tui.report.model import Report


@dataclass(frozen=True)
class SameKernels:
    """Kernels in groups; arrays have one entry a kernel, by start."""

    op: Positions
    """Positions in ``Report.ops``."""
    group: Int64
    """0 to ``groups`` - 1."""
    groups: int
    duration: Int64

    def medians(self, chosen: Bool, least: int) -> np.ndarray:
        """Return the median duration of each group's ``chosen`` (float64); NaN below ``least`` of them."""
        picked = np.flatnonzero(chosen)
        order = picked[np.lexsort((self.duration[picked], self.group[picked]))]
        count = np.bincount(self.group[order], minlength=self.groups)
        first = np.cumsum(count) - count
        medians = np.full(self.groups, np.nan)
        enough = np.flatnonzero(count >= max(least, 1))
        ordered = self.duration[order]
        low = ordered[first[enough] + (count[enough] - 1) // 2]
        high = ordered[first[enough] + count[enough] // 2]
        medians[enough] = (low + high) / 2
        return medians

    def means(self, chosen: Bool, least: int) -> np.ndarray:
        """Return the mean duration of each group's ``chosen`` (float64); NaN below ``least`` of them.

        Unlike the median it keeps its meaning where a kernel does more work at some places of a step.
        """
        count = np.bincount(self.group[chosen], minlength=self.groups)
        total = np.bincount(self.group[chosen], weights=self.duration[chosen], minlength=self.groups)
        means: np.ndarray = np.where(count >= max(least, 1), total / np.maximum(count, 1), np.nan)
        return means

    def rank(self) -> np.ndarray:
        """Return the place of each kernel in its group by start, from 0 (first) towards 1 (float64)."""
        count = np.bincount(self.group, minlength=self.groups)
        order = np.argsort(self.group, kind="stable")
        place = np.empty(len(self.op), np.int64)
        place[order] = np.arange(len(order)) - np.repeat(np.cumsum(count) - count, count)
        ranks: np.ndarray = place / np.maximum(count, 1)[self.group]
        return ranks


def group_kernels(report: Report, kernels: Positions) -> SameKernels:
    """Group these kernels (positions in ``Report.ops``)."""
    ops = report.ops
    duration = ops.end[kernels] - ops.start[kernels]
    if not len(kernels):
        return SameKernels(kernels, np.zeros(0, np.int64), 0, duration)
    row = ops.row[kernels]
    shape = report.kernels
    shapes = (shape.grid_x, shape.grid_y, shape.grid_z, shape.block_x, shape.block_y, shape.block_z)
    launch = ops.launch[kernels]
    thread = np.full(len(kernels), -1, np.int32)
    thread[launch >= 0] = report.calls.thread[launch[launch >= 0]]
    columns: list[NDArray[Any]] = [
        ops.device[kernels], ops.name[kernels], thread, *(column[row] for column in shapes)
    ]  # fmt: skip
    group, groups = np.zeros(len(kernels), np.int64), 1
    for column in columns:
        low, high = int(column.min()), int(column.max())
        if low == high:
            continue
        # Most columns hold small numbers: those are counted instead of sorted.
        near = high - low < 2**31
        value, values = dense(column - low, high - low + 1) if near else dense(column)
        group, used = dense(group * len(values) + value, groups * len(values))
        groups = len(used)
    return SameKernels(kernels, group, groups, duration)
