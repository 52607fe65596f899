"""API: CUDA calls by name, in host time."""

from __future__ import annotations

from tui.analysis.stats.kernels import printed_call
from tui.browse.page import Page
from tui.browse.pages.instances import by_name
from tui.browse.pages.request import PageRequest
from tui.browse.pages.sums import report_table, sum_section


def api_page(request: PageRequest) -> Page:
    """Show CUDA calls by name."""
    table = report_table(request, "cuda_api_sum")
    find = by_name(request, table, "calls", printed_call)
    empty = "no CUDA calls in this window" if len(request.capture.report.calls) else "no CUDA calls recorded"
    return [sum_section("CUDA calls by name (host time)", table, find, empty)]
