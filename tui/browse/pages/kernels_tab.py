"""Kernels: the device time by kernel. The figures of ``nsystui stats``."""

from __future__ import annotations

from collections.abc import Callable

from tui.analysis.table import Table
from tui.browse.page import Page
from tui.browse.pages.instances import by_name
from tui.browse.pages.request import PageRequest
from tui.browse.pages.sums import report_table, sum_section
from tui.report.columns import distinct_values
from tui.report.event_tables.ops import kernel_style
from tui.report.model import OpKind


def kernels_page(request: PageRequest) -> Page:
    """Show kernels (and whole graphs) by name."""
    table = report_table(request, "cuda_gpu_kern_sum")
    find = by_name(request, table, "ops", kinds=(OpKind.KERNEL, OpKind.GRAPH))
    empty = "no kernels in this window" if len(request.capture.report.kernels) else "no kernels recorded"
    return [sum_section("Kernels by name", table, find, empty, _styles(request, table))]


def _styles(request: PageRequest, table: Table) -> Callable[[int], str]:
    """Return what leads from a row to the colour that its kernels have on the timeline."""
    report = request.capture.report
    of_graphs = distinct_values(report.ops.name[report.ops.kind == OpKind.GRAPH]).tolist()
    graphs = {report.strings[number] for number in of_graphs if number >= 0}
    names = table.columns[0].values

    def style(row: int) -> str:
        name = str(names[row])
        return "graph" if name in graphs else kernel_style(report, name)

    return style
