"""The launching thread is inside MPI while the device idles: it waits for other ranks, or moves data."""

from __future__ import annotations

import re

import numpy as np

from tui.analysis.blame import BlameClass
from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import longest_gaps, phase_label, share, usual_call
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Confidence, Findings, Found
from tui.analysis.faults.pieces import Pieces
from tui.text.numbers import plural
from tui.text.times import show_duration

SETTING_UP = re.compile(r"^P?MPI_(Init\w*|Finalize\w*|Session_\w+)$", re.IGNORECASE)
"""Calls in which a rank starts or ends, not waits in its loop."""


def _examine(case: Case) -> Findings:
    pieces = case.pieces
    inside = pieces.caused_by(BlameClass.MPI_CALL)
    lost = pieces.where(inside & ~case.names_like(pieces.call, SETTING_UP))
    if len(lost):
        yield _found(case, lost)


def _found(case: Case, lost: Pieces) -> Found:
    whole = int(lost.ns.sum())
    call = usual_call(case, lost) or "MPI"
    names = np.unique(lost.call)
    per_name = [(int(lost.ns[lost.call == n].sum()), case.call_name(int(n))) for n in names if n >= 0]
    spent = ", ".join(f"{name} {share(ns, whole)}" for ns, name in sorted(per_name, reverse=True)[:3])
    label = phase_label(case, lost)
    gaps = len(np.unique(lost.gap))
    reasons = [
        f"the launching thread is inside MPI for {show_duration(whole)} of {plural(gaps, 'gap')} ({spent})"
        + (f", mostly under {label!r}" if label else ""),
        "one rank can't tell whether the others come late or their data travels that long: "
        "compare with the reports of the other ranks",
    ]
    each = f", in {lost.step_count} of {plural(case.all_steps, 'step')}" if case.paces else ""
    return Found(
        title=f"the GPU waits while its rank is in {call}{each}",
        evidence=tuple(longest_gaps(case, lost)),
        confidence=Confidence.HIGH,
        reasons=tuple(reasons),
        confirm=case.commands.capture("cuda,nvtx,osrt,mpi")
        + "  (on every rank: the one that spends the least time in MPI is the one that the others wait for)",
        claims=lost.claims(),
    )


FAULT = Fault(
    "mpi-wait",
    "the device idles while its rank is in MPI",
    _examine,
    "Idle time in which the launching thread is inside an MPI call.",
    advice=(
        "Balance the work: the rank that comes last decides; look for it in the other ranks' reports.",
        "Let the device work meanwhile: non-blocking calls (`MPI_Iallreduce`, `MPI_Isend`) with the wait "
        "after the next kernels are launched.",
        "Pass device memory to a CUDA-aware MPI, or use NCCL or NVSHMEM: no copy through the host, "
        "no wait of the host for the device.",
    ),
    also_possible=(
        "the network, or copies through host memory: large messages take this long even in step",
        "more ranks than cores, or ranks on the wrong socket",
    ),
)
