"""Copies: what moved between host and devices, how fast, and from which memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.analysis.grouping import combined, group_rows
from tui.analysis.table import Column, Table, Unit
from tui.browse.page import Page, Section
from tui.browse.pages.instances import in_scope, instances
from tui.browse.pages.request import PageRequest
from tui.browse.pages.sums import by_name, report_table, sum_section
from tui.report.columns import NULL
from tui.report.model import OpKind, Report


def copies_page(asked: PageRequest) -> Page:
    """Copies by direction and kind of memory, and copies and memsets by time."""
    report = asked.capture.report
    by_kind, alike = copy_table(asked)
    copies = Section(
        "Copies by direction and memory",
        by_kind,
        (by_kind.note,) if by_kind.note else (),
        lambda row: instances("ops", report.ops, alike[row]),
        "no copies in this window" if len(report.copies) else "no copies recorded",
    )
    asked.go_on()
    table = report_table(asked, "cuda_gpu_mem_time_sum")
    find = by_name(asked, table, "ops", kinds=(OpKind.MEMCPY, OpKind.MEMSET))
    return Page(
        asked.label, (copies, sum_section("Copies and memsets by time", table, find, "none in this window"))
    )


def copy_table(asked: PageRequest) -> tuple[Table, list[NDArray[np.intp]]]:
    """Copies in the window grouped by direction and the memory at both ends, and the ops of each group."""
    report = asked.capture.report
    ops, copies = report.ops, report.copies
    rows = in_scope(asked, ops)
    rows = rows[ops.kind[rows] == OpKind.MEMCPY]
    at = ops.row[rows]
    groups, first = combined(copies.copy_kind[at], copies.src_kind[at], copies.dst_kind[at])
    alike = [rows[mine] for mine in group_rows(groups, len(first))]
    alike.sort(key=lambda mine: -int((ops.end[mine] - ops.start[mine]).sum()))
    lines = [_copy_line(report, mine) for mine in alike]
    pageable = sum(line.count for line in lines if line.pageable)
    columns = (
        Column("direction", "direction", Unit.TEXT, [line.direction for line in lines]),
        Column("total", "total_time_ns", Unit.NS, [line.ns for line in lines]),
        Column("count", "count", Unit.COUNT, [line.count for line in lines]),
        Column("bytes", "bytes", Unit.BYTES, [line.bytes for line in lines]),
        Column("GB/s", "gb_per_s", Unit.DECIMAL, [line.rate for line in lines]),
        Column("memory", "memory", Unit.TEXT, [line.memory for line in lines]),
    )
    note = f"{pageable:,} copies use pageable memory: they can't overlap with the host" if pageable else None
    return Table("copies", "Copies", columns, note), alike


@dataclass(frozen=True)
class CopyLine:
    """Copies of one direction between two kinds of memory."""

    direction: str
    memory: str
    pageable: bool
    count: int
    ns: int
    bytes: int | None
    """None: not recorded for all of them."""

    @property
    def rate(self) -> float | None:
        """Bytes per ns, which are GB per s."""
        return self.bytes / self.ns if self.bytes is not None and self.ns else None


def _copy_line(report: Report, rows: NDArray[np.intp]) -> CopyLine:
    at = report.ops.row[rows]
    copies = report.copies
    first = int(at[0])
    ends = [
        report.enums.get("mem_kind", {}).get(int(kind[first]), "?")
        for kind in (copies.src_kind, copies.dst_kind)
    ]
    copy_kind = int(copies.copy_kind[first])
    sizes = copies.bytes[at]
    pageable = "Pageable" in ends
    return CopyLine(
        direction=report.enums.get("copy_kind", {}).get(copy_kind, f"kind {copy_kind}"),
        memory=" > ".join(ends) + (" (pageable!)" if pageable else ""),
        pageable=pageable,
        count=len(rows),
        ns=int((report.ops.end[rows] - report.ops.start[rows]).sum()),
        bytes=None if (sizes == NULL).any() else int(sizes.sum()),
    )
