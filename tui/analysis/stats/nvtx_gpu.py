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
from tui.analysis.stats.groups import by_total, figures
from tui.analysis.stats.kernels import KERNEL_OPTIONS, durations, graph_note, kernel_names
from tui.analysis.stats.lazy import Computed, ThreadIds
from tui.analysis.stats.nvtx_sums import STYLES, range_ends, range_names, range_rows
from tui.analysis.stats.nvtx_trace import RangeTree
from tui.analysis.stats.rounding import Integers, printed, quotient
from tui.analysis.stats.select import RowSet, op_rows, take
from tui.analysis.stats.shown_names import Names
from tui.analysis.stats.stats_report import StatsReport
from tui.analysis.stats.std9 import average, count, ident, text, time
from tui.analysis.table import Column, Table, Unit, picked
from tui.report.columns import Int64
from tui.report.importing.range_levels import depths
from tui.report.model import OpKind, RangeStyle, Report


@dataclass(frozen=True)
class Projection:
    """Ranges that own device work: positions in ``Report.ranges``, and the work's extent; by its start."""

    ranges: NDArray[np.intp]
    start: Int64
    end: Int64
    ops: Int64  # distinct launches
    level: Int64
    children: Int64


def project(index: Index, scope: Scope) -> Projection:
    """Project the ranges in scope onto the ops in scope."""
    report = index.report
    ops, size = report.ops, len(report.ranges)
    rows = op_rows(report, scope)
    launch = take(ops.launch, rows)
    known = launch >= 0
    calls, of_call = np.unique(launch[known], return_inverse=True)
    first = np.full(len(calls), np.iinfo(np.int64).max)
    last = np.full(len(calls), np.iinfo(np.int64).min)
    np.minimum.at(first, of_call, take(ops.start, rows)[known])
    np.maximum.at(last, of_call, take(ops.end, rows)[known])
    start = np.full(size, np.iinfo(np.int64).max)
    end = np.full(size, np.iinfo(np.int64).min)
    number = np.zeros(size, np.int64)
    place = np.full(len(report.calls), -1, np.int64)
    place[calls] = np.arange(len(calls))
    for found, ranges in call_range_pairs(index, calls.astype(np.intp)):
        np.minimum.at(start, ranges, first[place[found]])
        np.maximum.at(end, ranges, last[place[found]])
        number += np.bincount(ranges, minlength=size)
    in_scope = np.zeros(size, bool)
    in_scope[range_rows(report, scope)] = True
    chosen = np.flatnonzero((number > 0) & in_scope)
    chosen = chosen[np.argsort(start[chosen], kind="stable")]
    children = np.bincount(report.ranges.parent[report.ranges.parent >= 0], minlength=size)
    return Projection(
        chosen,
        start[chosen],
        end[chosen],
        number[chosen],
        depths(report.ranges.parent.astype(np.int64))[chosen].astype(np.int64),
        children[chosen].astype(np.int64),
    )


def styles_of(report: Report, rows: NDArray[np.intp]) -> list[str]:
    """``PushPop`` or ``StartEnd`` for each range."""
    return [STYLES[RangeStyle(style)] for style in report.ranges.style[rows].tolist()]


def nvtx_gpu_proj_trace(index: Index, choices: Choices) -> Table:
    """Every range that owns device work, by the start of that work."""
    report, scope = index.report, choices.scope
    found = project(index, scope)
    ranges, rows, people = report.ranges, found.ranges, ThreadIds(report)
    tree, ends = RangeTree(report), range_ends(report)
    thread = ranges.thread[rows]

    def computed(make: object) -> Computed:
        return Computed(rows, len(rows), make)  # type: ignore[arg-type]

    columns = (
        text("Name", computed(lambda part: range_names(report, ranges.domain[part], ranges.name[part]))),
        time("Projected Start (ns)", found.start),
        time("Projected Duration (ns)", found.end - found.start),
        time("Orig Start (ns)", ranges.start[rows], rank=3),
        time("Orig Duration (ns)", ends[rows] - ranges.start[rows], rank=1),
        text("Style", computed(lambda part: styles_of(report, part)), rank=6),
        ident("PID", people.pid[thread], rank=5),
        ident("TID", people.tid[thread], rank=4),
        count("NumGPUOps", found.ops),
        count("Lvl", found.level, rank=5),
        count("NumChild", found.children, rank=7),
        ident("RangeId", ranges.rowid[rows], rank=7),
        ident("ParentId", tree.parent_ids(rows), rank=8, blank="-"),
        text("RangeStack", computed(tree.stacks), rank=9),
    )
    return NVTX_GPU_PROJ_TRACE.table(columns, graph_note(report, op_rows(report, scope)))


NVTX_GPU_PROJ_TRACE = StatsReport(
    "nvtx_gpu_proj_trace",
    "NVTX GPU Projection Trace",
    nvtx_gpu_proj_trace,
    "NV Tools Extension (NVTX) and CUDA trace",
    "Every range with the stretch of device time that its launches took.",
    "Projected: first start to last end, over all streams and devices, of the ops whose API call lies inside "
    "the range on its thread. NumGPUOps counts launches.",
    "A range left open reaches to the end of the capture. Graphs traced whole are ops too.",
    ("nvtxgpuproj", "nvtxgputrace"),
)


def nvtx_gpu_proj_sum(index: Index, choices: Choices) -> Table:
    """Projected ranges by name and style, longest total first."""
    report, scope = index.report, choices.scope
    found = project(index, scope)
    ranges, rows = report.ranges, found.ranges
    groups, first = combined(ranges.style[rows], ranges.domain[rows], ranges.name[rows])
    names = range_names(report, ranges.domain[rows][first], ranges.name[rows][first])
    styles = styles_of(report, rows[first])
    known = figures(groups, found.end - found.start, len(first))
    original = summed(groups, range_ends(report)[rows] - ranges.start[rows], len(first))
    ops, levels, children = (summed(groups, v, len(first)) for v in (found.ops, found.level, found.children))
    order = by_total(known.total, known.count, list(zip(names, styles, strict=True)))

    def mean(header: str, key: str, totals: Integers, rank: int) -> Column:
        values = printed(quotient(totals, known.count, 1), 1)
        return Column(header, key, Unit.DECIMAL, picked(values, order), rank)

    columns = (
        text("Range", picked(names, order)),
        text("Style", picked(styles, order), rank=6),
        time("Total Proj Time (ns)", known.total[order]),
        time("Total Range Time (ns)", original[order], rank=2),
        count("Range Instances", known.count[order]),
        average("Proj Avg (ns)", picked(known.average(), order), rank=1),
        average("Proj Med (ns)", picked(known.median(), order), rank=5),
        time("Proj Min (ns)", known.minimum[order], rank=4),
        time("Proj Max (ns)", known.maximum[order], rank=3),
        average("Proj StdDev (ns)", picked(known.deviation(), order), rank=7),
        count("Total GPU Ops", ops[order], rank=4),
        mean("Avg GPU Ops", "avg_gpu_ops", ops, 8),
        mean("Avg Range Lvl", "avg_range_lvl", levels, 8),
        mean("Avg Num Child", "avg_num_child", children, 8),
    )
    return NVTX_GPU_PROJ_SUM.table(columns, graph_note(report, op_rows(report, scope)))


NVTX_GPU_PROJ_SUM = StatsReport(
    "nvtx_gpu_proj_sum",
    "NVTX GPU Projection Summary",
    nvtx_gpu_proj_sum,
    "NV Tools Extension (NVTX) and CUDA trace",
    "How much device time ranges stretch over, by name.",
    "Sums the projections of nvtx_gpu_proj_trace by name and style, longest total first.",
    "A range left open reaches to the end of the capture. Graphs traced whole are ops too.",
    ("nvtxgpuprojsum",),
)


def summed(groups: NDArray[np.int64], values: Int64, size: int) -> Integers:
    """Sums of ``values`` by group."""
    return figures(groups, values, size).total


def nvtx_kern_sum(index: Index, choices: Choices) -> Table:
    """Kernels by the range around their launch; a kernel counts in every such range."""
    report, scope = index.report, choices.scope
    rows = op_rows(report, scope, OpKind.KERNEL, OpKind.GRAPH)
    ops = np.arange(len(report.ops))[rows if len(report.ranges) else slice(0)]
    pairs = list(op_range_pairs(index, ops))
    owned = np.concatenate([np.zeros(0, np.intp), *(op for op, _ in pairs)])
    around = np.concatenate([np.zeros(0, np.int64), *(found for _, found in pairs)])
    free = ops[~np.isin(ops, owned)]
    op = np.concatenate((owned, free))
    holder = np.concatenate((around, np.full(len(free), -1, np.int64)))
    ranges = report.ranges
    launch = report.ops.launch[op]
    thread = np.where(launch >= 0, np.append(report.calls.thread, np.int32(-1))[launch], -1)
    inside = holder >= 0

    def of_range(column: NDArray[np.generic]) -> Int64:
        values = np.full(len(op), -2, np.int64)
        values[inside] = column[holder[inside]]
        return values

    style, domain, name = of_range(ranges.style), of_range(ranges.domain), of_range(ranges.name)
    kernel = kernel_names(report, op, choices.options)
    process = report.ops.process[op]
    groups, first = combined(process, thread, style, domain, name, kernel)
    known = figures(groups, durations(report, op), len(first))
    _, one = combined(groups, holder)
    distinct = np.bincount(groups[one][holder[one] >= 0], minlength=len(first))
    people, kernels = ThreadIds(report), Names(report.strings, kernel[first])
    texts, styles = [""] * len(first), [""] * len(first)
    places = np.flatnonzero(holder[first] >= 0)
    held = holder[first[places]]
    names = range_names(report, ranges.domain[held], ranges.name[held])
    for place, range_name, range_style in zip(places.tolist(), names, styles_of(report, held), strict=True):
        texts[place], styles[place] = range_name, range_style
    pid, tid = people.process_pid[process[first]], people.tid[thread[first]]
    order = np.array(
        sorted(
            range(len(first)),
            key=lambda i: (texts[i], pid[i], tid[i], -int(known.total[i]), styles[i], kernels[i]),
        ),
        np.int64,
    )
    columns = (
        text("NVTX Range", picked(texts, order)),
        text("Style", picked(styles, order), rank=6),
        ident("PID", pid[order], rank=5),
        ident("TID", tid[order], rank=5),
        count("NVTX Inst", distinct[order], rank=4),
        count("Kern Inst", known.count[order]),
        time("Total Time (ns)", known.total[order]),
        average("Avg (ns)", picked(known.average(), order), rank=1),
        average("Med (ns)", picked(known.median(), order), rank=7),
        time("Min (ns)", known.minimum[order], rank=7),
        time("Max (ns)", known.maximum[order], rank=7),
        average("StdDev (ns)", picked(known.deviation(), order), rank=8),
        text("Kernel Name", picked(kernels, order)),
    )
    return NVTX_KERN_SUM.table(columns, kernel_note(report, rows))


NVTX_KERN_SUM = StatsReport(
    "nvtx_kern_sum",
    "NVTX Range Kernel Summary",
    nvtx_kern_sum,
    "NV Tools Extension (NVTX) and CUDA kernel",
    "Which kernels the ranges launched, and how long those took.",
    "A kernel counts in every range around its launch on that thread; outside any, under a blank one.",
    "Kernels without a recorded launch are kept, under a blank range; so are graphs traced whole.",
    ("nvtxkernsum",),
    KERNEL_OPTIONS,
)


def kernel_note(report: Report, rows: RowSet) -> str | None:
    """What a reader must know of the kernels: graphs traced whole, launches that were not recorded."""
    notes = [graph_note(report, rows)]
    orphans = int((take(report.ops.launch, rows) < 0).sum())
    if orphans:
        notes.append(
            f"{orphans:,} kernels have no recorded launch: they stand outside any range, on an unknown thread"
        )
    return "; ".join(note for note in notes if note) or None
