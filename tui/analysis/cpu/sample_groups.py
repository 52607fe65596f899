"""Which samples count, and how they are divided: by thread, step, phase or gap."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from tui.analysis.blame import find_blame
from tui.analysis.cpu.sampling import Samples
from tui.analysis.gaps import find_gaps
from tui.analysis.grouping import dense
from tui.analysis.index import Index
from tui.analysis.phases import Phase, phases
from tui.analysis.scope import Scope
from tui.analysis.stats.select import host_processes
from tui.analysis.steps import NO_STEPS, Steps, find_steps
from tui.analysis.table import Column, Unit
from tui.errors import NothingThere, UsageError
from tui.intervals import expand
from tui.report.columns import Int64, Positions


class Per(Enum):
    """What samples are told apart by, before what they name."""

    NOTHING = "nothing"
    THREAD = "thread"
    STEP = "step"
    PHASE = "phase"
    GAP = "gap"


@dataclass(frozen=True)
class Groups:
    """Samples in groups. A sample may be in none, or in several: in a gap of each of two devices."""

    rows: Positions
    """Positions in the samples."""
    group: Positions
    """Per row the number of its group."""
    columns: tuple[Column, ...]
    """What each group is: one value a group. None for samples that are not told apart."""
    count: int
    in_order: bool = True
    """Whether the groups have an order of their own; else the one with the most samples comes first."""


def chosen_samples(index: Index, scope: Scope, samples: Samples, threads: list[int] | None = None) -> Samples:
    """The samples in the window, of the processes in scope and of the threads with these tids."""
    window, found = scope.window, samples_of(index, scope, samples, threads)
    return found.part((found.start >= window.start) & (found.start < window.end))


def samples_of(index: Index, scope: Scope, samples: Samples, threads: list[int] | None = None) -> Samples:
    """The samples of any time, of the processes in scope and of the threads with these tids."""
    keep = np.ones(len(samples), bool)
    processes = host_processes(index.report, scope)
    if processes is not None:
        keep &= np.isin(samples.processes, processes)
    if threads is not None:
        there = {thread.tid for thread in samples.threads}
        if absent := [tid for tid in threads if tid not in there]:
            listed = ", ".join(sorted((str(tid) for tid in there if tid is not None), key=int)[:20])
            raise UsageError(f"no samples of thread {absent[0]}; there are those of {listed}")
        keep &= np.isin(samples.thread, [i for i, t in enumerate(samples.threads) if t.tid in set(threads)])
    return samples.part(keep)


def grouped(index: Index, scope: Scope, samples: Samples, per: Per, which: Phase, min_gap_ns: int) -> Groups:
    """Divide the samples. NothingThere: the report has no steps, or no gaps."""
    if per is Per.THREAD:
        return _by_thread(samples)
    if per is Per.STEP:
        return _by_step(index, scope, samples)
    if per is Per.PHASE:
        return _by_phase(index, samples, which)
    if per is Per.GAP:
        return _by_gap(index, scope, samples, min_gap_ns)
    rows = np.arange(len(samples))
    return Groups(rows, np.zeros(len(rows), np.intp), (), 1)


def _by_thread(samples: Samples) -> Groups:
    group, used = dense(samples.thread)
    threads = [samples.threads[i] for i in used.tolist()]
    columns = (
        Column("PID", "pid", Unit.ID, [thread.pid for thread in threads]),
        Column("TID", "tid", Unit.ID, [thread.tid for thread in threads]),
        Column("Thread", "thread", Unit.TEXT, [thread.name for thread in threads]),
    )
    return Groups(np.arange(len(samples)), group.astype(np.intp), columns, len(used), in_order=False)


def _by_step(index: Index, scope: Scope, samples: Samples) -> Groups:
    steps = _steps(index, scope)
    process = samples.processes
    rows, group = [np.zeros(0, np.intp)], [np.zeros(0, np.intp)]
    number: list[int] = []
    pid: list[int] = []
    for sequence in steps.sequences:
        mine = np.flatnonzero(process == sequence.process)
        at = np.searchsorted(sequence.start, samples.start[mine], "right") - 1
        inside = (at >= 0) & (samples.start[mine] < sequence.end[at])
        rows.append(mine[inside])
        group.append(len(number) + at[inside])
        number += range(1, len(sequence) + 1)
        pid += [index.report.processes[sequence.process].pid] * len(sequence)
    columns = (Column("PID", "pid", Unit.ID, pid), Column("Step", "step", Unit.ID, number))
    return Groups(np.concatenate(rows), np.concatenate(group), columns, len(number))


def _steps(index: Index, scope: Scope) -> Steps:
    steps = find_steps(index, None, scope.processes)
    if not steps:
        raise NothingThere(f"{index.report.path.name}: no steps found; name a range with --step")
    return steps


def _by_phase(index: Index, samples: Samples, which: Phase) -> Groups:
    steps = find_steps(index) if which is Phase.OUTER else NO_STEPS
    ranges: Int64 = index.range_at(samples.start, samples.positions)
    group, labels = phases(index, ranges, which, steps)
    columns = (Column("Phase", "phase", Unit.TEXT, labels, blank="-"),)
    return Groups(np.arange(len(samples)), group.astype(np.intp), columns, len(labels), in_order=False)


def _by_gap(index: Index, scope: Scope, samples: Samples, min_gap_ns: int) -> Groups:
    """In each gap the samples of the threads that are to blame, for as long as each of them is."""
    rows, group = [np.zeros(0, np.intp)], [np.zeros(0, np.intp)]
    device: list[int] = []
    number: list[int | None] = []
    start: list[int] = []
    for gaps in find_gaps(index, scope, min_gap_ns):
        blame = find_blame(index, gaps, ranges=False)
        part, sample = samples.inside(blame.start, blame.end, blame.thread)
        rows.append(sample)
        group.append(len(number) + blame.gap[part])
        device += [gaps.device.cuda_id] * len(gaps)
        number += [gaps.listed_number(i) for i in range(len(gaps))]
        start += gaps.start.tolist()
    if not number:
        raise NothingThere(f"{index.report.path.name}: no gaps in {scope.window.label}")
    columns = (
        Column("Device", "device", Unit.ID, device),
        Column("Gap", "gap", Unit.ID, number, blank="-"),
        Column("Start (ns)", "start_ns", Unit.NS, start),
    )
    return Groups(np.concatenate(rows), np.concatenate(group), columns, len(number))


def each_function(samples: Samples, groups: Groups) -> tuple[Groups, Positions]:
    """The same groups with a row for each function in each sample's stack, and that function's frame."""
    which, frame = samples.tree.functions(samples.node)
    first = np.searchsorted(which, np.arange(len(samples) + 1))
    row, place = expand(first[groups.rows], first[groups.rows + 1])
    return replace(groups, rows=groups.rows[row], group=groups.group[row]), frame[place]
