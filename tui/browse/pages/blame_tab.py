"""Blame: what explains the idle time, in sum and gap by gap. The figures of ``nsystui gaps``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tui.analysis.gap_tables import by_class, device_title, gaps_table, listed_words, reasons_table
from tui.analysis.gaps import DeviceGaps
from tui.analysis.idle import DeviceIdle, Idle, IdleChoices, on_and_off_cpu, short_classes
from tui.analysis.kinds.cpu import has_cpu_data
from tui.analysis.table import Column, Table, Unit, unknown
from tui.browse.page import Instances, Page, Section
from tui.browse.pages.request import PageRequest
from tui.browse.pages.unseen import unseen_lines
from tui.report.columns import distinct_values
from tui.text.functions import called
from tui.text.numbers import plural
from tui.text.times import brief

MOST_GAPS = 500
"""The longest gaps of each device are listed; the totals are of all."""
REASONS = {
    "class": "class",
    "call": "call",
    "phase": "phase",
    "idle_ns": "idle",
    "idle_pct": "%",
    "gaps": "gaps",
    "hot": "hot function",
    "caller": "caller",
    "on_cpu_ns": "on CPU",
}
GAPS = {
    "gap": "gap",
    "start": "at",
    "duration_ns": "for",
    "class": "class",
    "phase": "phase",
    "call": "call",
    "hot": "hot function",
    "caller": "caller",
    "on_cpu_ns": "on CPU",
    "copy_ns": "copying",
    "kind": "kind",
    "before": "before",
    "after": "after",
}


CPU_KEYS = ("hot", "caller", "on_cpu_ns")


def _known(table: Table, headers: Mapping[str, str]) -> Table:
    """Pick columns, without those of what samples tell where they tell nothing.

    Where they tell something the call, of which host code has none, gives way to the function: there is no
    room for a column of each.
    """
    columns = {column.key: column for column in table.columns}
    silent = [key for key in CPU_KEYS if key in columns and all(map(unknown, columns[key].values))]
    picked = table.pick({key: header for key, header in headers.items() if key not in silent})
    if not {"hot", "caller"} & columns.keys() - set(silent):
        return picked
    cells = zip(*(columns[key].values for key in ("call", "hot", "caller")), strict=True)
    shown = [_what(*cell) for cell in cells]
    whole = tuple(replace(c, values=shown) if c.key == "call" else c for c in picked.columns)
    return replace(picked, columns=whole)


def _what(call: str | None, hot: str | None, caller: str | None) -> str | None:
    """``postprocess()``; ``read: load_batch()``."""
    if call is None or hot or caller is None:
        return call or (called(hot) if hot else None)
    return f"{call}: {called(caller)}"


def no_gap(request: PageRequest) -> str:
    """``no gap of 100 us or more``."""
    return f"no gap of {brief(request.min_gap_ns)} or more"


def idle_line(request: PageRequest, device: DeviceIdle) -> str:
    """``idle 1.51 s in 8 gaps >= 100 us, and 3.2 ms in 410 shorter``."""
    gaps = device.gaps
    listed = brief(int(gaps.duration.sum()))
    where = listed_words(gaps) if gaps.below else f"{plural(len(gaps), 'gap')} >= {brief(request.min_gap_ns)}"
    text = f"idle {listed} in {where}"
    if gaps.short_count:
        text += f", {brief(gaps.short_ns)} in {gaps.short_count:,} shorter"
    return text


def short_line(request: PageRequest, device: DeviceIdle) -> tuple[str, ...]:
    """``shorter gaps: host code 75.6%, launch latency 14.7%``; a launch-bound run has no others."""
    capture, gaps = request.capture, device.gaps
    if not gaps.short_count or capture.loading:
        return ()
    choices = IdleChoices(min_gap_ns=request.min_gap_ns, busy=request.busy, cpu=True)
    idle = Idle(request.scope, choices, capture.steps, [device])
    return (f"shorter gaps{by_class(short_classes(request.index, idle, device), gaps.short_ns)}",)


def reasons_section(request: PageRequest, device: DeviceIdle) -> Section:
    """Add up the idle time of the listed gaps by class, call and phase."""

    def find(row: int) -> Instances | None:
        total, rows = device.totals[row], device.rows
        mine = rows.cause == total.cause
        mine &= rows.call == rows.calls.index(total.call)
        mine &= rows.phase == rows.phases.index(total.phase)
        return gap_instances(device.gaps, distinct_values(rows.gap[mine]))

    table = reasons_table(device, None, request.index if has_cpu_data(request.capture.report) else None)
    return Section(
        f"{device_title(device.gaps.device)}: why it was idle",
        _known(table, REASONS),
        (
            idle_line(request, device),
            *short_line(request, device),
            *([table.note] if table.note else []),
            *unseen_lines(device),
        ),
        find,
        no_gap(request),
    )


def gap_instances(gaps: DeviceGaps, which: NDArray[np.int64]) -> Instances | None:
    """Return some of a device's gaps as instances; None for none."""
    if not len(which):
        return None
    return Instances("gap", which, gaps.start[which], gaps.end[which], gaps.device.index)


def list_section(request: PageRequest, device: DeviceIdle) -> Section:
    """List the gaps, longest first."""
    order = device.longest(MOST_GAPS)
    told = has_cpu_data(request.capture.report)
    found = gaps_table(request.index, [device], MOST_GAPS, short=True, cpu=told)
    at = Column("at", "start", Unit.TEXT, [request.clock.at(int(t), 10**5) for t in device.gaps.start[order]])
    table = Table(found.name, found.title, (*found.columns, at))
    table = _known(table, GAPS)
    left = len(device.gaps) - len(order)
    return Section(
        f"{device_title(device.gaps.device)}: gaps, longest first",
        table,
        (f"{left:,} shorter ones are not listed",) if left else (),
        lambda row: gap_instances(device.gaps, order[row : row + 1].astype(np.int64)),
        no_gap(request),
    )


def blame_page(request: PageRequest) -> Page:
    """Show the idle time of each device by cause, then its gaps."""
    sections: list[Section] = []
    for found in request.capture.idle(request.window, request.busy, request.min_gap_ns):
        request.stop_if_dropped()
        device = found
        if not request.capture.loading:
            device = on_and_off_cpu(request.index, found, request.capture.steps)
        sections += [reasons_section(request, device), list_section(request, device)]
    if not sections:
        sections = [Section("Blame", lines=("no GPU work recorded: nothing can be called idle",))]
    return sections
