"""One row an event: device work and CUDA calls, by start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.index import Index
from tui.analysis.stats.kernels import durations, graph_note, printed_call
from tui.analysis.stats.lazy import Computed, ThreadIds, blanked, size_of
from tui.analysis.stats.rounding import printed, quotient, roomy
from tui.analysis.stats.select import RowSet, host_rows, op_rows, take
from tui.analysis.stats.shown_names import Names
from tui.analysis.stats.sizes import DIGITS, megabytes
from tui.analysis.stats.stats_report import StatsReport
from tui.analysis.stats.std9 import count, ident, snake, text, time
from tui.analysis.table import Column, Table, Unit, Values
from tui.report.columns import NULL, Int64
from tui.report.model import OpKind, Report
from tui.report.tables.ops import op_bytes

N_A = "-"


def cuda_gpu_trace(index: Index, choices: Choices) -> Table:
    """Every op on a device."""
    report, scope = index.report, choices.scope
    rows = op_rows(report, scope)
    ops = report.ops
    length = size_of(rows, len(ops))
    devices = [f"{device.name or 'GPU'} ({device.cuda_id})" for device in report.devices] + [None]

    def computed(make: Callable[[RowSet], Values]) -> Computed:
        return Computed(rows, length, make)

    def of_kernel(column: str) -> Computed:
        values = getattr(report.kernels, column)
        return computed(lambda part: spread(report, part, {OpKind.KERNEL: values}))

    def shared(column: str) -> Computed:
        values = getattr(report.kernels, column)
        return computed(lambda part: known_megabytes(spread(report, part, {OpKind.KERNEL: values})))

    def memory_kind(columns: dict[OpKind, Int64]) -> Computed:
        labels = report.enums.get("mem_kind", {})
        return computed(
            lambda part: [
                None if kind == NULL else labels.get(kind, f"kind {kind}")
                for kind in spread(report, part, columns).tolist()
            ]
        )

    green = {
        OpKind.KERNEL: report.kernels.green_context,
        OpKind.MEMCPY: report.copies.green_context,
        OpKind.MEMSET: report.sets.green_context,
    }
    source = {OpKind.MEMCPY: report.copies.src_kind, OpKind.MEMSET: report.sets.mem_kind}
    columns = (
        time("Start (ns)", take(ops.start, rows)),
        time("Duration (ns)", computed(lambda part: durations(report, part))),
        ident("CorrId", take(ops.correlation, rows), rank=4),
        *(
            count(header, of_kernel(column), rank=rank, blank=N_A)
            for header, column, rank in (
                ("GrdX", "grid_x", 5),
                ("GrdY", "grid_y", 5),
                ("GrdZ", "grid_z", 5),
                ("BlkX", "block_x", 5),
                ("BlkY", "block_y", 5),
                ("BlkZ", "block_z", 5),
                ("Reg/Trd", "registers", 7),
            )
        ),
        sized("StcSMem (MB)", shared("static_shared"), 8),
        sized("DymSMem (MB)", shared("dynamic_shared"), 8),
        sized("Bytes (MB)", computed(lambda part: known_megabytes(op_bytes(report, part))), 1),
        Column(
            "Throughput (MB/s)",
            "throughput_mb_s",
            Unit.MB,
            computed(lambda part: throughput(op_bytes(report, part), durations(report, part))),
            3,
            N_A,
        ),
        text("SrcMemKd", memory_kind(source), rank=6, blank=N_A),
        text("DstMemKd", memory_kind({OpKind.MEMCPY: report.copies.dst_kind}), rank=6, blank=N_A),
        text("Device", computed(lambda part: [devices[i] for i in take(ops.device, part).tolist()]), rank=2),
        ident("Ctx", take(ops.context, rows), rank=9),
        ident("GreenCtx", computed(lambda part: spread(report, part, green)), rank=9, blank=N_A),
        ident("Strm", take(ops.stream, rows)),
        text("Name", Names(report.strings, take(ops.name, rows))),
    )
    return CUDA_GPU_TRACE.table(columns, graph_note(report, rows))


CUDA_GPU_TRACE = StatsReport(
    "cuda_gpu_trace",
    "CUDA GPU Trace",
    cuda_gpu_trace,
    "CUDA trace",
    "Every kernel, copy and memset with its shape, size, place and name.",
    "One row an op, by start. Throughput is bytes by duration; megabytes are decimal.",
    "Throughput is exact; nsys divides integers: it truncates, and prints 0 for copies longer than 1 s. A "
    "memset's memory kind stands under SrcMemKd. Graphs traced whole are rows too.",
    ("gputrace",),
)


def spread(report: Report, rows: RowSet, columns: dict[OpKind, Int64]) -> Int64:
    """What the table of its kind holds for each op in ``rows``; NULL for other kinds."""
    kind, row = take(report.ops.kind, rows), take(report.ops.row, rows)
    values = np.full(len(kind), NULL, np.int64)
    for of, column in columns.items():
        mine = kind == of
        values[mine] = column[row[mine]]
    return values


def sized(header: str, values: Values, rank: int) -> Column:
    """A column of megabytes that not every row has."""
    return Column(header, snake(header), Unit.MB, values, rank, N_A)


def known_megabytes(values: Int64) -> list[Any]:
    """Bytes as megabytes; None for NULL."""
    unknown = values == NULL
    return blanked(plain(megabytes(np.where(unknown, 0, values))), unknown)


def throughput(moved: Int64, length: Int64) -> list[Any]:
    """Megabytes per second; None for what moved nothing or took no time."""
    unknown = (moved == NULL) | (length <= 0)
    rate = quotient(roomy(np.where(unknown, 0, moved), 1000) * 1000, np.where(unknown, 1, length), DIGITS)
    return blanked(plain(printed(rate, DIGITS)), unknown)


def plain(values: Values) -> Sequence[Any]:
    """The values as Python objects."""
    return values.tolist() if isinstance(values, np.ndarray) else values


def cuda_api_trace(index: Index, choices: Choices) -> Table:
    """Every CUDA call."""
    report, scope = index.report, choices.scope
    calls = report.calls
    rows = host_rows(report, scope, calls)
    people = ThreadIds(report)
    thread = take(calls.thread, rows)
    columns = (
        time("Start (ns)", take(calls.start, rows)),
        time(
            "Duration (ns)",
            Computed(rows, len(thread), lambda part: take(calls.end, part) - take(calls.start, part)),
        ),
        text("Name", Printed(Names(report.strings, take(calls.name, rows)))),
        ident("Result", take(calls.returned, rows), rank=2),
        ident("CorrID", take(calls.correlation, rows), rank=1),
        ident("Pid", people.pid[thread], rank=3),
        ident("Tid", people.tid[thread]),
        ident(
            "T-Pri",
            Computed(rows, len(thread), lambda part: np.full(len(take(calls.start, part)), NULL, np.int64)),
            rank=4,
        ),
        text(
            "Thread Name",
            Computed(
                rows, len(thread), lambda part: [people.names[i] for i in take(calls.thread, part).tolist()]
            ),
            rank=2,
        ),
    )
    return CUDA_API_TRACE.table(columns)


CUDA_API_TRACE = StatsReport(
    "cuda_api_trace",
    "CUDA API Trace",
    cuda_api_trace,
    "CUDA trace",
    "Every CUDA call with its result and thread.",
    "One row a call, by start.",
    "The thread's priority (T-Pri) is not read from the export: shown as unknown.",
    ("cudaapitrace",),
)


class Printed(Sequence[str]):
    """CUDA calls' names as nsys prints them."""

    def __init__(self, names: Names) -> None:
        self._names = names

    def __len__(self) -> int:
        return len(self._names)

    def __getitem__(self, at: Any) -> Any:
        found = self._names[at]
        return [printed_call(name) for name in found] if isinstance(at, slice) else printed_call(found)
