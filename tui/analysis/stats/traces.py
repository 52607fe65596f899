"""One row an event: device work and CUDA calls, by start."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.index import Index
from tui.analysis.stats.kernel_names import RANGE_NAME_OPTIONS, RANGE_OPTIONS, printed_names
from tui.analysis.stats.kernels import graph_note, printed_call
from tui.analysis.stats.lazy import Computed, Names, OwnerIds, blanked
from tui.analysis.stats.rounding import printed, quotient, widened
from tui.analysis.stats.select import RowSet, durations, host_rows, kind_values, op_rows, take
from tui.analysis.stats.sizes import DIGITS, megabytes
from tui.analysis.stats.stats_report import stats_report
from tui.analysis.stats.std9 import count, ident, size, text, time
from tui.analysis.table import Table, Values
from tui.report.columns import NULL, Int64
from tui.report.event_tables.ops import op_bytes
from tui.report.model import OpKind, Report

KERNEL_COLUMNS = (
    ("GrdX", "grid_x", 5),
    ("GrdY", "grid_y", 5),
    ("GrdZ", "grid_z", 5),
    ("BlkX", "block_x", 5),
    ("BlkY", "block_y", 5),
    ("BlkZ", "block_z", 5),
    ("Reg/Trd", "registers", 7),
)
"""Header, name in the table of kernels, and rank."""


@stats_report(
    "CUDA GPU Trace",
    "CUDA trace",
    "Every kernel, copy and memset with its shape, size, place and name.",
    f"One row an op, by start. Throughput is bytes by duration; megabytes are decimal. {RANGE_NAME_OPTIONS}",
    "Throughput is exact; nsys divides integers: it truncates, and prints 0 for copies longer than 1 s. A "
    "memset's memory kind stands under SrcMemKd. Graphs traced whole are rows too.",
    aliases=("gputrace",),
    options=RANGE_OPTIONS,
)
def cuda_gpu_trace(index: Index, choices: Choices) -> Table:
    """Every op on a device."""
    report, ops = index.report, index.report.ops
    kernels, copies, sets = report.kernels, report.copies, report.sets
    rows = op_rows(report, choices.scope)
    devices = [f"{device.name or 'GPU'} ({device.cuda_id})" for device in report.devices] + [None]
    labels = report.enums.get("mem_kind", {})
    names = printed_names(index, rows, choices.options)

    def computed(make: Callable[[RowSet], Values]) -> Computed:
        return Computed(rows, make)

    def by_kind(columns: dict[OpKind, Int64], show: Callable[[Int64], Values] = np.asarray) -> Computed:
        return computed(lambda part: show(kind_values(report, part, columns)))

    def memory_kinds(kinds: Int64) -> Values:
        return blanked([labels.get(kind, f"kind {kind}") for kind in kinds.tolist()], kinds == NULL)

    source = {OpKind.MEMCPY: copies.src_kind, OpKind.MEMSET: sets.mem_kind}
    static, dynamic = {OpKind.KERNEL: kernels.static_shared}, {OpKind.KERNEL: kernels.dynamic_shared}
    columns = (
        time("Start (ns)", take(ops.start, rows)),
        time("Duration (ns)", computed(lambda part: durations(ops, part))),
        ident("CorrId", take(ops.correlation, rows), rank=4),
        *(
            count(header, by_kind({OpKind.KERNEL: getattr(kernels, name)}), rank=rank, blank="-")
            for header, name, rank in KERNEL_COLUMNS
        ),
        size("StcSMem (MB)", by_kind(static, megabytes_or_none), rank=8, blank="-"),
        size("DymSMem (MB)", by_kind(dynamic, megabytes_or_none), rank=8, blank="-"),
        size(
            "Bytes (MB)", computed(lambda part: megabytes_or_none(op_bytes(report, part))), rank=1, blank="-"
        ),
        size(
            "Throughput (MB/s)",
            computed(lambda part: throughput(op_bytes(report, part), durations(ops, part))),
            rank=3,
            blank="-",
        ),
        text("SrcMemKd", by_kind(source, memory_kinds), rank=6, blank="-"),
        text("DstMemKd", by_kind({OpKind.MEMCPY: copies.dst_kind}, memory_kinds), rank=6, blank="-"),
        text("Device", computed(lambda part: [devices[i] for i in take(ops.device, part).tolist()]), rank=2),
        ident("Ctx", take(ops.context, rows), rank=9),
        ident("GreenCtx", computed(lambda part: green_contexts(report, part)), rank=9, blank="-"),
        ident("Strm", take(ops.stream, rows)),
        text("Name", Names(names.texts, names.codes)),
    )
    return cuda_gpu_trace.table(columns, graph_note(report, rows))


def green_contexts(report: Report, rows: RowSet) -> Int64:
    """The green context of each op in ``rows``; NULL for those in none, which newer releases export as 0."""
    columns = {
        OpKind.KERNEL: report.kernels.green_context,
        OpKind.MEMCPY: report.copies.green_context,
        OpKind.MEMSET: report.sets.green_context,
    }
    found = kind_values(report, rows, columns)
    return np.where(found == 0, NULL, found)


def megabytes_or_none(values: Int64) -> list[Any]:
    """Bytes as decimal megabytes; None for NULL."""
    unknown = values == NULL
    return blanked(megabytes(np.where(unknown, 0, values)), unknown)


def throughput(moved: Int64, length: Int64) -> list[Any]:
    """Megabytes per second; None for what moved nothing or took no time."""
    unknown = (moved == NULL) | (length <= 0)
    bytes_a_ms = widened(np.where(unknown, 0, moved), 1000) * 1000
    rate = quotient(bytes_a_ms, np.where(unknown, 1, length), DIGITS, ties_to_even=True)
    return blanked(printed(rate, DIGITS), unknown)


@stats_report(
    "CUDA API Trace",
    "CUDA trace",
    "Every CUDA call with its result and thread.",
    "One row a call, by start.",
    "Equal to nsys's, but that nsys repeats the calls of a thread that was named twice, and rows that only "
    "carry a backtrace (eventClass 67).",
    aliases=("cudaapitrace",),
)
def cuda_api_trace(index: Index, choices: Choices) -> Table:
    """Every CUDA call."""
    report, calls, ids = index.report, index.report.calls, OwnerIds(index.report)
    rows = host_rows(report, choices.scope, calls)
    thread = take(calls.thread, rows)

    def thread_names(part: RowSet) -> list[str | None]:
        return [ids.names[i] for i in take(calls.thread, part).tolist()]

    columns = (
        time("Start (ns)", take(calls.start, rows)),
        time("Duration (ns)", Computed(rows, lambda part: durations(calls, part))),
        text("Name", Names(report.strings, take(calls.name, rows), printed_call)),
        ident("Result", take(calls.returned, rows), rank=2),
        ident("CorrID", take(calls.correlation, rows), rank=1),
        ident("Pid", ids.pid[thread], rank=3),
        ident("Tid", ids.tid[thread]),
        ident("T-Pri", Computed(rows, lambda part: ids.priority[take(calls.thread, part)]), rank=4),
        text("Thread Name", Computed(rows, thread_names), rank=2),
    )
    return cuda_api_trace.table(columns)
