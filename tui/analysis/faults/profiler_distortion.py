"""The profiler delays the program: buffers flushed on the launching thread, CPU sampling."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from tui.analysis.accounts import not_idle
from tui.analysis.faults.case import Case
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Claim, Confidence, Evidence, Findings, Found, Lost, NotAssessable
from tui.analysis.overhead import SOURCES, OverheadKind
from tui.intervals import Spans, overlaps, union
from tui.text.numbers import plural
from tui.text.times import show_duration

SLUG = "profiler-distortion"

SAMPLE_TABLE = "COMPOSITE_EVENTS"


class Flush(NamedTuple):
    """One row of the profiler's overhead, with the idle time of a device that it explains."""

    lost: int
    start: int
    end: int
    device: int
    name: str


def _examine(case: Case) -> Findings:
    if not case.report.has.intersection(SOURCES):
        yield NotAssessable(
            "the export holds no record of the profiler's own overhead",
            "a release that exports PROFILER_OVERHEAD; "
            + case.commands.capture("cuda,nvtx", "--sample=none"),
        )
    claims, flushes = _in_gaps(case)
    if not flushes:
        return
    by_name: Counter[str] = Counter()
    for flush in flushes:
        by_name[flush.name] += flush.lost
    ((name, _),) = by_name.most_common(1)
    reasons = [f"{name!r} runs on the launching thread while the device has nothing to do"]
    if samples := _samples(case):
        reasons.append(f"CPU sampling was on: {plural(samples, 'sample')}")
    yield Found(
        title=f"the profiler holds the launching thread up: {name}",
        evidence=tuple(_evidence(case, flush) for flush in sorted(flushes, reverse=True)[:4]),
        confidence=Confidence.HIGH,
        reasons=tuple(reasons),
        confirm=case.commands.capture("cuda,nvtx", "--sample=none", "--cpuctxsw=none"),
        claims=tuple(claims),
    )


def _evidence(case: Case, flush: Flush) -> Evidence:
    # All of the idle time in it, as the command prints it: a little of that may end with another thread's op.
    held = not_idle(case.index, flush.device, case.scope.processes)
    took, idle = flush.end - flush.start, flush.end - flush.start - held.length(flush.start, flush.end)
    device = case.device_name(flush.device)
    text = f"{flush.name} for {show_duration(took)}, {show_duration(idle)} of it with {device} idle"
    command = case.commands.gaps(flush.start, flush.end, flush.device)
    return Evidence(text, idle, "ns", command, flush.start, flush.end, flush.device)


def _samples(case: Case) -> int:
    return sum(t.rows for t in case.report.tables if t.name == SAMPLE_TABLE)


def sampling_note(case: Case) -> str | None:
    """Return a warning where CPU sampling was on; None where it was not."""
    if not (samples := _samples(case)):
        return None
    return (
        f"CPU sampling was on ({plural(samples, 'sample')}): it takes some of the host's time, "
        "so time runs and judge host-boundness with --sample=none --cpuctxsw=none"
    )


def _in_gaps(case: Case) -> tuple[list[Claim], list[Flush]]:
    """Return the idle time that overhead rows explain, by device, and the rows that explain any."""
    pieces = case.pieces
    claims: list[Claim] = []
    flushes: list[Flush] = []
    beside = case.index.overhead
    beside = beside.where(beside.kind == OverheadKind.PROFILER)
    for thread in np.intersect1d(beside.thread, pieces.thread).tolist():
        at = np.flatnonzero(beside.thread == thread)
        start, end = beside.start[at], beside.end[at]
        for device in np.unique(pieces.device).tolist():
            mine = (pieces.thread == thread) & (pieces.device == device)
            found = overlaps((pieces.start[mine], pieces.end[mine]), union(start, end))
            if not len(found.start):
                continue
            claims.append(Claim(device, Lost.IDLE, Spans(found.start, found.end)))
            lost = overlaps((start, end), union(found.start, found.end))
            ns = np.bincount(lost.left, weights=lost.end - lost.start, minlength=len(at)).astype(np.int64)
            for i in np.flatnonzero(ns).tolist():
                name = int(beside.name[at[i]])
                text = case.text(name) if name >= 0 else "profiler overhead"
                flushes.append(Flush(int(ns[i]), int(start[i]), int(end[i]), device, text))
    return claims, flushes


FAULT = Fault(
    SLUG,
    "the profiler's own work is in the way",
    _examine,
    "Idle time in which the responsible thread was inside the profiler's own work.",
    advice=(
        "Time runs with as little as possible: `--trace=cuda,nvtx --sample=none --cpuctxsw=none`, "
        "no backtraces.",
        "Fewer flushes: a shorter capture, `--cuda-flush-interval=0` left alone, `--cuda-event-trace=false`.",
        "Judge the step time by a run without the profiler.",
    ),
    also_possible=("the program would have waited here anyway: the flush used a pause",),
)
