"""OS: calls of the operating system by name, added up over all threads."""

from __future__ import annotations

from tui.browse.page import Page
from tui.browse.pages.instances import by_name
from tui.browse.pages.request import PageRequest
from tui.browse.pages.sums import report_table, sum_section


def os_page(request: PageRequest) -> Page:
    """Show OS runtime calls by name."""
    table = report_table(request, "osrt_sum")
    find = by_name(request, table, "os_calls")
    recorded = len(request.capture.report.os_calls)
    empty = "no OS calls in this window" if recorded else "no OS calls recorded (capture with --trace=osrt)"
    return [sum_section("OS calls by name (all threads)", table, find, empty)]
