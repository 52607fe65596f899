"""The overview of a report as a text: what the explorer shows first, where there is no screen."""

from __future__ import annotations

from dataclasses import replace
from typing import TextIO

from tui.analysis.choices import Choices
from tui.analysis.gap_tables import gaps_note, gaps_table, reasons_table
from tui.analysis.idle import Idle, idle_time
from tui.analysis.index import Index
from tui.analysis.notes import capture_notes
from tui.analysis.scope import Scope
from tui.analysis.stats import REPORTS
from tui.analysis.step_table import spread_table, step_rows
from tui.analysis.steps import Steps
from tui.analysis.table import Table
from tui.output.idle_output import write_idle
from tui.output.text_layout import TextLayout
from tui.text.shell import path_word

TOP_REASONS, TOP_GAPS, TOP_NAMES = 5, 5, 10
"""The most rows of each table."""
DEVICE_SUMS = ("cuda_gpu_kern_sum", "cuda_gpu_mem_time_sum")
HOST_SUMS = ("nvtx_sum", "cuda_api_sum", "osrt_sum")
"""Reports that the overview shows where no device did anything."""


def write_overview(index: Index, scope: Scope, steps: Steps, stream: TextIO, layout: TextLayout) -> None:
    """Write busy time, the longest gaps with their reasons, the top kernels, and the steps."""
    idle = idle_time(index, scope, steps=steps)
    notes = capture_notes(index)
    if not idle.devices and len(index.report.ops):
        notes.insert(0, "no GPU work in this selection: there is no busy or idle time to show")
    if not steps:
        notes.append("no steps found: no repeated outer NVTX range accounts for most of the work")
    tables = overview_tables(index, scope, idle, steps)
    write_idle(index, idle, tables, notes, stream, layout, title=index.report.path.name)


def overview_tables(index: Index, scope: Scope, idle: Idle, steps: Steps) -> list[Table]:
    """The tables of the overview, empty ones left out."""
    tables = [reasons_table(device, TOP_REASONS) for device in idle.devices if len(device.gaps)]
    gaps = gaps_table(index, idle.devices, TOP_GAPS, short=True)
    tables.append(replace(gaps, note=gaps_note(idle, TOP_GAPS)))
    for name in DEVICE_SUMS if len(index.report.ops) else HOST_SUMS:
        found = REPORTS[name].compute(index, Choices(scope))
        whole = f"`nsystui stats {path_word(str(index.report.path))} -r {name}`"
        tables.append(replace(found, note=None).head(TOP_NAMES, whole))
    tables.append(spread_table(index, step_rows(index, steps, scope)))
    return [table for table in tables if len(table)]
