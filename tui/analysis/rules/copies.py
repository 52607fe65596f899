"""Copies and memsets that make the host wait, or that were meant not to."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from tui.analysis.choices import Choices
from tui.analysis.index import Index
from tui.analysis.rules.rule import Limit, Rule, RuleFinding
from tui.analysis.scope import Scope
from tui.analysis.stats.kernels import printed_call
from tui.analysis.stats.lazy import Names, OwnerIds, blanked
from tui.analysis.stats.select import durations, op_rows, take
from tui.analysis.stats.std9 import ident, size, text, time
from tui.analysis.stats.traces import megabytes_or_none
from tui.analysis.table import Column
from tui.report.classify import base_api_name
from tui.report.columns import NULL, Int64, Positions
from tui.report.model import OpKind, Report
from tui.report.tables.ops import op_bytes

PAGEABLE, PINNED, MANAGED = 0, 1, 4
HOST_TO_DEVICE, DEVICE_TO_DEVICE = 1, 8

SMALL_COPY = Limit(
    "small_copy", "--small-copy", "BYTES", "65536", "leave out Host-to-Device copies up to this size"
)


def launched_by(report: Report, rows: Positions, wanted: Callable[[str], bool]) -> NDArray[np.bool_]:
    """Which ops in ``rows`` were issued by a recorded call whose plain name is ``wanted``."""
    launch = report.ops.launch[rows]
    names = report.calls.name[launch[launch >= 0]]
    good = [i for i in np.unique(names).tolist() if wanted(base_api_name(report.strings[i]))]
    chosen = np.zeros(len(rows), bool)
    chosen[launch >= 0] = np.isin(names, good)
    return chosen


def ops_of(report: Report, scope: Scope, kind: OpKind) -> Positions:
    """The ops of one kind in scope."""
    rows = op_rows(report, scope, kind)
    return np.arange(len(report.ops))[rows] if isinstance(rows, slice) else rows


def has_copies(index: Index, scope: Scope) -> bool:
    """Whether copies or memsets were recorded."""
    return bool(len(take(index.report.ops.start, op_rows(index.report, scope, OpKind.MEMCPY, OpKind.MEMSET))))


def cuda_memcpy_async(index: Index, choices: Choices) -> RuleFinding:
    """Asynchronous copies from or to pageable memory."""
    report = index.report
    rows = ops_of(report, choices.scope, OpKind.MEMCPY)
    rows = rows[launched_by(report, rows, lambda name: name.startswith("cudaMemcpy") and "Async" in name)]
    source, target = kinds(report, rows)
    rows = rows[(source == PAGEABLE) | (target == PAGEABLE)]
    return found(CUDA_MEMCPY_ASYNC, report, rows, copy_kinds(report, rows))


CUDA_MEMCPY_ASYNC = Rule(
    "cuda_memcpy_async",
    "Asynchronous copies of pageable memory",
    cuda_memcpy_async,
    "CUDA memory copy",
    has_copies,
    "These copies were asked for asynchronously, but one side is pageable memory. The driver then stages the "
    "data through a buffer of its own, and the call can block the host like a blocking copy.",
    "Allocate the host side pinned: cudaMallocHost or cudaHostRegister; in PyTorch a DataLoader with "
    "pin_memory=True, or tensor.pin_memory() before .to(device, non_blocking=True).",
    "Same rows as nsys. A copy whose launch was not recorded can't be judged and is left out.",
)


def cuda_memcpy_sync(index: Index, choices: Choices) -> RuleFinding:
    """Blocking copies, but for same-device ones and small ones to the device."""
    report = index.report
    rows = ops_of(report, choices.scope, OpKind.MEMCPY)
    rows = rows[launched_by(report, rows, lambda name: name.startswith("cudaMemcpy") and "Async" not in name)]
    copies, row = report.copies, report.ops.row[rows]
    between = (copies.src_device[row] != copies.dst_device[row]) & (copies.src_device[row] != NULL)
    local = (copies.copy_kind[row] == DEVICE_TO_DEVICE) & ~between
    moved = copies.bytes[row]
    small = (copies.copy_kind[row] == HOST_TO_DEVICE) & (moved <= SMALL_COPY.of(choices)) & (moved != NULL)
    rows = rows[~(local | small)]
    return found(CUDA_MEMCPY_SYNC, report, rows, copy_kinds(report, rows))


CUDA_MEMCPY_SYNC = Rule(
    "cuda_memcpy_sync",
    "Blocking copies",
    cuda_memcpy_sync,
    "CUDA memory copy",
    has_copies,
    "In these calls the host waits until the data has moved, and can issue nothing meanwhile. Copies within "
    "a device and small ones to a device return early and are left out.",
    "Use cudaMemcpyAsync on a stream, with pinned memory; in PyTorch .to(device, non_blocking=True), and "
    "keep .item() and .cpu() out of the loop.",
    "Same rows as nsys. A copy whose launch was not recorded can't be judged and is left out.",
    (SMALL_COPY,),
)


def cuda_memset_sync(index: Index, choices: Choices) -> RuleFinding:
    """Blocking memsets of host memory."""
    report = index.report
    rows = ops_of(report, choices.scope, OpKind.MEMSET)
    rows = rows[launched_by(report, rows, lambda name: name.startswith("cudaMemset") and "Async" not in name)]
    kind = report.sets.mem_kind[report.ops.row[rows]]
    keep = (kind == PINNED) | (kind == MANAGED)
    rows, kind = rows[keep], kind[keep]
    columns = (text("Mem Kind", labels(report, kind)),)
    return found(CUDA_MEMSET_SYNC, report, rows, columns)


CUDA_MEMSET_SYNC = Rule(
    "cuda_memset_sync",
    "Blocking memsets",
    cuda_memset_sync,
    "CUDA memset",
    has_copies,
    "A memset of pinned or managed memory without Async makes the host wait until it is done.",
    "Use cudaMemsetAsync on a stream, or set memory that lives on the device.",
    "Same rows as nsys.",
)


def kinds(report: Report, rows: Positions) -> tuple[Int64, Int64]:
    """Source and destination memory kind of each copy."""
    row = report.ops.row[rows]
    return report.copies.src_kind[row], report.copies.dst_kind[row]


def copy_kinds(report: Report, rows: Positions) -> tuple[Column, ...]:
    """The two memory kinds as columns."""
    source, target = kinds(report, rows)
    return text("Src Kind", labels(report, source)), text("Dst Kind", labels(report, target))


def labels(report: Report, values: Int64) -> list[str | None]:
    """Memory kinds in words; None where not recorded."""
    words = report.enums.get("mem_kind", {})
    texts = [words.get(value, f"kind {value}") for value in values.tolist()]
    return blanked(texts, values == NULL)


def found(rule: Rule, report: Report, rows: Positions, kind: tuple[Column, ...]) -> RuleFinding:
    """The ops in ``rows`` as a finding, longest first."""
    ops, people = report.ops, OwnerIds(report)
    length = durations(ops, rows)
    devices = np.array([device.cuda_id for device in report.devices] + [NULL], np.int64)
    columns = (
        time("Duration (ns)", length),
        time("Start (ns)", ops.start[rows]),
        *kind,
        size("Bytes (MB)", megabytes_or_none(op_bytes(report, rows)), blank="-"),
        ident("PID", people.process_pid[ops.process[rows]], rank=2),
        ident("Device ID", devices[ops.device[rows]], rank=1),
        ident("Context ID", ops.context[rows], rank=4),
        ident("Stream ID", ops.stream[rows], rank=3),
        text("API Name", Names(report.strings, report.calls.name[ops.launch[rows]], printed_call)),
    )
    return rule.finding(columns, length, ops.start[rows])
