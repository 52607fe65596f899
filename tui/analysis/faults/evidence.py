"""Helpers with which faults word what they measured."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tui.analysis.faults.case import Case
from tui.analysis.faults.finding import Evidence
from tui.analysis.faults.pace import Pace
from tui.analysis.faults.pieces import Pieces
from tui.analysis.grouping import by_text, dense, summed
from tui.analysis.phases import just_inside_step, phase_of_calls
from tui.report.columns import Int64, Positions
from tui.text.times import show_duration

CANDIDATES = 12
"""Places that a fault offers as evidence, the worst first: some may turn out to be another fault's doing."""


def share(part: float, whole: float) -> str:
    """``61 %``; ``?`` of nothing."""
    return f"{100 * part / whole:.0f} %" if whole else "?"


def heaviest(names: NDArray[np.integer], weights: Int64) -> int:
    """The name that carries most weight; -1 for none."""
    if not len(names):
        return -1
    groups, used = dense(names)
    return int(used[int(np.argmax(summed(groups, len(used), weights)))])


def usual_label(case: Case, pieces: Pieces) -> str | None:
    """The label of the range in which most of this time was lost; None where no range has half of it."""
    return _label(case, pieces.range, pieces.ns)


def _label(case: Case, ranges: Int64, weights: Int64) -> str | None:
    """The label that carries half of the weight: of the innermost ranges, else of those just in the step."""
    known = ranges >= 0
    if not known.any():
        return None
    for which in (ranges[known], just_inside_step(case.index, ranges[known], case.steps)):
        number, labels = labels_of(case, which)
        share_of = np.bincount(number, weights=weights[known], minlength=len(labels))
        best = int(np.argmax(share_of))
        if 2 * share_of[best] >= weights.sum():
            return labels[best]
    return None


def labels_of(case: Case, ranges: Int64) -> tuple[Positions, list[str]]:
    """(number of each range's label, the labels)."""
    return by_text(case.report.ranges.name[ranges], case.index.labels.__getitem__)


def usual_call(case: Case, pieces: Pieces) -> str | None:
    """The call in which most of this time was lost; None: no call."""
    known = pieces.where(pieces.call >= 0)
    return case.call_name(heaviest(known.call, known.ns)) if len(known) else None


def place(case: Case, pieces: Pieces, at: int) -> str:
    """``in step 3``, ``before step 4``, or where on the timeline."""
    if pieces.pace[at] < 0:
        return "outside the steps" if case.paces else ""
    pace = case.paces[int(pieces.pace[at])]
    step = int(pieces.step[at])
    inside = pieces.start[at] >= pace.start[step]
    return f"{'in' if inside else 'before'} step {int(pace.number[step])}"


def longest_gaps(case: Case, pieces: Pieces, shown: int = CANDIDATES) -> Iterator[Evidence]:
    """The gaps that lost most of this time, with their place among the steps."""
    if not len(pieces):
        return
    _, first = np.unique(pieces.gap, return_index=True)
    lost = np.add.reduceat(pieces.ns, first)
    for at in first[np.argsort(-lost, kind="stable")[:shown]].tolist():
        device, start, end = int(pieces.device[at]), int(pieces.gap_start[at]), int(pieces.gap_end[at])
        part = int(lost[np.searchsorted(first, at)])
        share_of = f" ({show_duration(part)} of it counts here)" if part < 0.9 * (end - start) else ""
        seen = f"{case.device_name(device)} idle for {show_duration(end - start)} {place(case, pieces, at)}"
        yield stretch(case, device, start, end, seen.rstrip() + share_of)


def stretch(case: Case, device: int, start: int, end: int, text: str) -> Evidence:
    """A stretch of a device's time, as the gaps command prints it."""
    return Evidence(text, end - start, "ns", case.commands.gaps(start, end, device), start, end, device)


def long_step(case: Case, pace: Pace, step: int) -> Evidence:
    """A step (a position in its pace) beside the usual one, as the steps command prints it."""
    number, ns, start = int(pace.number[step]), int(pace.duration[step]), int(pace.start[step])
    usual = show_duration(int(np.median(pace.duration)))
    text = f"step {number} takes {show_duration(ns)}, the usual one {usual}"
    return Evidence(text, ns, "ns", case.commands.steps(number), start, start + ns)


def longest(case: Case, ops: Positions) -> list[int]:
    """Those of these ops that take longest, as many as a fault offers."""
    table = case.report.ops
    order = np.argsort(table.start[ops] - table.end[ops], kind="stable")
    found: list[int] = ops[order[:CANDIDATES]].tolist()
    return found


def one_op(case: Case, op: int, text: str) -> Evidence:
    """An op, as cuda_gpu_trace prints it; ``text`` says of it how long it takes."""
    ops = case.report.ops
    start, end = int(ops.start[op]), int(ops.end[op])
    command = case.commands.stats("cuda_gpu_trace", start, end)
    return Evidence(text, end - start, "ns", command, start, end, int(ops.device[op]))


def op_time(case: Case, op: int) -> str:
    """How long an op takes, in words."""
    return show_duration(int(case.report.ops.end[op] - case.report.ops.start[op]))


def calls_made(case: Case, name: int) -> Evidence:
    """How often a call (a recorded name, a position in ``Report.strings``) was made in the window."""
    calls, window = case.report.calls, case.window
    mine = (calls.name == name) & (calls.start < window.end) & (calls.end > window.start)
    mine &= case.own_threads[calls.thread]
    found = np.flatnonzero(mine)
    at = (window.start, window.end)
    if len(found):
        longest = found[int(np.argmax(calls.end[found] - calls.start[found]))]
        at = (int(calls.start[longest]), int(calls.end[longest]))
    text = f"{case.call_name(name)} was called {len(found):,} times in the window"
    command = case.commands.stats("cuda_api_sum", window.start, window.end)
    return Evidence(text, len(found), "count", command, *at)


def charged(case: Case, fault: str, text: str, value: float | int, unit: str, at: int) -> Evidence:
    """A figure that only the diagnosis works out, shown at one op."""
    ops, command = case.report.ops, case.commands.diagnose(fault)
    return Evidence(text, value, unit, command, int(ops.start[at]), int(ops.end[at]), int(ops.device[at]))


def counted(case: Case, text: str, ops: Positions, command: str) -> Evidence:
    """How many of these ops there are, shown at the longest."""
    table, at = case.report.ops, longest(case, ops)[0]
    start, end, device = int(table.start[at]), int(table.end[at]), int(table.device[at])
    return Evidence(text, len(ops), "count", command, start, end, device)


def usual_range(case: Case, ops: Positions) -> str | None:
    """The label of the range under which half of the time of these ops was launched; None: no such range."""
    table = case.report.ops
    launch = table.launch[ops]
    ranges = np.full(len(ops), -1, np.int64)
    ranges[launch >= 0] = phase_of_calls(case.index, launch[launch >= 0].astype(np.int64))
    return _label(case, ranges, table.end[ops] - table.start[ops])


def calls_label(case: Case, calls: Int64) -> str | None:
    """The label of the range that half of these calls were made in; None: no such range."""
    return _label(case, phase_of_calls(case.index, calls), np.ones(len(calls), np.int64))
