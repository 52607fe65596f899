"""The program waits for the device inside a step: the queue drains, and the device idles."""

from __future__ import annotations

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.faults.case import Case
from tui.analysis.faults.draining import draining_syncs, final_drain, reasons_for_waits
from tui.analysis.faults.evidence import calls_made, heaviest, longest_gaps, usual_label
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Findings, Found, NotAssessable
from tui.analysis.faults.launch_bound import launch_pace
from tui.analysis.faults.pieces import LAUNCHING, Pieces
from tui.analysis.phases import phase_of_calls
from tui.report.columns import Int64
from tui.text.numbers import plural


def _examine(case: Case) -> Findings:
    if not len(case.report.calls):
        yield NotAssessable(
            "no CUDA API calls were recorded, so waits can't be seen", case.commands.capture("cuda,nvtx")
        )
        return
    pieces = case.pieces
    pace = launch_pace(case)
    # Where the host can't keep ahead anyway, a wait is to blame only for the gap that it leaves itself.
    sync = draining_syncs(case, pieces, include_earlier=pace is not None and not pace.bound)
    own = pieces.caused_by(BlameClass.SYNCHRONISATION)
    after = pieces.caused_by(*LAUNCHING, BlameClass.HOST_CODE, BlameClass.OTHER_CUDA_CALL)
    chosen = (sync >= 0) & (own | (after & (pieces.ns <= case.limits.catch_up_ns)))
    if case.paces:
        chosen &= pieces.step >= 0
    lost, sync = pieces.where(chosen), sync[chosen]
    syncs, steps = np.unique(sync), case.all_steps
    # Fewer waits are events rather than how the loop runs.
    least = case.limits.syncs_per_step * steps if steps else case.limits.syncs_for_habit
    if len(lost) and len(syncs) >= least:
        yield _found(case, lost, syncs)


def _found(case: Case, lost: Pieces, syncs: Int64) -> Found:
    calls = case.report.calls
    name = heaviest(calls.name[syncs])
    call = case.call_name(name)
    if (calls.name[syncs] != name).any():
        call = f"waiting for the device (mostly {call})"
    steps = case.all_steps
    rate = f"{len(syncs) / steps:.1f} times a step" if steps else f"{len(syncs):,} times"
    label = usual_label(case, phase_of_calls(case.index, syncs), np.ones(len(syncs), np.int64))
    where = "in many places" if len(case.report.ranges) else "outside any range"
    if label:
        where = f"mostly under {label!r}"
    gaps = plural(len(np.unique(lost.gap)), "gap")
    reasons = [
        f"{gaps} follow a synchronisation by a thread that launches work, before the host is ahead again",
        *reasons_for_waits(case, syncs),
    ]
    if final_drain(case) is not None:
        reasons.append("the wait after the last step is left out: it only completes what was queued")
    return Found(
        title=f"{call} drains the GPU {rate}, {where}",
        evidence=(*longest_gaps(case, lost), calls_made(case, name)),
        confidence=Confidence.HIGH if len(syncs) >= max(steps, 1) and steps else Confidence.MEDIUM,
        reasons=tuple(reasons),
        confirm=case.commands.capture(
            "cuda,nvtx,osrt", "--sample=none", "--python-backtrace=cuda", "--cudabacktrace=sync"
        )
        + "  (the backtrace of each wait names the line of Python)",
        claims=lost.claims(),
    )


FAULT = Fault(
    "hidden-sync",
    "synchronisation inside the steps drains the queue",
    _examine,
    "Gaps that begin while a thread waits, and those that follow until the host is ahead again.",
    advice=(
        "Keep metrics on the device and read them every N steps: "
        "`loss.detach()` into a tensor, one `.item()` per log interval; "
        "`.cpu()`, `.item()`, `.tolist()`, `print(tensor)`, `if tensor:` and boolean indexing all wait.",
        "Find the line: `torch.cuda.set_sync_debug_mode('warn')`; "
        "in JAX look for `np.asarray(x)`, `float(x)` and `block_until_ready()` in the loop.",
        "Clip norms and loss scaling on the device: `clip_grad_norm_(foreach=True)`, a capturable optimizer.",
        "Drop `torch.cuda.synchronize()` that was put in for timing: use CUDA events.",
    ),
    also_possible=(
        "the synchronisation is needed (a value decides what to launch): then launch other work first",
        "CUDA_LAUNCH_BLOCKING=1 or a debug setting that makes every call wait",
    ),
    limits=(
        "catch_up_ns",
        "syncs_per_step",
        "syncs_for_habit",
        "lead_ns",
        "big_copy_bytes",
        "few_kernels",
        "queued_ns",
        "short_kernel_ns",
        "starved_share",
    ),
)
