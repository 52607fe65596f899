"""Kernels that are compiled and loaded when they are first used: the start of a program that has no steps."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import longest_gaps, usual_label
from tui.analysis.faults.finding import Confidence, Found
from tui.analysis.faults.pieces import Pieces
from tui.report.columns import Bool
from tui.text.numbers import plural
from tui.text.times import show_duration

WARM_UP = "warm-up"

COMPILER = re.compile(
    r"compil|dynamo|inductor|autotun|triton|nvrtc|ptxas|\bjit\b|xla|lowering|tracing|cudnn.?find|"
    r"cu(Module|Library)Load|cudaLibraryLoad|cuLink",
    re.IGNORECASE,
)

ADVICE = (
    "Run everything once before the timed part, and start the capture there: `cudaProfilerStart` with "
    "`--capture-range=cudaProfilerApi`, or `--delay`.",
    "If start-up time itself matters: compile ahead of time for this GPU (`-arch=sm_90`, no PTX JIT), cache "
    "what is compiled at run time, load modules early (`CUDA_MODULE_LOADING=EAGER`).",
)
ALSO = ("a program that runs every kernel once and ends: then start-up is what it does",)


def first_uses(case: Case) -> Iterator[Found]:
    """Idle time in compilers and module loaders, and long launches of kernels never launched before."""
    pieces = case.pieces
    named = _compiling(case, pieces)
    slow_launch = np.isin(pieces.cause, (BlameClass.LAUNCH, BlameClass.LAUNCH_LATENCY))
    slow_launch &= (pieces.ns >= case.limits.long_piece_ns) & _first_launches(case, pieces)
    lost = pieces.where(named | slow_launch)
    if not len(lost):
        return
    compiled = int(pieces.ns[named].sum())
    loaded = int(pieces.ns[slow_launch & ~named].sum())
    label = usual_label(case, pieces.where(named))
    reasons = []
    if compiled:
        where = f", most of it under {label!r}" if label else ""
        reasons.append(f"{show_duration(compiled)} idle in ranges or calls that compile or load code{where}")
    if loaded:
        count = int((slow_launch & ~named).sum())
        reasons.append(
            f"{show_duration(loaded)} idle in the first launches of {plural(count, 'kernel')}: code is "
            "loaded when it is first needed"
        )
    yield Found(
        title="kernels are compiled and loaded at their first use, and the GPU waits",
        evidence=tuple(longest_gaps(case, lost)),
        confidence=Confidence.HIGH if compiled >= loaded else Confidence.MEDIUM,
        reasons=tuple(reasons),
        also_possible=ALSO,
        advice=ADVICE,
        confirm=case.commands.capture(
            "cuda,nvtx,osrt", "--capture-range=cudaProfilerApi", "--capture-range-end=stop"
        ),
        claims=lost.claims(),
    )


def _compiling(case: Case, pieces: Pieces) -> Bool:
    """Pieces in a compiler's range or a module loader's call."""
    host = np.isin(pieces.cause, (BlameClass.HOST_CODE, BlameClass.OTHER_CUDA_CALL, BlameClass.OS_CALL))
    inside = np.zeros(len(pieces), bool)
    known = pieces.range >= 0
    inside[known] = case.ranges_like(COMPILER)[pieces.range[known]]
    inside |= case.names_like(pieces.call, COMPILER)
    chosen: Bool = host & inside
    return chosen


def _first_launches(case: Case, pieces: Pieces) -> Bool:
    """Pieces of gaps that end with the first kernel of its name in the report."""
    ops = case.report.ops
    kernels = case.kernels
    first = np.unique(ops.name[kernels], return_index=True)[1]
    began = np.sort(ops.start[kernels[first]])
    at = np.minimum(np.searchsorted(began, pieces.gap_end), max(len(began) - 1, 0))
    found: Bool = began[at] == pieces.gap_end if len(began) else np.zeros(len(pieces), bool)
    return found
