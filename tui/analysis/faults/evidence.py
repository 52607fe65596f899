"""Evidence and wording that several faults share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from tui.analysis.faults.case import Case
from tui.analysis.faults.finding import Claim, Evidence
from tui.analysis.faults.pace import Pace
from tui.analysis.faults.pieces import Pieces
from tui.analysis.grouping import by_text, dense, summed
from tui.analysis.index import Busy
from tui.analysis.phases import just_inside_step, phase_of_calls
from tui.report.columns import Int64, Positions
from tui.text.times import show_duration

CANDIDATES = 12
"""Stretches that a fault offers as evidence, the worst first: some may be charged to another fault."""


def share(part: float, whole: float) -> str:
    """Return ``61 %``; ``over 99 %`` and ``under 1 %`` of what is nearly all or none; ``?`` of nothing."""
    if not whole:
        return "?"
    pct = 100 * part / whole
    if 99.5 <= pct < 100:
        return "over 99 %"
    return "under 1 %" if 0 < pct < 0.5 else f"{pct:.0f} %"


def share_of(part: float, whole: float) -> str:
    """Return ``61 % of``, ``all of`` or ``none of``: what stands before "the kernels"."""
    if whole and part == whole:
        return "all of"
    return f"{share(part, whole)} of" if part else "none of"


def heaviest(names: NDArray[np.integer], weights: Int64 | None = None) -> int:
    """Return the name with the largest sum of weights (default: the most frequent one); -1 for none."""
    if not len(names):
        return -1
    groups, used = dense(names)
    sums = np.bincount(groups) if weights is None else summed(groups, len(used), weights)
    return int(used[int(np.argmax(sums))])


def usual_label(case: Case, ranges: Int64, weights: Int64) -> str | None:
    """Return the label with half of the weight: of these ranges, else of those around them just in the step.

    ``ranges``: -1 for none. None where no label has half of it.
    """
    known = ranges >= 0
    if not known.any():
        return None
    for which in (ranges[known], just_inside_step(case.index, ranges[known], case.steps)):
        number, labels = by_text(case.report.ranges.name[which], case.index.labels.__getitem__)
        label_weights = np.bincount(number, weights=weights[known], minlength=len(labels))
        best = int(np.argmax(label_weights))
        if 2 * label_weights[best] >= weights.sum():
            return labels[best]
    return None


def phase_label(case: Case, pieces: Pieces) -> str | None:
    """Return the label with half of this time; that of the steps themselves says nothing."""
    steps = case.steps.mask(len(case.report.ranges))
    ranges = np.where(pieces.in_ranges(steps), -1, pieces.range)
    return usual_label(case, ranges, pieces.ns)


def launch_ranges(case: Case, ops: Positions) -> Int64:
    """Return the innermost range around the launch of each op; -1 none."""
    launch = case.report.ops.launch[ops]
    ranges = np.full(len(ops), -1, np.int64)
    ranges[launch >= 0] = phase_of_calls(case.index, launch[launch >= 0].astype(np.int64))
    return ranges


def usual_call(case: Case, pieces: Pieces) -> str | None:
    """Return the call in which most of this time was lost; None: no call."""
    known = pieces.where(pieces.call >= 0)
    return case.call_name(heaviest(known.call, known.ns)) if len(known) else None


def place(case: Case, pieces: Pieces, at: int) -> str:
    """Return ``in step 3``, ``before step 4`` or ``outside the steps``; empty without steps."""
    if pieces.pace[at] < 0:
        return "outside the steps" if case.paces else ""
    pace = case.paces[int(pieces.pace[at])]
    step = int(pieces.step[at])
    inside = pieces.start[at] >= pace.start[step]
    return f"{'in' if inside else 'before'} step {int(pace.number[step])}"


def longest_gaps(case: Case, pieces: Pieces, shown: int = CANDIDATES) -> Iterator[Evidence]:
    """Yield the gaps that lost most of this time, with their place among the steps."""
    if not len(pieces):
        return
    _, first = np.unique(pieces.gap, return_index=True)
    lost = np.add.reduceat(pieces.ns, first)
    for i in np.argsort(-lost, kind="stable")[:shown].tolist():
        at, part = int(first[i]), int(lost[i])
        device, start, end = int(pieces.device[at]), int(pieces.gap_start[at]), int(pieces.gap_end[at])
        counted = f" ({show_duration(part)} of it counts here)" if part < 0.9 * (end - start) else ""
        seen = f"{case.device_name(device)} idle for {show_duration(end - start)} {place(case, pieces, at)}"
        yield stretch(case, device, start, end, seen.rstrip() + counted)


def stretch(case: Case, device: int, start: int, end: int, text: str, without: Busy = Busy.ALL) -> Evidence:
    """Return a stretch of a device's time, as the gaps command prints it.

    ``without``: what does not run in it: nothing at all, no kernel, or no compute.
    """
    command = case.commands.gaps(start, end, device, without)
    return Evidence(text, end - start, "ns", command, start, end, device)


def exposed_stretches(case: Case, claims: Iterable[Claim], what: str) -> Iterator[Evidence]:
    """Yield the longest stretches of these claims, in which nothing but ``what`` runs."""
    stretches: list[tuple[int, int, int, int]] = []
    for claim in claims:
        alone = claim.spans
        order = np.argsort(alone.start - alone.end, kind="stable")[:CANDIDATES]
        for start, end in zip(alone.start[order].tolist(), alone.end[order].tolist(), strict=True):
            stretches.append((end - start, start, end, claim.device))
    for ns, start, end, device in sorted(stretches, reverse=True)[:CANDIDATES]:
        text = f"{case.device_name(device)} computes nothing for {show_duration(ns)} while {what} runs"
        yield stretch(case, device, start, end, text, Busy.COMPUTE)


def long_step(case: Case, pace: Pace, step: int) -> Evidence:
    """Return a step (a position in its pace) beside the usual one, as the steps command prints it."""
    number, ns, start = int(pace.number[step]), int(pace.duration[step]), int(pace.start[step])
    usual = next(s for s in case.steps.sequences if s.process == pace.process).usual_ns(
        case.report.ranges.unfinished
    )
    text = f"step {number} takes {show_duration(ns)}, the usual one {show_duration(round(usual or 0))}"
    return Evidence(text, ns, "ns", step_command(case, number, start, start + ns), start, start + ns)


def step_command(case: Case, number: int, start: int, end: int) -> str:
    """Return the command that prints the figures of a step."""
    return case.commands.steps(number, start, end, alone=len(case.steps.sequences) == 1)


def longest(case: Case, ops: Positions) -> list[int]:
    """Return the longest of these ops, as many as a fault offers."""
    table = case.report.ops
    found: list[int] = ops[np.argsort(table.start[ops] - table.end[ops], kind="stable")[:CANDIDATES]].tolist()
    return found


def one_op(case: Case, op: int, text: str) -> Evidence:
    """Return an op, as cuda_gpu_trace prints it; ``text`` says how long it takes."""
    start, end = int(case.report.ops.start[op]), int(case.report.ops.end[op])
    return at_op(case, op, text, end - start, "ns", case.commands.stats("cuda_gpu_trace", start, end))


def at_op(case: Case, op: int, text: str, value: float | int, unit: str, command: str) -> Evidence:
    """Return a figure that ``command`` prints, shown at one op."""
    ops = case.report.ops
    return Evidence(text, value, unit, command, int(ops.start[op]), int(ops.end[op]), int(ops.device[op]))


def op_time(case: Case, op: int) -> str:
    """Return how long an op takes, in words."""
    return show_duration(int(case.report.ops.end[op] - case.report.ops.start[op]))


def total_time(case: Case, ops: Positions) -> int:
    """Return the duration of all these ops together, ns."""
    return int((case.report.ops.end[ops] - case.report.ops.start[ops]).sum())


def calls_made(case: Case, name: int) -> Evidence:
    """Return how often a call (its name, a position in ``Report.strings``) was made in the window."""
    calls, window = case.report.calls, case.window
    found = np.flatnonzero((calls.name == name) & case.calls_in_scope)
    at = (window.start, window.end)
    if len(found):
        longest = found[int(np.argmax(calls.end[found] - calls.start[found]))]
        at = (int(calls.start[longest]), int(calls.end[longest]))
    often = "once" if len(found) == 1 else f"{len(found):,} times"
    text = f"{case.call_name(name)} was called {often} in the window"
    command = case.commands.stats("cuda_api_sum", window.start, window.end)
    return Evidence(text, len(found), "count", command, *at)
