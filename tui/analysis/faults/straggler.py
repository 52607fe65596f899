"""Collectives last longer than necessary because another rank comes late."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.faults.collectives import Collectives, collective_name, find_collectives
from tui.analysis.faults.evidence import CANDIDATES, one_op, op_time
from tui.analysis.faults.fault import Fault
from tui.analysis.faults.finding import Claim, Confidence, Findings, Found
from tui.analysis.faults.ledger import cost
from tui.report.columns import Int64
from tui.text.times import show_duration

LATE_START = (
    "Look at what the ranks that start late do before it (loading data, compiling, reading a checkpoint): "
    "their reports show it.",
    "Begin the capture after the first steps: what happens once is no property of the loop "
    "(`--capture-range=cudaProfilerApi`, or `--delay`).",
    "If start-up time itself matters: let the ranks meet in a barrier of the host after the set-up, and "
    "cache what they load.",
)
_SAME_MOMENT = 0.25
"""Ends further apart than this share of a collective are not of one: ranks leave it together."""


@dataclass(frozen=True)
class Waits:
    """How much later each collective ended because of another rank, and how that is known."""

    ns: Int64
    """For each collective; 0 where it did not wait."""
    last: Int64 | None = None
    """For each collective the device that came last (-1 unknown), where the other ranks are in the report."""
    steps: Int64 | None = None
    """Exposed communication of each step, where waits are inferred from how it varies."""


def _examine(case: Case) -> Findings:
    found = find_collectives(case)
    if not len(found.op):
        return
    measured = _measured(case, found)
    yield from _long_waits(case, found, measured)
    waits = measured or _inferred(case, found)
    if waits is None:
        return
    waits = replace(waits, ns=np.where(found.is_apart, 0, waits.ns))
    claims = case.exposed_claims(found.op, case.report.ops.end[found.op] - _delayed(case, found, waits.ns))
    if cost(claims):
        yield _found(case, found, waits, claims)


def _long_waits(case: Case, found: Collectives, measured: Waits | None) -> Findings:
    """Yield the collectives that are most of the time of their kind: what they take beyond the usual one."""
    if not found.apart:
        return
    ops = case.report.ops
    at = np.array([one.at for one in found.apart], np.int64)
    beyond = np.array([one.ns - one.usual_ns for one in found.apart], np.int64)
    if measured is not None:
        seen = measured.ns[at] > 0
        beyond = np.where(seen, np.minimum(measured.ns[at], beyond), beyond)
    claims = case.exposed_claims(found.op[at], ops.end[found.op[at]] - beyond)
    if not cost(claims):
        return
    texts, reasons = [], []
    for one in found.apart[:CANDIDATES]:
        op = int(found.op[one.at])
        name, who = collective_name(case, op), case.device_name(int(ops.device[op]))
        texts.append((op, f"{who} is in {name}, {one.place}, for {op_time(case, op)}; {one.others}"))
    one = found.apart[0]
    name = collective_name(case, int(found.op[one.at]))
    reasons = [
        f"no transfer takes {one.ns / max(1, one.usual_ns):,.0f} times what the same collective usually does",
        "the sums, averages and shares of its kind are this one instance: "
        "it is left out of every other finding",
    ]
    if one.is_first:
        reasons.append("it is the first of its communicator: ranks that start late, or the set-up itself")
    confidence = Confidence.MEDIUM
    if measured is not None and measured.last is not None and measured.last[one.at] >= 0:
        confidence = Confidence.HIGH
        late = case.device_name(int(measured.last[one.at]))
        reasons.append(f"arrivals were seen: {late} joins after {show_duration(int(measured.ns[one.at]))}")
    more = f"; so do {len(found.apart) - 1} of other kinds or devices" if len(found.apart) > 1 else ""
    sure = one.is_first or confidence is Confidence.HIGH
    takes = f"{'waits' if sure else 'seems to wait'} {show_duration(one.ns)} for other ranks"
    yield Found(
        title=f"{one.place} {name} {takes}; {one.usual}{more}",
        evidence=tuple(one_op(case, op, text) for op, text in texts),
        confidence=confidence,
        reasons=tuple(reasons),
        also_possible=(
            "a collective of far more data than the others of its name: then this is its transfer",
            "one rank stalled (a checkpoint, an evaluation, a retry in the network) and the others waited",
        ),
        confirm="one report a rank: "
        + case.commands.capture("cuda,nvtx,osrt", output="run_%q{RANK}")
        + f"; the late rank has a short {name} here",
        advice=LATE_START if one.is_first else None,
        claims=tuple(claims),
    )


def _measured(case: Case, found: Collectives) -> Waits | None:
    """Return waits by the arrival of the other devices' ranks; None where few of their collectives match."""
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
        at = np.minimum(np.searchsorted(ends, end[ours]), len(ends) - 1)
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
    # Had the last one come with the others, everything would have ended that much earlier.
    return Waits(np.minimum(latest, end) - start, last)


def _delayed(case: Case, found: Collectives, waited: Int64) -> Int64:
    """Return how much of the end of each collective would not be exposed if no rank had come late.

    Collectives that follow each other on a stream without a pause delay each other: had the first not waited,
    the next would have begun earlier, beside the compute that is over by now. Together they delay what
    follows by no more than they waited, so that much of their exposed time is charged, the last of it first.
    """
    ops = case.report.ops
    order = np.lexsort((ops.start[found.op], ops.stream[found.op], ops.device[found.op]))
    op, waits, exposed = found.op[order], waited[order], found.exposed[order]
    begins = np.ones(len(op), bool)
    pause = ops.start[op[1:]] - ops.end[op[:-1]]
    begins[1:] = (ops.stream[op[1:]] != ops.stream[op[:-1]]) | (pause > case.limits.blame_floor_ns)
    begins[1:] |= (ops.device[op[1:]] != ops.device[op[:-1]]) | (pause < -case.limits.blame_floor_ns)
    chain = np.cumsum(begins) - 1
    budget = np.bincount(chain, waits).astype(np.int64)
    upto = np.cumsum(exposed)
    last = np.append(np.flatnonzero(begins)[1:], len(op)) - 1
    later = upto[last][chain] - upto  # exposed in the collectives of the chain that follow
    delayed = np.empty(len(op), np.int64)
    delayed[order] = np.clip(budget[chain] - later, 0, exposed)
    return delayed


def _inferred(case: Case, found: Collectives) -> Waits | None:
    """Return the whole of each collective where exposed time varies widely from step to step, else None.

    It is an upper bound: one rank does not show which part is transfer and which is waiting.
    """
    spread: list[Int64] = []
    varies = np.zeros(len(found.op), bool)
    for number, pace in enumerate(case.paces):
        if len(pace) < case.limits.steps_for_pattern:
            continue
        mine = (found.pace == number) & ~found.exchange & ~found.is_apart
        per_step = np.bincount(found.step[mine], found.exposed[mine], len(pace)).astype(np.int64)
        low, middle, high = np.percentile(per_step[1:], [10, 50, 90])  # the first step fills the pipeline
        enough = 100 * per_step.sum() >= case.limits.exposed_pct * case.device_ns
        if enough and high - low >= case.limits.wait_spread * middle:
            varies |= mine
            spread.append(per_step)
    if not varies.any():
        return None
    duration = case.report.ops.end[found.op] - case.report.ops.start[found.op]
    return Waits(np.where(varies, duration, 0), steps=np.concatenate(spread))


def _found(case: Case, found: Collectives, waits: Waits, claims: list[Claim]) -> Found:
    ops = case.report.ops
    name = collective_name(case, int(found.op[int(np.argmax(waits.ns))]))
    evidence = []
    for at in np.argsort(-np.where(waits.ns > 0, found.exposed, 0), kind="stable")[:CANDIDATES].tolist():
        op = int(found.op[at])
        name_here = collective_name(case, op)
        text = f"{case.device_name(int(ops.device[op]))} is in {name_here} for {op_time(case, op)}"
        if waits.last is not None and waits.last[at] >= 0:
            text += f"; {case.device_name(int(waits.last[at]))} joins it last"
        evidence.append(one_op(case, op, text))
    if waits.last is not None:
        late, times = np.unique(waits.last[waits.last >= 0], return_counts=True)
        worst = int(np.argmax(times))
        who, seen = case.device_name(int(late[worst])), int(times.sum())
        title = f"{who} comes last to most collectives; the others wait inside them"
        if times[worst] < case.limits.last_share * seen:
            title = "the ranks come to their collectives at different times, and wait for each other in turn"
        reasons = [
            f"arrivals were seen: {who} is the last in {times[worst]:,} of {seen:,}; "
            f"the longest wait for the last takes {show_duration(int(waits.ns.max()))}"
        ]
        confidence = Confidence.HIGH
    else:
        assert waits.steps is not None
        low, high = np.percentile(waits.steps, [10, 90])
        title = f"{name} seems to wait for another rank: how long varies from step to step"
        reasons = [
            "the exposed communication of a step lies "
            f"between {show_duration(int(low))} and {show_duration(int(high))} (10th to 90th percentile); "
            "a transfer of one size keeps to its time",
            "one report can't prove it: a late rank and a congested network look the same from here",
            "the cost is an upper bound: it includes the transfer itself",
        ]
        confidence = Confidence.LOW
    return Found(
        title=title,
        evidence=tuple(evidence),
        confidence=confidence,
        reasons=tuple(reasons),
        confirm="one report a rank: "
        + case.commands.capture("cuda,nvtx,osrt", output="run_%q{RANK}")
        + f"; the late rank has the shortest {name}",
        claims=tuple(claims),
    )


FAULT = Fault(
    "straggler",
    "another rank comes late to the collectives",
    _examine,
    "Exposed time in collectives before the last rank came, seen or inferred from how it varies.",
    advice=(
        "Compare the ranks before touching the network: "
        "the late one has the long compute and the short collectives.",
        "Balance the work: equal token counts per rank (bucketing by length, packing), "
        "the same number of batches.",
        "Look at the late rank's machine: "
        "clocks and temperature (`nvidia-smi -q -d PERFORMANCE`), its loader, its host.",
    ),
    also_possible=(
        "the transfer itself varies: congestion, another job on the same fabric",
        "ranks that hold different amounts of work by design (pipeline stages, mixture of experts)",
    ),
    limits=("exposed_pct", "last_share", "wait_spread", "steps_for_pattern", "blame_floor_ns"),
)
