"""The program waits for the device inside a step: the queue drains, and the device idles."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.analysis.blame import HOST_CODE_MEANS, BlameClass
from tui.analysis.faults.case import Case
from tui.analysis.faults.draining import debts, draining_syncs, final_drain, reasons_for_waits
from tui.analysis.faults.evidence import calls_made, heaviest, longest_gaps, share_of, usual_call, usual_label
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Findings, Found, NotAssessable
from tui.analysis.faults.launch_bound import launch_pace
from tui.analysis.faults.pieces import HOST_WORK, LAUNCHING, Pieces
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
    owed = case.once("debts", lambda: debts(case, pieces))
    # Until the host is ahead again, gaps between the first ops after a wait are its doing too. Where the host
    # can't keep ahead anyway, a wait is to blame only for its own debt.
    pace = launch_pace(case)
    ahead_again = pace is not None and not pace.bound
    later = draining_syncs(case, pieces, include_earlier=ahead_again)
    after = pieces.caused_by(*LAUNCHING, BlameClass.HOST_CODE, BlameClass.OTHER_CUDA_CALL)
    follows = (owed < 0) & (later >= 0) & after & (pieces.ns <= case.limits.catch_up_ns) & ahead_again
    sync = np.where(owed >= 0, owed, np.where(follows, later, -1))
    chosen = sync >= 0
    if case.paces:
        chosen &= pieces.step >= 0
    lost, sync = pieces.where(chosen), sync[chosen]
    syncs = np.unique(sync)
    # One wait in all is an event, such as the one before a measurement begins.
    if len(syncs) >= case.limits.syncs_in_all:
        yield _found(case, lost, syncs)


def _found(case: Case, lost: Pieces, syncs: Int64) -> Found:
    calls = case.report.calls
    name = heaviest(calls.name[syncs])
    call = case.call_name(name)
    if (calls.name[syncs] != name).any():
        call = f"waiting for the device (mostly {call})"
    steps = case.all_steps
    label = usual_label(case, phase_of_calls(case.index, syncs), np.ones(len(syncs), np.int64))
    where = "in many places" if len(case.report.ranges) else "outside any range"
    if label:
        where = f"mostly under {label!r}"
    gaps = plural(len(np.unique(lost.gap)), "gap")
    reasons = [
        f"{gaps} begin as a wait of a launching thread drains the device, and last until the next op that is "
        "launched after it",
        *_filled_by(case, lost),
        *reasons_for_waits(case, syncs),
    ]
    if final_drain(case) is not None:
        reasons.append("the wait after the last step is left out: it only completes what was queued")
    return Found(
        title=f"{call} drains the GPU {_rate(len(syncs), steps)}, {where}",
        evidence=(*longest_gaps(case, lost), calls_made(case, name)),
        confidence=Confidence.HIGH if len(syncs) >= max(steps, 1) and steps else Confidence.MEDIUM,
        reasons=tuple(reasons),
        confirm=case.commands.capture(
            "cuda,nvtx,osrt", "--sample=none", "--python-backtrace=cuda", "--cudabacktrace=sync"
        )
        + "  (the backtrace of each wait names the line of Python)",
        claims=lost.claims(),
    )


def _rate(syncs: int, steps: int) -> str:
    """Return ``8.0 times a step``, ``in every tenth step or so``, ``12 times``."""
    if not steps:
        return f"{syncs:,} times"
    if 2 * syncs >= steps:
        return f"{syncs / steps:.1f} times a step"
    return f"{syncs:,} times in {plural(steps, 'step')}"


def _filled_by(case: Case, lost: Pieces) -> Iterator[str]:
    """Yield what the host does between the waits and the next launch, where that is most of the time."""
    host = lost.where(lost.caused_by(*HOST_WORK))
    if not len(host) or 2 * host.ns.sum() < lost.ns.sum():
        return
    cause = max(HOST_WORK, key=lambda one: int(host.ns[host.cause == one].sum()))
    label, call = usual_label(case, host.range, host.ns), usual_call(case, host)
    what = f"{cause.words} ({HOST_CODE_MEANS})" if cause is BlameClass.HOST_CODE else call or cause.words
    yield (
        f"for {share_of(int(host.ns.sum()), int(lost.ns.sum()))} the time the host works before it launches "
        f"again: mostly {what}" + (f" under {label!r}" if label else "")
    )


FAULT = Fault(
    "hidden-sync",
    "synchronisation inside the steps drains the queue",
    _examine,
    "Gaps that begin while a thread waits and last until the next op launched after it, and those that "
    "follow until the host is ahead again.",
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
        "syncs_in_all",
        "lead_ns",
        "big_copy_bytes",
        "few_kernels",
        "queued_ns",
        "short_kernel_ns",
        "starved_share",
    ),
)
