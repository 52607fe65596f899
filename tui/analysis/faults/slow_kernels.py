"""Kernels that run longer than the same kernel does otherwise: beside a collective, or as time goes on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import at_op, one_op, op_time, share
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Claim, Confidence, Evidence, Findings, Found, Lost, NotAssessable
from tui.analysis.faults.same_kernels import SameKernels
from tui.analysis.grouping import dense
from tui.report.columns import Bool, Int64, Positions
from tui.text.times import show_duration

CONTENTION, THROTTLING = "comm-slows-compute", "throttling"

_BESIDE, _FREE = 0.5, 0.01
"""The least share of a kernel that makes it run beside a collective, and the largest that leaves it free."""
_BINS = 20
_SHARED = 0.1
"""A kernel that overlaps others for more of its time than this does not have the device to itself."""


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
    free = (_beside(case) <= _FREE) & _alone(case)
    least = case.limits.same_kernels // 2
    early = same.means(free & (rank < 1 / 3), least)
    late = same.means(free & (rank >= 2 / 3), least)
    both = ~np.isnan(early) & ~np.isnan(late) & (early > 0)
    weight = np.bincount(same.group, weights=same.duration, minlength=same.groups)
    share_of_all = case.limits.slow_groups_share
    # Where shapes change, most time is in kernels that only some steps have: those can't be compared.
    both &= _throughout(same)
    if not both.any() or weight[both].sum() < weight.sum() / 2:
        return
    # The yardstick is the quicker third, so that a GPU that speeds up is not called slow.
    change = late[both] / early[both]
    slower = float(weight[both][change > (1 + case.limits.slowdown) / 2].sum() / weight[both].sum())
    ratio = float((weight[both] * change).sum() / weight[both].sum())
    if ratio < case.limits.slowdown or slower < share_of_all:
        return
    if _monotonic(case, early, free) < case.limits.trend_share or ratio - 1 < 2 * (_growth(case) - 1):
        return
    yield _throttled(case, early, free, slower, ratio)


def _alone(case: Case) -> Bool:
    """Return which of the compared kernels share their device with no other for a tenth of their time."""
    ops, kernels = case.report.ops, case.kernels
    shared: Bool = np.zeros(len(ops), np.bool_)
    for device in case.devices:
        mine = kernels[ops.device[kernels] == device.index]
        start, end = ops.start[mine], ops.end[mine]
        if len(mine) < 2:
            continue
        before = np.maximum.accumulate(end)[:-1] - start[1:]
        after = end[:-1] - start[1:]
        beside = np.maximum(np.append(0, before), np.append(after, 0))
        shared[mine] = beside > _SHARED * np.maximum(end - start, 1)
    return np.asarray(~shared[case.same_kernels.op], np.bool_)


def _growth(case: Case) -> float:
    """Return by how much the grids of kernels of one name grow from the first third of the run to the last.

    Longer inputs have larger grids where the number of blocks follows them, and take longer in the others.
    """
    report, op = case.report, case.same_kernels.op
    shape, row = report.kernels, report.ops.row[op]
    blocks = shape.grid_x[row].astype(np.float64) * shape.grid_y[row] * shape.grid_z[row]
    name, names = dense(report.ops.name[op])
    third = np.arange(len(op)) * 3 // len(op)
    group, size = name * 3 + third, 3 * len(names)
    count = np.bincount(group, minlength=size).reshape(-1, 3)
    mean = np.bincount(group, blocks, size).reshape(-1, 3) / np.maximum(count, 1)
    weight = np.bincount(name, case.same_kernels.duration, len(names))
    low, high = np.full(len(names), np.inf), np.zeros(len(names))
    np.minimum.at(low, name, blocks)
    np.maximum.at(high, name, blocks)
    # One function may have several grids in every step: the kinds of work that it does, whose mix stays.
    varies = (low < high) & (count > 0).all(axis=1)
    if not varies.any():
        return 1.0
    return float((weight[varies] * mean[varies, 2] / mean[varies, 0]).sum() / weight[varies].sum())


def _throughout(same: SameKernels) -> Bool:
    """Return which groups have kernels in each quarter of the run, by number of kernels."""
    part = np.arange(len(same.op)) * 4 // len(same.op)
    seen = np.zeros((same.groups, 4), bool)
    seen[same.group, part] = True
    found: Bool = np.logical_and.reduce(seen, axis=1)
    return found


def _monotonic(case: Case, early: np.ndarray, free: Bool) -> float:
    """Return how much of what the pace varies over the run is a slowdown that does not go back, 0 to 1.

    The pace is that of a step, or a twentieth of the run. A clock that falls, at once or bit by bit, leaves
    next to nothing; work that varies from step to step nearly all.
    """
    pace = _pace_over_time(case, early, free, _parts(case))
    spread = float(((pace - pace.mean()) ** 2).sum())
    return 1 - float(((pace - rising(pace)) ** 2).sum()) / spread if spread else 0.0


def _parts(case: Case) -> int:
    """Return in how many parts the run is looked at: as many as it has steps, up to twenty."""
    return min(max(case.step_count, 6), _BINS)


def rising(values: np.ndarray) -> np.ndarray:
    """Return the non-decreasing sequence that is closest to ``values``, a few numbers, by least squares.

    >>> rising(np.array([1.0, 3.0, 2.0, 5.0])).tolist()
    [1.0, 2.5, 2.5, 5.0]
    """
    levels: list[tuple[float, int]] = []
    for value in values.tolist():
        level, count = value, 1
        while levels and levels[-1][0] > level:
            below, many = levels.pop()
            level, count = (level * count + below * many) / (count + many), count + many
        levels.append((level, count))
    return np.repeat([level for level, _ in levels], [count for _, count in levels])


def _pace_over_time(case: Case, early: np.ndarray, free: Bool, bins: int) -> np.ndarray:
    """Return how long kernels take against the early ones, in parts of the run with equally many kernels.

    One factor a part, from all its kernels together: single kernels jitter, a clock does not.
    """
    same = case.same_kernels
    baseline = early[same.group]
    usable = np.flatnonzero(free & ~np.isnan(baseline))
    part = np.arange(len(same.op)) * bins // len(same.op)
    spent = np.bincount(part[usable], weights=same.duration[usable], minlength=bins)
    usual = np.bincount(part[usable], weights=baseline[usable], minlength=bins)
    factor: np.ndarray = np.where(usual > 0, spent / np.maximum(usual, 1), 1.0)
    return factor


def _throttled(case: Case, early: np.ndarray, free: Bool, slower: float, ratio: float) -> Found:
    same = case.same_kernels
    # By start, so that equally many kernels are a stretch of the run.
    parts = _parts(case)
    bins = np.arange(len(same.op)) * parts // len(same.op)
    factor = _pace_over_time(case, early, free, parts)
    factor /= _beginning(factor)
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
            f"{share(slower, 1)} of the compute time is in kernels that got slower, "
            "with the same grid and block",
            "it does not go back: the pace falls at once or bit by bit, and stays down",
            "kernels beside collectives or other kernels were left out",
            "a trace does not hold clocks: it can't tell a lower clock from other work in the same shape",
        ),
        confirm=case.commands.capture("cuda,nvtx", "--gpu-metrics-devices=all")
        + "  (the SM clock over time)",
        claims=_claims(case, same.op[lost], excess[lost]),
    )


def _beginning(factor: np.ndarray) -> float:
    """Return the pace of the beginning: the first third, which it is against, may slow down too."""
    level = rising(factor)
    steady = ((factor - level) ** 2).sum() <= 0.01 * ((factor - factor.mean()) ** 2).sum()
    # Where the work varies too, the first part alone may have had little to do.
    early = level[: max(len(level) // (8 if steady else 4), 1)]
    return float(early.mean() if steady else np.quantile(early, 0.25))


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
    "The same kernel, grid and block, later against earlier: nearly all of them slower, and they stay so.",
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
    limits=("few_kernels", "same_kernels", "slowdown", "slow_groups_share", "trend_share"),
)
