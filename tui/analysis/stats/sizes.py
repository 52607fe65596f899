"""Sums of bytes that moved, in decimal megabytes: copies and memsets, and unified memory on its own."""

from __future__ import annotations

from tui.analysis.choices import Choices
from tui.analysis.grouping import dense
from tui.analysis.index import Index
from tui.analysis.sample import Statistic
from tui.analysis.stats.groups import Ties, figures, ordered_by_total
from tui.analysis.stats.lazy import Names
from tui.analysis.stats.rounding import Integers, printed, quotient
from tui.analysis.stats.select import narrowed, op_rows, take
from tui.analysis.stats.stats_report import stats_report
from tui.analysis.stats.std9 import SPREAD, count, size, text
from tui.analysis.table import Table, Values
from tui.report.columns import NULL
from tui.report.event_tables.ops import op_bytes
from tui.report.model import OpKind

MEGABYTE = 10**6
DIGITS = 3


def megabytes(values: Integers) -> Values:
    """Bytes as decimal megabytes with three decimals."""
    return printed(quotient(values, MEGABYTE, DIGITS, ties_to_even=True), DIGITS)


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
    total, avg, med, low, high, spread = (
        sums.sample(statistic, DIGITS, MEGABYTE) for statistic in (Statistic.TOTAL, *SPREAD)
    )
    columns = (
        size("Total (MB)", megabytes(sums.total), sample=total),
        count("Count", sums.count),
        size("Avg (MB)", sums.average(DIGITS, MEGABYTE), rank=1, sample=avg),
        size("Med (MB)", sums.median(DIGITS, MEGABYTE), rank=4, sample=med),
        size("Min (MB)", megabytes(sums.minimum), rank=3, sample=low),
        size("Max (MB)", megabytes(sums.maximum), rank=2, sample=high),
        size("StdDev (MB)", sums.deviation(DIGITS, MEGABYTE), rank=5, sample=spread),
        text("Operation", names),
    )
    note = f"{missing:,} operations left out: the export does not give their size" if missing else None
    return cuda_gpu_mem_size_sum.table(columns, note).ordered(ordered_by_total(sums, names, Ties.NAME))
