"""Unified memory: what moved between host and devices on its own."""

from __future__ import annotations

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.index import Index
from tui.analysis.stats.select import op_rows, take
from tui.analysis.stats.sizes import megabytes
from tui.analysis.stats.stats_report import StatsReport
from tui.analysis.stats.std9 import snake
from tui.analysis.table import Column, Table, Unit
from tui.report.columns import NULL
from tui.report.model import OpKind

HOST_TO_DEVICE, DEVICE_TO_HOST = 11, 12
CPU_FAULTS, GPU_FAULTS = "CUDA_UM_CPU_PAGE_FAULT_EVENTS", "CUDA_UM_GPU_PAGE_FAULT_EVENTS"


def um_total_sum(index: Index, choices: Choices) -> Table:
    """Unified memory in one row: bytes migrated each way, page faults."""
    report, scope = index.report, choices.scope
    rows = op_rows(report, scope, OpKind.MEMCPY)
    copies = take(report.ops.row, rows)
    kinds, moved = report.copies.copy_kind[copies], report.copies.bytes[copies]
    sizes = [moved[(kinds == kind) & (moved != NULL)] for kind in (HOST_TO_DEVICE, DEVICE_TO_HOST)]
    recorded = {table.name: table.rows for table in report.tables}
    cpu_faults, gpu_faults = recorded.get(CPU_FAULTS), recorded.get(GPU_FAULTS)
    seen = bool(((kinds == HOST_TO_DEVICE) | (kinds == DEVICE_TO_HOST)).any() or cpu_faults or gpu_faults)
    if cpu_faults and scope.narrowed:
        cpu_faults = None
    gpu_faults = gpu_faults and None
    totals = [megabytes(np.array([int(part.astype(object).sum())])) for part in sizes]
    cells: list[tuple[str, Unit, object]] = [
        ("Total HtoD Migration Size (MB)", Unit.MB, totals[0][0]),
        ("Total DtoH Migration Size (MB)", Unit.MB, totals[1][0]),
        ("Total CPU Page Faults", Unit.COUNT, cpu_faults),
        ("Total GPU PageFaults", Unit.COUNT, gpu_faults),
        ("Minimum Virtual Address", Unit.TEXT, None),
        ("Maximum Virtual Address", Unit.TEXT, None),
    ]
    columns = tuple(
        Column(header, snake(header), unit, [value] if seen else []) for header, unit, value in cells
    )
    note = (
        "unknown are the page faults of a processor whose faults were not traced (nsys profile "
        "--cuda-um-cpu-page-faults=true --cuda-um-gpu-page-faults=true), those of a GPU, and addresses"
        if seen
        else None
    )
    return UM_TOTAL_SUM.table(columns, note)


UM_TOTAL_SUM = StatsReport(
    "um_total_sum",
    "Unified Memory Totals Summary",
    um_total_sum,
    "CUDA Unified Memory",
    "How much unified memory moved between host and devices by itself, and the page faults behind it.",
    "One row: bytes of unified copies by direction, number of CPU page faults.",
    "GPU page faults and addresses are not read from the export: shown as unknown, not as zero.",
    ("umtotalsum",),
)
