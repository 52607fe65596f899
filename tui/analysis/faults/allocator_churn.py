"""Memory is allocated and freed in the middle of a step, where the caching allocator should make it rare."""

from __future__ import annotations

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import calls_made, heaviest, longest_gaps, usual_label
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Findings, Found, NotAssessable
from tui.analysis.faults.pieces import LAUNCHING, Pieces
from tui.text.numbers import plural


def _examine(case: Case) -> Findings:
    if not len(case.report.calls):
        yield NotAssessable("no CUDA API calls were recorded", case.commands.capture("cuda,nvtx"))
        return
    pieces = case.pieces
    drained = pieces.opened_by == BlameClass.MEMORY_MANAGEMENT
    lost = pieces.where(
        pieces.caused_by(BlameClass.MEMORY_MANAGEMENT) | (drained & pieces.caused_by(*LAUNCHING))
    )
    if case.paces:
        lost = lost.where(lost.step >= 0)
    calls = lost.where(lost.caused_by(BlameClass.MEMORY_MANAGEMENT) & (lost.call >= 0))
    if len(calls):
        yield _found(case, lost, calls)


def _found(case: Case, lost: Pieces, calls: Pieces) -> Found:
    steps = case.all_steps
    hit = calls.step_count if steps else 0
    names = sorted({case.call_name(int(n)) for n in np.unique(calls.call)})
    label = usual_label(case, calls.range, calls.ns)
    recurs = steps > 0 and hit >= case.limits.recurring_share * steps
    return Found(
        title=f"{' and '.join(names[:3])} keep the GPU idle"
        + (f" in {hit} of {plural(steps, 'step')}" if steps else "")
        + (f" under {label!r}" if label else ""),
        evidence=(*longest_gaps(case, lost), calls_made(case, heaviest(calls.call, calls.ns))),
        confidence=Confidence.HIGH if recurs else Confidence.MEDIUM,
        reasons=(
            "the launching thread was inside an allocation or release call "
            "while the device had nothing to do",
            "it happens in most steps" if recurs else "it does not happen in every step",
        ),
        confirm=case.commands.capture("cuda,nvtx", "--cuda-memory-usage=true", "--cudabacktrace=memory")
        + "  (in a capture of its own: it slows the program down); "
        "torch.cuda.memory_stats() reports num_alloc_retries",
        claims=lost.claims(),
    )


FAULT = Fault(
    "allocator-churn",
    "allocations and frees in the middle of steps",
    _examine,
    "Idle time during allocation and release calls inside the steps.",
    advice=(
        "`PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`: "
        "grows segments in place instead of freeing and asking again.",
        "Fix the shapes (pad or bucket sequences): every new size fragments the cache until it is emptied.",
        "Remove `torch.cuda.empty_cache()` from the loop; leave head-room in the batch size.",
        "Outside PyTorch: a pool (`cudaMallocAsync` with a release threshold, RMM; "
        "in JAX `XLA_PYTHON_CLIENT_PREALLOCATE=true`), and pinned buffers that are allocated once.",
    ),
    also_possible=(
        "the first steps of a run, in which the allocator grows to its final size",
        "cudaFree hides a wait: it returns only when the device is done",
    ),
    limits=("recurring_share",),
)
