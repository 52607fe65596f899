"""Sums of bytes moved, in decimal megabytes."""

from __future__ import annotations

from tui.analysis.choices import Choices
from tui.analysis.grouping import dense
from tui.analysis.index import Index
from tui.analysis.stats.groups import by_total, figures
from tui.analysis.stats.rounding import Integers, printed, quotient
from tui.analysis.stats.select import narrowed, op_rows, take
from tui.analysis.stats.shown_names import Names
from tui.analysis.stats.stats_report import StatsReport
from tui.analysis.stats.std9 import count, snake, text
from tui.analysis.table import Column, Table, Unit, Values, picked
from tui.report.columns import NULL
from tui.report.model import OpKind
from tui.report.tables.ops import op_bytes

MEGABYTE = 10**6
DIGITS = 3


def megabytes(values: Integers) -> Values:
    """Bytes as decimal megabytes with three decimals."""
    return printed(quotient(values, MEGABYTE, DIGITS), DIGITS)


def cuda_gpu_mem_size_sum(index: Index, choices: Choices) -> Table:
    """Bytes of copies and memsets by operation."""
    report, scope = index.report, choices.scope
    rows = op_rows(report, scope, OpKind.MEMCPY, OpKind.MEMSET)
    moved = op_bytes(report, rows)
    told = moved != NULL
    silent = len(moved) - int(told.sum())
    if silent:
        rows, moved = narrowed(rows, told), moved[told]
    groups, indices = dense(take(report.ops.name, rows), len(report.strings))
    known = figures(groups, moved, len(indices))
    names = Names(report.strings, indices)
    order = by_total(known.total, known.count, names)

    def size(header: str, values: Values, rank: int = 0) -> Column:
        return Column(header, snake(header), Unit.MB, picked(values, order), rank)

    columns = (
        size("Total (MB)", megabytes(known.total)),
        count("Count", known.count[order]),
        size("Avg (MB)", known.average(DIGITS, MEGABYTE), 1),
        size("Med (MB)", known.median(DIGITS, MEGABYTE), 4),
        size("Min (MB)", megabytes(known.minimum), 3),
        size("Max (MB)", megabytes(known.maximum), 2),
        size("StdDev (MB)", known.deviation(DIGITS, MEGABYTE), 5),
        text("Operation", Names(report.strings, indices[order])),
    )
    note = f"{silent:,} operations left out: the export does not tell their size" if silent else None
    return CUDA_GPU_MEM_SIZE_SUM.table(columns, note)


CUDA_GPU_MEM_SIZE_SUM = StatsReport(
    "cuda_gpu_mem_size_sum",
    "CUDA GPU MemOps Summary (by Size)",
    cuda_gpu_mem_size_sum,
    "GPU memory",
    "How many bytes copies (by direction) and memsets moved.",
    "Decimal megabytes (10^6 bytes), three decimals, largest total first.",
    "Equal to nsys's; an operation whose size was not recorded is left out and counted in a note.",
    ("gpumemsizesum",),
)
