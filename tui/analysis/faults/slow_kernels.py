"""Kernels that run longer than the same kernel does otherwise: beside a collective, or as time goes on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import at_op, one_op, op_time, share_of
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Claim, Confidence, Evidence, Findings, Found, Lost, NotAssessable
from tui.report.columns import Int64, Positions
from tui.text.times import show_duration

CONTENTION, THROTTLING = "comm-slows-compute", "throttling"

_BESIDE, _FREE = 0.5, 0.01
"""The least share of a kernel that makes it run beside a collective, and the largest that leaves it free."""
_BINS = 20


def _examine_contention(case: Case) -> Findings:
    same = case.same_kernels
    if not len(same.op) or not any(len(case.communication(d.index)) for d in case.devices):
        return
    beside = _beside(case)
    baseline = same.medians(beside <= _FREE, case.limits.same_kernels // 2)[same.group]
    hit = np.flatnonzero((beside >= _BESIDE) & ~np.isnan(baseline) & (baseline > 0))
    if not len(hit):
        return
    ratio = float(same.duration[hit].sum() / baseline[hit].sum())
    if ratio < case.limits.slowdown:
        return
    late = np.flatnonzero((beside > _FREE) & ~np.isnan(baseline))
    excess = np.maximum(same.duration[late] - baseline[late], 0).astype(np.int64)
    op, hits = same.op[late], same.op[hit]
    worst = hits[int(np.argmax(same.duration[hit] - baseline[hit]))]
    seen = f"beside a collective the same kernels take {ratio:.2f} times as long"
    command = case.commands.diagnose(CONTENTION)
    yield Found(
        title=f"kernels take {100 * (ratio - 1):.0f} % longer while a collective runs",
        evidence=(at_op(case, int(worst), seen, round(ratio, 3), "x", command), *_examples(case, op, excess)),
        confidence=Confidence.HIGH if len(hit) >= case.limits.few_kernels else Confidence.MEDIUM,
        reasons=(
            f"{len(hit):,} kernels with at least half of their time beside a collective "
            "were compared with the same kernel, grid and block without one",
        ),
        confirm="run once with the overlap off, and once with NCCL_MAX_NCHANNELS=4; "
        + case.commands.capture("cuda,nvtx", "--gpu-metrics-devices=all"),
        claims=_claims(case, op, excess),
    )


def _beside(case: Case) -> np.ndarray:
    """Return the share of each compute kernel's time in which a collective runs on its device (float64)."""
    same, ops = case.same_kernels, case.report.ops
    covered = np.zeros(len(same.op), np.float64)
    for device in case.devices:
        mine = np.flatnonzero(ops.device[same.op] == device.index)
        op = same.op[mine]
        covered[mine] = case.communication(device.index).between(ops.start[op], ops.end[op])
    shares: np.ndarray = covered / np.maximum(same.duration, 1)
    return shares


def _examine_throttling(case: Case) -> Findings:
    same = case.same_kernels
    if len(same.op) < case.limits.few_kernels:
        yield NotAssessable(
            "too few kernels were recorded to compare the same one early and late",
            "a longer capture, graphs by node: "
            + case.commands.capture("cuda,nvtx", "--cuda-graph-trace=node"),
        )
        return
    rank = same.rank()
    free = _beside(case) <= _FREE
    least = case.limits.same_kernels // 2
    early = same.means(free & (rank < 1 / 3), least)
    late = same.means(free & (rank >= 2 / 3), least)
    both = ~np.isnan(early) & ~np.isnan(late) & (early > 0)
    weight = np.bincount(same.group, weights=same.duration, minlength=same.groups)
    if not both.any() or weight[both].sum() < weight.sum() / 2:
        return
    # The yardstick is the quicker third, so that a GPU that speeds up is not called slow.
    change = late[both] / early[both]
    slower = float(weight[both][change > (1 + case.limits.slowdown) / 2].sum() / weight[both].sum())
    ratio = float((weight[both] * change).sum() / weight[both].sum())
    if ratio < case.limits.slowdown or slower < case.limits.slow_groups_share:
        return
    yield _throttled(case, early, free, slower, ratio)


def _throttled(case: Case, early: np.ndarray, free: np.ndarray, slower: float, ratio: float) -> Found:
    same = case.same_kernels
    baseline = early[same.group]
    usable = np.flatnonzero(free & ~np.isnan(baseline))
    # By start, so that a twentieth of the kernels is a stretch of the run.
    bins = np.arange(len(same.op)) * _BINS // len(same.op)
    spent = np.bincount(bins[usable], weights=same.duration[usable], minlength=_BINS)
    usual = np.bincount(bins[usable], weights=baseline[usable], minlength=_BINS)
    # One factor a bin, from all its kernels together: single kernels jitter, a clock does not.
    factor = np.where(usual > 0, spent / np.maximum(usual, 1), 1.0)
    factor /= np.median(factor[: _BINS // 3])
    factor = np.where(factor > (1 + case.limits.slowdown) / 2, factor, 1.0)
    excess = (same.duration * (1 - 1 / factor[bins])).astype(np.int64)
    lost, worst = excess > 0, int(same.op[int(np.argmax(excess))])
    command = case.commands.diagnose(THROTTLING)
    seen = f"at the end they take {ratio:.2f} times as long"
    return Found(
        title=f"the same kernels take {100 * (ratio - 1):.0f} % longer at the end than at first",
        evidence=(
            at_op(case, worst, seen, round(ratio, 3), "x", command),
            *_examples(case, same.op[lost], excess[lost]),
        ),
        confidence=Confidence.MEDIUM,
        reasons=(
            f"{share_of(slower, 1)} the compute time is in kernels that got slower, "
            "with the same grid and block",
            "kernels beside collectives were left out",
            "a trace does not hold clocks: a lower clock looks like other work in the same shape",
        ),
        confirm=case.commands.capture("cuda,nvtx", "--gpu-metrics-devices=all")
        + "  (the SM clock over time)",
        claims=_claims(case, same.op[lost], excess[lost]),
    )


def _claims(case: Case, op: Positions, excess: Int64) -> tuple[Claim, ...]:
    """Return the last ``excess`` nanoseconds of each kernel."""
    device, end = case.report.ops.device[op], case.report.ops.end[op]
    return tuple(Claim.by_device(device, Lost.SLOWED, end - excess, end))


def _examples(case: Case, op: Positions, excess: Int64) -> Iterator[Evidence]:
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
THROTTLING_FAULT = Fault(
    THROTTLING,
    "the same kernels get slower with time",
    _examine_throttling,
    "The same kernel, grid and block, later against earlier, nearly all of them slower.",
    advice=(
        "Watch clocks and power beside the run: `nvidia-smi dmon -s puct` or DCGM; "
        "`nvidia-smi -q -d PERFORMANCE` names the reason (power cap, thermal, HW slowdown).",
        "Cool or spread the load; lower the power cap or lock clocks (`nvidia-smi -lgc`) "
        "for steady steps and fair timing.",
    ),
    also_possible=(
        "the data changes with time (longer sequences in the same padded shape, sparsity)",
        "another job shares the GPU",
    ),
    limits=("few_kernels", "same_kernels", "slowdown", "slow_groups_share"),
)
