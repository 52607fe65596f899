"""NVTX ranges seen from the device: what the work launched inside them took there.

An op belongs to every range on the launching thread that contains its API call, bounds included.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.analysis.choices import Choices
from tui.analysis.grouping import combined
from tui.analysis.index import Index
from tui.analysis.phases import call_range_pairs, op_range_pairs
from tui.analysis.scope import Scope
from tui.analysis.stats.dominant import dominant_note, with_note
from tui.analysis.stats.groups import by_total, figures
from tui.analysis.stats.kernels import KERNEL_OPTIONS, graph_note, kernel_names
from tui.analysis.stats.lazy import Computed, Names, OwnerIds
from tui.analysis.stats.nvtx_host import RangeTree, range_ends, range_names, range_rows, range_styles
from tui.analysis.stats.rounding import Integers, printed, quotient
from tui.analysis.stats.select import RowSet, durations, op_rows, take
from tui.analysis.stats.stats_report import stats_report
from tui.analysis.stats.std9 import column, count, ident, spread_columns, text, time
from tui.analysis.table import Column, Table, Unit
from tui.report.columns import Int64
from tui.report.model import OpKind, Report


@dataclass(frozen=True)
class Projection:
    """Ranges that own device work, and the work's extent, by its start."""

    ranges: NDArray[np.intp]  # positions in `Report.ranges`
    start: Int64
    end: Int64
    launches: Int64  # how many calls inside each range launched the work


def project(index: Index, scope: Scope) -> Projection:
    """Project the ranges in scope onto the ops in scope."""
    report = index.report
    ops, size = report.ops, len(report.ranges)
    rows = op_rows(report, scope)
    launch = take(ops.launch, rows)
    recorded = launch >= 0
    launch = launch[recorded]
    lowest, highest = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    first, last = np.full(len(report.calls), highest), np.full(len(report.calls), lowest)
    np.minimum.at(first, launch, take(ops.start, rows)[recorded])
    np.maximum.at(last, launch, take(ops.end, rows)[recorded])
    start, end, launches = np.full(size, highest), np.full(size, lowest), np.zeros(size, np.int64)
    for calls, ranges in call_range_pairs(index, np.unique(launch).astype(np.intp)):
        np.minimum.at(start, ranges, first[calls])
        np.maximum.at(end, ranges, last[calls])
        launches += np.bincount(ranges, minlength=size)
    in_scope = np.zeros(size, bool)
    in_scope[range_rows(report, scope)] = True
    chosen = np.flatnonzero((launches > 0) & in_scope)
    chosen = chosen[np.argsort(start[chosen], kind="stable")]
    return Projection(chosen, start[chosen], end[chosen], launches[chosen])


@stats_report(
    "NVTX GPU Projection Trace",
    "NV Tools Extension (NVTX) and CUDA trace",
    "Every range with the stretch of device time that its launches took.",
    "Projected: first start to last end, over all streams and devices, of the ops whose API call lies inside "
    "the range on its thread. NumGPUOps counts launches.",
    "A range left open reaches to the end of the capture. Graphs traced whole are ops too.",
    aliases=("nvtxgpuproj", "nvtxgputrace"),
)
def nvtx_gpu_proj_trace(index: Index, choices: Choices) -> Table:
    """Every range that owns device work, by the start of that work."""
    report, ranges = index.report, index.report.ranges
    projection = project(index, choices.scope)
    rows, tree, ids = projection.ranges, RangeTree(report), OwnerIds(report)
    thread = ranges.thread[rows]
    columns = (
        text("Name", Computed(rows, lambda part: range_names(report, part))),
        time("Projected Start (ns)", projection.start),
        time("Projected Duration (ns)", projection.end - projection.start),
        time("Orig Start (ns)", ranges.start[rows], rank=3),
        time("Orig Duration (ns)", range_ends(report)[rows] - ranges.start[rows], rank=1),
        text("Style", Computed(rows, lambda part: range_styles(report, part)), rank=6),
        ident("PID", ids.pid[thread], rank=5),
        ident("TID", ids.tid[thread], rank=4),
        count("NumGPUOps", projection.launches),
        count("Lvl", tree.depth[rows], rank=5),
        count("NumChild", tree.children[rows], rank=7),
        ident("RangeId", ranges.rowid[rows], rank=7),
        ident("ParentId", tree.parent_ids(rows), rank=8, blank="-"),
        text("RangeStack", Computed(rows, tree.stacks), rank=9),
    )
    return nvtx_gpu_proj_trace.table(columns, graph_note(report, op_rows(report, choices.scope)))


@stats_report(
    "NVTX GPU Projection Summary",
    "NV Tools Extension (NVTX) and CUDA trace",
    "How much device time ranges stretch over, by name.",
    "Sums the projections of nvtx_gpu_proj_trace by name and style, longest total first.",
    "A range left open reaches to the end of the capture. Graphs traced whole are ops too.",
    aliases=("nvtxgpuprojsum",),
)
def nvtx_gpu_proj_sum(index: Index, choices: Choices) -> Table:
    """Projected ranges by name and style, longest total first."""
    report, ranges = index.report, index.report.ranges
    projection, tree = project(index, choices.scope), RangeTree(report)
    rows = projection.ranges
    groups, first = combined(ranges.style[rows], ranges.domain[rows], ranges.name[rows])
    names, styles = range_names(report, rows[first]), range_styles(report, rows[first])
    sums = figures(groups, projection.end - projection.start, len(first))

    def total(values: Int64) -> Integers:
        return figures(groups, values, len(first)).total

    def mean(header: str, totals: Integers) -> Column:
        return column(Unit.DECIMAL, header, printed(quotient(totals, sums.count, 1), 1), rank=8)

    launches = total(projection.launches)
    columns = (
        text("Range", names),
        text("Style", styles, rank=6),
        time("Total Proj Time (ns)", sums.total),
        time("Total Range Time (ns)", total(range_ends(report)[rows] - ranges.start[rows]), rank=2),
        count("Range Instances", sums.count),
        *spread_columns(sums, (1, 5, 4, 3, 7), "Proj "),
        count("Total GPU Ops", launches, rank=4),
        mean("Avg GPU Ops", launches),
        mean("Avg Range Lvl", total(tree.depth[rows])),
        mean("Avg Num Child", total(tree.children[rows])),
    )
    long = dominant_note(groups, projection.end - projection.start, projection.start, names.__getitem__, sums)
    note = with_note(graph_note(report, op_rows(report, choices.scope)), long)
    order = by_total(sums.total, sums.count, list(zip(names, styles, strict=True)))
    return nvtx_gpu_proj_sum.table(columns, note).ordered(order)


@stats_report(
    "NVTX Range Kernel Summary",
    "NV Tools Extension (NVTX) and CUDA kernel",
    "Which kernels the ranges launched, and how long those took.",
    "A kernel counts in every range around its launch on that thread; outside any, under a blank one.",
    "Kernels without a recorded launch are kept, under a blank range; so are graphs traced whole.",
    aliases=("nvtxkernsum",),
    options=KERNEL_OPTIONS,
)
def nvtx_kern_sum(index: Index, choices: Choices) -> Table:
    """Kernels by the range around their launch; a kernel counts in every such range."""
    report, ranges, ids = index.report, index.report.ranges, OwnerIds(index.report)
    rows = op_rows(report, choices.scope, OpKind.KERNEL, OpKind.GRAPH)
    ops = np.arange(len(report.ops))[rows if len(ranges) else slice(0)]
    pairs = list(op_range_pairs(index, ops))
    in_ranges = np.concatenate([np.zeros(0, np.intp), *(op for op, _ in pairs)])
    outside = ops[~np.isin(ops, in_ranges)]
    op = np.concatenate((in_ranges, outside))
    around = np.concatenate([*(holder for _, holder in pairs), np.full(len(outside), -1, np.int64)])
    launch = report.ops.launch[op]
    thread = np.where(launch >= 0, np.append(report.calls.thread, np.int32(-1))[launch], -1)
    kernel, process = kernel_names(report, op, choices.options), report.ops.process[op]
    keys = (np.append(values, -2)[around] for values in (ranges.style, ranges.domain, ranges.name))
    groups, first = combined(process, thread, *keys, kernel)
    length = durations(report.ops, op)
    sums = figures(groups, length, len(first))
    _, one = combined(groups, around)
    instances = np.bincount(groups[one][around[one] >= 0], minlength=len(first))
    kernels = Names(report.strings, kernel[first])[:]
    holder = around[first]
    names, styles = np.full((2, len(first)), "", object)
    names[holder >= 0] = np.array(range_names(report, holder[holder >= 0]), object)
    styles[holder >= 0] = range_styles(report, holder[holder >= 0])
    pid, tid = ids.process_pid[process[first]], ids.tid[thread[first]]
    columns = (
        text("NVTX Range", names),
        text("Style", styles, rank=6),
        ident("PID", pid, rank=5),
        ident("TID", tid, rank=5),
        count("NVTX Inst", instances, rank=4),
        count("Kern Inst", sums.count),
        time("Total Time (ns)", sums.total),
        *spread_columns(sums, (1, 7, 7, 7, 8)),
        text("Kernel Name", kernels),
    )
    ties = list(zip(names, pid, tid, -sums.total, styles, kernels, strict=True))
    order = np.array(sorted(range(len(first)), key=ties.__getitem__), np.int64)
    long = dominant_note(groups, length, report.ops.start[op], kernels.__getitem__, sums)
    return nvtx_kern_sum.table(columns, with_note(kernel_note(report, rows), long)).ordered(order)


def kernel_note(report: Report, rows: RowSet) -> str | None:
    """The notes on graphs traced whole and on kernels whose launch was not recorded; None without any."""
    notes = [graph_note(report, rows)]
    orphans = int((take(report.ops.launch, rows) < 0).sum())
    if orphans:
        notes.append(
            f"{orphans:,} kernels have no recorded launch: they stand outside any range, on an unknown thread"
        )
    return "; ".join(note for note in notes if note) or None
