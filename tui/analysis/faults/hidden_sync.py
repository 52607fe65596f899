"""The program waits for the device in the middle of its work: the queue drains, the device idles."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.faults.case import Case
from tui.analysis.faults.commands import capture_line
from tui.analysis.faults.drain import final_drain
from tui.analysis.faults.evidence import calls_made, heaviest, longest_gaps, plural, share, usual_label
from tui.analysis.faults.pieces import Pieces
from tui.analysis.faults.shape import Confidence, Fault, Found, NotAssessable

SLUG = "hidden-sync"

ADVICE = (
    "Keep metrics on the device and read them every N steps: `loss.detach()` into a tensor, one `.item()` per "
    "log interval; `.cpu()`, `.item()`, `.tolist()`, `print(tensor)`, `if tensor:` and boolean indexing all wait.",
    "Find the line: `torch.cuda.set_sync_debug_mode('warn')`; in JAX look for `np.asarray(x)`, `float(x)` and "
    "`block_until_ready()` in the loop.",
    "Clip norms and loss scaling on the device: `clip_grad_norm_(foreach=True)`, a capturable optimizer.",
    "Drop `torch.cuda.synchronize()` that was put in for timing: use CUDA events.",
)
ALSO = (
    "the synchronisation is needed (a value decides what to launch): then launch other work first",
    "CUDA_LAUNCH_BLOCKING=1 or a debug setting that makes every call wait",
)


def examine(case: Case) -> Iterator[Found | NotAssessable]:
    """Gaps that began while the thread that ends them was in a synchronisation."""
    if not case.devices:
        return
    if not len(case.report.calls):
        yield NotAssessable(
            SLUG, "no CUDA API calls were recorded, so waits can't be seen", capture_line("cuda,nvtx")
        )
        return
    pieces = case.pieces
    drained = pieces.opened_by == BlameClass.SYNCHRONISATION
    own = pieces.cause == BlameClass.SYNCHRONISATION
    after = np.isin(
        pieces.cause,
        (BlameClass.LAUNCH_LATENCY, BlameClass.LAUNCH, BlameClass.HOST_CODE, BlameClass.OTHER_CUDA_CALL),
    )
    # After the wait the host needs a moment to launch again: that much idle time is the wait's doing too.
    lost = pieces.where(drained & (own | (after & (pieces.ns <= case.limits.catch_up_ns))))
    if case.paces:
        lost = lost.where(lost.step >= 0)
    if len(lost):
        yield from _found(case, lost)


def _found(case: Case, lost: Pieces) -> Iterator[Found]:
    gaps = len(np.unique(lost.gap))
    syncs = lost.where(lost.cause == BlameClass.SYNCHRONISATION)
    name = heaviest(syncs.call, np.ones(len(syncs), np.int64))
    call = case.call_name(name)
    label = usual_label(case, syncs)
    steps = sum(len(p) for p in case.paces)
    often = gaps / steps if steps else None
    if often is not None and often < case.limits.syncs_per_step:
        return
    if often is None and gaps < case.limits.few_kernels:
        return
    where = f"under {label!r}" if label else "outside any range"
    rate = f"{often:.1f} times a step" if often is not None else f"{gaps:,} times"
    evidence = [*longest_gaps(case, lost)]
    evidence.append(calls_made(case, name, "{call} was called {count} times in the window"))
    reasons = [f"{plural(gaps, 'gap')} began while the launching thread was inside a synchronisation"]
    if label:
        inside = int(syncs.ns[syncs.range >= 0].sum())
        reasons.append(f"most of them under {label!r} ({share(inside, int(syncs.ns.sum()))} inside ranges)")
    if final_drain(case):
        reasons.append("the wait after the last step is left out: it only completes what was queued")
    yield Found(
        fault=SLUG,
        title=f"{call} drains the GPU {rate}, mostly {where}",
        evidence=tuple(evidence),
        confidence=Confidence.HIGH if often is not None and often >= 1 else Confidence.MEDIUM,
        reasons=tuple(reasons),
        also_possible=ALSO,
        advice=ADVICE,
        confirm=capture_line(
            "cuda,nvtx,osrt", "--sample=none", "--python-backtrace=cuda", "--cudabacktrace=sync"
        )
        + "  (the backtrace of each wait names the line of Python)",
        claims=lost.claims(),
    )


FAULT = Fault(SLUG, "synchronisation inside the steps drains the queue", examine)
