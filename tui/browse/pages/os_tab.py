"""OS: calls of the operating system by name, added up over all threads."""

from __future__ import annotations

from tui.analysis.files.accesses import readable_accesses
from tui.analysis.files.file_table import files_table
from tui.browse.page import Page, Section
from tui.browse.pages.instances import by_name
from tui.browse.pages.request import PageRequest
from tui.browse.pages.sums import report_table, sum_section


def os_page(request: PageRequest) -> Page:
    """Show OS runtime calls by name."""
    table = report_table(request, "osrt_sum")
    find = by_name(request, table, "os_calls")
    recorded = len(request.capture.report.os_calls)
    empty = "no OS calls in this window" if recorded else "no OS calls recorded (capture with --trace=osrt)"
    return [sum_section("OS calls by name (all threads)", table, find, empty), *_files(request)]


def _files(request: PageRequest) -> Page:
    """The files that were accessed in the window, where the capture has any."""
    if not len(readable_accesses(request.index)):
        return []
    table = files_table(request.index, request.counted)
    return [Section("Files", table.pick(_FILES), empty="no file was accessed in this window")]


_FILES = {"path": "file", "reads": "reads", "bytes": "bytes", "ns": "time", "rate_mbps": "MB/s"}
