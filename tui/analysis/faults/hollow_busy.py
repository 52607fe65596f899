"""Kernels run, and most SMs stand empty while they do."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import at_op, share
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Claim, Confidence, Evidence, Findings, Found, Lost, NotAssessable
from tui.analysis.index import Busy
from tui.analysis.metrics.capture import may_have_metrics, metrics_of
from tui.analysis.metrics.device_busy import Hollow, hollow
from tui.analysis.metrics.group_means import group_means
from tui.analysis.metrics.groups import kernel_grouping
from tui.analysis.metrics.quantity import Quantity
from tui.intervals import Spans
from tui.text.times import show_duration

SLUG = "hollow-busy"
OF_METRICS = (
    "low-clocks",
    "busy-elsewhere",
    "bandwidth-bound",
    "tensor-unused",
    "link-bound",
    "thin-metrics",
)
"""The other faults that only GPU metrics show."""
_SHOWN = 3


def _examine(case: Case) -> Findings:
    if not may_have_metrics(case.report) or not any(m.source == "gpu" for m in metrics_of(case.index).all):
        yield NotAssessable(
            "no GPU metrics were captured: how full busy time is, and at which clock, is unknown",
            case.commands.capture("cuda,nvtx", "--gpu-metrics-devices=all"),
            also=OF_METRICS,
        )
        return
    evidence: list[Evidence] = []
    claims: list[Claim] = []
    worst: tuple[float, str] | None = None
    window = case.window
    for device in case.devices:
        found = hollow(case.index, device.index, window.start, window.end)
        if found is None or not _is_hollow(case, found):
            continue
        quantity = metrics_of(case.index).quantity(device.index, "sm_active")
        assert quantity is not None and found.sm_active.known is not None and found.hollow_ns is not None
        name, active = case.device_name(device.index), found.sm_active.known
        text = f"{name}: SMs stand empty for {show_duration(found.hollow_ns)} of its kernel time"
        command = case.commands.gaps(window.start, window.end, device.index)
        evidence.append(
            Evidence(text, found.hollow_ns, "ns", command, window.start, window.end, device.index)
        )
        evidence += _kernels(case, device.index, quantity)
        claims.append(_claim(case, device.index, quantity, active))
        if worst is None or active < worst[0]:
            part = share(found.kernel_ns, window.length)
            worst = (
                active,
                f"{name} runs kernels for {part} of the time, with {active:.0f} % of its SMs active",
            )
    if worst is not None:
        yield Found(
            title=worst[1],
            evidence=tuple(evidence),
            confidence=Confidence.HIGH,
            reasons=(
                "SM active is residency: an SM with a single warp counts, so less cannot be at work",
                "the cost is kernel time times the share of SMs without a warp: the most that a full device "
                "would save",
            ),
            confirm="profile the kernels listed with `ncu --set full`: waves per SM, achieved occupancy",
            claims=tuple(claims),
        )


def _is_hollow(case: Case, found: Hollow) -> bool:
    sure = found.sm_active.sure
    most_busy = 2 * found.kernel_ns >= case.window.length
    return sure is not None and sure < case.limits.hollow_pct and most_busy


def _claim(case: Case, device: int, quantity: Quantity, usual: float) -> Claim:
    """The last part of each stretch of kernel time: as much of it as SMs stood empty."""
    pieces = case.index.coverage(device, None, Busy.KERNELS).cut(case.window.start, case.window.end)
    mean = quantity.mean(pieces.start, pieces.end)
    mean = np.clip(np.where(np.isnan(mean), usual, mean), 0.0, 100.0)
    empty = np.rint((pieces.end - pieces.start) * (1 - mean / 100)).astype(np.int64)
    return Claim(device, Lost.SLOWED, Spans(pieces.end - empty, pieces.end))


def _kernels(case: Case, device: int, quantity: Quantity) -> Iterator[Evidence]:
    """The kernels with most hollow time among those that have samples of their own."""
    window = case.window
    groups = kernel_grouping(case.index, device, window.start, window.end, str)
    pure = group_means(quantity, groups).pure
    known = np.flatnonzero(~np.isnan(pure))
    empty = groups.ns[known] * (1 - pure[known] / 100)
    ops = case.report.ops
    command = case.commands.metrics(device, "sm_active", "kernel")
    for i in known[np.argsort(-empty, kind="stable")][:_SHOWN].tolist():
        name, value = groups.names[i], round(float(pure[i]), 1)
        mine = case.kernels[ops.device[case.kernels] == device]
        named = [number for number in np.unique(ops.name[mine]).tolist() if number >= 0]
        number = next((n for n in named if case.text(n) == name), None)
        if number is not None:
            op = int(mine[int(np.argmax(ops.name[mine] == number))])
            short = case.text(int(case.report.kernels.short_name[ops.row[op]]))
            yield at_op(case, op, f"{short!r} fills {value} % of the SMs", value, "%", command)


FAULT = Fault(
    SLUG,
    "kernels run, but most SMs are empty",
    _examine,
    "SM active, while kernels run, is under half, and kernels run for most of the time (GPU metrics).",
    advice=(
        "Give each launch more work: a larger batch or micro-batch, longer sequences packed together.",
        "Fuse small kernels (torch.compile), or run independent ones side by side in streams or a graph.",
        "Look at the kernels listed: a grid with fewer blocks than the GPU has SMs can't fill it.",
    ),
    also_possible=(
        "a few long blocks finish late (tail effect)",
        "kernels that only wait, such as collectives",
    ),
    limits=("hollow_pct",),
)
