"""Kernels: the device time by kernel. The figures of ``nsystui stats``."""

from __future__ import annotations

from tui.browse.page import Page
from tui.browse.pages.instances import by_name
from tui.browse.pages.request import PageRequest
from tui.browse.pages.sums import report_table, sum_section
from tui.report.model import OpKind


def kernels_page(request: PageRequest) -> Page:
    """Show kernels (and whole graphs) by name."""
    table = report_table(request, "cuda_gpu_kern_sum")
    find = by_name(request, table, "ops", kinds=(OpKind.KERNEL, OpKind.GRAPH))
    empty = "no kernels in this window" if len(request.capture.report.kernels) else "no kernels recorded"
    return [sum_section("Kernels by name", table, find, empty)]
