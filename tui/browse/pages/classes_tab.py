"""Classes: the kernel time by what kernels do, and the names of each class. The figures of ``classes``."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np

from tui.analysis.class_table import classes_table, names_table
from tui.analysis.metrics.capture import may_have_metrics
from tui.analysis.metrics.hints import DEFAULTS, configured_thresholds
from tui.analysis.table import Table
from tui.browse.page import Finder, Instances, Page, Section
from tui.browse.pages.instances import instances, rows_in_window
from tui.browse.pages.request import PageRequest
from tui.report.columns import distinct_values
from tui.report.event_tables.ops import kernel_style
from tui.report.kernels.class_table import KernelClass
from tui.report.kernels.families import family
from tui.report.model import OpKind

CLASSES = {
    "class": "class",
    "ns": "total",
    "pct": "%",
    "ns_per_step": "per step",
    "kernels": "count",
    "names": "names",
    "sm_active": "SM active",
    "tensor_active": "tensor",
    "dram": "DRAM",
    "hint": "hint",
    "mean_ns": "avg",
}
NAMES = {"name": "name", "class": "class", "ns": "total", "pct": "%", "kernels": "count", "rule": "rule"}
"""Keys of the columns, and what heads them; what a table does not have is left out."""


def classes_page(request: PageRequest) -> Page:
    """Show the classes by time, then their names: those of the first class first."""
    report = request.capture.report
    empty = "no kernels in this window" if len(report.kernels) else "no kernels recorded"
    limits = configured_thresholds() if may_have_metrics(report) else DEFAULTS
    table = classes_table(request.index, request.scope, limits).pick(CLASSES)
    request.stop_if_dropped()
    named = names_table(request.index, request.scope)
    classes = list(table.columns[0].values)
    of_name = list(_column(named, "class"))
    place = np.array([classes.index(cls) for cls in of_name], np.intp)
    named = named.ordered(np.argsort(place, kind="stable")).pick(NAMES)
    names, of_name = list(named.columns[0].values), list(named.columns[1].values)

    def names_of(row: int) -> Collection[str]:
        return {name for name, cls in zip(names, of_name, strict=True) if cls == classes[row]}

    lines = (table.note,) if table.note else ()
    return [
        Section(
            "Kernel time by class", table, lines, _finder(request, names_of), empty,
            swatch=lambda row: f"{family(KernelClass(classes[row]))}.0",
        ),
        Section(
            "Names within the classes", named, (), _finder(request, lambda row: {names[row]}), empty, 26,
            swatch=lambda row: kernel_style(report, names[row]),
        ),
    ]  # fmt: skip


def _finder(request: PageRequest, names_of: Callable[[int], Collection[str]]) -> Finder:
    """Return what leads from a row to its kernels in the window."""
    report = request.capture.report
    ops = report.ops

    def find(row: int) -> Instances | None:
        rows = rows_in_window(request, ops)
        rows = rows[ops.kind[rows] == OpKind.KERNEL]
        wanted, used = names_of(row), distinct_values(ops.name[rows]).tolist()
        fits = [n for n in used if (report.strings[n] if n >= 0 else "") in wanted]
        return instances("ops", ops, rows[np.isin(ops.name[rows], fits)])

    return find


def _column(table: Table, key: str) -> list[str]:
    return list(next(column.values for column in table.columns if column.key == key))
