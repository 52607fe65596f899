"""The capture begins with the run: loading, autotuning and first allocations are in its first steps."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import long_step, longest_gaps
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Evidence, Found, NotAssessable
from tui.analysis.faults.first_use import WARM_UP, first_uses
from tui.analysis.faults.input_starvation import in_data_range
from tui.analysis.faults.outliers import in_warm_up, warm_up_steps
from tui.analysis.faults.pieces import Pieces
from tui.text.numbers import plural
from tui.text.times import show_duration


def examine(case: Case) -> Iterator[Found | NotAssessable]:
    """See :data:`FAULT`."""
    if not case.paces:
        yield from first_uses(case)
        return
    if not any(warm_up_steps(case, pace) for pace in case.paces):
        return
    pieces = case.pieces
    chosen = in_warm_up(case, pieces) & ~in_data_range(case, pieces)
    management = pieces.cause == BlameClass.MEMORY_MANAGEMENT
    host = np.isin(
        pieces.cause,
        (BlameClass.HOST_CODE, BlameClass.OTHER_CUDA_CALL, BlameClass.OS_CALL, BlameClass.LAUNCH,
         BlameClass.LAUNCH_LATENCY),
    )  # fmt: skip
    lost = pieces.where(chosen & (management | (host & (pieces.ns >= case.limits.long_piece_ns))))
    if len(lost):
        yield _found(case, lost)


def _found(case: Case, lost: Pieces) -> Found:
    evidence: list[Evidence] = []
    most = 0
    for pace in case.paces:
        leading = warm_up_steps(case, pace)
        most = max(most, leading)
        evidence += [long_step(case, pace, step) for step in range(min(leading, 2))]
    allocating = int(lost.ns[lost.cause == BlameClass.MEMORY_MANAGEMENT].sum())
    reasons = [f"only the first {plural(most, 'step')} of the capture: later ones keep to their pace"]
    if allocating:
        reasons.append(f"allocations in them take {show_duration(allocating)} of idle time")
    return Found(
        title=f"the first {plural(most, 'step')} of the capture {'is' if most == 1 else 'are'} warm-up",
        evidence=(*evidence, *longest_gaps(case, lost, shown=2)),
        confidence=Confidence.HIGH if allocating else Confidence.MEDIUM,
        reasons=tuple(reasons),
        confirm=case.commands.capture(
            "cuda,nvtx,osrt", "--capture-range=cudaProfilerApi", "--capture-range-end=stop"
        ),
        claims=lost.claims(),
    )


FAULT = Fault(
    WARM_UP,
    "the capture begins before the run has settled",
    examine,
    "Idle host time in the leading steps that take longer than the usual one; without steps, first uses.",
    advice=(
        "Leave the first steps out: `--range step:4..` looks at the rest of this capture.",
        "Start the capture later: `torch.cuda.profiler.start()` after 20 steps, with "
        "`--capture-range=cudaProfilerApi --capture-range-end=stop`, or `--delay`.",
        "If start-up time itself matters: cache compiled kernels (`TORCHINDUCTOR_CACHE_DIR`, "
        "`jax_compilation_cache_dir`), `CUDA_MODULE_LOADING=LAZY`.",
    ),
    also_possible=(
        "an iterator that fills its queues at the beginning (see the input)",
        "shapes that occur in the first steps only",
    ),
    limits=("long_piece_ns", "steps_for_pattern", "warm_up_ratio"),
)
