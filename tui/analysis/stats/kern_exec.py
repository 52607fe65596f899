"""Kernels with the call that launched them: how long the call, the queue and the kernel took."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tui.analysis.choices import Choices
from tui.analysis.grouping import combined, dense
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.stats.groups import figures
from tui.analysis.stats.kernel_names import RANGE_NAME_OPTIONS, RANGE_OPTIONS, printed_names
from tui.analysis.stats.kernels import api_groups, launch_shapes, printed_call, shape_texts
from tui.analysis.stats.lazy import Computed, Names, OwnerIds
from tui.analysis.stats.select import durations, launches_in_scope, narrowed, op_rows
from tui.analysis.stats.stats_report import stats_report
from tui.analysis.stats.std9 import count, ident, spread_columns, text, time
from tui.analysis.table import Column, Table
from tui.report.columns import NULL, Int64
from tui.report.model import OpKind, Report


@dataclass(frozen=True)
class LaunchedKernels:
    """The kernels in scope whose launch was recorded; every array has one entry a kernel."""

    ops: NDArray[np.intp]  # positions in `Report.ops`
    calls: NDArray[np.int32]  # positions in `Report.calls`
    call: Int64  # duration of the call
    queue: Int64  # from the return of the call to the start of the kernel; NULL where it began before
    kernel: Int64  # duration of the kernel
    total: Int64  # from the start of the call to the end of what ended last, call or kernel
    note: str | None  # how many kernels in scope have no recorded launch


def launched_kernels(report: Report, scope: Scope, *, by_call: bool) -> LaunchedKernels:
    """The launched kernels in scope, by start; ``by_call``: by the start of the call, then as recorded."""
    rows = op_rows(report, scope, OpKind.KERNEL)
    launch = launches_in_scope(report, scope, rows)
    ops = narrowed(rows, launch >= 0)
    if by_call:
        ops = ops[np.lexsort((report.ops.rowid[ops], report.calls.start[report.ops.launch[ops]]))]
    calls, without = report.ops.launch[ops], len(launch) - len(ops)
    reason = "is outside the filter, or was not recorded" if scope.window.touching else "was not recorded"
    note = f"{without:,} kernels are left out: the call that launched them {reason}"
    returned, begin, end = report.calls.end[calls], report.ops.start[ops], report.ops.end[ops]
    return LaunchedKernels(
        ops,
        calls,
        call=durations(report.calls, calls),
        queue=np.where(begin < returned, NULL, begin - returned),
        kernel=end - begin,
        total=np.maximum(returned, end) - report.calls.start[calls],
        note=note if without else None,
    )


@stats_report(
    "CUDA Kernel Launch & Exec Time Trace",
    "CUDA kernel",
    "Every kernel with its launch: call, queue and kernel time.",
    f"One row a kernel, by the start of the call; times as in cuda_kern_exec_sum. {RANGE_NAME_OPTIONS}",
    "Launches are joined within their process, never twice; nsys joins rows that only carry a backtrace "
    "(eventClass 67), too. A note counts kernels without a launch.",
    aliases=("kernexectrace",),
    options=RANGE_OPTIONS,
)
def cuda_kern_exec_trace(index: Index, choices: Choices) -> Table:
    """Every launched kernel, by the start of its call."""
    report, strings, ids = index.report, index.report.strings, OwnerIds(index.report)
    launched = launched_kernels(report, choices.scope, by_call=True)
    ops, calls, thread = report.ops, report.calls, report.calls.thread[launched.calls]
    queued = np.where(launched.queue == NULL, NULL, calls.end[launched.calls])
    names = printed_names(index, launched.ops, choices.options)

    def shapes(of: str) -> Computed:
        return Computed(launched.ops, lambda part: shape_texts(launch_shapes(report, part, of)))

    columns = (
        time("API Start (ns)", calls.start[launched.calls]),
        time("API Dur (ns)", launched.call),
        time("Queue Start (ns)", queued, rank=5, blank="-"),
        time("Queue Dur (ns)", launched.queue, blank="-"),
        time("Kernel Start (ns)", ops.start[launched.ops], rank=3),
        time("Kernel Dur (ns)", launched.kernel),
        time("Total Dur (ns)", launched.total, rank=2),
        ident("PID", ids.pid[thread], rank=6),
        ident("TID", ids.tid[thread], rank=4),
        ident("DevId", ids.device[ops.device[launched.ops]], rank=6),
        text("API Function", Names(strings, calls.name[launched.calls], printed_call), rank=1),
        text("GridXYZ", shapes("grid"), rank=7),
        text("BlockXYZ", shapes("block"), rank=7),
        text("Kernel Name", Names(names.texts, names.codes)),
    )
    return cuda_kern_exec_trace.table(columns, launched.note)


@stats_report(
    "CUDA Kernel Launch & Exec Time Summary",
    "CUDA kernel",
    "How long launching a kernel, waiting for the device and running took, by call and kernel.",
    "API = the call, Queue = its return to the start of the kernel (QCount counts those that waited), Kernel "
    f"= the kernel, Total = start of the call to the end of both. {RANGE_NAME_OPTIONS}",
    "Launches are joined within their process, never twice; nsys joins rows that only carry a backtrace "
    "(eventClass 67), too. Kernels without a recorded launch drop out, as in nsys; a note counts them. "
    "Rows of one TAvg as printed are in the order of PID, TID, DevId and the names, as in nsys.",
    aliases=("kernexecsum",),
    options=RANGE_OPTIONS,
)
def cuda_kern_exec_sum(index: Index, choices: Choices) -> Table:
    """Launched kernels by thread, device, call and kernel; longest average total first."""
    report, ids = index.report, OwnerIds(index.report)
    launched = launched_kernels(report, choices.scope, by_call=False)
    thread, device = report.calls.thread[launched.calls], report.ops.device[launched.ops]
    call, call_names = api_groups(report, launched.calls.astype(np.intp))
    kernel = printed_names(index, launched.ops, choices.options)
    groups, first = combined(thread, device, call, kernel.codes)
    total = figures(groups, launched.total, len(first))
    queued = launched.queue != NULL
    kernels, names = kernel.of(first)[:], [call_names[i] for i in call[first].tolist()]
    columns = (
        ident("PID", ids.pid[thread[first]], rank=7),
        ident("TID", ids.tid[thread[first]], rank=5),
        ident("DevId", ids.device[device[first]], rank=7),
        count("Count", total.count),
        count("QCount", np.bincount(groups[queued], minlength=len(first)), rank=6),
        *spread_columns(total, (0, 8, 9, 9, 9), "T"),
        *spread_columns(figures(groups, launched.call, len(first)), (1, 8, 9, 9, 9), "A"),
        *queue_columns(groups[queued], launched.queue[queued], len(first)),
        *spread_columns(figures(groups, launched.kernel, len(first)), (1, 8, 9, 9, 9), "K"),
        text("API Name", names, rank=2),
        text("Kernel Name", kernels),
    )
    longest = -np.asarray(total.average(), np.float64)
    ties = list(zip(longest.tolist(), *(c.values for c in columns[:3]), names, kernels, strict=True))
    order = sorted(range(len(first)), key=ties.__getitem__)
    return cuda_kern_exec_sum.table(columns, launched.note).ordered(np.array(order, np.int64))


def queue_columns(groups: NDArray[np.int64], queue: Int64, number: int) -> list[Column]:
    """The queue times of ``number`` groups: unknown for those without any, but for nsys's deviation of 0."""
    present, used = dense(groups, number)
    place = np.full(number, len(used), np.int64)
    place[used] = np.arange(len(used))
    columns = spread_columns(figures(present, queue, len(used)), (1, 8, 9, 9, 9), "Q")
    ends = [replace(c, values=[*c.values, None], blank="-").ordered(place) for c in columns]
    *known, deviation = ends
    return [*known, replace(deviation, values=[value or 0.0 for value in deviation.values])]
