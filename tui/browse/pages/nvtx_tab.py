"""NVTX: the program's own ranges by name, in host time."""

from __future__ import annotations

import numpy as np

from tui.analysis.grouping import combined
from tui.analysis.table import Unit
from tui.browse.page import Instances, Page
from tui.browse.pages.instances import instances, rows_in_window
from tui.browse.pages.request import PageRequest
from tui.browse.pages.sums import report_table, sum_section


def nvtx_page(request: PageRequest) -> Page:
    """Show NVTX ranges by name."""
    report = request.capture.report
    table = report_table(request, "nvtx_sum")
    names = table.columns[[c.header for c in table.columns].index("range")]
    ranges = report.ranges

    def label(row: int) -> str:
        return ":".join(report.strings[s] if s >= 0 else "" for s in (ranges.domain[row], ranges.name[row]))

    def find(row: int) -> Instances | None:
        rows = rows_in_window(request, ranges)
        groups, first = combined(ranges.domain[rows], ranges.name[rows])
        wanted = [n for n, at in enumerate(rows[first].tolist()) if label(at) == str(names.values[row])]
        return instances("ranges", ranges, rows[np.isin(groups, wanted)])

    shown = table.pick({c.key: c.header for c in table.columns if c is names or c.unit is not Unit.TEXT})
    none = "no NVTX ranges recorded (capture with --trace=nvtx)"
    empty = "no ranges in this window" if len(ranges) else none
    return [sum_section("NVTX ranges by name (host time)", shown, find, empty)]
