"""A few steps take many times as long, the host busy and the device idle: compilation or autotuning."""

from __future__ import annotations

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import long_step, longest_gaps
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Findings, Found, NotAssessable
from tui.analysis.faults.input_starvation import in_data_range
from tui.analysis.faults.pieces import HOST_WORK, Pieces
from tui.analysis.faults.warm_up import compiles
from tui.text.numbers import plural


def _examine(case: Case) -> Findings:
    enough = [p for p in case.paces if len(p) >= case.limits.steps_for_pattern]
    if not enough:
        reason = "no steps found" if not case.paces else "too few steps to single out an unusual one"
        yield NotAssessable(
            f"{reason}: a step in which code was recompiled can't be told apart from the others",
            "annotate the loop and capture 20 steps or more: " + case.commands.capture("cuda,nvtx,osrt"),
        )
        return
    pieces = case.pieces
    host = pieces.caused_by(*HOST_WORK) & (pieces.ns >= case.limits.long_piece_ns)
    lost = pieces.where(host & case.in_outliers(pieces) & ~in_data_range(case, pieces))
    if len(lost):
        yield _found(case, lost)


def _found(case: Case, lost: Pieces) -> Found:
    found = [(pace, np.flatnonzero(pace.outlier_steps(case.limits)).tolist()) for pace in case.paces]
    outliers = [(pace, step) for pace, steps in found for step in steps]
    count = plural(len(outliers), "step")
    ratio = max(float(pace.cycle[step] / pace.median_ns) for pace, step in outliers)
    first = case.first_starts
    new = sum(int(((first >= p.opening[i]) & (first < p.end[i])).sum()) for p, i in outliers)
    compiler = bool(compiles(case, lost).any())
    reasons = [
        f"{count} up to {ratio:.1f} times as long as the usual one, the host busy and the device idle in them"
    ]
    if compiler:
        reasons.append("a range or call in them is named after compilation or module loading")
    if new:
        reasons.append(f"{plural(new, 'kernel')} {'runs' if new == 1 else 'run'} for the first time in them")
    if not compiler and not new:
        reasons.append(
            "neither a compiler's range nor a new kernel was seen: it is the shape of the steps that speaks"
        )
    return Found(
        title=f"{count} {'takes' if len(outliers) == 1 else 'take'} up to {ratio:.1f} times as long: "
        "the host works, the GPU waits",
        evidence=(
            *(long_step(case, pace, step) for pace, step in outliers[:3]),
            *longest_gaps(case, lost, shown=2),
        ),
        confidence=Confidence.HIGH if compiler else Confidence.MEDIUM,
        reasons=tuple(reasons),
        confirm=case.commands.capture("cuda,nvtx,osrt", "--python-sampling=true")
        + "  (compiler frames inside the long steps); "
        "TORCH_LOGS=recompiles or jax.log_compiles show it without nsys",
        claims=lost.claims(),
    )


FAULT = Fault(
    "recompilation",
    "some steps compile or autotune",
    _examine,
    "Host time in which the device idles, inside steps that take several times the usual one.",
    advice=(
        "Feed fewer shapes: pad or bucket sequence lengths and batch sizes, "
        "`drop_last=True` for the last batch.",
        "`torch._dynamo.mark_dynamic(x, 0)` or `torch.compile(dynamic=True)`; "
        "`TORCH_LOGS=recompiles` names the guard that failed. "
        "In JAX: pad to fixed shapes, `jax.log_compiles(True)`, keep a persistent compilation cache.",
        "`torch.backends.cudnn.benchmark = False` where shapes vary: every new one is autotuned.",
    ),
    also_possible=(
        "evaluation, logging or a checkpoint in these steps: look at their ranges and OS calls",
        "one very long pause of another kind (garbage collection, a stalled file system)",
    ),
    limits=("long_piece_ns", "outlier_ratio", "steps_for_pattern", "warm_up_ratio"),
)
