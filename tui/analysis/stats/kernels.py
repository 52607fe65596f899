"""Sums of device work by name: kernels, graphs, copies, memsets, and these beside the host's calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.analysis.choices import Choices
from tui.analysis.grouping import by_text, combined, dense
from tui.analysis.index import Index
from tui.analysis.stats.dominant import dominant_note, with_note
from tui.analysis.stats.groups import Ties, by_total, figures, ordered_by_total
from tui.analysis.stats.kernel_names import RANGE_NAME_OPTIONS, RANGE_OPTIONS, printed_names
from tui.analysis.stats.lazy import Names, blanked
from tui.analysis.stats.select import RowSet, durations, host_rows, kind_values, narrowed, op_rows, take
from tui.analysis.stats.stats_report import SUMS, StatsReport, stats_report
from tui.analysis.stats.std9 import std9, text
from tui.analysis.table import Table
from tui.report.columns import NULL, Int64
from tui.report.model import OpKind, Report

GRAPHS = (
    "Graphs that were traced whole are rows of their own (nsys leaves them out, so that a graph-mode capture "
    "looks idle); a note counts them. Without such graphs equal to nsys's, digit for digit."
)


def graph_note(report: Report, rows: RowSet) -> str | None:
    """The note on graphs among ``rows`` that were traced whole; None without any."""
    if not len(report.graphs):
        return None
    graphs = narrowed(rows, take(report.ops.kind, rows) == OpKind.GRAPH)
    if not len(graphs):
        return None
    total = int(durations(report.ops, graphs).astype(object).sum())
    return (
        f"{len(graphs):,} graph launches were traced whole ({total:,} ns): their kernels were not recorded. "
        "Capture with `--cuda-graph-trace=node` to see them."
    )


def sums_by_name(
    of: StatsReport,
    report: Report,
    names: NDArray[Any],
    start: Int64,
    length: Int64,
    counted: str,
    named: str = "Name",
    note: str | None = None,
    texts: Sequence[str] | None = None,
    ties: Ties = Ties.COUNT,
    kernels: bool = False,
) -> Table:
    """Events of these names and times, summed by name; ``counted`` and ``named`` are headers.

    ``names`` are positions in ``texts``, if that is None in the strings of the report. ``kernels``: they are
    names of kernels.
    """
    meant = report.strings if texts is None else texts
    groups, indices = dense(names, len(meant))
    sums = figures(groups, length, len(indices))
    shown = Names(meant, indices)
    order = ordered_by_total(sums, shown, ties)
    note = with_note(note, dominant_note(groups, length, start, lambda i: str(shown[i]), sums))
    name = replace(text(named, shown), kernels=kernels)
    return of.table((*std9(sums, counted), name), note).ordered(order)


@stats_report(
    "CUDA GPU Kernel Summary",
    "CUDA kernel",
    "Which kernels the device time goes to.",
    f"{SUMS} {RANGE_NAME_OPTIONS}",
    GRAPHS,
    aliases=("gpukernsum",),
    options=RANGE_OPTIONS,
)
def cuda_gpu_kern_sum(index: Index, choices: Choices) -> Table:
    """Kernels (and graphs traced whole) by name."""
    report = index.report
    rows = op_rows(report, choices.scope, OpKind.KERNEL, OpKind.GRAPH)
    names, texts = printed_names(index, rows, choices.options)
    length, note = durations(report.ops, rows), graph_note(report, rows)
    start = take(report.ops.start, rows)
    return sums_by_name(
        cuda_gpu_kern_sum, report, names, start, length, "Instances", note=note, texts=texts, kernels=True
    )


@stats_report(
    "CUDA GPU Kernel/Grid/Block Summary",
    "CUDA kernel",
    "Which kernels, in which grid and block, the device time goes to.",
    f"{SUMS} One row a kernel name, grid and block. {RANGE_NAME_OPTIONS}",
    GRAPHS,
    aliases=("gpukerngbsum",),
    options=RANGE_OPTIONS,
)
def cuda_gpu_kern_gb_sum(index: Index, choices: Choices) -> Table:
    """Kernels by name, grid and block."""
    report = index.report
    rows = op_rows(report, choices.scope, OpKind.KERNEL, OpKind.GRAPH)
    grid, block = launch_shapes(report, rows, "grid"), launch_shapes(report, rows, "block")
    names = printed_names(index, rows, choices.options)
    groups, first = combined(names.codes, *grid, *block)
    length = durations(report.ops, rows)
    sums = figures(groups, length, len(first))
    grids, blocks = (shape_texts([column[first] for column in shape]) for shape in (grid, block))
    kernels = names.of(first)
    shapes = zip(*(column[first].tolist() for column in (*grid, *block)), strict=True)
    ties = list(zip(kernels, shapes, strict=True))
    columns = (
        *std9(sums, "Instances"),
        text("GridXYZ", grids, blank="-", rank=5),
        text("BlockXYZ", blocks, blank="-", rank=5),
        replace(text("Name", kernels), kernels=True),
    )
    order = by_total(sums.total, sums.count, ties)
    long = dominant_note(groups, length, take(report.ops.start, rows), lambda i: str(kernels[i]), sums)
    note = with_note(graph_note(report, rows), long)
    return cuda_gpu_kern_gb_sum.table(columns, note).ordered(order)


def launch_shapes(report: Report, rows: RowSet, of: str) -> list[Int64]:
    """x, y and z of the ``grid`` or ``block`` of each op in ``rows``; NULL for what is no kernel."""
    columns = [getattr(report.kernels, f"{of}_{axis}") for axis in "xyz"]
    return [kind_values(report, rows, {OpKind.KERNEL: column}) for column in columns]


def shape_texts(shapes: list[Int64]) -> list[str | None]:
    """Grids or blocks the way nsys writes them, ``   x    y    z``; None where NULL."""
    texts = [f"{x:4d} {y:4d} {z:4d}" for x, y, z in zip(*(c.tolist() for c in shapes), strict=True)]
    return blanked(texts, shapes[0] == NULL)


@stats_report(
    "CUDA GPU MemOps Summary (by Time)",
    "GPU memory",
    "How long copies (by direction) and memsets took on the device.",
    aliases=("gpumemtimesum",),
)
def cuda_gpu_mem_time_sum(index: Index, choices: Choices) -> Table:
    """Time of copies and memsets by operation."""
    report = index.report
    rows = op_rows(report, choices.scope, OpKind.MEMCPY, OpKind.MEMSET)
    names, length = take(report.ops.name, rows), durations(report.ops, rows)
    start = take(report.ops.start, rows)
    return sums_by_name(
        cuda_gpu_mem_time_sum, report, names, start, length, "Count", "Operation", ties=Ties.NAME
    )


CATEGORIES = {
    OpKind.KERNEL: "CUDA_KERNEL",
    OpKind.GRAPH: "CUDA_GRAPH",
    OpKind.MEMCPY: "MEMORY_OPER",
    OpKind.MEMSET: "MEMORY_OPER",
}


@stats_report(
    "CUDA GPU Summary (Kernels/MemOps)",
    "CUDA trace",
    "Kernels, copies and memsets in one list.",
    f"{SUMS} Category: CUDA_KERNEL, MEMORY_OPER, CUDA_GRAPH. {RANGE_NAME_OPTIONS}",
    GRAPHS,
    aliases=("gpusum",),
    options=RANGE_OPTIONS,
)
def cuda_gpu_sum(index: Index, choices: Choices) -> Table:
    """All device work by name, with its category."""
    return sums_by_category(cuda_gpu_sum, index, choices, calls=False)


@stats_report(
    "CUDA Summary (API/Kernels/MemOps)",
    "CUDA trace",
    "The host's CUDA calls beside the device's work, in one list.",
    f"{SUMS} Host and device time overlap: the shares compare rows, they do not divide a timeline. "
    f"{RANGE_NAME_OPTIONS}",
    f"{GRAPHS} Rows that only carry a backtrace (eventClass 67) are no calls: nsys counts them, too.",
    aliases=("apigpusum",),
    options=RANGE_OPTIONS,
)
def cuda_api_gpu_sum(index: Index, choices: Choices) -> Table:
    """All device work and all CUDA calls by name, as shares of their combined time."""
    return sums_by_category(cuda_api_gpu_sum, index, choices, calls=True)


def sums_by_category(of: StatsReport, index: Index, choices: Choices, *, calls: bool) -> Table:
    """All device work by category and name, and all CUDA calls beside it where ``calls``."""
    report = index.report
    rows = op_rows(report, choices.scope)
    labels, of_kind = np.unique([CATEGORIES[kind] for kind in sorted(CATEGORIES)], return_inverse=True)
    category = of_kind[take(report.ops.kind, rows)]
    names, length = printed_names(index, rows, choices.options), durations(report.ops, rows)
    start = take(report.ops.start, rows)
    groups, first = combined(category, names.codes)
    texts, categories = list(names.of(first)), labels[category[first]].tolist()
    if calls:
        call_rows = host_rows(report, choices.scope, report.calls)
        call_groups, call_names = api_groups(report, call_rows)
        groups = np.concatenate((groups, call_groups + len(texts)))
        length = np.concatenate((length, durations(report.calls, call_rows)))
        start = np.concatenate((start, take(report.calls.start, call_rows)))
        texts += call_names
        categories += ["CUDA_API"] * len(call_names)
    sums = figures(groups, length, len(texts))
    columns = (*std9(sums, "Instances"), text("Category", categories, rank=5), text("Operation", texts))
    order = ordered_by_total(sums, list(zip(texts, categories, strict=True)), Ties.NAME)
    note = with_note(graph_note(report, rows), dominant_note(groups, length, start, texts.__getitem__, sums))
    return of.table(columns, note).ordered(order)


def api_groups(report: Report, rows: RowSet) -> tuple[NDArray[np.int64], list[str]]:
    """CUDA calls by the name that nsys prints: each one's group, and the groups' names."""
    strings = report.strings
    return by_text(take(report.calls.name, rows), lambda i: printed_call(strings[i]), len(strings))


def printed_call(name: str) -> str:
    """``cudaLaunchKernel_v7000`` -> ``cudaLaunchKernel``: six characters go if they begin with ``_v``."""
    return name[:-6] if name[-6:-4] == "_v" else name
