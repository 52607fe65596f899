"""Steps: one row a training step, with the spread. The figures of ``nsystui steps``."""

from __future__ import annotations

import numpy as np

from tui.analysis.step_table import StepRows, step_rows, steps_table
from tui.browse.page import Instances, Page, Section
from tui.browse.pages.request import PageRequest
from tui.text.numbers import plural
from tui.text.times import brief

NONE_FOUND = ("no steps found", "no repeated outer NVTX range accounts for most of the work")
COLUMNS = {
    "step": "step",
    "duration_ns": "for",
    "busy_ns": "busy",
    "other_ns": "other",
    "unknown_ns": "unknown",
    "idle_ns": "idle",
    "idle_pct": "idle%",
    "remark": "",
    "kernels": "kernels",
    "launches": "launches",
    "comm_ns": "comm",
    "exposed_comm_ns": "exposed",
    "name": "name",
}


def spread_line(rows: StepRows) -> str:
    """``8 steps, median 410 ms, from 405 ms to 568 ms, p95 568 ms``."""
    spread = rows.spread
    if spread is None:
        return f"{plural(len(rows), 'step')}, none finished"
    count = plural(spread.count, "step")
    if spread.count == 1:
        return f"{count}, {brief(spread.min_ns)}"
    text = (
        f"{count}, median {brief(round(spread.median_ns))}, "
        f"from {brief(spread.min_ns)} to {brief(spread.max_ns)}, p95 {brief(spread.p95_ns)}"
    )
    odd = int(rows.outlier.sum())
    return text + (f", {plural(odd, 'outlier')}" if odd else "")


def steps_page(request: PageRequest) -> Page:
    """Show the steps of every process that has any."""
    sections = []
    for rows in step_rows(request.index, request.capture.steps, request.scope):
        request.stop_if_dropped()
        sections.append(step_section(request, rows))
    return sections or [Section("Steps", lines=NONE_FOUND)]


def step_section(request: PageRequest, rows: StepRows) -> Section:
    """List the steps of one process."""
    report = request.capture.report
    pid = report.processes[rows.sequence.process].pid
    steps = request.capture.steps

    def find(row: int) -> Instances:
        which = rows.range[row : row + 1].astype(np.int64)
        return Instances("ranges", which, report.ranges.start[which], report.ranges.end[which])

    lines = (spread_line(rows), f"step = {steps.name}: {steps.how}")
    table = steps_table(request.index, [rows]).pick(COLUMNS)
    return Section(f"Steps of pid {pid}", table, lines, find, "no step in this window")
