"""The host launches kernels more slowly than the device runs them, so that nothing is queued."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.faults.case import Case
from tui.analysis.faults.draining import reasons_for_waits
from tui.analysis.faults.evidence import at_op, calls_made, heaviest, longest_gaps, share_of
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Findings, Found, NotAssessable
from tui.analysis.faults.pieces import LAUNCHING, Pieces
from tui.report.columns import Positions
from tui.report.model import CallClass
from tui.text.times import show_duration

SLUG = "launch-bound"


def _examine(case: Case) -> Findings:
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
    host = pieces.caused_by(*LAUNCHING, BlameClass.HOST_CODE, BlameClass.OTHER_CUDA_CALL)
    lost = pieces.where(short & host & (pieces.opened_by != BlameClass.SYNCHRONISATION))
    many = len(np.unique(lost.gap)) >= case.limits.few_kernels
    if pace.bound or (many and 100 * lost.ns.sum() >= case.limits.unexplained_pct * case.device_ns):
        yield _found(case, lost, pace)


@dataclass(frozen=True)
class LaunchPace:
    """Launches against kernels."""

    median_ns: int
    """Median duration of a kernel."""
    starved: float
    """Share of the kernels that started as soon as they had been launched."""
    bound: bool
    """Whether the host usually can't keep ahead of the device."""


def launch_pace(case: Case) -> LaunchPace | None:
    """Return how launches compare with kernels; None where too few kernels have a recorded launch."""
    ops, kernels = case.report.ops, case.kernels
    linked = _launched(case)
    if len(linked) < case.limits.few_kernels:
        return None
    median = int(np.median(ops.end[kernels] - ops.start[kernels]))
    queued = ops.start[linked] - case.report.calls.end[ops.launch[linked]]
    starved = float((queued <= case.limits.queued_ns).mean())
    bound = median <= case.limits.short_kernel_ns and starved >= case.limits.starved_share
    return LaunchPace(median, starved, bound)


def _launched(case: Case) -> Positions:
    """Return the kernels whose launch is recorded."""
    return case.kernels[case.report.ops.launch[case.kernels] >= 0]


def _found(case: Case, lost: Pieces, pace: LaunchPace) -> Found:
    median, starved = pace.median_ns, pace.starved
    kernels = case.kernels
    steps = case.all_steps
    each = f"{len(kernels) / steps:,.0f} kernels a step" if steps else f"{len(kernels):,} kernels"
    gaps = len(np.unique(lost.gap))
    launch_call = heaviest(case.report.calls.name[case.report.ops.launch[_launched(case)]])
    half = f"half of the kernels take {show_duration(median)} or less"
    reasons = [f"{gaps:,} short gaps end with a launch that came after the device fell idle"]
    if pace.bound:
        title = f"the host can't launch fast enough: {each} of {show_duration(median)} (median)"
        rest = ": nothing was queued"
    else:
        title = f"the host falls behind in stretches: {gaps:,} short gaps between kernels ({each})"
        rest = "; the others were queued" if starved < 1 else ""
    reasons.append(f"{share_of(starved, 1)} the kernels started as soon as they were launched{rest}")
    reasons += _waits(case)
    sure = Confidence.HIGH if starved > 0.8 else Confidence.MEDIUM
    return Found(
        title=title,
        evidence=(
            at_op(case, int(kernels[0]), half, median, "ns", case.commands.diagnose(SLUG)),
            calls_made(case, launch_call),
            *longest_gaps(case, lost, shown=2),
        ),
        confidence=sure if pace.bound else Confidence.LOW,
        reasons=tuple(reasons),
        confirm=case.commands.capture("cuda,nvtx", "--sample=none", "--cpuctxsw=none")
        + "  (then `nsystui stats run.nsys-rep -r cuda_kern_exec_sum`: queue times near zero)",
        claims=lost.claims(),
    )


def _waits(case: Case) -> list[str]:
    """Return the reason that the host waits for the device time and again, where it does."""
    calls = case.report.calls
    waits = case.calls_in_scope & (calls.call_class == CallClass.SYNCHRONISATION)
    found = np.flatnonzero(waits & np.isin(calls.thread, np.unique(calls.thread[case.index.launches])))
    if len(found) < case.limits.syncs_for_habit:
        return []
    return [
        f"the host also waits for the device {len(found):,} times: after each it has no lead",
        *reasons_for_waits(case, found.astype(np.int64)),
    ]


FAULT = Fault(
    SLUG,
    "many short kernels, launched one by one",
    _examine,
    "Short gaps that end with a launch made after they began, where kernels are short and many.",
    advice=(
        "Launch less: `torch.compile(mode='reduce-overhead')` fuses kernels and replays CUDA graphs; "
        "by hand `torch.cuda.graph()`; in JAX put the whole step under one `jax.jit`.",
        "Do more per launch: a larger batch, fused optimizers (`fused=True`, `foreach=True`), "
        "fused attention.",
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
