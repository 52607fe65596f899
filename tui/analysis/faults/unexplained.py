"""Idle time that no fault of the catalogue explains, and what the host did in it."""

from __future__ import annotations

import numpy as np

from tui.analysis.blame import HOST_CODE_MEANS, BlameClass
from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import longest_gaps, share_of, usual_call, usual_label
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Claim, Confidence, Findings, Found, Lost
from tui.analysis.faults.pieces import Pieces
from tui.analysis.faults.uneven_steps import IDLE
from tui.intervals import Coverage, Spans, intersect, total, union

MEANING = {
    BlameClass.SYNCHRONISATION: "The host waits for the device and only then launches more: queue ahead.",
    BlameClass.MEMORY_MANAGEMENT: "Allocate once, before the loop; use a pool.",
    BlameClass.BLOCKING_COPY: "Copy asynchronously from pinned memory, beside compute.",
    BlameClass.LAUNCH: "A launch call itself takes long: a full queue, or code loaded at first use.",
    BlameClass.OTHER_CUDA_CALL: "Look at that call: module loading, context creation, queries in the loop.",
    BlameClass.MPI_CALL: "The rank waits for others, or its data travels: compare with their reports.",
    BlameClass.OS_CALL: (
        "The launching thread is in the operating system (files, locks, output): move that to another thread."
    ),
    BlameClass.GIL: (
        "The launching thread waits for Python's lock: move the other threads' work into processes."
    ),
    BlameClass.HOST_CODE: (
        "The launching thread computes or waits where no tool looks: "
        "sample it (below), move its work to the device, to other threads, or before the loop."
    ),
    BlameClass.LAUNCH_LATENCY: (
        "From launch to start on an idle device: first use of a kernel, or a slow driver path."
    ),
    BlameClass.QUEUED: "Queued work waits for an event, another stream or the graph's own order.",
    BlameClass.OTHER_CONTEXT: "The GPU worked for another process: ask for a GPU of one's own.",
    BlameClass.NO_LATER_WORK: (
        "Nothing more is launched: the program is done with the device, or the window ends late."
    ),
    BlameClass.UNKNOWN: "The host was not traced: capture with --trace=cuda,nvtx,osrt.",
    BlameClass.PROFILER_OVERHEAD: "The profiler's own work: trace less, and time runs without it.",
    BlameClass.JIT_COMPILATION: (
        "The driver compiles PTX: build for this GPU's architecture, or keep CUDA's compute cache."
    ),
    BlameClass.MODULE_LOAD: (
        "Code is loaded at first use: run every kernel once before the loop, or CUDA_MODULE_LOADING=EAGER."
    ),
}


def _examine(case: Case) -> Findings:
    # Shorter gaps are the device's own pace between queued kernels.
    left = {d.index: _in_gaps(case.pieces, d.index, case.unclaimed_inside(d.index)) for d in case.devices}
    ns = sum(total(*spans) for spans in left.values())
    # What makes steps uneven has a place, but no more of an explanation than the rest.
    told = case.once(IDLE, lambda: 0)
    if 100 * (ns + told) >= case.limits.unexplained_pct * case.device_ns:
        yield _found(case, left)


def _found(case: Case, left: dict[int, Spans]) -> Found:
    """``left``: the idle time of each device that no fault is charged with."""
    pieces = _mostly_left(case.pieces, left)
    by_cause = {cause: int(pieces.ns[pieces.cause == cause].sum()) for cause in BlameClass}
    seen = sum(by_cause.values())
    causes = sorted(BlameClass, key=lambda cause: -by_cause[cause])
    leading = [cause for cause in causes if by_cause[cause] >= max(0.1 * seen, 1)][:3]
    words = [_words(case, pieces, cause) for cause in leading]
    reasons = [f"{share_of(by_cause[c], seen)} it: {text}" for c, text in zip(leading, words, strict=True)]
    meant = f" ({HOST_CODE_MEANS})" if leading[:1] == [BlameClass.HOST_CODE] else ""
    if by_cause[BlameClass.HOST_CODE] and not len(case.report.os_calls):
        reasons.append("no OS calls were traced: host code may be waiting")
    return Found(
        title="the GPU idles for no reason in the catalogue"
        + (f"; most of it: {words[0]}{meant}" if words else ""),
        evidence=tuple(longest_gaps(case, pieces)),
        confidence=Confidence.MEDIUM,
        reasons=tuple(reasons),
        also_possible=("a phase that is not meant to use the GPU: choose a window with --range",),
        advice=tuple(dict.fromkeys(MEANING[cause] for cause in leading)),
        confirm=case.commands.capture("cuda,nvtx,osrt", "--sample=process-tree", "--python-sampling=true"),
        claims=tuple(Claim(device, Lost.IDLE, spans) for device, spans in left.items()),
    )


def _in_gaps(pieces: Pieces, device: int, spans: Spans) -> Spans:
    """Return the part of a device's ``spans`` that lies in gaps long enough to be explained."""
    mine = pieces.device == device
    return intersect(spans, union(pieces.start[mine], pieces.end[mine]))


def _mostly_left(pieces: Pieces, left: dict[int, Spans]) -> Pieces:
    """Return the pieces of which most is left."""
    keep = np.zeros(len(pieces), bool)
    for device, spans in left.items():
        mine = np.flatnonzero(pieces.device == device)
        open_ns = Coverage(spans.start, spans.end).between(pieces.start[mine], pieces.end[mine])
        keep[mine] = 2 * open_ns > pieces.ns[mine]
    return pieces.where(keep)


def _words(case: Case, pieces: Pieces, cause: BlameClass) -> str:
    """Return ``OS call (write)``, ``host code under 'forward'``."""
    mine = pieces.where(pieces.cause == cause)
    call, label = usual_call(case, mine), usual_label(case, mine.range, mine.ns)
    text = f"{cause.words} ({call})" if call else cause.words
    return f"{text} under {label!r}" if label else text


FAULT = Fault(
    "unexplained-idle",
    "idle time that nothing else explains",
    _examine,
    "Idle time that no other fault is charged with, by what the host was doing in it.",
    limits=("unexplained_pct",),
)
