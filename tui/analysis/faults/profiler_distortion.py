"""The profiler itself is in the way: buffers flushed on the launching thread, sampling switched on."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.evidence import plural
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.shape import Claim, Confidence, Evidence, Found, Lost, NotAssessable
from tui.intervals import Spans, overlaps, union
from tui.report.model import OtherEvents
from tui.text.units import show_duration

SLUG = "profiler-distortion"

OVERHEAD_TABLES = ("PROFILER_OVERHEAD", "CUPTI_ACTIVITY_KIND_OVERHEAD")
SAMPLE_TABLE = "COMPOSITE_EVENTS"
NOT_THE_PROFILER = re.compile(r"compil|lazy|function loading", re.IGNORECASE)
"""Overheads that the driver has without a profiler, too."""


def examine(case: Case) -> Iterator[Found | NotAssessable]:
    """See :data:`FAULT`."""
    if not case.report.has.intersection(OVERHEAD_TABLES):
        yield NotAssessable(
            "the export holds no record of the profiler's own overhead",
            "a release that exports PROFILER_OVERHEAD; "
            + case.commands.capture("cuda,nvtx", "--sample=none"),
        )
    claims, evidence, flushes = _in_gaps(case)
    lost = sum(int((c.spans.end - c.spans.start).sum()) for c in claims)
    if lost:
        names = sorted(flushes, key=lambda n: -flushes[n])
        reasons = [f"{names[0]!r} runs on the launching thread while the device has nothing to do"]
        sampled = samples(case)
        if sampled:
            reasons.append(f"CPU sampling was on: {plural(sampled, 'sample')}")
        yield Found(
            title=f"the profiler holds the launching thread up: {names[0]}",
            evidence=tuple(evidence),
            confidence=Confidence.HIGH,
            reasons=tuple(reasons),
            confirm=case.commands.capture("cuda,nvtx", "--sample=none", "--cpuctxsw=none"),
            claims=tuple(claims),
        )


def samples(case: Case) -> int:
    """How many CPU samples the profiler took."""
    return sum(t.rows for t in case.report.tables if t.name == SAMPLE_TABLE)


def sampling_note(case: Case) -> str | None:
    """A word of warning where CPU sampling was on; None where it was not."""
    taken = samples(case)
    if not taken:
        return None
    return (
        f"CPU sampling was on ({plural(taken, 'sample')}): it takes some of the host's time, so time runs "
        "and judge host-boundness with --sample=none --cpuctxsw=none"
    )


def _in_gaps(case: Case) -> tuple[list[Claim], list[Evidence], dict[str, int]]:
    """What overhead rows cost each device, the worst of them, and nanoseconds by name."""
    pieces = case.pieces
    claims: list[Claim] = []
    rows: list[tuple[int, int, int, int, str]] = []
    by_name: dict[str, int] = {}
    for table in OVERHEAD_TABLES:
        events = case.report.others.get(table)
        if events is None or not len(pieces):
            continue
        own = ~case.names_like(events.name, NOT_THE_PROFILER)
        for thread in np.unique(events.thread[own & (events.thread >= 0)]):
            at = np.flatnonzero(own & (events.thread == thread))
            flush = union(events.start[at], events.end[at])
            for device in np.unique(pieces.device):
                mine = (pieces.thread == thread) & (pieces.device == device)
                found = overlaps((pieces.start[mine], pieces.end[mine]), flush)
                if not len(found.start):
                    continue
                claims.append(Claim(int(device), Lost.IDLE, Spans(found.start, found.end)))
                rows += _worst(case, events, at, found.start, found.end, int(device), by_name)
    rows.sort(reverse=True)
    evidence = [
        Evidence(
            f"{name} for {show_duration(end - start)}, {show_duration(lost)} of it with "
            f"{case.device_name(device)} idle",
            lost,
            "ns",
            case.commands.gaps(start, end, device),
            start,
            end,
            device,
        )
        for lost, start, end, device, name in rows[:4]
    ]
    return claims, evidence, by_name


def _worst(
    case: Case,
    events: OtherEvents,
    at: np.ndarray,
    start: np.ndarray,
    end: np.ndarray,
    device: int,
    by_name: dict[str, int],
) -> list[tuple[int, int, int, int, str]]:
    """(idle ns, start, end, device, name) of the overhead rows that cost most; adds to ``by_name``."""
    lost = overlaps((events.start[at], events.end[at]), union(start, end))
    ns = np.bincount(lost.left, weights=lost.end - lost.start, minlength=len(at)).astype(np.int64)
    for row in np.flatnonzero(ns).tolist():
        name = case.text(int(events.name[at[row]])) if events.name[at[row]] >= 0 else "profiler overhead"
        by_name[name] = by_name.get(name, 0) + int(ns[row])
    worst = np.argsort(-ns, kind="stable")[:4]
    return [
        (
            int(ns[i]),
            int(events.start[at[i]]),
            int(events.end[at[i]]),
            device,
            case.text(int(events.name[at[i]])) if events.name[at[i]] >= 0 else "profiler overhead",
        )
        for i in worst.tolist()
        if ns[i]
    ]


FAULT = Fault(
    SLUG,
    "the profiler's own work is in the way",
    examine,
    "Idle time in which the responsible thread was inside the profiler's own work.",
    advice=(
        "Time runs with as little as possible: `--trace=cuda,nvtx --sample=none --cpuctxsw=none`, no "
        "backtraces.",
        "Fewer flushes: a shorter capture, `--cuda-flush-interval=0` left alone, `--cuda-event-trace=false`.",
        "Judge the step time by a run without the profiler.",
    ),
    also_possible=("the program would have waited here anyway: the flush used a pause",),
)
