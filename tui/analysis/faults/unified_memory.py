"""Kernels that wait for pages of unified memory, and unified memory that does not fit."""

from __future__ import annotations

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import share
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Claim, Confidence, Evidence, Findings, Found, Lost, NotAssessable
from tui.analysis.um.kernel_table import FaultedKernel, faulted_kernels
from tui.analysis.um.migrations import EVICTION, Unified, kernels_wait_for, unified
from tui.intervals import Spans, intersect, total, union
from tui.report.columns import NULL
from tui.text.times import show_duration

_SHOWN = 3


def _faults(case: Case) -> Findings:
    found = unified(case.index, case.scope)
    if not found.anything:
        return
    held = {device.index: _held_up(case, found, device.index) for device in case.devices}
    running = sum(case.compute(device.index).total for device in case.devices)
    ns = sum(total(*spans) for spans in held.values())
    if not running or 100 * ns < case.limits.fault_driven_pct * running:
        if not found.gpu_traced and any(len(kernels_wait_for(found, d.index)) for d in case.devices):
            yield NotAssessable(
                "page faults of GPUs were not traced", case.commands.capture("cuda", _GPU_FAULTS)
            )
        return
    rows = [row for row in faulted_kernels(case.index, case.scope) if _waited(row, found.gpu_traced)]
    yield Found(
        title=f"kernels wait for pages of unified memory in {share(ns, running)} of their time",
        evidence=tuple(_kernel(case, row, found.gpu_traced) for row in rows[:_SHOWN]),
        confidence=Confidence.HIGH if found.gpu_traced else Confidence.MEDIUM,
        reasons=(
            "page faults of the GPU were served while kernels ran"
            if found.gpu_traced
            else "memory migrated for page faults while kernels ran",
            "faults are the device's: which kernel caused which is not recorded",
        ),
        confirm="prefetch the memory before the kernels (cudaMemPrefetchAsync) and compare their times",
        claims=tuple(Claim(device, Lost.SLOWED, spans) for device, spans in held.items()),
    )


_GPU_FAULTS = "--cuda-um-gpu-page-faults=true"


def _held_up(case: Case, found: Unified, device: int) -> Spans:
    """When page faults were served on a device, or memory migrated because of them, while it computed."""
    moved = kernels_wait_for(found, device)
    faults = found.gpu_rows[found.gpu_on == device]
    start, end = (
        np.concatenate((found.copies[name][moved], found.gpu[name][faults])) for name in ("start", "end")
    )
    return intersect(union(start, end), Spans(*_window(case, device)))


def _window(case: Case, device: int) -> Spans:
    start, end, _ = case.compute(device).cut(case.window.start, case.window.end)
    return Spans(start, end)


def _kernel(case: Case, row: FaultedKernel, traced: bool) -> Evidence:
    name = case.text(row.name)
    ns, what = _waited(row, traced), "in page faults" if traced else "while memory migrated"
    text = f"{name!r} ran for {show_duration(row.ns)}, {show_duration(ns)} of it {what}"
    window = case.window
    return Evidence(text, ns, "ns", case.commands.unified("kernel"), window.start, window.end)


def _waited(row: FaultedKernel, traced: bool) -> int:
    return row.fault_ns if traced else row.migration_ns


def _evictions(case: Case) -> Findings:
    found = unified(case.index, case.scope)
    rows = found.moved[found.copies["migrationCause"][found.moved] == EVICTION]
    on = found.moved_on[found.copies["migrationCause"][found.moved] == EVICTION]
    rows, on = rows[on >= 0], on[on >= 0]
    if not len(rows):
        return
    start, end, size = (found.copies[name][rows] for name in ("start", "end", "bytes"))
    window = case.window
    moved = "" if (size == NULL).any() else f" of {int(size.sum()):,} B"
    yield Found(
        title="unified memory does not fit: pages are evicted to make room",
        evidence=(
            Evidence(
                f"{len(rows):,} evictions{moved}", len(rows), "count", case.commands.unified("cause"),
                window.start, window.end,
            ),
        ),
        confidence=Confidence.HIGH,
        reasons=("the driver gives eviction as the cause of the migrations",),
        confirm="run with less unified memory in use at a time, and look whether evictions stop",
        claims=tuple(Claim.by_device(on.astype(np.int32), Lost.SERIALISED, start, end)),
        minor=len(rows) < case.limits.evictions,
        without_cost="" if len(rows) < case.limits.evictions else _HIDDEN,
    )  # fmt: skip


_HIDDEN = "evicted pages come back later: what they cost is in the kernels that then wait for them"

FAULT = Fault(
    "unified-faults",
    "kernels that wait for pages of unified memory",
    _faults,
    "Page faults, or migrations because of them, overlap kernels for 5 % of their time or more.",
    (
        "Prefetch: `cudaMemPrefetchAsync` moves memory before the kernel that needs it is launched.",
        "Advise: `cudaMemAdvise` with a preferred location or read-mostly keeps pages where they are.",
        "Where both sides take turns, copy explicitly: `nsystui um REPORT --by address` names the blocks.",
    ),
    limits=("fault_driven_pct",),
)
EVICTION_FAULT = Fault(
    "unified-eviction",
    "unified memory that does not fit on the GPU",
    _evictions,
    "The driver evicts pages of unified memory to make room for others.",
    (
        "Use less at a time: smaller blocks, or free what is no longer needed.",
        "Keep what is used rarely on the host: `cudaMemAdvise` with the CPU as the preferred location.",
    ),
    limits=("evictions",),
)
