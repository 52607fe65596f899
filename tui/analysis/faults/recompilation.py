"""A few steps take many times as long, the host busy and the device idle: compilation or autotuning."""

from __future__ import annotations

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.compilers import compiler_processes, compiles, compiling
from tui.analysis.faults.data_ranges import in_data_range
from tui.analysis.faults.draining import debts
from tui.analysis.faults.evidence import CANDIDATES, long_step, longest_gaps
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Findings, Found, NotAssessable
from tui.analysis.faults.periodic_stall import periodic
from tui.analysis.faults.pieces import HOST_WORK, Pieces
from tui.report.columns import Positions
from tui.text.numbers import plural


def _examine(case: Case) -> Findings:
    pieces = case.pieces
    sure = compiling(case) & ~case.in_warm_up(pieces)
    # In the first step everything is new; without steps, what is named after compiling is warm-up.
    sure &= (pieces.step > 0) if case.paces else ~compiles(case, pieces)
    host = pieces.caused_by(*HOST_WORK) & (pieces.ns >= case.limits.long_piece_ns)
    by_shape = host & case.in_outliers(pieces) & ~in_data_range(case, pieces) & ~periodic(case)
    # What follows a wait that drained the device is that wait's doing, however long it takes.
    by_shape &= case.once("debts", lambda: debts(case, pieces)) < 0
    lost = pieces.where(sure | by_shape)
    if len(lost):
        yield _found(case, lost, seen=int(pieces.ns[sure].sum()))
    elif not any(len(p) >= case.limits.steps_for_pattern for p in case.paces):
        reason = "no steps found" if not case.paces else "too few steps to single out an unusual one"
        yield NotAssessable(
            f"{reason}: a step in which code was recompiled can't be told apart from the others",
            "annotate the loop and capture 20 steps or more: " + case.commands.capture("cuda,nvtx,osrt"),
        )


def _found(case: Case, lost: Pieces, seen: int) -> Found:
    """``seen``: how much of it is compilation by the evidence of names, ns."""
    hit = [np.unique(lost.step[(lost.pace == n) & (lost.step >= 0)]) for n in range(len(case.paces))]
    found = [
        (pace, step)
        for pace, steps in zip(case.paces, hit, strict=True)
        for step in steps[pace.outlier_steps(case.limits)[steps]].tolist()
    ]
    reasons = []
    if found:
        count = plural(len(found), "step")
        ratio = max(float(pace.cycle[step] / pace.median_ns) for pace, step in found)
        title = f"{count} {'takes' if len(found) == 1 else 'take'} up to {ratio:.1f} times as long: the host "
        reasons.append(
            f"{count} up to {ratio:.1f} times as long as the usual one, the host busy and the device idle"
        )
    else:
        steps = sum(map(len, hit))
        title = f"in {steps} of {plural(case.all_steps, 'step')} the host " if steps else "the host "
    compilers = compiler_processes(case) if len(case.report.os_calls) else None
    named = [name for name in (compilers.names if compilers else []) if seen]
    speaks = bool(compiles(case, lost).any())
    new = _new_kernels(case, hit)
    if named:
        reasons.append(f"compilers run meanwhile: {', '.join(named[:4])}")
    if speaks:
        reasons.append("a range or call in them is named after compilation or module loading")
    if new:
        reasons.append(f"{plural(new, 'kernel')} {'runs' if new == 1 else 'run'} for the first time in them")
    if not (named or speaks or new or seen):
        reasons.append(
            "neither a compiler's range nor a new kernel was seen: it is the shape of the steps that speaks"
        )
    return Found(
        title=title + ("compiles, the GPU waits" if seen else "works, the GPU waits"),
        evidence=(
            *(long_step(case, pace, step) for pace, step in found[:3]),
            *longest_gaps(case, lost, shown=2 if found else CANDIDATES),
        ),
        confidence=Confidence.HIGH if speaks or named else Confidence.MEDIUM,
        reasons=tuple(reasons),
        confirm=case.commands.capture("cuda,nvtx,osrt", "--python-sampling=true")
        + "  (compiler frames inside the long steps); "
        "TORCH_LOGS=recompiles or jax.log_compiles show it without nsys",
        claims=lost.claims(),
    )


def _new_kernels(case: Case, hit: list[Positions]) -> int:
    """Return how many kernels run for the first time in the steps that were hit (positions in each pace)."""
    first, new = case.first_starts, 0
    for pace, steps in zip(case.paces, hit, strict=True):
        for step in steps.tolist():
            new += int(((first >= pace.opening[step]) & (first < pace.end[step])).sum())
    return new


FAULT = Fault(
    "recompilation",
    "some steps compile or autotune",
    _examine,
    "Idle device while compilers run, by the names of processes, ranges and calls, or by new kernels after a "
    "fork; host work inside single steps that take several times the usual one.",
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
    limits=(
        "long_piece_ns",
        "periods",
        "input_share",
        "outlier_ratio",
        "steps_for_pattern",
        "warm_up_ratio",
        "big_copy_bytes",
    ),
)
