"""Steps guessed from kernels alone, for captures without NVTX ranges. Only on request: it is a guess.

A training or decoding loop runs the same kernels over and over, and some of them once per iteration.
The guess is the rarest kernel that recurs evenly: about as many kernels from one instance to the
next, over most of the capture. A step runs from one instance to the next, on the device's clock.
"""

from __future__ import annotations

import numpy as np

from tui.analysis.index import Busy, Index, Processes
from tui.analysis.steps import NO_STEPS, Steps, StepSequence
from tui.report.columns import Int32, Positions
from tui.report.model import OpKind

_LEAST = 3
"""So many steps at least."""
_UNEVEN = 0.1
"""So much may the number of kernels per step differ from the median."""
_COVERS = 0.8
"""Such a share of the kernels must lie in steps."""
_TRIED = 64
"""So many kernels of one count are tried."""


def guess_steps(index: Index, processes: Processes = None) -> Steps:
    """The steps of every process (or those given) as its busiest device's kernels suggest them."""
    report = index.report
    found = []
    anchors: list[str] = []
    for process in range(len(report.processes)):
        if processes is not None and process not in processes:
            continue
        kernels = _busiest(index, process)
        anchor = _anchor(report.ops.name[kernels])
        if anchor is None:
            continue
        first = kernels[anchor]
        start = report.ops.start[first]
        end = np.append(start[1:], report.ops.end[kernels].max())
        anchors.append(report.strings[int(report.ops.name[first[0]])])
        none = np.full(len(start), -1, np.int64)
        found.append(StepSequence(process, -1, none, start, end, on_device=True))
    if not found:
        return NO_STEPS
    how = "a guess from kernels alone: each step begins with this kernel"
    return Steps(anchors[0], how, tuple(found))


def _busiest(index: Index, process: int) -> Positions:
    """The kernels of a process on the device where it has most of them, by start."""
    ops = index.report.ops
    best = np.zeros(0, np.intp)
    for device, users in enumerate(index.users):
        if process in users:
            mine = index.ops_of(device, (process,), Busy.KERNELS)
            mine = mine[ops.kind[mine] == OpKind.KERNEL]
            best = mine if len(mine) > len(best) else best
    return best


def _anchor(names: Int32) -> Positions | None:
    """Where the kernel that begins each step stands among all kernels; None: nothing recurs evenly."""
    _, which, counts = np.unique(names, return_inverse=True, return_counts=True)
    for count in np.unique(counts[counts >= _LEAST]).tolist():
        tried = np.flatnonzero(counts == count)[:_TRIED]
        places = [np.flatnonzero(which == name) for name in tried]
        even = [p for p in places if _is_even(p, len(names))]
        if even:
            return min(even, key=lambda p: int(p[0]))
    return None


def _is_even(places: Positions, kernels: int) -> bool:
    """Whether these places cut most of a sequence of kernels into parts of about one size."""
    sizes = np.diff(places)
    usual = float(np.median(sizes))
    within = np.abs(sizes - usual) <= _UNEVEN * usual
    return bool(within.all()) and len(places) * usual >= _COVERS * kernels
