"""Sums of bytes that moved, in decimal megabytes: copies and memsets, and unified memory on its own."""

from __future__ import annotations

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.grouping import dense
from tui.analysis.index import Index
from tui.analysis.stats.groups import by_total, figures
from tui.analysis.stats.lazy import Names
from tui.analysis.stats.rounding import Integers, printed, quotient
from tui.analysis.stats.select import narrowed, op_rows, take
from tui.analysis.stats.stats_report import stats_report
from tui.analysis.stats.std9 import count, size, text
from tui.analysis.table import Table, Values
from tui.report.columns import NULL
from tui.report.event_tables.ops import op_bytes
from tui.report.model import OpKind

MEGABYTE = 10**6
DIGITS = 3
HOST_TO_DEVICE, DEVICE_TO_HOST = 11, 12
"""Kinds of copies of unified memory."""


def megabytes(values: Integers) -> Values:
    """Bytes as decimal megabytes with three decimals."""
    return printed(quotient(values, MEGABYTE, DIGITS), DIGITS)


@stats_report(
    "CUDA GPU MemOps Summary (by Size)",
    "GPU memory",
    "How many bytes copies (by direction) and memsets moved.",
    "Decimal megabytes (10^6 bytes), three decimals, largest total first.",
    "Equal to nsys's; an operation whose size was not recorded is left out and counted in a note.",
    aliases=("gpumemsizesum",),
)
def cuda_gpu_mem_size_sum(index: Index, choices: Choices) -> Table:
    """Bytes of copies and memsets by operation."""
    report = index.report
    rows = op_rows(report, choices.scope, OpKind.MEMCPY, OpKind.MEMSET)
    moved = op_bytes(report, rows)
    recorded = moved != NULL
    missing = len(moved) - int(recorded.sum())
    if missing:
        rows, moved = narrowed(rows, recorded), moved[recorded]
    groups, indices = dense(take(report.ops.name, rows), len(report.strings))
    sums = figures(groups, moved, len(indices))
    names = Names(report.strings, indices)
    columns = (
        size("Total (MB)", megabytes(sums.total)),
        count("Count", sums.count),
        size("Avg (MB)", sums.average(DIGITS, MEGABYTE), rank=1),
        size("Med (MB)", sums.median(DIGITS, MEGABYTE), rank=4),
        size("Min (MB)", megabytes(sums.minimum), rank=3),
        size("Max (MB)", megabytes(sums.maximum), rank=2),
        size("StdDev (MB)", sums.deviation(DIGITS, MEGABYTE), rank=5),
        text("Operation", names),
    )
    note = f"{missing:,} operations left out: the export does not give their size" if missing else None
    return cuda_gpu_mem_size_sum.table(columns, note).ordered(by_total(sums.total, sums.count, names))


@stats_report(
    "Unified Memory Totals Summary",
    "CUDA Unified Memory",
    "How much unified memory moved between host and devices by itself, and the page faults behind it.",
    "One row: bytes of unified copies by direction, number of CPU page faults.",
    "GPU page faults and addresses are not read from the export: shown as unknown, not as zero.",
    aliases=("umtotalsum",),
)
def um_total_sum(index: Index, choices: Choices) -> Table:
    """Unified memory in one row: bytes migrated each way, page faults."""
    report, scope = index.report, choices.scope
    copies = take(report.ops.row, op_rows(report, scope, OpKind.MEMCPY))
    kinds, moved = report.copies.copy_kind[copies], report.copies.bytes[copies]
    to_device, to_host = kinds == HOST_TO_DEVICE, kinds == DEVICE_TO_HOST
    recorded = {table.name: table.rows for table in report.tables}
    cpu_faults = recorded.get("CUDA_UM_CPU_PAGE_FAULT_EVENTS")
    gpu_faults = recorded.get("CUDA_UM_GPU_PAGE_FAULT_EVENTS")
    seen = bool((to_device | to_host).any() or cpu_faults or gpu_faults)
    totals = [int(moved[one & (moved != NULL)].astype(object).sum()) for one in (to_device, to_host)]
    migrated = megabytes(np.array(totals))
    columns = (
        size("Total HtoD Migration Size (MB)", migrated[:1]),
        size("Total DtoH Migration Size (MB)", migrated[1:]),
        count("Total CPU Page Faults", [None if cpu_faults and scope.narrowed else cpu_faults]),
        count("Total GPU PageFaults", [None if gpu_faults else gpu_faults]),
        text("Minimum Virtual Address", [None]),
        text("Maximum Virtual Address", [None]),
    )
    if not seen:
        return um_total_sum.table(columns).ordered(np.zeros(0, np.int64))
    return um_total_sum.table(
        columns,
        "unknown are the page faults of a processor whose faults were not traced (nsys profile "
        "--cuda-um-cpu-page-faults=true --cuda-um-gpu-page-faults=true), those of a GPU, and addresses",
    )
