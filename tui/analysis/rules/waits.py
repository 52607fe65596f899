"""Copies, memsets and calls that make the host wait."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.grouping import that_fit
from tui.analysis.index import Index
from tui.analysis.rule_limits import SMALL_COPY
from tui.analysis.rules.rule import Rule, RuleFinding
from tui.analysis.scope import Scope
from tui.analysis.stats.lazy import Names, OwnerIds, blanked
from tui.analysis.stats.select import durations, host_rows, op_rows, take
from tui.analysis.stats.std9 import ident, size, text
from tui.analysis.stats.traces import green_contexts, megabytes_or_none
from tui.analysis.table import Column
from tui.report.columns import NULL, Int64, Positions
from tui.report.event_tables.ops import op_bytes
from tui.report.model import OpKind, Report

PAGEABLE, PINNED, MANAGED = 0, 1, 4
HOST_TO_DEVICE = 1
WAITS = ("cudadevicesynchronize", "cudastreamsynchronize")
"""What the names of calls that wait begin with, in small letters."""

SAME_ROWS = (
    "Same rows as nsys, in its order: longest first, then as the calls were recorded. What no recorded call "
    "issued can't be judged and is left out. Nsys lists rows once more for each backtrace (eventClass 67)."
)


def has_copies(index: Index, scope: Scope) -> bool:
    """Return whether copies or memsets were recorded."""
    return bool(len(take(index.report.ops.start, op_rows(index.report, scope, OpKind.MEMCPY, OpKind.MEMSET))))


def has_calls(index: Index, scope: Scope) -> bool:
    """Return whether CUDA calls were recorded."""
    calls = index.report.calls
    return bool(len(take(calls.start, host_rows(index.report, scope, calls))))


def cuda_memcpy_async(index: Index, choices: Choices) -> RuleFinding:
    """List asynchronous copies from or to pageable memory."""
    report = index.report
    rows = issued(report, choices.scope, OpKind.MEMCPY, "cudamemcpy", asynchronous=True)
    copies, row = report.copies, report.ops.row[rows]
    rows = rows[(copies.src_kind[row] == PAGEABLE) | (copies.dst_kind[row] == PAGEABLE)]
    return finding_of_ops(CUDA_MEMCPY_ASYNC, report, rows, copy_kinds)


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
    SAME_ROWS,
)


def cuda_memcpy_sync(index: Index, choices: Choices) -> RuleFinding:
    """List blocking copies, but for same-device ones and small ones to the device."""
    report = index.report
    rows = issued(report, choices.scope, OpKind.MEMCPY, "cudamemcpy", asynchronous=False)
    copies, row = report.copies, report.ops.row[rows]
    source, target = copies.src_device[row], copies.dst_device[row]
    local = (source != NULL) & ((source == target) | (target == NULL))
    small = (copies.copy_kind[row] == HOST_TO_DEVICE) & (copies.bytes[row] <= SMALL_COPY.of(choices))
    rows = rows[~(local | small)]
    return finding_of_ops(CUDA_MEMCPY_SYNC, report, rows, copy_kinds)


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
    SAME_ROWS,
)


def cuda_memset_sync(index: Index, choices: Choices) -> RuleFinding:
    """List blocking memsets of host memory."""
    report = index.report
    rows = issued(report, choices.scope, OpKind.MEMSET, "cudamemset", asynchronous=False)
    rows = rows[np.isin(report.sets.mem_kind[report.ops.row[rows]], (PINNED, MANAGED))]
    return finding_of_ops(CUDA_MEMSET_SYNC, report, rows, set_kind)


CUDA_MEMSET_SYNC = Rule(
    "cuda_memset_sync",
    "Blocking memsets",
    cuda_memset_sync,
    "CUDA memset",
    has_copies,
    "A memset of pinned or managed memory without Async makes the host wait until it is done.",
    "Use cudaMemsetAsync on a stream, or set memory that lives on the device.",
    SAME_ROWS,
)


def cuda_api_sync(index: Index, choices: Choices) -> RuleFinding:
    """List calls that wait for a device or a stream."""
    report = index.report
    calls, ids = report.calls, OwnerIds(report)
    rows = np.arange(len(calls))[host_rows(report, choices.scope, calls)]
    rows = rows[that_fit(calls.name[rows], lambda name: report.strings[name].lower().startswith(WAITS))]
    if choices.thread is not None:
        rows = rows[ids.tid[calls.thread[rows]] == choices.thread]
    rows = rows[np.lexsort((calls.rowid[rows], -durations(calls, rows)))]
    thread = calls.thread[rows]
    columns = (
        ident("PID", ids.pid[thread], rank=2),
        ident("TID", ids.tid[thread], rank=1),
        text("API Name", Names(report.strings, calls.name[rows])),
    )
    order = np.arange(len(rows))
    return CUDA_API_SYNC.finding(calls.start[rows], durations(calls, rows), columns, order=order)


CUDA_API_SYNC = Rule(
    "cuda_api_sync",
    "Waits for a device",
    cuda_api_sync,
    "CUDA API",
    has_calls,
    "In these calls the host waits until a stream or the whole device has done everything. What follows can "
    "only be launched afterwards, so the device runs dry.",
    "Wait for an event (cudaEventSynchronize, cudaStreamWaitEvent) instead of a stream or device, and only "
    "where the result is needed; in PyTorch look for .item(), .cpu(), print(tensor), "
    "torch.cuda.synchronize().",
    SAME_ROWS,
    options=("process", "thread"),
)


def issued(report: Report, scope: Scope, kind: OpKind, prefix: str, asynchronous: bool) -> Positions:
    """Return the ops that a recorded call issued: its name has the prefix, and Async if ``asynchronous``.

    ``prefix`` is in small letters: as in nsys, those of the name don't matter.
    """
    rows = np.arange(len(report.ops))[op_rows(report, scope, kind)]
    rows = rows[report.ops.launch[rows] >= 0]

    def fits(index: int) -> bool:
        name = report.strings[index].lower()
        return name.startswith(prefix) and ("async" in name) == asynchronous

    return rows[that_fit(report.calls.name[report.ops.launch[rows]], fits)]


def copy_kinds(report: Report, rows: Positions) -> tuple[Column, ...]:
    """Return the memory kinds of both sides of each copy."""
    copies, row = report.copies, report.ops.row[rows]
    source = memory_kinds(report, "Src Kind", copies.src_kind[row])
    return source, memory_kinds(report, "Dst Kind", copies.dst_kind[row])


def set_kind(report: Report, rows: Positions) -> tuple[Column, ...]:
    """Return the kind of memory that each memset fills."""
    return (memory_kinds(report, "Memory Kind", report.sets.mem_kind[report.ops.row[rows]]),)


def memory_kinds(report: Report, header: str, kinds: Int64) -> Column:
    """Return memory kinds in words; None where not recorded."""
    words = report.enums.get("mem_kind", {})
    return text(header, blanked([words.get(kind, f"kind {kind}") for kind in kinds.tolist()], kinds == NULL))


Kinds = Callable[[Report, Positions], tuple[Column, ...]]
"""Columns of the kinds of memory that ops touch."""


def finding_of_ops(rule: Rule, report: Report, rows: Positions, kinds: Kinds) -> RuleFinding:
    """Return these ops as a finding: longest first, then by their calls as recorded."""
    ops, ids = report.ops, OwnerIds(report)
    order = np.lexsort((ops.rowid[rows], report.calls.rowid[ops.launch[rows]], -durations(ops, rows)))
    rows = rows[order]
    columns = (
        *kinds(report, rows),
        size("Bytes (MB)", megabytes_or_none(op_bytes(report, rows)), blank="-"),
        ident("PID", ids.process_pid[ops.process[rows]], rank=2),
        ident("Device ID", ids.device[ops.device[rows]], rank=1),
        ident("Context ID", ops.context[rows], rank=4),
        ident("Green Context ID", green_contexts(report, rows), rank=5, blank="-"),
        ident("Stream ID", ops.stream[rows], rank=3),
        text("API Name", Names(report.strings, report.calls.name[ops.launch[rows]])),
    )
    return rule.finding(ops.start[rows], durations(ops, rows), columns, order=np.arange(len(rows)))
