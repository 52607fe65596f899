"""A few steps take many times as long, the host busy and the device idle: compilation or autotuning."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import long_step, longest_gaps
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Evidence, Found, NotAssessable
from tui.analysis.faults.first_use import COMPILER
from tui.analysis.faults.input_starvation import in_data_range
from tui.analysis.faults.outliers import in_outliers, outlier_steps
from tui.analysis.faults.pieces import Pieces
from tui.text.numbers import plural


def examine(case: Case) -> Iterator[Found | NotAssessable]:
    """See :data:`FAULT`."""
    enough = [p for p in case.paces if len(p) >= case.limits.steps_for_pattern]
    if not enough:
        reason = "no steps found" if not case.paces else "too few steps to tell an unusual one"
        yield NotAssessable(
            f"{reason}: a step that was compiled anew can't be told from the others",
            "annotate the loop and capture 20 steps or more: " + case.commands.capture("cuda,nvtx,osrt"),
        )
        return
    pieces = case.pieces
    host = np.isin(pieces.cause, (BlameClass.HOST_CODE, BlameClass.OTHER_CUDA_CALL, BlameClass.OS_CALL))
    chosen = in_outliers(case, pieces) & host & ~in_data_range(case, pieces)
    lost = pieces.where(chosen & (pieces.ns >= case.limits.long_piece_ns))
    if len(lost):
        yield _found(case, lost)


def _found(case: Case, lost: Pieces) -> Found:
    evidence: list[Evidence] = []
    outliers = 0
    ratio = 0.0
    new = 0
    for pace in case.paces:
        for step in np.flatnonzero(outlier_steps(case, pace)).tolist():
            outliers += 1
            ratio = max(ratio, float(pace.cycle[step] / pace.median_ns))
            new += _new_kernels(case, int(pace.opening[step]), int(pace.end[step]))
            if len(evidence) < 3:
                evidence.append(long_step(case, pace, step))
    named = case.ranges_like(COMPILER)
    known = lost.range >= 0
    compiler = bool(named[lost.range[known]].any())
    compiler |= bool(case.names_like(lost.call, COMPILER).any())
    reasons = [
        f"{plural(outliers, 'step')} up to {ratio:.1f} times as long as the usual one, the host busy and the "
        "device idle in them"
    ]
    if compiler:
        reasons.append("a range or call in them speaks of compilation or module loading")
    if new:
        reasons.append(f"{plural(new, 'kernel')} {'runs' if new == 1 else 'run'} for the first time in them")
    if not compiler and not new:
        reasons.append(
            "neither a compiler's range nor a new kernel was seen: it is the shape of the steps that speaks"
        )
    return Found(
        title=f"{plural(outliers, 'step')} {'takes' if outliers == 1 else 'take'} up to {ratio:.1f} times "
        "as long: the host works, the GPU waits",
        evidence=(*evidence, *longest_gaps(case, lost, shown=2)),
        confidence=Confidence.HIGH if compiler else Confidence.MEDIUM,
        reasons=tuple(reasons),
        confirm=case.commands.capture("cuda,nvtx,osrt", "--python-sampling=true")
        + "  (compiler frames inside the long steps); TORCH_LOGS=recompiles or jax.log_compiles tell "
        "without nsys",
        claims=lost.claims(),
    )


def _new_kernels(case: Case, start: int, end: int) -> int:
    """How many kernel functions run in ``[start, end)`` and never before it in the report."""
    ops, kernels = case.report.ops, case.kernels
    when = ops.start[kernels]
    names, first = np.unique(ops.name[kernels], return_index=True)
    began = when[first]
    return int(((began >= start) & (began < end)).sum()) if len(names) else 0


FAULT = Fault(
    "recompilation",
    "some steps compile or autotune",
    examine,
    "Host time in which the device idles, inside steps that take several times the usual one.",
    advice=(
        "Feed fewer shapes: pad or bucket sequence lengths and batch sizes, `drop_last=True` for the last "
        "batch.",
        "`torch._dynamo.mark_dynamic(x, 0)` or `torch.compile(dynamic=True)`; `TORCH_LOGS=recompiles` names "
        "the guard that failed. In JAX: pad to fixed shapes, `jax.log_compiles(True)`, keep a persistent "
        "compilation cache.",
        "`torch.backends.cudnn.benchmark = False` where shapes vary: every new one is autotuned.",
    ),
    also_possible=(
        "evaluation, logging or a checkpoint in these steps: look at their ranges and OS calls",
        "one very long pause of another kind (garbage collection, a stalled file system)",
    ),
    limits=("long_piece_ns", "outlier_ratio", "steps_for_pattern", "warm_up_ratio"),
)
