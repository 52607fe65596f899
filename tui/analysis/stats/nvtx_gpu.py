"""NVTX ranges seen from the device: what the work launched inside them took there.

An op belongs to every range on the launching thread that contains its API call, bounds included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.analysis.choices import Choices
from tui.analysis.grouping import Group, combined
from tui.analysis.index import Index
from tui.analysis.phases import call_range_pairs, op_range_pairs
from tui.analysis.sample import Statistic
from tui.analysis.scope import Scope
from tui.analysis.stats.dominant import dominant_note, with_note
from tui.analysis.stats.groups import figures
from tui.analysis.stats.kernel_names import KERNEL_OPTIONS, NAME_OPTIONS, kernel_names
from tui.analysis.stats.kernels import graph_note
from tui.analysis.stats.lazy import Computed, Names, OwnerIds
from tui.analysis.stats.nvtx_host import (
    DEEP,
    SPELLING,
    by_total_and_name,
    open_note,
    range_groups,
    range_names,
    range_rows,
    range_styles,
)
from tui.analysis.stats.range_tree import RangeTree, closed_ends
from tui.analysis.stats.rounding import Integers, printed, quotient
from tui.analysis.stats.select import RowSet, durations, launches_in_scope, op_rows, take
from tui.analysis.stats.stats_report import stats_report
from tui.analysis.stats.std9 import column, count, ident, spread_columns, text, time
from tui.analysis.table import Column, Table, Unit
from tui.report import schema
from tui.report.columns import Int64, Positions
from tui.report.model import OpKind, Report

GPU_DIFFERS = (
    "Equal to nsys's but for this: graphs traced whole count too, and an op counts once, where nsys counts "
    "it for every call with its correlation id (rows of eventClass 67 repeat calls)."
)


@dataclass(frozen=True)
class Projection:
    """Ranges that own device work, by their id, and the work's extent."""

    ranges: NDArray[np.intp]  # positions in `Report.ranges`
    start: Int64
    end: Int64
    launches: Int64  # how many calls inside each range launched the work
    tree: RangeTree  # how they nest; every range around one of them is one of them


def project(index: Index, scope: Scope) -> Projection:
    """Project the ranges in scope onto the ops in scope."""
    report = index.report
    ops, size = report.ops, len(report.ranges)
    rows = op_rows(report, scope)
    launch = launches_in_scope(report, scope, rows)
    recorded = launch >= 0
    launch = launch[recorded]
    lowest, highest = np.iinfo(np.int64).min, np.iinfo(np.int64).max
    first, last = np.full(len(report.calls), highest), np.full(len(report.calls), lowest)
    np.minimum.at(first, launch, take(ops.start, rows)[recorded])
    np.maximum.at(last, launch, take(ops.end, rows)[recorded])
    start, end, launches = np.full(size, highest), np.full(size, lowest), np.zeros(size, np.int64)
    for calls, ranges in call_pairs(index, np.unique(launch).astype(np.intp)):
        np.minimum.at(start, ranges, first[calls])
        np.maximum.at(end, ranges, last[calls])
        launches += np.bincount(ranges, minlength=size)
    in_scope = np.zeros(size, bool)
    in_scope[range_rows(report, scope)] = True
    chosen = np.flatnonzero((launches > 0) & in_scope)
    chosen = chosen[np.argsort(report.ranges.rowid[chosen], kind="stable")]
    tree = RangeTree(report, chosen, closed_ends(report)[chosen])
    return Projection(chosen, start[chosen], end[chosen], launches[chosen], tree)


Pairs = Iterator[tuple[Positions, Positions]]
"""One pair of arrays a nesting depth."""


def call_pairs(index: Index, calls: Positions) -> Pairs:
    """(call, range) for every range around each of these calls."""
    return _until_last(index, call_range_pairs(index, calls), lambda found: found)


def op_pairs(index: Index, ops: Positions) -> Pairs:
    """(op, range) for every range around the launch of each of these ops."""
    return _until_last(index, op_range_pairs(index, ops), index.report.ops.launch.__getitem__)


def _until_last(index: Index, pairs: Pairs, call_of: Callable[[Positions], Any]) -> Pairs:
    """Leave out the calls that an open range only holds where it goes on after the last range."""
    report = index.report
    ends = closed_ends(report)
    for asked, ranges in pairs:
        held = report.calls.end[call_of(asked)] <= ends[ranges]
        yield asked[held], ranges[held]


@stats_report(
    "NVTX GPU Projection Trace",
    "NV Tools Extension (NVTX) and CUDA trace",
    "Every range with the stretch of device time that its launches took.",
    "Projected: first start to last end, over all streams and devices, of the ops whose API call lies inside "
    "the range on its thread. NumGPUOps counts launches. Parent: the shortest range around it, push/pop or "
    "start/end; NumChild counts rows of this table. By RangeId, a row of NVTX_EVENTS. A range never closed "
    "ends with the last range.",
    f"{GPU_DIFFERS} Of ranges of the same bounds the first row is around the next, while nsys leaves level, "
    "parent and stack of them and of all inside them blank. Work outside of any range has no row: nsys has a "
    f"nameless one for each thread. {DEEP} {SPELLING}",
    aliases=("nvtxgpuproj", "nvtxgputrace"),
)
def nvtx_gpu_proj_trace(index: Index, choices: Choices) -> Table:
    """Every range that owns device work, by its id."""
    report, ranges = index.report, index.report.ranges
    projection = project(index, choices.scope)
    rows, tree, ids = projection.ranges, projection.tree, OwnerIds(report)
    thread = ranges.thread[rows]
    columns = (
        text("Name", Computed(rows, lambda part: range_names(report, part))),
        time("Projected Start (ns)", projection.start),
        time("Projected Duration (ns)", projection.end - projection.start),
        time("Orig Start (ns)", ranges.start[rows], rank=3),
        time("Orig Duration (ns)", closed_ends(report)[rows] - ranges.start[rows], rank=1),
        text("Style", Computed(rows, lambda part: range_styles(report, part)), rank=6),
        ident("PID", ids.pid[thread], rank=5),
        ident("TID", ids.tid[thread], rank=4),
        count("NumGPUOps", projection.launches),
        count("Lvl", tree.depth, rank=5),
        count("NumChild", tree.children, rank=7),
        ident("RangeId", tree.ids, rank=7),
        ident("ParentId", tree.parent_ids(), rank=8, blank="-"),
        text("RangeStack", Computed(np.arange(len(rows)), tree.stacks), rank=9),
    )
    note = with_note(projection_note(report, rows, choices.scope), tree.cut_note())
    return nvtx_gpu_proj_trace.table(columns, note)


def projection_note(report: Report, ranges: Positions, scope: Scope) -> str | None:
    """The notes on those of ``ranges`` that were never closed and on graphs traced whole; None without."""
    notes = (open_note(report, ranges, closed_ends(report)), graph_note(report, op_rows(report, scope)))
    return "; ".join(note for note in notes if note) or None


@stats_report(
    "NVTX GPU Projection Summary",
    "NV Tools Extension (NVTX) and CUDA trace",
    "How much device time ranges stretch over, by name.",
    "Sums the projections of nvtx_gpu_proj_trace by name and style, longest total first.",
    f"{GPU_DIFFERS} Levels and children count as in nvtx_gpu_proj_trace. {SPELLING}",
    aliases=("nvtxgpuprojsum",),
)
def nvtx_gpu_proj_sum(index: Index, choices: Choices) -> Table:
    """Projected ranges by name and style, longest total first."""
    report, ranges = index.report, index.report.ranges
    projection = project(index, choices.scope)
    rows, tree = projection.ranges, projection.tree
    groups, names, styles = range_groups(report, rows)
    sums = figures(groups, projection.end - projection.start, len(names))

    def total(values: Int64) -> Integers:
        return figures(groups, values, len(names)).total

    def mean(header: str, totals: Integers) -> Column:
        return column(Unit.DECIMAL, header, printed(quotient(totals, sums.count, 1), 1), rank=8)

    launches = total(projection.launches)
    columns = (
        text("Range", names),
        text("Style", styles, rank=6),
        time("Total Proj Time (ns)", sums.total, sample=sums.sample(Statistic.TOTAL)),
        time("Total Range Time (ns)", total(closed_ends(report)[rows] - ranges.start[rows]), rank=2),
        count("Range Instances", sums.count),
        *spread_columns(sums, (1, 5, 4, 3, 7), "Proj "),
        count("Total GPU Ops", launches, rank=4),
        mean("Avg GPU Ops", launches),
        mean("Avg Range Lvl", total(tree.depth)),
        mean("Avg Num Child", total(tree.children)),
    )
    long = dominant_note(groups, projection.end - projection.start, projection.start, names.__getitem__, sums)
    note = with_note(projection_note(report, rows, choices.scope), long)
    return nvtx_gpu_proj_sum.table(columns, note).ordered(by_total_and_name(sums.total, names, styles))


@stats_report(
    "NVTX Range Kernel Summary",
    "NV Tools Extension (NVTX) and CUDA kernel",
    "Which kernels the ranges launched, and how long those took.",
    "A kernel counts in every range around its launch on that thread; outside any, under a blank one. Kern "
    "Inst counts kernels and NVTX Inst ranges, the times are over the pairs of both: inside a range of the "
    f"same name a kernel counts twice. A range never closed ends with the last range. {NAME_OPTIONS}",
    f"{GPU_DIFFERS} Kernels without a recorded launch stand under a blank range, by process: nsys pools them "
    f"in rows without a PID. {SPELLING}",
    aliases=("nvtxkernsum",),
    options=KERNEL_OPTIONS,
)
def nvtx_kern_sum(index: Index, choices: Choices) -> Table:
    """Kernels by the range around their launch; a kernel counts in every such range."""
    report, ids = index.report, OwnerIds(index.report)
    rows = op_rows(report, choices.scope, OpKind.KERNEL, OpKind.GRAPH)
    ops = np.arange(len(report.ops))[rows if schema.NVTX in report.has else slice(0)]
    launched = np.full(len(report.ops), -1, np.int32)
    launched[ops] = launches_in_scope(report, choices.scope, ops)
    pairs = list(op_pairs(index, ops[launched[ops] >= 0]))
    in_ranges = np.concatenate([np.zeros(0, np.intp), *(op for op, _ in pairs)])
    outside = ops[~np.isin(ops, in_ranges)]
    op = np.concatenate((in_ranges, outside))
    around = np.concatenate([*(holder for _, holder in pairs), np.full(len(outside), -1, np.int64)])
    launch = launched[op]
    thread = np.where(launch >= 0, np.append(report.calls.thread, np.int32(-1))[launch], -1)
    kernel, process = kernel_names(report, op, choices.options), report.ops.process[op]
    held = around >= 0
    label = np.full(len(op), -1, np.int64)
    label[held], names, styles = range_groups(report, around[held].astype(np.intp))
    groups, first = combined(process, thread, label, kernel)
    length = durations(report.ops, op)
    sums = figures(groups, length, len(first))
    ranges, style = ([[*texts, ""][i] for i in label[first].tolist()] for texts in (names, styles))
    kernels = Names(report.strings, kernel[first])[:]
    pid, tid = ids.process_pid[process[first]], ids.tid[thread[first]]
    columns = (
        text("NVTX Range", ranges),
        text("Style", style, rank=6),
        ident("PID", pid, rank=5),
        ident("TID", tid, rank=5),
        count("NVTX Inst", distinct(groups[held], around[held], len(first)), rank=4),
        count("Kern Inst", distinct(groups, op, len(first))),
        time("Total Time (ns)", sums.total, sample=sums.sample(Statistic.TOTAL)),
        *spread_columns(sums, (1, 7, 7, 7, 8)),
        text("Kernel Name", kernels),
    )
    ties = list(zip(ranges, pid, tid, -sums.total, style, kernels, strict=True))
    order = np.array(sorted(range(len(first)), key=ties.__getitem__), np.int64)
    long = dominant_note(groups, length, report.ops.start[op], kernels.__getitem__, sums)
    return nvtx_kern_sum.table(columns, with_note(kernel_note(report, rows), long)).ordered(order)


def distinct(groups: Group, values: NDArray[Any], number: int) -> Int64:
    """How many different ``values`` each of ``number`` groups has."""
    _, one = combined(groups, values)
    return np.bincount(groups[one], minlength=number)


def kernel_note(report: Report, rows: RowSet) -> str | None:
    """The notes on graphs traced whole and on kernels whose launch was not recorded; None without any."""
    notes = [graph_note(report, rows)]
    orphans = int((take(report.ops.launch, rows) < 0).sum())
    if orphans:
        notes.append(
            f"{orphans:,} kernels have no recorded launch: they stand outside any range, on an unknown thread"
        )
    return "; ".join(note for note in notes if note) or None
