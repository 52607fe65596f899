"""Collectives last longer than they need because another rank comes late."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.collectives import Collectives, collective_name, find_collectives
from tui.analysis.faults.commands import capture_line
from tui.analysis.faults.shape import Claim, Confidence, Evidence, Fault, Found, Lost, NotAssessable
from tui.analysis.units import show_duration
from tui.report.model import Int64

SLUG = "straggler"

ADVICE = (
    "Compare the ranks before touching the network: the late one has the long compute and the short collectives.",
    "Balance the work: equal token counts per rank (bucketing by length, packing), the same number of batches.",
    "Look at the late rank's machine: clocks and temperature (`nvidia-smi -q -d PERFORMANCE`), its loader, its host.",
)
ALSO = (
    "the transfer itself varies: congestion, another job on the same fabric",
    "ranks that hold different amounts of work by design (pipeline stages, mixture of experts)",
)

_SAME_MOMENT = 0.25
"""Ranks leave a collective together: ends further apart than this share of it are not one collective."""


@dataclass(frozen=True)
class Waits:
    """How long each collective waited for others before anything was transferred (ns), and how it's known."""

    ns: Int64
    measured: bool
    """True: the other ranks are in the report and their arrival was seen."""
    last: Int64 | None = None
    """Per collective the device that came last (-1 unknown); None where not measured."""


def examine(case: Case) -> Iterator[Found | NotAssessable]:
    """Exposed time in collectives before the last rank came, seen or inferred from how durations vary."""
    found = find_collectives(case)
    if not len(found.op):
        return
    waits = _measured(case, found) or _inferred(case, found)
    ops = case.report.ops
    claims = []
    for device in np.unique(ops.device[found.op]).tolist():
        mine = np.flatnonzero(ops.device[found.op] == device)
        start = ops.start[found.op[mine]]
        spans = case.alone(device, start, start + waits.ns[mine])
        claims.append(Claim(device, Lost.SERIALISED, spans))
    if any(len(c.spans.start) for c in claims):
        yield _found(case, found, waits, claims)


def _measured(case: Case, found: Collectives) -> Waits | None:
    """Waits by the arrival of the other devices' ranks; None where no other rank's collectives match."""
    ops = case.report.ops
    device = ops.device[found.op]
    devices = np.unique(device)
    if len(devices) < 2:
        return None
    start, end, name = ops.start[found.op], ops.end[found.op], ops.name[found.op]
    latest, last = start.copy(), device.astype(np.int64)
    matched = np.zeros(len(start), bool)
    for other in devices.tolist():
        theirs = np.flatnonzero(device == other)
        order = theirs[np.argsort(end[theirs], kind="stable")]
        ends = end[order]
        ours = np.flatnonzero(device != other)
        at = (
            np.clip(np.searchsorted(ends, end[ours]), 1, len(ends) - 1)
            if len(ends) > 1
            else np.zeros(len(ours), int)
        )
        before = np.maximum(at - 1, 0)
        nearer = np.where(np.abs(ends[before] - end[ours]) <= np.abs(ends[at] - end[ours]), before, at)
        peer = order[nearer]
        tolerance = _SAME_MOMENT * (end[ours] - start[ours])
        same = (np.abs(end[peer] - end[ours]) <= tolerance) & (name[peer] == name[ours])
        same &= start[peer] < end[ours]
        hit, who = ours[same], peer[same]
        later = start[who] > latest[hit]
        latest[hit[later]] = start[who[later]]
        last[hit[later]] = other
        matched[hit] = True
    if matched.mean() < 0.5:
        return None
    last[~matched] = -1
    return Waits(latest - start, True, last)


def _inferred(case: Case, found: Collectives) -> Waits:
    """Waits as what a collective takes beyond the quickest of its kind, where its duration varies widely."""
    ops = case.report.ops
    duration = ops.end[found.op] - ops.start[found.op]
    least = np.full(found.groups, np.iinfo(np.int64).max)
    np.minimum.at(least, found.group, duration)
    order = np.lexsort((duration, found.group))
    count = np.bincount(found.group, minlength=found.groups)
    middle = duration[order][np.cumsum(count) - count + count // 2]
    varies = (middle >= (1 + case.limits.wait_spread) * least) & (count >= case.limits.steps_for_pattern)
    ns: Int64 = np.where(varies[found.group], duration - least[found.group], 0)
    return Waits(ns, False)


def _found(case: Case, found: Collectives, waits: Waits, claims: list[Claim]) -> Found:
    ops = case.report.ops
    name = collective_name(case, int(found.op[int(np.argmax(waits.ns))]))
    reasons = [
        f"the {name} of the same place in the step takes between {show_duration(_least(case, found, waits))} and "
        f"{show_duration(_most(case, found, waits))}"
    ]
    evidence = []
    for at in np.argsort(-waits.ns, kind="stable")[:3].tolist():
        op = int(found.op[at])
        start, end, device = int(ops.start[op]), int(ops.end[op]), int(ops.device[op])
        text = (
            f"{case.device_name(device)} is in {collective_name(case, op)} for {show_duration(end - start)}"
        )
        if waits.last is not None and waits.last[at] >= 0:
            text += (
                f", {case.device_name(int(waits.last[at]))} joins after {show_duration(int(waits.ns[at]))}"
            )
        evidence.append(
            Evidence(
                text, end - start, "ns", case.commands.stats("cuda_gpu_trace", start, end), start, end, device
            )
        )
    if waits.measured:
        assert waits.last is not None
        known = waits.last[waits.last >= 0]
        late, times = np.unique(known, return_counts=True)
        worst = int(np.argmax(times))
        title = f"{case.device_name(int(late[worst]))} comes last to most collectives; the others wait inside them"
        reasons.append(
            f"arrivals were seen: {case.device_name(int(late[worst]))} is the last in {times[worst]:,} of {len(known):,}"
        )
        confidence = Confidence.HIGH
    else:
        title = f"{name} waits for another rank, for how long varies from step to step"
        reasons.append("one report can't prove it: a slow network and a late rank look the same from here")
        confidence = Confidence.LOW
    return Found(
        fault=SLUG,
        title=title,
        evidence=tuple(evidence),
        confidence=confidence,
        reasons=tuple(reasons),
        also_possible=ALSO,
        advice=ADVICE,
        confirm="one report a rank: "
        + capture_line("cuda,nvtx,osrt").replace("-o run", "-o run_%q{RANK}")
        + f"; the late rank has the shortest {name}",
        claims=tuple(claims),
    )


def _group(found: Collectives, waits: Waits) -> Int64:
    chosen: Int64 = np.flatnonzero(found.group == found.group[int(np.argmax(waits.ns))])
    return chosen


def _least(case: Case, found: Collectives, waits: Waits) -> int:
    ops, mine = case.report.ops, found.op[_group(found, waits)]
    return int((ops.end[mine] - ops.start[mine]).min())


def _most(case: Case, found: Collectives, waits: Waits) -> int:
    ops, mine = case.report.ops, found.op[_group(found, waits)]
    return int((ops.end[mine] - ops.start[mine]).max())


FAULT = Fault(SLUG, "another rank comes late to the collectives", examine)
