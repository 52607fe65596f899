"""Kernels that run longer than the same kernel does otherwise, because a collective runs beside them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import at_op, one_op, op_time
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Claim, Confidence, Evidence, Findings, Found, Lost
from tui.analysis.faults.same_kernels import SameKernels
from tui.report.columns import Int64, Positions
from tui.text.times import show_duration

CONTENTION = "comm-slows-compute"

_BESIDE, FREE = 0.5, 0.01
"""The least share of a kernel that makes it run beside a collective, and the largest that leaves it free."""


def _examine_contention(case: Case) -> Findings:
    same = case.same_kernels
    if not len(same.op) or not any(len(case.communication(d.index)) for d in case.devices):
        return
    beside = beside_collectives(case, same)
    baseline = same.medians(beside <= FREE, case.limits.same_kernels // 2)[same.group]
    hit = np.flatnonzero((beside >= _BESIDE) & ~np.isnan(baseline) & (baseline > 0))
    if not len(hit):
        return
    ratio = float(same.duration[hit].sum() / baseline[hit].sum())
    if ratio < case.limits.slowdown:
        return
    late = np.flatnonzero((beside > FREE) & ~np.isnan(baseline))
    excess = np.maximum(same.duration[late] - baseline[late], 0).astype(np.int64)
    op, hits = same.op[late], same.op[hit]
    worst = hits[int(np.argmax(same.duration[hit] - baseline[hit]))]
    seen = f"beside a collective the same kernels take {ratio:.2f} times as long"
    command = case.commands.diagnose(CONTENTION)
    yield Found(
        title=f"kernels take {100 * (ratio - 1):.0f} % longer while a collective runs",
        evidence=(at_op(case, int(worst), seen, round(ratio, 3), "x", command), *examples(case, op, excess)),
        confidence=Confidence.HIGH if len(hit) >= case.limits.few_kernels else Confidence.MEDIUM,
        reasons=(
            f"{len(hit):,} kernels with at least half of their time beside a collective "
            "were compared with the same kernel, grid and block without one",
        ),
        confirm="run once with the overlap off, and once with NCCL_MAX_NCHANNELS=4; "
        + case.commands.capture("cuda,nvtx", "--gpu-metrics-devices=all"),
        claims=last_parts(case, op, excess),
    )


def beside_collectives(case: Case, same: SameKernels) -> np.ndarray:
    """Return the share of each compute kernel's time in which a collective runs on its device (float64)."""
    ops = case.report.ops
    covered = np.zeros(len(same.op), np.float64)
    for device in case.devices:
        mine = np.flatnonzero(ops.device[same.op] == device.index)
        op = same.op[mine]
        covered[mine] = case.communication(device.index).between(ops.start[op], ops.end[op])
    shares: np.ndarray = covered / np.maximum(same.duration, 1)
    return shares


def last_parts(case: Case, op: Positions, excess: Int64) -> tuple[Claim, ...]:
    """Return the last ``excess`` nanoseconds of each kernel."""
    device, end = case.report.ops.device[op], case.report.ops.end[op]
    return tuple(Claim.by_device(device, Lost.SLOWED, end - excess, end))


def examples(case: Case, op: Positions, excess: Int64) -> Iterator[Evidence]:
    """Yield the kernels that lost most, with their duration."""
    ops = case.report.ops
    for at in np.argsort(-excess, kind="stable")[:3].tolist():
        one = int(op[at])
        name = case.text(int(case.report.kernels.short_name[ops.row[one]]))
        more = show_duration(int(excess[at]))
        yield one_op(case, one, f"{name} takes {op_time(case, one)}, {more} more than usual")


CONTENTION_FAULT = Fault(
    CONTENTION,
    "kernels run slower beside a collective",
    _examine_contention,
    "Compute kernels that overlap a collective, against the same kernels that don't.",
    advice=(
        "Give collectives fewer multiprocessors: `NCCL_MAX_NCHANNELS` (or `NCCL_MAX_CTAS`), "
        "NVLS or CollNet where there is NVLink/InfiniBand SHARP, copy-engine collectives.",
        "Move the collective to where kernels are limited by something else: "
        "bucket sizes, prefetch distance.",
        "Check stream priorities: a high-priority communication stream takes blocks from compute.",
    ),
    also_possible=(
        "these kernels are limited by memory bandwidth, which the collective uses too",
        "overlap that slows compute can still be worth it: compare the sum with and without",
    ),
    limits=("few_kernels", "same_kernels", "slowdown"),
)
