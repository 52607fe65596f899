"""Sums of device work by name: kernels, graphs, copies, memsets, and these beside the host's calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.analysis.choices import Choices
from tui.analysis.grouping import by_text, combined, dense
from tui.analysis.index import Index
from tui.analysis.stats.groups import GroupFigures, by_total, figures
from tui.analysis.stats.select import RowSet, host_rows, op_rows, take
from tui.analysis.stats.shown_names import Names
from tui.analysis.stats.stats_report import SUMS, StatsReport
from tui.analysis.stats.std9 import std9, text
from tui.analysis.table import Column, Table, picked
from tui.report.columns import NULL, Int64
from tui.report.model import OpKind, Report

Options = frozenset[str]
KERNEL_OPTIONS = ("base", "mangled")

GRAPHS = (
    "Graphs that were traced whole are rows of their own (nsys leaves them out, so that a graph-mode capture "
    "looks idle); a note counts them. Without such graphs equal to nsys's, digit for digit."
)

GRAPH_NOTE = (
    "{count:,} graph launches were traced whole ({total:,} ns): their kernels were not recorded. "
    "Capture with `--cuda-graph-trace=node` to see them."
)


def kernel_names(report: Report, rows: RowSet, options: Options) -> NDArray[np.int32]:
    """The name of each kernel or graph op in ``rows``, in the form that ``options`` ask for."""
    ops = report.ops
    names = take(ops.name, rows)
    if not options:
        return names
    kernel = take(ops.kind, rows) == OpKind.KERNEL
    column = report.kernels.short_name if "base" in options else report.kernels.mangled_name
    other = np.full(len(names), -1, np.int32)
    other[kernel] = column[take(ops.row, rows)[kernel]]
    return np.where(other >= 0, other, names)


def durations(report: Report, rows: RowSet) -> Int64:
    """How long each op in ``rows`` took."""
    return take(report.ops.end, rows) - take(report.ops.start, rows)


def graph_note(report: Report, rows: RowSet) -> str | None:
    """What a reader must know where ``rows`` hold graphs that were traced whole; else None."""
    if not len(report.graphs):
        return None
    graphs = take(report.ops.kind, rows) == OpKind.GRAPH
    if not graphs.any():
        return None
    total = int(durations(report, rows)[graphs].astype(object).sum())
    return GRAPH_NOTE.format(count=int(graphs.sum()), total=total)


def by_name(
    report: Report, names: NDArray[Any], length: Int64, counted: str, named: str = "Name"
) -> tuple[Column, ...]:
    """Events of these names and lengths, summed by name; ``counted`` and ``named`` are headers."""
    groups, indices = dense(names, len(report.strings))
    known = figures(groups, length, len(indices))
    order = by_total(known.total, known.count, Names(report.strings, indices))
    return (*std9(known, order, counted), text(named, Names(report.strings, indices[order])))


def cuda_gpu_kern_sum(index: Index, choices: Choices) -> Table:
    """Kernels (and graphs traced whole) by name."""
    report, scope = index.report, choices.scope
    rows = op_rows(report, scope, OpKind.KERNEL, OpKind.GRAPH)
    names = kernel_names(report, rows, choices.options)
    columns = by_name(report, names, durations(report, rows), "Instances")
    return CUDA_GPU_KERN_SUM.table(columns, graph_note(report, rows))


CUDA_GPU_KERN_SUM = StatsReport(
    "cuda_gpu_kern_sum",
    "CUDA GPU Kernel Summary",
    cuda_gpu_kern_sum,
    "CUDA kernel",
    "Which kernels the device time goes to.",
    f"{SUMS} `:base` groups by the short name, `:mangled` by the mangled one where it was recorded.",
    GRAPHS,
    ("gpukernsum",),
    KERNEL_OPTIONS,
)


def triples(x: Int64, y: Int64, z: Int64) -> list[str | None]:
    """Three columns as ``   x    y    z``, the way nsys writes a grid or a block; None where NULL."""
    return [
        None if a == NULL else f"{a:4d} {b:4d} {c:4d}"
        for a, b, c in zip(x.tolist(), y.tolist(), z.tolist(), strict=True)
    ]


def cuda_gpu_kern_gb_sum(index: Index, choices: Choices) -> Table:
    """Kernels by name, grid and block."""
    report, scope = index.report, choices.scope
    rows = op_rows(report, scope, OpKind.KERNEL, OpKind.GRAPH)
    shape = launch_shape(report, rows)
    names = kernel_names(report, rows, choices.options)
    groups, first = combined(names, *shape)
    known = figures(groups, durations(report, rows), len(first))
    grid = triples(*(column[first] for column in shape[:3]))
    block = triples(*(column[first] for column in shape[3:]))
    indices = names[first]
    kernels = Names(report.strings, indices)
    ties = [(kernels[i], grid[i] or "", block[i] or "") for i in range(len(first))]
    order = by_total(known.total, known.count, ties)
    columns = (
        *std9(known, order, "Instances"),
        text("GridXYZ", picked(grid, order), blank="-", rank=5),
        text("BlockXYZ", picked(block, order), blank="-", rank=5),
        text("Name", Names(report.strings, indices[order])),
    )
    return CUDA_GPU_KERN_GB_SUM.table(columns, graph_note(report, rows))


CUDA_GPU_KERN_GB_SUM = StatsReport(
    "cuda_gpu_kern_gb_sum",
    "CUDA GPU Kernel/Grid/Block Summary",
    cuda_gpu_kern_gb_sum,
    "CUDA kernel",
    "Which kernels, in which grid and block, the device time goes to.",
    f"{SUMS} One row a kernel name, grid and block.",
    GRAPHS,
    ("gpukerngbsum",),
    KERNEL_OPTIONS,
)


def launch_shape(report: Report, rows: RowSet) -> list[Int64]:
    """Grid x, y, z and block x, y, z of each op in ``rows``; NULL for what is no kernel."""
    kernel = take(report.ops.kind, rows) == OpKind.KERNEL
    row = take(report.ops.row, rows)[kernel]
    shape = []
    for name in ("grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z"):
        column = np.full(len(kernel), NULL, np.int64)
        column[kernel] = getattr(report.kernels, name)[row]
        shape.append(column)
    return shape


def cuda_gpu_mem_time_sum(index: Index, choices: Choices) -> Table:
    """Time of copies and memsets by operation."""
    report, scope = index.report, choices.scope
    rows = op_rows(report, scope, OpKind.MEMCPY, OpKind.MEMSET)
    names, length = take(report.ops.name, rows), durations(report, rows)
    return CUDA_GPU_MEM_TIME_SUM.table(by_name(report, names, length, "Count", "Operation"))


CUDA_GPU_MEM_TIME_SUM = StatsReport(
    "cuda_gpu_mem_time_sum",
    "CUDA GPU MemOps Summary (by Time)",
    cuda_gpu_mem_time_sum,
    "GPU memory",
    "How long copies (by direction) and memsets took on the device.",
    SUMS,
    aliases=("gpumemtimesum",),
)


CATEGORIES = {
    OpKind.KERNEL: "CUDA_KERNEL",
    OpKind.GRAPH: "CUDA_GRAPH",
    OpKind.MEMCPY: "MEMORY_OPER",
    OpKind.MEMSET: "MEMORY_OPER",
}


def cuda_gpu_sum(index: Index, choices: Choices) -> Table:
    """All device work by name, with its category."""
    report, scope = index.report, choices.scope
    rows = op_rows(report, scope)
    groups, names, categories = device_groups(report, rows, choices.options)
    known = figures(groups, durations(report, rows), len(names))
    columns = categorised(known, names, categories)
    return CUDA_GPU_SUM.table(columns, graph_note(report, rows))


CUDA_GPU_SUM = StatsReport(
    "cuda_gpu_sum",
    "CUDA GPU Summary (Kernels/MemOps)",
    cuda_gpu_sum,
    "CUDA trace",
    "Kernels, copies and memsets in one list.",
    f"{SUMS} Category: CUDA_KERNEL, MEMORY_OPER, CUDA_GRAPH.",
    GRAPHS,
    ("gpusum",),
    KERNEL_OPTIONS,
)


def cuda_api_gpu_sum(index: Index, choices: Choices) -> Table:
    """All device work and all CUDA calls by name, as shares of their combined time."""
    report, scope = index.report, choices.scope
    rows = op_rows(report, scope)
    groups, names, categories = device_groups(report, rows, choices.options)
    calls = host_rows(report, scope, report.calls)
    call_groups, call_names = api_groups(report, calls)
    together = np.concatenate((groups, call_groups + len(names)))
    length = np.concatenate(
        (durations(report, rows), take(report.calls.end, calls) - take(report.calls.start, calls))
    )
    known = figures(together, length, len(names) + len(call_names))
    columns = categorised(known, [*names, *call_names], [*categories, *["CUDA_API"] * len(call_names)])
    return CUDA_API_GPU_SUM.table(columns, graph_note(report, rows))


CUDA_API_GPU_SUM = StatsReport(
    "cuda_api_gpu_sum",
    "CUDA Summary (API/Kernels/MemOps)",
    cuda_api_gpu_sum,
    "CUDA trace",
    "The host's CUDA calls beside the device's work, in one list.",
    f"{SUMS} Host and device time overlap: the shares compare rows, they do not divide a timeline.",
    GRAPHS,
    ("apigpusum",),
    KERNEL_OPTIONS,
)


def device_groups(
    report: Report, rows: RowSet, options: Options
) -> tuple[NDArray[np.int64], list[str], list[str]]:
    """Ops by category and name: each one's group, the groups' names and categories."""
    label = np.zeros(max(CATEGORIES) + 1, np.int64)
    categories = sorted(set(CATEGORIES.values()))
    for kind, category in CATEGORIES.items():
        label[kind] = categories.index(category)
    kinds = label[take(report.ops.kind, rows)]
    names = kernel_names(report, rows, options)
    groups, first = combined(kinds, names)
    texts = Names(report.strings, names[first])
    return groups, list(texts), [categories[kind] for kind in kinds[first].tolist()]


def api_groups(report: Report, rows: RowSet) -> tuple[NDArray[np.int64], list[str]]:
    """CUDA calls by the name that nsys prints: each one's group, and the groups' names."""
    strings = report.strings
    return by_text(take(report.calls.name, rows), lambda i: printed_call(strings[i]), len(strings))


def printed_call(name: str) -> str:
    """``cudaLaunchKernel_v7000`` -> ``cudaLaunchKernel``: six characters go if they begin with ``_v``."""
    return name[:-6] if name[-6:-4] == "_v" else name


def categorised(known: GroupFigures, names: Sequence[str], categories: Sequence[str]) -> tuple[Column, ...]:
    """The nine columns, Category and Operation."""
    ties: list[Any] = list(zip(categories, names, strict=True))
    order = by_total(known.total, known.count, ties)
    return (
        *std9(known, order, "Instances"),
        text("Category", picked(categories, order), rank=5),
        text("Operation", picked(names, order)),
    )
