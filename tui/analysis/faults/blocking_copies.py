"""Copies that stop the host, and stand alone on the device: by plain cudaMemcpy, or from pageable memory."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import longest, one_op, op_time, share
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Claim, Confidence, Evidence, Found, Lost
from tui.intervals import total
from tui.report.columns import Bool, Positions
from tui.report.model import CallClass
from tui.text.times import show_duration

SYNCHRONOUS, ASYNCHRONOUS = "blocking-copies", "pageable-copies"

HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2
PAGEABLE = 0

ADVICE = (
    "`DataLoader(pin_memory=True)` and `batch.to(device, non_blocking=True)`: non_blocking alone does "
    "nothing for pageable memory.",
    "Copy the next batch on a side stream while this one computes (a prefetcher; `record_stream` or an "
    "event).",
    "In CUDA: `cudaMallocHost` or `cudaHostRegister` once, then `cudaMemcpyAsync`; in JAX `jax.device_put` "
    "of the next batch before this one is needed.",
)
ALSO = (
    "the copy has to be there before anything can start: then a smaller one helps (uint8 images, token ids)",
    "a slow path to this GPU (compare bytes per second)",
)


def blocking(case: Case, slug: str) -> Positions:
    """Copies between host and device that block their caller: by their call, or by their memory alone."""
    ops, copies, calls = case.report.ops, case.report.copies, case.report.calls
    row = ops.row[case.copies]
    kind = copies.copy_kind[row]
    chosen = (kind == HOST_TO_DEVICE) | (kind == DEVICE_TO_HOST)
    chosen &= copies.bytes[row] > case.limits.big_copy_bytes
    launch = ops.launch[case.copies]
    synchronous = np.zeros(len(row), bool)
    known = launch >= 0
    synchronous[known] = calls.call_class[launch[known]] == CallClass.BLOCKING_COPY
    if slug == SYNCHRONOUS:
        return np.compress(chosen & synchronous, case.copies)
    pageable = (copies.src_kind[row] == PAGEABLE) | (copies.dst_kind[row] == PAGEABLE)
    return np.compress(chosen & pageable & ~synchronous, case.copies)


def examine(case: Case, slug: str) -> Iterator[Found]:
    """Charge time in which such a copy runs without compute, and idle time while the host is in its call."""
    if not len(case.copies):
        return
    copies = blocking(case, slug)
    if not len(copies):
        return
    ops, calls = case.report.ops, case.report.calls
    claims: list[Claim] = []
    for device in np.unique(ops.device[copies]).tolist():
        mine = copies[ops.device[copies] == device]
        claims.append(Claim(device, Lost.SERIALISED, case.alone(device, ops.start[mine], ops.end[mine])))
        made = ops.launch[mine]
        made = made[made >= 0]
        claims.append(Claim(device, Lost.IDLE, case.alone(device, calls.start[made], calls.end[made])))
    yield _found(case, slug, copies, claims)


def _found(case: Case, slug: str, copies: Positions, claims: list[Claim]) -> Found:
    ops, data = case.report.ops, case.report.copies
    row = ops.row[copies]
    to_device = data.copy_kind[row] == HOST_TO_DEVICE
    direction = "host-to-device" if to_device.mean() >= 0.5 else "device-to-host"
    size = int(data.bytes[row].sum())
    spent = int((ops.end[copies] - ops.start[copies]).sum())
    alone = sum(total(*c.spans) for c in claims if c.lost is Lost.SERIALISED)
    what = "copies" if 0 < to_device.sum() < len(copies) else f"{direction} copies"
    if slug == ASYNCHRONOUS:
        title = (
            f"{len(copies):,} asynchronous {what} of pageable memory stop the launching thread all the same"
        )
    else:
        title = f"{len(copies):,} synchronous {what} (cudaMemcpy) stop the launching thread"
    pageable = (data.src_kind[row] == PAGEABLE) | (data.dst_kind[row] == PAGEABLE)
    evidence = [_one(case, op) for op in longest(case, copies)]
    evidence += [_sum(case, d) for d in ("host-to-device", "device-to-host") if _has(to_device, d)]
    return Found(
        title=title,
        evidence=tuple(evidence),
        confidence=Confidence.HIGH,
        reasons=(
            f"{share(float(pageable.mean()), 1)} of these copies are from or to pageable memory",
            f"{share(alone, spent)} of their time no kernel runs beside them ({size / 1e6:,.1f} MB in all, "
            f"{int(to_device.sum()):,} to the device, {int((~to_device).sum()):,} to the host)",
        ),
        confirm="the same capture with pinned memory: "
        + case.commands.capture("cuda,nvtx")
        + "  (the copies then run beside kernels, and their calls return at once)",
        claims=tuple(claims),
    )


def _has(to_device: Bool, direction: str) -> bool:
    return bool((to_device == (direction == "host-to-device")).any())


def _one(case: Case, op: int) -> Evidence:
    ops = case.report.ops
    size, ns = int(case.report.copies.bytes[ops.row[op]]), int(ops.end[op] - ops.start[op])
    what = f"{case.text(int(ops.name[op]))} of {size / 1e6:,.2f} MB takes {op_time(case, op)}"
    return one_op(case, op, f"{what} ({size / max(1, ns):.1f} GB/s)")


def _sum(case: Case, direction: str) -> Evidence:
    """The total of one direction as cuda_gpu_mem_time_sum prints it."""
    ops, data = case.report.ops, case.report.copies
    kind = HOST_TO_DEVICE if direction == "host-to-device" else DEVICE_TO_HOST
    mine = case.copies[data.copy_kind[ops.row[case.copies]] == kind]
    ns = int((ops.end[mine] - ops.start[mine]).sum())
    text = f"all {len(mine):,} {direction} copies in the window take {show_duration(ns)}"
    command = case.commands.stats("cuda_gpu_mem_time_sum", case.window.start, case.window.end)
    return Evidence(text, ns, "ns", command, int(ops.start[mine[0]]), int(ops.end[mine[-1]]))


SYNCHRONOUS_FAULT = Fault(
    SYNCHRONOUS,
    "synchronous copies stop the host",
    partial(examine, slug=SYNCHRONOUS),
    "Copies by plain cudaMemcpy.",
    advice=ADVICE,
    also_possible=ALSO,
    limits=("big_copy_bytes",),
)
PAGEABLE_FAULT = Fault(
    ASYNCHRONOUS,
    "asynchronous copies of pageable memory wait after all",
    partial(examine, slug=ASYNCHRONOUS),
    "Copies called asynchronous that wait because their memory is pageable.",
    advice=ADVICE,
    also_possible=ALSO,
    limits=("big_copy_bytes",),
)
