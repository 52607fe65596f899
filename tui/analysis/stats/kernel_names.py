"""The names of kernels in the forms that the options of a report ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tui.analysis.grouping import by_text, combined
from tui.analysis.index import Index
from tui.analysis.phases import op_range_pairs
from tui.analysis.stats.lazy import Names
from tui.analysis.stats.range_tree import closed_ends
from tui.analysis.stats.select import RowSet, kind_values, take
from tui.report.columns import Int64, Positions
from tui.report.data import UNNAMED
from tui.report.event_tables.ops import is_work
from tui.report.model import OpKind, Report

KERNEL_OPTIONS = ("base", "mangled")
RANGE_OPTIONS = ("nvtx-name", *KERNEL_OPTIONS)

NAME_OPTIONS = (
    "`:base` takes the short name, `:mangled` the mangled one where it was recorded; of both `:base` counts."
)
RANGE_NAME_OPTIONS = (
    f"{NAME_OPTIONS} `:nvtx-name` puts the innermost range around the launch before it: `range/kernel`."
)


class KernelNames(NamedTuple):
    """The name of each op: a code, and the text that each code means; -1 means none."""

    codes: NDArray[Any]
    texts: Sequence[str]

    def of(self, rows: NDArray[Any]) -> Names:
        """The texts of some of the ops."""
        return Names(self.texts, self.codes[rows])


def kernel_names(report: Report, rows: RowSet, options: frozenset[str]) -> NDArray[Any]:
    """The name of each kernel or graph op in ``rows``, in the form that ``options`` ask for."""
    names = take(report.ops.name, rows)
    if not options.intersection(KERNEL_OPTIONS):
        return names
    column = report.kernels.short_name if "base" in options else report.kernels.mangled_name
    other = kind_values(report, rows, {OpKind.KERNEL: column})
    return np.where(other >= 0, other, names)


def printed_names(index: Index, rows: RowSet, options: frozenset[str]) -> KernelNames:
    """The name of each op in ``rows`` as a report with these options prints it."""
    report = index.report
    names = kernel_names(report, rows, options)
    if "nvtx-name" not in options:
        return KernelNames(names, report.strings)
    ranges = innermost_ranges(index, rows)
    pairs, first = combined(np.append(report.ranges.name, np.int32(-1))[ranges], names)
    around = Names(report.strings, np.append(report.ranges.name, np.int32(-1))[ranges[first]])
    kernels = Names(report.strings, names[first])
    held = (ranges[first] >= 0).tolist()
    texts = [
        f"{name}/{kernel}" if inside and name != UNNAMED else kernel
        for inside, name, kernel in zip(held, around, kernels, strict=True)
    ]
    return KernelNames(*by_text(pairs, texts.__getitem__, len(texts)))


def innermost_ranges(index: Index, rows: RowSet) -> Int64:
    """The range around the launch of each kernel or graph in ``rows`` that starts last; -1 for none.

    Of ranges that start together it is the one that was recorded first; an open range ends with the last one:
    as in nsys.
    """
    report = index.report
    ops, ranges = np.arange(len(report.ops))[rows], report.ranges
    order = np.lexsort((-ranges.rowid, ranges.start))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    latest = np.full(len(report.ops), -1, np.int64)
    ends = closed_ends(report)
    for launched, ranges_around in op_range_pairs(index, work_among(report, ops)):
        inside = report.calls.end[report.ops.launch[launched]] <= ends[ranges_around]
        held, around = launched[inside], ranges_around[inside]
        latest[held] = np.maximum(latest[held], place[around])  # no op comes twice in one pair of arrays
    found = latest[ops]
    return np.where(found >= 0, np.append(order, -1)[found], -1)


def work_among(report: Report, ops: Positions) -> Positions:
    """The kernels and graphs among these ops."""
    return ops[is_work(report.ops.kind[ops])]
