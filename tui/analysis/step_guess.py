"""Steps guessed from kernels alone, for captures without NVTX ranges. Only on request: it is a guess.

A training or decoding loop runs the same kernels over and over, and some of them once per iteration.
The guess is the rarest kernel that recurs evenly: about as many kernels from one instance to the
next, over most of the capture. A step runs from one instance to the next, on the device's clock.
"""

from __future__ import annotations

import numpy as np

from tui.analysis.index import Busy, Index, Processes
from tui.analysis.steps import NO_STEPS, Steps, StepSequence
from tui.report.columns import Int32, Positions, distinct_values
from tui.report.model import OpKind

_LEAST_STEPS = 3
"""How many steps there must be at least."""
_MOST_UNEVEN = 0.1
"""How much the number of kernels per step may differ from the median, as a share of it."""
_LEAST_COVERED = 0.8
"""The share of the kernels that must lie in steps."""
_MOST_TRIED = 64
"""How many kernels that occur equally often are tried."""


def guess_steps(index: Index, processes: Processes = None, *, launched: bool = False) -> Steps:
    """The steps of every process (or those given) as its busiest device's kernels suggest them.

    ``launched``: a step begins when its first kernel is launched, not when that runs.
    """
    report = index.report
    found, names = [], []
    for process in range(len(report.processes)):
        if processes is not None and process not in processes:
            continue
        kernels = _busiest(index, process)
        anchor = _anchor(report.ops.name[kernels])
        if anchor is None:
            continue
        first = kernels[anchor]
        start = np.sort(index.launched_at(first)) if launched else report.ops.start[first]
        end = np.append(start[1:], report.ops.end[kernels].max())
        names.append(report.strings[int(report.ops.name[first[0]])])
        none = np.full(len(start), -1, np.int64)
        found.append(StepSequence(process, -1, none, start, end, on_device=True))
    how = "a guess from kernels alone: each step begins with this kernel"
    return Steps(names[0], how, tuple(found)) if found else NO_STEPS


def _busiest(index: Index, process: int) -> Positions:
    """The kernels of a process on the device where it has most of them, by start."""
    ops = index.report.ops
    best = np.zeros(0, np.intp)
    for device, users in enumerate(index.users):
        if process in users:
            mine = index.ops_of(device, (process,), Busy.KERNELS)
            best = max(best, mine[ops.kind[mine] == OpKind.KERNEL], key=len)
    return best


def _anchor(names: Int32) -> Positions | None:
    """Positions among ``names`` of the kernel that begins each step; None: no kernel recurs evenly."""
    _, which, counts = np.unique(names, return_inverse=True, return_counts=True)
    for count in distinct_values(counts[counts >= _LEAST_STEPS]).tolist():
        tried = np.flatnonzero(counts == count)[:_MOST_TRIED]
        places = [np.flatnonzero(which == name) for name in tried]
        even = [p for p in places if _is_even(p, len(names))]
        if even:
            return min(even, key=lambda p: int(p[0]))
    return None


def _is_even(places: Positions, kernels: int) -> bool:
    """Whether these places divide most of a sequence of kernels into parts of about one size."""
    sizes = np.diff(places)
    usual = float(np.median(sizes))
    within = np.abs(sizes - usual) <= _MOST_UNEVEN * usual
    return bool(within.all()) and len(places) * usual >= _LEAST_COVERED * kernels
