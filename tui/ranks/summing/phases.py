"""What the phases of each step took: the ranges just inside the step, by label."""

from __future__ import annotations

import numpy as np

from tui.analysis.grouping import combined
from tui.intervals import overlaps, union
from tui.ranks.summary import PhaseRows
from tui.ranks.summing.accounts import first_owns
from tui.ranks.summing.subject import Subject
from tui.report.columns import Int64


def phase_rows(subject: Subject) -> PhaseRows:
    """The phases of a rank's steps, by step and label.

    Device time is that of the ops that the process launched, from any thread, while the step's thread was in
    the phase: a backward pass launches from a thread of its own while the step's thread waits for it.
    """
    index, sequence = subject.index, subject.sequence
    report = index.report
    none = np.zeros(0, np.int64)
    if sequence is None:
        return PhaseRows(none.astype(np.int32), none.astype(np.int32), none, none, none)
    ranges, ops, calls = report.ranges, report.ops, index.mpi_calls
    step_of_range = np.full(len(ranges) + 1, -1, np.int64)  # the last entry is for a parent of -1
    step_of_range[sequence.ranges] = np.arange(len(sequence))
    children = np.flatnonzero((step_of_range[ranges.parent] >= 0) & (ranges.thread == sequence.thread))
    pieces = first_owns(ranges.start[children], ranges.end[children])
    child = children[pieces.source]
    label = subject.names.of(ranges.name[child], lambda n: index.labels[n] if n >= 0 else None)
    group, first = combined(step_of_range[ranges.parent[child]], label)
    step = step_of_range[ranges.parent[child[first]]]

    def sums(which: Int64, ns: Int64) -> Int64:
        return np.bincount(which, ns, len(first)).astype(np.int64)

    mine = subject.mpi[calls.thread[subject.mpi] == sequence.thread]
    in_mpi = overlaps((pieces.start, pieces.end), union(calls.start[mine], calls.end[mine]))
    launched = subject.ops[ops.launch[subject.ops] >= 0]
    at = np.searchsorted(pieces.start, times := index.launched_at(launched), "right") - 1
    inside = (at >= 0) & (times < np.append(pieces.end, 0)[at])
    length = (ops.end[launched] - ops.start[launched])[inside]
    return PhaseRows(
        step=step.astype(np.int32),
        phase=label[first],
        host_ns=sums(group, pieces.end - pieces.start),
        mpi_ns=sums(group[in_mpi.left], in_mpi.end - in_mpi.start),
        device_ns=sums(group[at[inside]], length),
    )
