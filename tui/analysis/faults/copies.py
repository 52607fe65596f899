"""Copies between host and device: those that stop the host, run slowly, or have no compute beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import (
    at_op,
    launch_ranges,
    longest,
    one_op,
    share_of,
    total_time,
    usual_label,
)
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Claim, Confidence, Evidence, Findings, Found, Lost
from tui.analysis.faults.ledger import cost
from tui.analysis.stats.dominant import Dominant, dominant_of_all
from tui.report.columns import Positions
from tui.report.model import CallClass
from tui.text.numbers import plural
from tui.text.times import show_duration

SYNCHRONOUS, ASYNCHRONOUS, SLOW = "blocking-copies", "pageable-copies", "slow-pcie"

HOST_TO_DEVICE, DEVICE_TO_HOST, PEER = 1, 2, 10
DIRECTIONS = {HOST_TO_DEVICE: "host-to-device", DEVICE_TO_HOST: "device-to-host"}
PAGEABLE = 0


def _examine_blocking(case: Case, slug: str) -> Findings:
    """Charge time in which such a copy runs without compute, and idle time while the host is in its call."""
    ops, calls = case.report.ops, case.report.calls
    copies = _blocking(case, slug)
    if not len(copies):
        return
    launched = copies[ops.launch[copies] >= 0]
    call, device = ops.launch[launched], ops.device[launched]
    waiting = Claim.by_device(device, Lost.IDLE, calls.start[call], calls.end[call])
    yield _blocking_found(case, slug, copies, case.exposed_claims(copies) + waiting)


def _blocking(case: Case, slug: str) -> Positions:
    """Return the copies between host and device whose call, or whose pageable memory, stops the host."""
    ops, copies, calls = case.report.ops, case.report.copies, case.report.calls
    row = ops.row[case.copies]
    chosen = np.isin(copies.copy_kind[row], list(DIRECTIONS))
    chosen &= copies.bytes[row] > case.limits.big_copy_bytes
    launch = ops.launch[case.copies]
    synchronous = np.zeros(len(row), bool)
    known = launch >= 0
    synchronous[known] = calls.call_class[launch[known]] == CallClass.BLOCKING_COPY
    pageable = (copies.src_kind[row] == PAGEABLE) | (copies.dst_kind[row] == PAGEABLE)
    chosen &= synchronous if slug == SYNCHRONOUS else pageable & ~synchronous
    return np.compress(chosen, case.copies)


def _blocking_found(case: Case, slug: str, copies: Positions, claims: list[Claim]) -> Found:
    ops, data = case.report.ops, case.report.copies
    row = ops.row[copies]
    to_device = data.copy_kind[row] == HOST_TO_DEVICE
    counts = {HOST_TO_DEVICE: int(to_device.sum()), DEVICE_TO_HOST: int((~to_device).sum())}
    directions = [kind for kind in DIRECTIONS if counts[kind]]
    what = "copies" if len(directions) > 1 else f"{DIRECTIONS[directions[0]]} copies"
    title = f"{len(copies):,} synchronous {what} (cudaMemcpy) stop the launching thread"
    if slug == ASYNCHRONOUS:
        stop = "stop the launching thread all the same"
        title = f"{len(copies):,} asynchronous {what} of pageable memory {stop}"
    long = _one_long(case, copies)
    if long is not None:
        kind = "synchronous" if slug == SYNCHRONOUS else "pageable"
        title = f"{long.place} {kind} {what} takes {show_duration(long.ns)}; {long.usual}"
    pageable = (data.src_kind[row] == PAGEABLE) | (data.dst_kind[row] == PAGEABLE)
    alone = cost(claim for claim in claims if claim.lost is Lost.SERIALISED)
    evidence = []
    for op in longest(case, copies):
        size, ns = int(data.bytes[ops.row[op]]), int(ops.end[op] - ops.start[op])
        text = f"{case.text(int(ops.name[op]))} of {size / 1e6:,.2f} MB takes {show_duration(ns)}"
        evidence.append(one_op(case, op, f"{text} ({size / max(1, ns):.1f} GB/s)"))
    return Found(
        title=title,
        evidence=(*evidence, *(_direction_total(case, kind) for kind in directions)),
        confidence=Confidence.HIGH,
        reasons=(
            f"{share_of(float(pageable.mean()), 1)} these copies are from or to pageable memory",
            f"for {share_of(alone, total_time(case, copies))} their time no kernel runs beside them "
            f"({int(data.bytes[row].sum()) / 1e6:,.1f} MB in all, "
            f"{counts[HOST_TO_DEVICE]:,} to the device, {counts[DEVICE_TO_HOST]:,} to the host)",
            *_long_words(case, copies, long),
        ),
        confirm="the same capture with pinned memory: "
        + case.commands.capture("cuda,nvtx")
        + "  (the copies then run beside kernels, and their calls return at once)",
        claims=tuple(claims),
    )


def _one_long(case: Case, copies: Positions) -> Dominant | None:
    """Return the copy that holds most of the time of these; None without one."""
    ops = case.report.ops
    return dominant_of_all(ops.end[copies] - ops.start[copies], ops.start[copies])


def _long_words(case: Case, copies: Positions, long: Dominant | None) -> Iterator[str]:
    """Yield the reason that one of these copies is most of their time, where it is."""
    if long is not None:
        size = int(case.report.copies.bytes[case.report.ops.row[copies[long.at]]])
        yield (
            f"one copy is {share_of(long.ns, long.total_ns)} that time: {size / 1e6:,.2f} MB in "
            f"{show_duration(long.ns)}, {long.place}; {long.others}"
        )


def _direction_total(case: Case, kind: int) -> Evidence:
    """Return the total of one direction as cuda_gpu_mem_time_sum prints it."""
    ops = case.report.ops
    mine = case.copies[case.report.copies.copy_kind[ops.row[case.copies]] == kind]
    ns = total_time(case, mine)
    text = f"all {len(mine):,} {DIRECTIONS[kind]} copies in the window take {show_duration(ns)}"
    command = case.commands.stats("cuda_gpu_mem_time_sum", case.window.start, case.window.end)
    return Evidence(text, ns, "ns", command, int(ops.start[mine[0]]), int(ops.end[mine[-1]]))


SYNCHRONOUS_FAULT = Fault(
    SYNCHRONOUS,
    "synchronous copies stop the host",
    partial(_examine_blocking, slug=SYNCHRONOUS),
    "Copies by plain cudaMemcpy.",
    advice=(
        "`DataLoader(pin_memory=True)` and `batch.to(device, non_blocking=True)`: "
        "non_blocking alone does nothing for pageable memory.",
        "Copy the next batch on a side stream while this one computes "
        "(a prefetcher; `record_stream` or an event).",
        "In CUDA: `cudaMallocHost` or `cudaHostRegister` once, then `cudaMemcpyAsync`; "
        "in JAX `jax.device_put` of the next batch before this one is needed.",
    ),
    also_possible=(
        "the copy has to be there before anything can start: "
        "then a smaller one helps (uint8 images, token ids)",
        "a slow path to this GPU (compare bytes per second)",
    ),
    limits=("big_copy_bytes",),
)
PAGEABLE_FAULT = replace(
    SYNCHRONOUS_FAULT,
    slug=ASYNCHRONOUS,
    about="asynchronous copies of pageable memory wait after all",
    examine=partial(_examine_blocking, slug=ASYNCHRONOUS),
    signs="Copies called asynchronous that wait because their memory is pageable.",
)


def _examine_slow(case: Case) -> Findings:
    ops, copies = case.report.ops, case.report.copies
    row, duration = ops.row[case.copies], ops.end[case.copies] - ops.start[case.copies]
    pinned = (copies.src_kind[row] != PAGEABLE) & (copies.dst_kind[row] != PAGEABLE)
    chosen = pinned & (copies.bytes[row] >= case.limits.rate_copy_bytes) & (duration > 0)
    for kind in DIRECTIONS:
        mine = np.flatnonzero(chosen & (copies.copy_kind[row] == kind))
        if not len(mine):
            continue
        rate = copies.bytes[row[mine]] / duration[mine]
        # A faster copy of the same direction in this capture is a better yardstick than a data sheet.
        best = float(np.percentile(rate, 95))
        usual = max(case.limits.pcie_usual_gbs, best)
        late = rate < max(case.limits.pcie_slow_gbs, case.limits.pcie_slow_share * best)
        if late.any():
            yield _slow_found(case, case.copies[mine[late]], kind, float(np.median(rate[late])), usual)


def _slow_found(case: Case, slow: Positions, kind: int, median: float, usual: float) -> Found:
    ops, copies = case.report.ops, case.report.copies
    needed = (copies.bytes[ops.row[slow]] / usual).astype(np.int64)
    worst = longest(case, slow)
    evidence = []
    for op in worst:
        size, ns = int(copies.bytes[ops.row[op]]), int(ops.end[op] - ops.start[op])
        text = f"{size / 1e6:,.1f} MB take {show_duration(ns)}: {size / ns:.1f} GB/s"
        evidence.append(one_op(case, op, text))
    rate = f"median rate of these copies: {median:.1f} GB/s"
    command = case.commands.diagnose(SLOW)
    return Found(
        title=f"{len(slow):,} pinned {DIRECTIONS[kind]} copies run at {median:.1f} GB/s, "
        f"not at some {usual:.0f}",
        evidence=(*evidence, at_op(case, worst[0], rate, round(median, 3), "GB/s", command)),
        confidence=Confidence.MEDIUM,
        reasons=(
            f"the yardstick is {usual:.0f} GB/s: the better of the usual rate of pinned copies "
            "over PCIe 4.0 x16 and of the fastest copies in this capture",
            "one report can't show why a path is slow",
            *_long_words(case, slow, _one_long(case, slow)),
        ),
        confirm="nvbandwidth (or CUDA's bandwidthTest) on the idle node; "
        + case.commands.capture("cuda,nvtx", "--gpu-metrics-devices=all")
        + "  (PCIe throughput over time)",
        claims=tuple(case.exposed_claims(slow, ops.start[slow] + needed)),
    )


SLOW_FAULT = Fault(
    SLOW,
    "pinned copies run below the path's usual rate",
    _examine_slow,
    "Large pinned copies, direction by direction and device by device, against the usual rate.",
    advice=(
        "Bind the process to the GPU's own NUMA node: `numactl --cpunodebind=N --membind=N` "
        "(`nvidia-smi topo -m` shows N).",
        "Check the link: `nvidia-smi -q -d PCIE` or `lspci -vv` for width and speed under load "
        "(x16, Gen4 or better).",
        "Look for who shares the path: another GPU's loader or a NIC behind the same switch; "
        "ACS and IOMMU settings.",
    ),
    also_possible=(
        "several copies shared the link at that time",
        "staging in the application: pinned, but filled by the host while it is copied",
    ),
    limits=("pcie_usual_gbs", "pcie_slow_share", "pcie_slow_gbs", "rate_copy_bytes"),
)


def _examine_exposed(case: Case) -> Findings:
    ops, data = case.report.ops, case.report.copies
    copies = case.copies[np.isin(data.copy_kind[ops.row[case.copies]], (*DIRECTIONS, PEER))]
    claims = case.exposed_claims(copies)
    alone = cost(claims)
    if not len(copies) or 100 * alone < case.limits.unexplained_pct * case.device_ns:
        return
    moved, spent = int(data.bytes[ops.row[copies]].sum()), total_time(case, copies)
    evidence = []
    for op in longest(case, copies):
        size, ns = int(data.bytes[ops.row[op]]), int(ops.end[op] - ops.start[op])
        text = f"{case.text(int(ops.name[op]))} of {size / 1e6:,.1f} MB takes {show_duration(ns)}"
        evidence.append(one_op(case, op, text))
    label = usual_label(case, launch_ranges(case, copies), ops.end[copies] - ops.start[copies])
    reasons = [
        f"for {share_of(alone, spent)} the copies' time no kernel runs beside them",
        f"{moved / 1e9:,.2f} GB in {show_duration(spent)}: {moved / max(spent, 1):.1f} GB/s on average",
    ]
    if label:
        reasons.append(f"most of that time was asked for under {label!r}")
    title = f"{plural(len(copies), 'copy')} to and from the device run alone "
    title += f"for {share_of(alone, case.device_ns)} the time"
    long = _one_long(case, copies)
    if long is not None:
        title = f"{long.place} copies to and from the device takes {show_duration(long.ns)}; {long.usual}"
        reasons += _long_words(case, copies, long)
    yield Found(
        title=title,
        evidence=tuple(evidence),
        confidence=Confidence.HIGH,
        reasons=tuple(reasons),
        confirm=case.commands.capture("cuda,nvtx", "--gpu-metrics-devices=all")
        + "  (is the link full all the time?)",
        claims=tuple(claims),
    )


EXPOSED_FAULT = Fault(
    "exposed-copies",
    "copies that nothing computes beside",
    _examine_exposed,
    "Host-device and peer copies without compute beside them, whoever asked for them.",
    advice=(
        "Start the copy earlier, on a stream of its own: "
        "prefetch the next batch, layer or block while this one computes.",
        "Move less: keep weights and state on the device, offload only what is needed late "
        "(FSDP/ZeRO offload moves every parameter every step), smaller types, several small copies in one.",
        "If this is a benchmark of copies, all is well.",
    ),
    also_possible=(
        "copies and kernels share one stream: they can't overlap",
        "the compute of this capture is too little to hide any copy",
    ),
    limits=("unexplained_pct",),
)
