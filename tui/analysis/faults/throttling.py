"""Kernels that take longer and longer, or from some time on: a clock that falls, and stays down.

Work that varies is something else. The same function on the same grid is compared, where it runs all through;
most of the device's time has to be in such kernels, nearly all of them have to be slower, and the pace must
not come back.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import at_op, share
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Findings, Found, NotAssessable
from tui.analysis.faults.same_kernels import SameKernels, group_kernels
from tui.analysis.faults.slow_kernels import FREE, beside_collectives, examples, last_parts
from tui.analysis.grouping import dense
from tui.report.columns import Bool, Int64, Positions
from tui.report.model import Device

SLUG = "throttling"
CLOCKS = "low-clocks"
"""The fault that sees the clock itself, where it was sampled: this is then evidence for that."""

_PARTS = 20
"""In how many parts a run is looked at, at most."""
_SHARED = 0.1
"""A kernel that overlaps others for more of its time than this does not have the device to itself."""


@dataclass(frozen=True)
class Slowdown:
    """How much longer the kernels of one device take at the end."""

    ratio: float
    """Late against early, by time."""
    slower: float
    """Share of the compared time in kernels that got slower."""
    op: Positions
    """Kernels that took longer than at the beginning."""
    excess: Int64
    """By how much, ns."""


def _examine(case: Case) -> Findings:
    found = []
    enough = False
    for device in case.devices:
        same = _kernels_of(case, device)
        if len(same.op) >= case.limits.few_kernels:
            enough = True
            if slowdown := _slowdown(case, same):
                found.append(slowdown)
    if found:
        yield _found(case, found)
    elif not enough:
        yield NotAssessable(
            "too few kernels were recorded to compare the same one early and late",
            "a longer capture, graphs by node: "
            + case.commands.capture("cuda,nvtx", "--cuda-graph-trace=node"),
        )


def _kernels_of(case: Case, device: Device) -> SameKernels:
    if len(case.devices) == 1:
        return case.same_kernels
    op = case.same_kernels.op
    return group_kernels(case.report, op[case.report.ops.device[op] == device.index])


def _slowdown(case: Case, same: SameKernels) -> Slowdown | None:
    """Return by how much the kernels of one device slow down; None where they don't, or their work varies."""
    rank = same.rank()
    free = (beside_collectives(case, same) <= FREE) & _alone(case, same)
    least = case.limits.same_kernels // 2
    # The yardstick is the quicker third, so that a GPU that speeds up is not called slow.
    early = same.means(free & (rank < 1 / 3), least)
    late = same.means(free & (rank >= 2 / 3), least)
    weight = np.bincount(same.group, weights=same.duration, minlength=same.groups)
    # Where shapes change, most time is in kernels that only some steps have: those can't be compared.
    both = ~np.isnan(early) & ~np.isnan(late) & (early > 0) & _throughout(same)
    if not both.any() or weight[both].sum() < weight.sum() / 2:
        return None
    change, weight = late[both] / early[both], weight[both]
    slower = float(weight[change > (1 + case.limits.slowdown) / 2].sum() / weight.sum())
    ratio = float((weight * change).sum() / weight.sum())
    if ratio < case.limits.slowdown or slower < case.limits.slow_groups_share:
        return None
    parts = min(max(case.step_count, 6), _PARTS)
    pace = _pace_over_time(same, early, free, parts)
    if _monotonic(pace) < case.limits.trend_share or ratio - 1 < 2 * (_growth(case, same) - 1):
        return None
    pace /= _beginning(pace)
    pace = np.where(pace > (1 + case.limits.slowdown) / 2, pace, 1.0)
    excess = (same.duration * (1 - 1 / pace[_part(same, parts)])).astype(np.int64)
    return Slowdown(ratio, slower, same.op[excess > 0], excess[excess > 0])


def _alone(case: Case, same: SameKernels) -> Bool:
    """Return which of the kernels of a device share it with no other for a tenth of their time."""
    ops = case.report.ops
    mine = case.kernels[ops.device[case.kernels] == ops.device[same.op[0]]]
    start, end = ops.start[mine], ops.end[mine]
    before = np.append(0, np.maximum.accumulate(end)[:-1] - start[1:])
    after = np.append(end[:-1] - start[1:], 0)
    alone = np.maximum(before, after) <= _SHARED * np.maximum(end - start, 1)
    chosen: Bool = np.asarray(alone)[np.searchsorted(mine, same.op)]
    return chosen


def _part(same: SameKernels, parts: int) -> Int64:
    """Return in which of the parts each kernel is: they have equally many kernels."""
    return np.arange(len(same.op)) * parts // len(same.op)


def _throughout(same: SameKernels) -> Bool:
    """Return which groups have kernels in each quarter of the run."""
    seen = np.zeros((same.groups, 4), bool)
    seen[same.group, _part(same, 4)] = True
    found: Bool = np.logical_and.reduce(seen, axis=1)
    return found


def _pace_over_time(same: SameKernels, early: np.ndarray, free: Bool, parts: int) -> np.ndarray:
    """Return how long kernels take against the early ones, part by part.

    One factor a part, from all its kernels together: single kernels jitter, a clock does not.
    """
    baseline = early[same.group]
    usable = np.flatnonzero(free & ~np.isnan(baseline))
    part = _part(same, parts)[usable]
    spent = np.bincount(part, weights=same.duration[usable], minlength=parts)
    usual = np.bincount(part, weights=baseline[usable], minlength=parts)
    factor: np.ndarray = np.where(usual > 0, spent / np.maximum(usual, 1), 1.0)
    return factor


def _monotonic(pace: np.ndarray) -> float:
    """Return how much of what the pace varies is a slowdown that does not go back, 0 to 1.

    A clock that falls, at once or bit by bit, leaves next to nothing; work that varies nearly all.
    """
    spread = float(((pace - pace.mean()) ** 2).sum())
    return 1 - float(((pace - rising(pace)) ** 2).sum()) / spread if spread else 0.0


def _growth(case: Case, same: SameKernels) -> float:
    """Return by how much the grids of kernels of one name grow from the first third of the run to the last.

    Longer inputs have larger grids where the number of blocks follows them, and take longer in the others.
    """
    report, op = case.report, same.op
    shape, row = report.kernels, report.ops.row[op]
    blocks = shape.grid_x[row].astype(np.float64) * shape.grid_y[row] * shape.grid_z[row]
    name, names = dense(report.ops.name[op])
    group, size = name * 3 + _part(same, 3), 3 * len(names)
    count = np.bincount(group, minlength=size).reshape(-1, 3)
    mean = np.bincount(group, blocks, size).reshape(-1, 3) / np.maximum(count, 1)
    low, high = np.full(len(names), np.inf), np.zeros(len(names))
    np.minimum.at(low, name, blocks)
    np.maximum.at(high, name, blocks)
    # One function may have several grids in every step: the kinds of work that it does, whose mix stays.
    varies = (low < high) & np.logical_and.reduce(count > 0, axis=1)
    if not varies.any():
        return 1.0
    weight = np.bincount(name, same.duration, len(names))[varies]
    return float((weight * mean[varies, 2] / mean[varies, 0]).sum() / weight.sum())


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


def _beginning(pace: np.ndarray) -> float:
    """Return the pace of the beginning: the first third, which it is against, may slow down too."""
    level = rising(pace)
    steady = ((pace - level) ** 2).sum() <= 0.01 * ((pace - pace.mean()) ** 2).sum()
    # Where the work varies too, the first part alone may have had little to do.
    early = level[: max(len(level) // (8 if steady else 4), 1)]
    return float(early.mean() if steady else np.quantile(early, 0.25))


def _found(case: Case, found: list[Slowdown]) -> Found:
    most = max(found, key=lambda one: one.ratio)
    op = np.concatenate([one.op for one in found])
    excess = np.concatenate([one.excess for one in found])
    worst = int(op[int(np.argmax(excess))])
    seen = f"at the end they take {most.ratio:.2f} times as long"
    some = len(case.devices) > 1 and len(found) < len(case.devices)
    where = f" on {len(found)} of {len(case.devices)} GPUs" if some else ""
    told = CLOCKS if case.once(CLOCKS, lambda: False) else SLUG
    return Found(
        title=f"the same kernels take {100 * (most.ratio - 1):.0f} % longer at the end than at first{where}",
        evidence=(
            at_op(case, worst, seen, round(most.ratio, 3), "x", case.commands.diagnose(told)),
            *examples(case, op, excess),
        ),
        confidence=Confidence.MEDIUM,
        reasons=(
            f"{share(most.slower, 1)} of the compute time is in kernels that got slower, "
            "with the same grid and block",
            "it does not go back: the pace falls at once or bit by bit, and stays down",
            "kernels beside collectives or other kernels were left out",
            "a trace does not hold clocks: a lower clock looks like other work in the same shape",
        ),
        confirm=case.commands.capture("cuda,nvtx", "--gpu-metrics-devices=all")
        + "  (the SM clock over time)",
        claims=last_parts(case, op, excess),
        under=(CLOCKS,),
    )


FAULT = Fault(
    SLUG,
    "the same kernels get slower with time",
    _examine,
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
