"""The host launches kernels more slowly than the device runs them: nothing is ever queued."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.faults.case import Case
from tui.analysis.faults.commands import capture_line
from tui.analysis.faults.evidence import calls_made, charged, heaviest, longest_gaps, share
from tui.analysis.faults.pieces import Pieces
from tui.analysis.faults.shape import Confidence, Fault, Found, NotAssessable
from tui.analysis.units import show_duration
from tui.report.model import Int64

SLUG = "launch-bound"

ADVICE = (
    "Launch less: `torch.compile(mode='reduce-overhead')` fuses kernels and replays CUDA graphs; by hand "
    "`torch.cuda.graph()`; in JAX put the whole step under one `jax.jit`.",
    "Do more per launch: a larger batch, fused optimizers (`fused=True`, `foreach=True`), fused attention.",
    "Take Python out of the loop: fewer hooks, modules and small tensor operations per layer.",
)
ALSO = (
    "the profiler's own cost per call: compare the step time without it",
    "a slow or shared CPU core: pin the process, look at the clock and at other load",
)


def examine(case: Case) -> Iterator[Found | NotAssessable]:
    """Short gaps that end with a launch made after they began, where kernels are short and many."""
    if not case.devices:
        return
    if not len(case.report.calls):
        yield NotAssessable(
            SLUG,
            "no CUDA API calls were recorded, so launches can't be compared with kernels",
            capture_line("cuda"),
        )
        return
    queue = queue_times(case)
    if len(queue) < case.limits.few_kernels:
        return
    kernels = case.kernels
    ops = case.report.ops
    median = int(np.median(ops.end[kernels] - ops.start[kernels]))
    starved = float((queue <= case.limits.catch_up_ns // 100).mean())
    pieces = case.pieces
    short = pieces.gap_end - pieces.gap_start <= case.limits.launch_gap_ns
    host = np.isin(
        pieces.cause,
        (BlameClass.HOST_CODE, BlameClass.LAUNCH, BlameClass.LAUNCH_LATENCY, BlameClass.OTHER_CUDA_CALL),
    )
    lost = pieces.where(short & host & (pieces.opened_by != BlameClass.SYNCHRONISATION))
    if not len(lost) or median > case.limits.short_kernel_ns or starved < case.limits.starved_share:
        return
    yield _found(case, lost, median, starved)


def queue_times(case: Case) -> Int64:
    """From the end of its launch call to its start, for kernels with a recorded launch."""
    ops, calls = case.report.ops, case.report.calls
    kernels = case.kernels
    linked = kernels[ops.launch[kernels] >= 0]
    queued: Int64 = ops.start[linked] - calls.end[ops.launch[linked]]
    return queued


def _found(case: Case, lost: Pieces, median: int, starved: float) -> Found:
    ops = case.report.ops
    kernels = case.kernels
    steps = sum(len(p) for p in case.paces)
    each = f"{len(kernels) / steps:,.0f} kernels a step" if steps else f"{len(kernels):,} kernels"
    gaps = len(np.unique(lost.gap))
    launches = case.report.calls.name[ops.launch[kernels[ops.launch[kernels] >= 0]]]
    evidence = [
        charged(
            case,
            SLUG,
            f"half of the kernels take {show_duration(median)} or less",
            median,
            "ns",
            int(kernels[0]),
        ),
        calls_made(
            case,
            heaviest(launches, np.ones(len(launches), np.int64)),
            "{call} was called {count} times in the window",
        ),
        *longest_gaps(case, lost, shown=2),
    ]
    return Found(
        fault=SLUG,
        title=f"the host can't launch fast enough: {each} of {show_duration(median)} (median)",
        evidence=tuple(evidence),
        confidence=Confidence.HIGH if starved > 0.8 else Confidence.MEDIUM,
        reasons=(
            f"{share(starved, 1)} of the kernels start as soon as they are launched: nothing was queued",
            f"{gaps:,} short gaps end with a launch that came after the device fell idle",
        ),
        also_possible=ALSO,
        advice=ADVICE,
        confirm=capture_line("cuda,nvtx", "--sample=none", "--cpuctxsw=none")
        + "  (least overhead; then `nsystui stats -r cuda_kern_exec_sum`: queue times near zero)",
        claims=lost.claims(),
    )


FAULT = Fault(SLUG, "many short kernels, launched one by one", examine)
