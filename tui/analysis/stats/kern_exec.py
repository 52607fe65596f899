"""Kernels with the call that launched them: how long the call, the queue and the kernel took."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tui.analysis.choices import Choices
from tui.analysis.grouping import combined, dense
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.stats.groups import GroupFigures, figures
from tui.analysis.stats.kernels import KERNEL_OPTIONS, api_groups, kernel_names, launch_shape, triples
from tui.analysis.stats.lazy import Computed, ThreadIds
from tui.analysis.stats.select import narrowed, op_rows, take
from tui.analysis.stats.shown_names import Names
from tui.analysis.stats.stats_report import StatsReport
from tui.analysis.stats.std9 import average, count, ident, text, time
from tui.analysis.stats.traces import Printed
from tui.analysis.table import Column, Table, picked
from tui.report.columns import NULL, Int64
from tui.report.model import OpKind, Report


@dataclass(frozen=True)
class Launched:
    """Kernels in scope whose launch was recorded, and their launches: positions, one entry a kernel."""

    ops: NDArray[np.intp]
    calls: NDArray[np.int32]
    without: int
    """Kernels in scope that have no recorded launch."""

    @property
    def note(self) -> str | None:
        if not self.without:
            return None
        return f"{self.without:,} kernels are left out: the call that launched them was not recorded"


def launched_kernels(report: Report, scope: Scope) -> Launched:
    """The kernels in scope, by start, with their launches."""
    rows = op_rows(report, scope, OpKind.KERNEL)
    launch = take(report.ops.launch, rows)
    kept = narrowed(rows, launch >= 0)
    return Launched(kept, report.ops.launch[kept], len(launch) - len(kept))


def queue_times(report: Report, found: Launched) -> Int64:
    """From the return of the call to the start of the kernel; NULL where the kernel began before."""
    waited = report.ops.start[found.ops] - report.calls.end[found.calls]
    return np.where(waited < 0, NULL, waited)


def total_times(report: Report, found: Launched) -> Int64:
    """From the start of the call to the end of what ended last, call or kernel."""
    ops, calls = report.ops, report.calls
    last: Int64 = np.maximum(calls.end[found.calls], ops.end[found.ops])
    return last - calls.start[found.calls]


def cuda_kern_exec_trace(index: Index, choices: Choices) -> Table:
    """Every launched kernel, by the start of its call."""
    report, scope = index.report, choices.scope
    found = launched_kernels(report, scope)
    order = np.argsort(report.calls.start[found.calls], kind="stable")
    found = Launched(found.ops[order], found.calls[order], found.without)
    ops, calls, people = report.ops, report.calls, ThreadIds(report)
    start, end = calls.start[found.calls], calls.end[found.calls]
    queue = queue_times(report, found)
    thread = calls.thread[found.calls]
    devices = np.array([device.cuda_id for device in report.devices] + [NULL], np.int64)

    def shape(first: int) -> Computed:
        return Computed(
            found.ops, len(found.ops), lambda part: triples(*launch_shape(report, part)[first : first + 3])
        )

    columns = (
        time("API Start (ns)", start),
        time("API Dur (ns)", end - start),
        time("Queue Start (ns)", np.where(queue == NULL, NULL, end), rank=5, blank="-"),
        time("Queue Dur (ns)", queue, blank="-"),
        time("Kernel Start (ns)", ops.start[found.ops], rank=3),
        time("Kernel Dur (ns)", ops.end[found.ops] - ops.start[found.ops]),
        time("Total Dur (ns)", total_times(report, found), rank=2),
        ident("PID", people.pid[thread], rank=6),
        ident("TID", people.tid[thread], rank=4),
        ident("DevId", devices[ops.device[found.ops]], rank=6),
        text("API Function", Printed(Names(report.strings, calls.name[found.calls])), rank=1),
        text("GridXYZ", shape(0), rank=7),
        text("BlockXYZ", shape(3), rank=7),
        text("Kernel Name", Names(report.strings, kernel_names(report, found.ops, choices.options))),
    )
    return CUDA_KERN_EXEC_TRACE.table(columns, found.note)


CUDA_KERN_EXEC_TRACE = StatsReport(
    "cuda_kern_exec_trace",
    "CUDA Kernel Launch & Exec Time Trace",
    cuda_kern_exec_trace,
    "CUDA kernel",
    "Every kernel with its launch: call, queue and kernel time.",
    "One row a kernel, by the start of the call; times as in cuda_kern_exec_sum.",
    "Launches are joined within their process, never twice; a note counts kernels without one.",
    ("kernexectrace",),
    KERNEL_OPTIONS,
)


def cuda_kern_exec_sum(index: Index, choices: Choices) -> Table:
    """Launched kernels by thread, device, call and kernel; longest average total first."""
    report, scope = index.report, choices.scope
    found = launched_kernels(report, scope)
    ops, calls, people = report.ops, report.calls, ThreadIds(report)
    thread, device = calls.thread[found.calls], ops.device[found.ops]
    call, call_texts = api_groups(report, found.calls.astype(np.intp))
    kernel = kernel_names(report, found.ops, choices.options)
    groups, first = combined(thread, device, call, kernel)
    queue = queue_times(report, found)
    queued = queue != NULL
    parts = {
        "T": total_times(report, found),
        "A": calls.end[found.calls] - calls.start[found.calls],
        "K": ops.end[found.ops] - ops.start[found.ops],
    }
    known = {letter: figures(groups, values, len(first)) for letter, values in parts.items()}
    total = known["T"]
    kernels, names = Names(report.strings, kernel[first]), [call_texts[i] for i in call[first].tolist()]
    average_total = np.array([t / n for t, n in zip(total.total.tolist(), total.count.tolist(), strict=True)])
    order = np.array(
        sorted(range(len(first)), key=lambda i: (-average_total[i], names[i], kernels[i])), np.int64
    )
    queue_columns, queue_count = queue_figures(groups[queued], queue[queued], len(first), order)
    devices = np.array([device.cuda_id for device in report.devices] + [NULL], np.int64)
    columns = (
        ident("PID", people.pid[thread[first]][order], rank=7),
        ident("TID", people.tid[thread[first]][order], rank=5),
        ident("DevId", devices[device[first]][order], rank=7),
        count("Count", total.count[order]),
        count("QCount", queue_count, rank=6),
        *five("T", total, order, 0),
        *five("A", known["A"], order, 1),
        *queue_columns,
        *five("K", known["K"], order, 1),
        text("API Name", picked(names, order), rank=2),
        text("Kernel Name", picked(list(kernels), order)),
    )
    return CUDA_KERN_EXEC_SUM.table(columns, found.note)


CUDA_KERN_EXEC_SUM = StatsReport(
    "cuda_kern_exec_sum",
    "CUDA Kernel Launch & Exec Time Summary",
    cuda_kern_exec_sum,
    "CUDA kernel",
    "How long launching a kernel, waiting for the device and running took, by call and kernel.",
    "API = the call, Queue = its return to the start of the kernel (QCount counts those that waited), Kernel "
    "= the kernel, Total = start of the call to the end of both.",
    "Launches are joined within their process, never twice. Kernels without a recorded launch drop out, as "
    "in nsys; a note counts them.",
    ("kernexecsum",),
    KERNEL_OPTIONS,
)


HEADERS = ("Avg (ns)", "Med (ns)", "Min (ns)", "Max (ns)", "StdDev (ns)")


def five(letter: str, known: GroupFigures, order: NDArray[np.int64], rank: int) -> tuple[Column, ...]:
    """Average to deviation of one of the four times."""
    return (
        average(f"{letter}{HEADERS[0]}", picked(known.average(), order), rank=rank),
        average(f"{letter}{HEADERS[1]}", picked(known.median(), order), rank=8),
        time(f"{letter}{HEADERS[2]}", known.minimum[order], rank=9),
        time(f"{letter}{HEADERS[3]}", known.maximum[order], rank=9),
        average(f"{letter}{HEADERS[4]}", picked(known.deviation(), order), rank=9),
    )


def queue_figures(
    groups: NDArray[np.int64], queue: Int64, count_: int, order: NDArray[np.int64]
) -> tuple[tuple[Column, ...], NDArray[np.int64]]:
    """The queue times of groups of which some may have none: those are unknown; and how many each has."""
    present, used = dense(groups, count_)
    known = figures(present, queue, len(used))
    place = np.full(count_, -1, np.int64)
    place[used] = np.arange(len(used))
    at = place[order]
    columns = []
    for column in five("Q", known, np.arange(len(used)), 1):
        values = [None if i < 0 else column.values[i] for i in at.tolist()]
        columns.append(replace(column, values=values, blank="-"))
    sizes = np.zeros(count_, np.int64)
    sizes[used] = known.count
    return tuple(columns), sizes[order]
