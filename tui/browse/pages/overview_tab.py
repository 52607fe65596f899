"""Overview: how busy each device is, the longest gaps, the steps, the kernels that matter most."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tui.analysis.diagnostics import report_notes
from tui.analysis.idle import DeviceIdle
from tui.analysis.index import Busy
from tui.analysis.step_table import step_rows
from tui.analysis.table import Column, Unit
from tui.analysis.unseen_notes import unseen_notes
from tui.browse.page import Instances, Page, Section, table_of
from tui.browse.pages.blame_tab import gap_instances, idle_line, no_gap
from tui.browse.pages.kernels_tab import kernels_page
from tui.browse.pages.request import PageRequest
from tui.browse.pages.steps_tab import NONE_FOUND, spread_line
from tui.browse.pages.unseen import unseen_lines
from tui.text.numbers import percent
from tui.timeline.causes import STILL_LOADING

LONGEST = 6
TOP_KERNELS = 8
BESIDES = (
    ("comm%", "exposed_comm_pct", "exposed_comm_ns"),
    ("other%", "other_pct", "other_ns"),
    ("unknown%", "unknown_pct", "unknown_ns"),
)
"""Shares that only show up where there is such time: header, key, attribute."""
BUSY_WORDS = {
    Busy.ALL: "busy = any device work",
    Busy.KERNELS: "busy = kernels only",
    Busy.COMPUTE: "busy = compute kernels only: no copies, no communication",
}


def overview_page(request: PageRequest) -> Page:
    """Show what matters at first sight."""
    report = request.capture.report
    sections = [*partial_overview(request), steps_section(request)]
    request.stop_if_dropped()
    top = kernels_page(request)[0]
    if top.table is not None and len(top.table):
        sections.append(replace(top, title="Top kernels", table=top.table.head(TOP_KERNELS)))
    if not len(report.ops):
        sections += host_sections(request)
    unseen = unseen_notes(request.index)
    if (notes := report_notes(report)) or report.doubtful or unseen:
        doubtful = (f"{d.count} x {d.kind}{' (excluded)' if d.excluded else ''}" for d in report.doubtful)
        sections.append(Section("Notes", lines=(*unseen, *notes, *doubtful)))
    return sections


def host_sections(request: PageRequest) -> list[Section]:
    """Show what a capture without device work has: functions, NVTX ranges, CUDA and OS calls, the longest."""
    # A report with device work does not need them.
    from tui.browse.pages.api_tab import api_page
    from tui.browse.pages.cpu_tab import cpu_page
    from tui.browse.pages.os_tab import os_page
    from tui.browse.pages.ranges_tab import ranges_page

    found = []
    for title, page in (
        ("Top functions, by CPU samples", cpu_page),
        ("Top NVTX ranges, by path", ranges_page),
        ("Top CUDA calls", api_page),
        ("Top OS calls", os_page),
    ):
        request.stop_if_dropped()
        top = page(request)[0]
        if top.table is not None and len(top.table):
            found.append(replace(top, title=title, table=top.table.head(TOP_KERNELS), lines=()))
    return found


def partial_overview(request: PageRequest) -> Page:
    """Show what is known of a report that is still being read: how busy devices are, the longest gaps."""
    idle = request.capture.idle(request.window, request.busy, request.min_gap_ns)
    request.stop_if_dropped()
    return [busy_section(request, idle), *([longest_section(request, idle)] if idle else [])]


def busy_section(request: PageRequest, idle: list[DeviceIdle]) -> Section:
    """List the devices: busy, kernel, copy, idle."""
    rows = [device.busy for device in idle]
    if not rows:
        return Section(f"Window: {request.label}", lines=("no GPU work recorded",))
    window = request.window.length
    table = table_of(
        "busy",
        Column("device", "device", Unit.TEXT, [f"GPU {r.device.cuda_id}" for r in rows]),
        Column("kernel%", "kernel_pct", Unit.PCT, [percent(r.kernel_ns, window) for r in rows]),
        Column("copy%", "copy_pct", Unit.PCT, [percent(r.copy_only_ns, window) for r in rows]),
        *(
            Column(header, key, Unit.PCT, [percent(getattr(r, of), window) for r in rows])
            for header, key, of in BESIDES
            if any(getattr(r, of) for r in rows)
        ),
        Column("idle%", "idle_pct", Unit.PCT, [percent(r.idle_ns, window) for r in rows]),
        Column("busy", "busy_ns", Unit.NS, [r.busy_ns for r in rows]),
        Column("idle", "idle_ns", Unit.NS, [r.idle_ns for r in rows]),
        Column("own span%", "span_busy_pct", Unit.PCT, [r.span_busy_pct for r in rows]),
        Column("model", "name", Unit.TEXT, [r.device.name for r in rows]),
    )

    def find(row: int) -> Instances | None:
        if (span := rows[row].span) is None:
            return None
        start, end = np.array(span).reshape(2, 1)
        return Instances("span", np.array([0]), start, end, rows[row].device.index)

    lines = [BUSY_WORDS[request.busy]]
    if any(r.exposed_comm_ns for r in rows):
        lines.append("comm% is the part of kernel% in which only communication ran")
    for device in idle:
        lines += unseen_lines(device)
    return Section(f"Window: {request.label}", table, tuple(lines), find)


def longest_section(request: PageRequest, idle: list[DeviceIdle]) -> Section:
    """List the longest gaps of all devices."""
    every = sorted(
        (-int(device.gaps.duration[gap]), number, int(gap))
        for number, device in enumerate(idle)
        for gap in device.longest(LONGEST)
    )
    top = [(idle[number], gap) for _, number, gap in every[:LONGEST]]
    causes = [next(iter(device.rows.causes(gap)), None) for device, gap in top]
    table = table_of(
        "gaps",
        Column("gap", "gap", Unit.COUNT, [device.gaps.listed_number(gap) for device, gap in top]),
        Column("for", "duration_ns", Unit.NS, [int(device.gaps.duration[gap]) for device, gap in top]),
        Column("class", "class", Unit.TEXT, [c.cause.words if c else STILL_LOADING for c in causes]),
        Column("phase", "phase", Unit.TEXT, [c.phase if c else None for c in causes], blank="-"),
        Column("call", "call", Unit.TEXT, [c.call if c else None for c in causes], blank="-"),
        Column("GPU", "device", Unit.COUNT, [device.gaps.device.cuda_id for device, _ in top]),
    )
    count = sum(len(device.gaps) for device in idle)
    title = f"Longest gaps ({len(top)} of {count:,})" if count > len(top) else "Longest gaps"
    devices = [f"GPU {d.gaps.device.cuda_id} " if len(idle) > 1 else "" for d in idle[:8]]
    lines = tuple(name + idle_line(request, d) for name, d in zip(devices, idle, strict=False))
    return Section(
        title,
        table,
        lines,
        lambda row: gap_instances(top[row][0].gaps, np.array([top[row][1]])),
        no_gap(request),
    )


def steps_section(request: PageRequest) -> Section:
    """Show the spread of the steps, a line a process."""
    steps = request.capture.steps
    if not steps:
        return Section("Steps", lines=NONE_FOUND)
    lines = [f"step = {steps.name}: {steps.how}"]
    for rows in step_rows(request.index, steps, request.scope):
        pid = request.capture.report.processes[rows.sequence.process].pid
        lines.append(f"pid {pid}: {spread_line(rows)}")
    return Section("Steps", lines=tuple(lines))
