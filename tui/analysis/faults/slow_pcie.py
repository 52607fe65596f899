"""Copies from pinned memory run far below what the path should give."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.analysis.faults.blocking_copies import DEVICE_TO_HOST, HOST_TO_DEVICE, PAGEABLE
from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import charged, longest, one_op, op_time
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Claim, Confidence, Evidence, Found, Lost, NotAssessable
from tui.intervals import Spans, intersect
from tui.report.columns import Positions

SLUG = "slow-pcie"

WORDS = {HOST_TO_DEVICE: "host-to-device", DEVICE_TO_HOST: "device-to-host"}


def examine(case: Case) -> Iterator[Found | NotAssessable]:
    """See :data:`FAULT`."""
    ops, copies = case.report.ops, case.report.copies
    if not len(case.copies):
        return
    row = ops.row[case.copies]
    pinned = (copies.src_kind[row] != PAGEABLE) & (copies.dst_kind[row] != PAGEABLE)
    large = (copies.bytes[row] >= case.limits.rate_copy_bytes) & (
        ops.end[case.copies] > ops.start[case.copies]
    )
    for kind in (HOST_TO_DEVICE, DEVICE_TO_HOST):
        candidates = case.copies[pinned & large & (copies.copy_kind[row] == kind)]
        if not len(candidates):
            continue
        rate = copies.bytes[ops.row[candidates]] / (ops.end[candidates] - ops.start[candidates])
        # A faster copy of the same direction in this capture is a better yardstick than a data sheet.
        best = float(np.percentile(rate, 95))
        usual = max(case.limits.pcie_usual_gbs, best)
        late = rate < max(case.limits.pcie_slow_gbs, case.limits.pcie_slow_share * best)
        if late.any():
            yield _found(case, candidates[late], kind, float(np.median(rate[late])), usual)


def _found(case: Case, slow: Positions, kind: int, median: float, usual: float) -> Found:
    ops, copies = case.report.ops, case.report.copies
    claims = []
    for device in np.unique(ops.device[slow]).tolist():
        mine = slow[ops.device[slow] == device]
        needed = (copies.bytes[ops.row[mine]] / usual).astype(np.int64)
        late = Spans(ops.start[mine] + needed, ops.end[mine])
        alone = case.alone(device, ops.start[mine], ops.end[mine])
        order = np.argsort(late.start, kind="stable")
        excess = case.alone(device, late.start[order], late.end[order])
        claims.append(Claim(device, Lost.SERIALISED, intersect(alone, excess)))
    worst = longest(case, slow)
    evidence: list[Evidence] = []
    for op in worst:
        size, ns = int(copies.bytes[ops.row[op]]), int(ops.end[op] - ops.start[op])
        text = f"{size / 1e6:,.1f} MB take {op_time(case, op)}: {size / ns:.1f} GB/s"
        evidence.append(one_op(case, op, text))
    rate = f"median rate of these copies: {median:.1f} GB/s"
    evidence.append(charged(case, SLUG, rate, round(median, 3), "GB/s", worst[0]))
    return Found(
        title=f"{len(slow):,} pinned {WORDS[kind]} copies run at {median:.1f} GB/s, not at some {usual:.0f}",
        evidence=tuple(evidence),
        confidence=Confidence.MEDIUM,
        reasons=(
            f"the yardstick is {usual:.0f} GB/s: the better of the usual rate of pinned copies over PCIe 4.0 "
            "x16 and of the fastest copies in this capture",
            "one report can't tell why a path is slow",
        ),
        confirm="nvbandwidth (or CUDA's bandwidthTest) on the idle node; "
        + case.commands.capture("cuda,nvtx", "--gpu-metrics-devices=all")
        + "  (PCIe throughput over time)",
        claims=tuple(claims),
    )


FAULT = Fault(
    SLUG,
    "pinned copies run below the path's usual rate",
    examine,
    "Large pinned copies, direction by direction and device by device, against the usual rate.",
    advice=(
        "Bind the process to the GPU's own NUMA node: `numactl --cpunodebind=N --membind=N` (`nvidia-smi "
        "topo -m` tells N).",
        "Check the link: `nvidia-smi -q -d PCIE` or `lspci -vv` for width and speed under load (x16, Gen4 or "
        "better).",
        "Look for who shares the path: another GPU's loader or a NIC behind the same switch; ACS and IOMMU "
        "settings.",
    ),
    also_possible=(
        "several copies shared the link at that time",
        "staging in the application: pinned, but filled by the host while it is copied",
    ),
    limits=("pcie_usual_gbs", "pcie_slow_share", "pcie_slow_gbs", "rate_copy_bytes"),
)
