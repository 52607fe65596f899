"""Overview: how busy each device is, the longest gaps, the steps, the kernels that matter most."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tui.analysis.idle import DeviceIdle
from tui.analysis.step_table import step_rows
from tui.analysis.table import Column, Table, Unit
from tui.browse.page import Instances, Page, Section
from tui.browse.pages.blame_tab import gap_instances, idle_line
from tui.browse.pages.kernels_tab import kernels_page
from tui.browse.pages.request import PageRequest
from tui.browse.pages.steps_tab import NONE_FOUND, spread_line
from tui.report.model import Report
from tui.text.numbers import percent
from tui.text.times import brief
from tui.timeline.causes import STILL_LOADING

LONGEST = 6
TOP_KERNELS = 8


def overview_page(asked: PageRequest) -> Page:
    """Everything that a first look should tell."""
    report = asked.capture.report
    idle = asked.capture.idle(asked.window, asked.busy, asked.min_gap_ns)
    asked.go_on()
    sections = [busy_section(asked, idle)]
    if idle:
        sections.append(longest_section(asked, idle))
    sections.append(steps_section(asked))
    asked.go_on()
    top = kernels_page(asked).sections[0]
    if top.table is not None and len(top.table):
        sections.append(replace(top, title="Top kernels", table=top.table.head(TOP_KERNELS)))
    if report.notes or report.doubtful:
        sections.append(Section("Notes", lines=tuple(note_lines(report))))
    return Page(asked.label, tuple(sections))


def partial_overview(asked: PageRequest) -> Page:
    """How busy each device is and the longest gaps, of a report that is still being read: no reasons yet."""
    idle = asked.capture.idle(asked.window, asked.busy, asked.min_gap_ns)
    asked.go_on()
    return Page(asked.label, (busy_section(asked, idle), *([longest_section(asked, idle)] if idle else [])))


def note_lines(report: Report) -> list[str]:
    """Notes and doubtful rows, a line each."""
    return [
        *report.notes,
        *(f"{d.count} x {d.kind}{' (excluded)' if d.excluded else ''}" for d in report.doubtful),
    ]


def busy_section(asked: PageRequest, idle: list[DeviceIdle]) -> Section:
    """One row a device: busy, kernel, copy, idle."""
    rows = [device.busy for device in idle]
    if not rows:
        return Section(f"Window: {asked.label}", lines=("no GPU work recorded",))
    window = asked.window.length
    table = Table(
        "busy",
        "Devices",
        (
            Column("device", "device", Unit.TEXT, [f"GPU {r.device.cuda_id}" for r in rows]),
            Column("kernel%", "kernel_pct", Unit.PCT, [percent(r.kernel_ns, window) for r in rows]),
            Column("copy%", "copy_pct", Unit.PCT, [percent(r.copy_only_ns, window) for r in rows]),
            Column("idle%", "idle_pct", Unit.PCT, [percent(r.idle_ns, window) for r in rows]),
            Column("busy", "busy_ns", Unit.NS, [r.busy_ns for r in rows]),
            Column("idle", "idle_ns", Unit.NS, [r.idle_ns for r in rows]),
            Column("own span%", "span_busy_pct", Unit.PCT, [r.span_busy_pct for r in rows]),
            Column("model", "name", Unit.TEXT, [r.device.name for r in rows]),
        ),
    )

    def find(row: int) -> Instances | None:
        span = rows[row].span
        if span is None:
            return None
        device = rows[row].device.index
        return Instances("span", np.array([0]), np.array([span[0]]), np.array([span[1]]), device)

    what = "busy = kernels only" if asked.busy.value == "kernels" else "busy = any device work"
    return Section(f"Window: {asked.label}", table, (what,), find)


def longest_section(asked: PageRequest, idle: list[DeviceIdle]) -> Section:
    """The longest gaps of all devices."""
    every = sorted(
        (-int(device.gaps.duration[gap]), number, int(gap))
        for number, device in enumerate(idle)
        for gap in device.longest(LONGEST)
    )
    top = [(idle[number], gap) for _, number, gap in every[:LONGEST]]
    causes = [next(iter(device.rows.causes(gap)), None) for device, gap in top]
    table = Table(
        "gaps",
        "Longest gaps",
        (
            Column("gap", "gap", Unit.COUNT, [device.gaps.listed_number(gap) for device, gap in top]),
            Column("long", "duration_ns", Unit.NS, [int(device.gaps.duration[gap]) for device, gap in top]),
            Column("class", "class", Unit.TEXT, [c.cause.words if c else STILL_LOADING for c in causes]),
            Column("phase", "phase", Unit.TEXT, [c.phase if c else None for c in causes], blank="-"),
            Column("call", "call", Unit.TEXT, [c.call if c else None for c in causes], blank="-"),
            Column("GPU", "device", Unit.COUNT, [device.gaps.device.cuda_id for device, _ in top]),
        ),
    )

    def find(row: int) -> Instances | None:
        device, gap = top[row]
        return gap_instances(device.gaps, np.array([gap], np.int64))

    count = sum(len(device.gaps) for device in idle)
    title = f"Longest gaps ({len(top)} of {count:,})" if count > len(top) else "Longest gaps"
    lines = tuple(
        f"GPU {d.gaps.device.cuda_id} {idle_line(asked, d)}" if len(idle) > 1 else idle_line(asked, d)
        for d in idle
    )
    return Section(title, table, lines[:8], find, f"no gap of {brief(asked.min_gap_ns)} or more")


def steps_section(asked: PageRequest) -> Section:
    """The spread of the steps, a line a process."""
    steps = asked.capture.steps
    if not steps:
        return Section("Steps", lines=NONE_FOUND)
    lines = [f"step = {steps.name}: {steps.how}"]
    for rows in step_rows(asked.index, steps, asked.scope):
        pid = asked.capture.report.processes[rows.sequence.process].pid
        lines.append(f"pid {pid}: {spread_line(rows)}")
    return Section("Steps", lines=tuple(lines))
