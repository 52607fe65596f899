"""Kernels, Copies, NVTX, API, OS: the ``stats`` reports, narrowed to what a pane has room for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.analysis.choices import Choices
from tui.analysis.stats import REPORTS
from tui.analysis.stats.kernels import printed_call
from tui.analysis.table import Column, Table, Unit
from tui.browse.page import Finder, Instances, Page, Section
from tui.browse.pages.instances import in_scope, instances, named_instances
from tui.browse.pages.request import PageRequest
from tui.report.columns import NULL
from tui.report.model import OpKind, Report

SHORT = {
    "Time (%)": "%",
    "Total Time (ns)": "total",
    "Avg (ns)": "avg",
    "Med (ns)": "med",
    "Min (ns)": "min",
    "Max (ns)": "max",
    "StdDev (ns)": "stddev",
    "Instances": "count",
    "Num Calls": "count",
    "Count": "count",
    "Name": "name",
    "Range": "range",
    "Operation": "operation",
    "Style": "style",
}
FIRST = ("total", "%", "count", "avg", "max", "med", "min", "stddev")
"""Order of the columns after the name: what matters first, for the last ones may find no room."""
NAME_LEAST = 26
"""Cells of a name before further figures: kernels of one library differ late in their names."""


def report_table(asked: PageRequest, name: str, options: frozenset[str] = frozenset()) -> Table:
    """A ``stats`` report over the window, its columns renamed and put in the pane's order: the name first."""
    table = REPORTS[name].compute(asked.capture.index, Choices(asked.scope, options))
    columns = [
        Column(SHORT.get(c.header, c.header), c.key, c.unit, c.values, c.rank, c.blank) for c in table.columns
    ]
    texts = [c for c in columns if c.unit is Unit.TEXT]
    numbers = sorted(
        (c for c in columns if c.unit is not Unit.TEXT),
        key=lambda c: FIRST.index(c.header) if c.header in FIRST else len(FIRST),
    )
    return Table(table.name, table.title, (*reversed(texts), *numbers), table.note)


def _section(title: str, table: Table, find: Finder, empty: str) -> Section:
    return Section(title, table, (table.note,) if table.note else (), find, empty, NAME_LEAST)


def _by_name(
    asked: PageRequest,
    table: Table,
    source: str,
    spell: Callable[[str], str] | None = None,
    kinds: tuple[int, ...] = (),
) -> Finder:
    def find(row: int) -> Instances | None:
        keep = np.isin(asked.capture.report.ops.kind, kinds) if kinds else None
        return named_instances(asked, source, str(table.columns[0].values[row]), spell, keep)

    return find


def kernels_page(asked: PageRequest) -> Page:
    """Kernels (and whole graphs) by name."""
    table = report_table(asked, "cuda_gpu_kern_sum")
    find = _by_name(asked, table, "ops", kinds=(OpKind.KERNEL, OpKind.GRAPH))
    empty = "no kernels in this window" if len(asked.capture.report.kernels) else "no kernels recorded"
    return Page(asked.label, (_section("Kernels by name", table, find, empty),))


def copies_page(asked: PageRequest) -> Page:
    """Copies by direction and kind of memory, and copies and memsets by time."""
    report = asked.capture.report
    by_kind, members = copy_table(asked)
    copies = Section(
        "Copies by direction and memory",
        by_kind,
        (by_kind.note,) if by_kind.note else (),
        lambda row: instances("ops", report.ops, members[row]),
        "no copies in this window" if len(report.copies) else "no copies recorded",
    )
    asked.go_on()
    table = report_table(asked, "cuda_gpu_mem_time_sum")
    find = _by_name(asked, table, "ops", kinds=(OpKind.MEMCPY, OpKind.MEMSET))
    return Page(
        asked.label, (copies, _section("Copies and memsets by time", table, find, "none in this window"))
    )


def copy_table(asked: PageRequest) -> tuple[Table, list[NDArray[np.intp]]]:
    """Copies in the window grouped by direction and the memory at both ends, and the ops of each group."""
    report = asked.capture.report
    ops, copies = report.ops, report.copies
    rows = in_scope(asked, ops)
    rows = rows[ops.kind[rows] == OpKind.MEMCPY]
    at = ops.row[rows]
    kinds = np.stack([copies.copy_kind[at], copies.src_kind[at], copies.dst_kind[at]])
    groups, which = np.unique(kinds, axis=1, return_inverse=True)
    members = [np.flatnonzero(which.reshape(-1) == group) for group in range(groups.shape[1])]
    members.sort(key=lambda m: -int((ops.end[rows[m]] - ops.start[rows[m]]).sum()))
    lines = [_copy_line(report, rows[mine]) for mine in members]
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
    return Table("copies", "Copies", columns, note), [rows[mine] for mine in members]


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


def nvtx_page(asked: PageRequest) -> Page:
    """NVTX ranges by name."""
    report = asked.capture.report
    table = report_table(asked, "nvtx_sum")
    names = table.columns[[c.header for c in table.columns].index("range")]
    ranges = report.ranges

    def find(row: int) -> Instances | None:
        spelled = str(names.values[row])
        rows = in_scope(asked, ranges)
        pairs, which = np.unique(
            np.stack([ranges.domain[rows], ranges.name[rows]]), axis=1, return_inverse=True
        )
        wanted = [
            g
            for g, (domain, name) in enumerate(pairs.T.tolist())
            if f"{report.strings[domain] if domain >= 0 else ''}:{report.strings[name] if name >= 0 else ''}"
            == spelled
        ]
        return instances("ranges", ranges, rows[np.isin(which.reshape(-1), wanted)])

    columns = (names, *(c for c in table.columns if c is not names and c.unit is not Unit.TEXT))
    shown = Table(table.name, table.title, columns, table.note)
    empty = (
        "no ranges in this window" if len(ranges) else "no NVTX ranges recorded (capture with --trace=nvtx)"
    )
    return Page(asked.label, (_section("NVTX ranges by name (host time)", shown, find, empty),))


def api_page(asked: PageRequest) -> Page:
    """CUDA calls by name."""
    table = report_table(asked, "cuda_api_sum")
    find = _by_name(asked, table, "calls", printed_call)
    empty = "no CUDA calls in this window" if len(asked.capture.report.calls) else "no CUDA calls recorded"
    return Page(asked.label, (_section("CUDA calls by name (host time)", table, find, empty),))


def os_page(asked: PageRequest) -> Page:
    """OS runtime calls by name."""
    table = report_table(asked, "osrt_sum")
    find = _by_name(asked, table, "os_calls")
    recorded = len(asked.capture.report.os_calls)
    empty = "no OS calls in this window" if recorded else "no OS calls recorded (capture with --trace=osrt)"
    return Page(asked.label, (_section("OS calls by name (all threads)", table, find, empty),))
