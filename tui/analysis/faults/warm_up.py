"""The capture begins with the run: loading, autotuning and first allocations are in its first steps."""

from __future__ import annotations

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.faults.case import Case
from tui.analysis.faults.compilers import compiles
from tui.analysis.faults.data_ranges import in_data_range
from tui.analysis.faults.evidence import long_step, longest_gaps, usual_label
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Evidence, Findings, Found
from tui.analysis.faults.pieces import HOST_WORK, LAUNCHING, Pieces
from tui.text.numbers import plural
from tui.text.times import show_duration


def _examine(case: Case) -> Findings:
    if not case.paces:
        yield from _first_uses(case)
        return
    if not any(pace.warm_up_steps(case.limits) for pace in case.paces):
        return
    pieces = case.pieces
    chosen = case.in_warm_up(pieces) & ~in_data_range(case, pieces)
    host = pieces.caused_by(*HOST_WORK, *LAUNCHING) & (pieces.ns >= case.limits.long_piece_ns)
    lost = pieces.where(chosen & (pieces.caused_by(BlameClass.MEMORY_MANAGEMENT) | host))
    if len(lost):
        yield _found(case, lost)


def _found(case: Case, lost: Pieces) -> Found:
    leading = [pace.warm_up_steps(case.limits) for pace in case.paces]
    evidence: list[Evidence] = []
    for pace, steps in zip(case.paces, leading, strict=True):
        evidence += [long_step(case, pace, step) for step in range(min(steps, 2))]
    allocating = int(lost.ns[lost.cause == BlameClass.MEMORY_MANAGEMENT].sum())
    first = f"the first {plural(max(leading), 'step')} of the capture"
    reasons = [f"only {first}: later ones keep to their pace"]
    if allocating:
        reasons.append(f"allocations in them take {show_duration(allocating)} of idle time")
    return Found(
        title=f"{first} {'is' if max(leading) == 1 else 'are'} warm-up",
        evidence=(*evidence, *longest_gaps(case, lost, shown=2)),
        confidence=Confidence.HIGH if allocating else Confidence.MEDIUM,
        reasons=tuple(reasons),
        confirm=_later_capture(case),
        claims=lost.claims(),
    )


def _later_capture(case: Case) -> str:
    begin_and_end = "--capture-range=cudaProfilerApi", "--capture-range-end=stop"
    return case.commands.capture("cuda,nvtx,osrt", *begin_and_end)


def _first_uses(case: Case) -> Findings:
    """Yield idle time in compilers and module loaders, and in long first launches of a kernel."""
    pieces = case.pieces
    compiling = pieces.caused_by(*HOST_WORK) & compiles(case, pieces)
    loading = pieces.caused_by(*LAUNCHING) & ~compiling
    loading &= (pieces.ns >= case.limits.long_piece_ns) & np.isin(pieces.gap_end, case.first_starts)
    lost = pieces.where(compiling | loading)
    if not len(lost):
        return
    compiled, loaded = int(pieces.ns[compiling].sum()), int(pieces.ns[loading].sum())
    reasons = []
    if compiled:
        label = usual_label(case, pieces.range[compiling], pieces.ns[compiling])
        where = f", most of it under {label!r}" if label else ""
        reasons.append(f"{show_duration(compiled)} idle in ranges or calls that compile or load code{where}")
    if loaded:
        reasons.append(
            f"{show_duration(loaded)} idle in the first launches of {plural(int(loading.sum()), 'kernel')}: "
            "code is loaded when it is first needed"
        )
    yield Found(
        title="kernels are compiled and loaded at their first use, and the GPU waits",
        evidence=tuple(longest_gaps(case, lost)),
        confidence=Confidence.HIGH if compiled >= loaded else Confidence.MEDIUM,
        reasons=tuple(reasons),
        also_possible=("a program that runs every kernel once and ends: then start-up is what it does",),
        advice=(
            "Run everything once before the timed part, and start the capture there: "
            "`cudaProfilerStart` with `--capture-range=cudaProfilerApi`, or `--delay`.",
            "If start-up time itself matters: compile ahead of time for this GPU "
            "(`-arch=sm_90`, no PTX JIT), cache what is compiled at run time, "
            "load modules early (`CUDA_MODULE_LOADING=EAGER`).",
        ),
        confirm=_later_capture(case),
        claims=lost.claims(),
    )


FAULT = Fault(
    "warm-up",
    "the capture begins before the run has settled",
    _examine,
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
