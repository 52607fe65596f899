"""Copies: what moved between host and devices, how fast, and from which memory."""

from __future__ import annotations

import numpy as np

from tui.analysis.grouping import combined, group_rows
from tui.analysis.stats.dominant import dominant_note, with_note
from tui.analysis.stats.groups import figures
from tui.analysis.table import Column, Table, Unit
from tui.browse.page import Page, Section, table_of
from tui.browse.pages.instances import by_name, instances, rows_in_window
from tui.browse.pages.request import PageRequest
from tui.browse.pages.sums import report_table, sum_section
from tui.report.columns import NULL, Positions
from tui.report.model import OpKind, Report


def copies_page(request: PageRequest) -> Page:
    """Show copies by direction and kind of memory, and copies and memsets by time."""
    report = request.capture.report
    by_kind, alike = copy_table(request)
    copies = Section(
        "Copies by direction and memory",
        by_kind,
        (by_kind.note,) if by_kind.note else (),
        lambda row: instances("ops", report.ops, alike[row]),
        "no copies in this window" if len(report.copies) else "no copies recorded",
        least=18,
    )
    request.stop_if_dropped()
    table = report_table(request, "cuda_gpu_mem_time_sum")
    find = by_name(request, table, "ops", kinds=(OpKind.MEMCPY, OpKind.MEMSET))
    return [copies, sum_section("Copies and memsets by time", table, find, "none in this window")]


def _one_copy(report: Report, alike: list[Positions], directions: list[str]) -> str | None:
    """Return the note on rows of which one copy is most of the time; None without any."""
    if not alike:
        return None
    ops, rows = report.ops, np.concatenate(alike)
    groups = np.repeat(np.arange(len(alike)), [len(mine) for mine in alike])
    length = ops.end[rows] - ops.start[rows]
    sums = figures(groups, length, len(alike))
    return dominant_note(groups, length, ops.start[rows], directions.__getitem__, sums)


def copy_table(request: PageRequest) -> tuple[Table, list[Positions]]:
    """Return copies in the window by direction and the memory at both ends, and the ops of each row."""
    report = request.capture.report
    ops, copies = report.ops, report.copies
    rows = rows_in_window(request, ops)
    rows = rows[ops.kind[rows] == OpKind.MEMCPY]
    at = ops.row[rows]
    groups, first = combined(copies.copy_kind[at], copies.src_kind[at], copies.dst_kind[at])
    alike = [rows[mine] for mine in group_rows(groups, len(first))]
    alike.sort(key=lambda mine: -int((ops.end[mine] - ops.start[mine]).sum()))

    kinds, places = report.enums.get("copy_kind", {}), report.enums.get("mem_kind", {})
    directions, memories, times, sizes, pageable = [], [], [], [], 0
    for mine in alike:
        at = ops.row[mine]
        kind, *ends = (int(c[at[0]]) for c in (copies.copy_kind, copies.src_kind, copies.dst_kind))
        memory = [places.get(end, "?") for end in ends]
        slow = "Pageable" in memory
        pageable += len(mine) if slow else 0
        directions.append(kinds.get(kind, f"kind {kind}"))
        memories.append(" > ".join(memory))
        times.append(int((ops.end[mine] - ops.start[mine]).sum()))
        sizes.append(None if (copies.bytes[at] == NULL).any() else int(copies.bytes[at].sum()))
    rates = [size / ns if size is not None and ns else None for size, ns in zip(sizes, times, strict=True)]
    note = f"{pageable:,} copies use pageable memory: they can't overlap with the host" if pageable else None
    note = with_note(note, _one_copy(report, alike, directions))
    table = table_of(
        "copies",
        Column("direction", "direction", Unit.TEXT, directions),
        Column("memory", "memory", Unit.TEXT, memories),
        Column("total", "total_time_ns", Unit.NS, times),
        Column("count", "count", Unit.COUNT, [len(mine) for mine in alike], 2),
        Column("bytes", "bytes", Unit.BYTES, sizes, 1),
        Column("GB/s", "gb_per_s", Unit.DECIMAL, rates),  # bytes a nanosecond
        note=note,
    )
    return table, alike
