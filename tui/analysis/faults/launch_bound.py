"""The host launches kernels more slowly than the device runs them: nothing is ever queued."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.faults.case import Case
from tui.analysis.faults.draining import what_waits
from tui.analysis.faults.evidence import calls_made, charged, heaviest, longest_gaps, share
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Found, NotAssessable
from tui.analysis.faults.pieces import Pieces
from tui.report.columns import Int64
from tui.report.model import CallClass
from tui.text.times import show_duration

SLUG = "launch-bound"


def examine(case: Case) -> Iterator[Found | NotAssessable]:
    """See :data:`FAULT`."""
    if not len(case.report.calls):
        yield NotAssessable(
            "no CUDA API calls were recorded, so launches can't be compared with kernels",
            case.commands.capture("cuda"),
        )
        return
    pace = launch_pace(case)
    if pace is None:
        return
    pieces = case.pieces
    short = pieces.gap_end - pieces.gap_start <= case.limits.launch_gap_ns
    host = np.isin(
        pieces.cause,
        (BlameClass.HOST_CODE, BlameClass.LAUNCH, BlameClass.LAUNCH_LATENCY, BlameClass.OTHER_CUDA_CALL),
    )
    lost = pieces.where(short & host & (pieces.opened_by != BlameClass.SYNCHRONISATION))
    many = len(np.unique(lost.gap)) >= case.limits.few_kernels
    if pace.bound or (many and 100 * lost.ns.sum() >= case.limits.unexplained_pct * case.device_ns):
        yield _found(case, lost, pace)


@dataclass(frozen=True)
class LaunchPace:
    """How launches and kernels compare."""

    median_ns: int
    """Median duration of a kernel."""
    starved: float
    """Share of the kernels that started as soon as they had been launched."""
    bound: bool
    """Whether the host as a rule can't keep ahead of the device."""


def launch_pace(case: Case) -> LaunchPace | None:
    """None where too few kernels have a recorded launch to speak of a pace."""
    queue = queue_times(case)
    if len(queue) < case.limits.few_kernels:
        return None
    ops, kernels = case.report.ops, case.kernels
    median = int(np.median(ops.end[kernels] - ops.start[kernels]))
    starved = float((queue <= case.limits.queued_ns).mean())
    bound = median <= case.limits.short_kernel_ns and starved >= case.limits.starved_share
    return LaunchPace(median, starved, bound)


def queue_times(case: Case) -> Int64:
    """From the end of its launch call to its start, for kernels with a recorded launch."""
    ops, calls = case.report.ops, case.report.calls
    kernels = case.kernels
    linked = kernels[ops.launch[kernels] >= 0]
    queued: Int64 = ops.start[linked] - calls.end[ops.launch[linked]]
    return queued


def _found(case: Case, lost: Pieces, pace: LaunchPace) -> Found:
    median, starved = pace.median_ns, pace.starved
    ops = case.report.ops
    kernels = case.kernels
    steps = case.all_steps
    each = f"{len(kernels) / steps:,.0f} kernels a step" if steps else f"{len(kernels):,} kernels"
    gaps = len(np.unique(lost.gap))
    recorded = ops.launch[kernels] >= 0
    api = heaviest(
        case.report.calls.name[ops.launch[kernels[recorded]]], np.ones(int(recorded.sum()), np.int64)
    )
    half = f"half of the kernels take {show_duration(median)} or less"
    evidence = (
        charged(case, SLUG, half, median, "ns", int(kernels[0])),
        calls_made(case, api),
        *longest_gaps(case, lost, shown=2),
    )
    reasons = [f"{gaps:,} short gaps end with a launch that came after the device fell idle"]
    if pace.bound:
        title = f"the host can't launch fast enough: {each} of {show_duration(median)} (median)"
        reasons.append(
            f"{share(starved, 1)} of the kernels start as soon as they are launched: nothing was queued"
        )
    else:
        title = f"the host falls behind in stretches: {gaps:,} short gaps between kernels ({each})"
        reasons.append(
            f"{share(starved, 1)} of the kernels start as soon as they are launched; the others were queued"
        )
    reasons += _waits(case)
    sure = Confidence.HIGH if starved > 0.8 else Confidence.MEDIUM
    return Found(
        title=title,
        evidence=evidence,
        confidence=sure if pace.bound else Confidence.LOW,
        reasons=tuple(reasons),
        confirm=case.commands.capture("cuda,nvtx", "--sample=none", "--cpuctxsw=none")
        + "  (least overhead; then `nsystui stats -r cuda_kern_exec_sum`: queue times near zero)",
        claims=lost.claims(),
    )


def _waits(case: Case) -> list[str]:
    """That the host also waits for the device again and again, where it does: it can't build up a lead."""
    calls, window = case.report.calls, case.window
    waits = (calls.call_class == CallClass.SYNCHRONISATION) & (calls.start < window.end)
    waits &= (calls.end > window.start) & case.own_threads[calls.thread]
    waits &= np.isin(calls.thread, np.unique(calls.thread[case.index.launches]))
    found = np.flatnonzero(waits)
    if len(found) < case.limits.syncs_for_habit:
        return []
    return [
        f"the host also waits for the device {len(found):,} times: after each it has no lead",
        *what_waits(case, found.astype(np.int64)),
    ]


FAULT = Fault(
    SLUG,
    "many short kernels, launched one by one",
    examine,
    "Short gaps that end with a launch made after they began, where kernels are short and many.",
    advice=(
        "Launch less: `torch.compile(mode='reduce-overhead')` fuses kernels and replays CUDA graphs; by hand "
        "`torch.cuda.graph()`; in JAX put the whole step under one `jax.jit`.",
        "Do more per launch: a larger batch, fused optimizers (`fused=True`, `foreach=True`), fused "
        "attention.",
        "Take Python out of the loop: fewer hooks, modules and small tensor operations per layer.",
    ),
    also_possible=(
        "the profiler's own cost per call: compare the step time without it",
        "a slow or shared CPU core: pin the process, look at the clock and at other load",
    ),
    limits=(
        "short_kernel_ns",
        "launch_gap_ns",
        "starved_share",
        "queued_ns",
        "few_kernels",
        "syncs_for_habit",
        "unexplained_pct",
        "big_copy_bytes",
    ),
)
