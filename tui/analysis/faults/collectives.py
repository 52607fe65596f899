"""Which communication kernels there are: what each does, and its place among those of its step."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.index import Positions
from tui.analysis.stats.groups import combined
from tui.report.model import Bool, Int64


class Pattern(Enum):
    """What a collective does with the network."""

    ALL_TO_ALL = "all-to-all"
    REDUCE = "all-reduce"
    """Gradients and parameters: all-reduce, reduce-scatter, all-gather, broadcast."""


_EXCHANGE = re.compile(r"all_?to_?all|sendrecv|send|recv|dispatch|combine", re.IGNORECASE)


@dataclass(frozen=True)
class Collectives:
    """Communication kernels in scope, by start; arrays have one entry each."""

    op: Positions
    """Positions in ``Report.ops``."""
    exchange: Bool
    """True: an all-to-all or a plain send and receive."""
    group: Int64
    """The same collective in every step has the same number."""
    groups: int


def find_collectives(case: Case) -> Collectives:
    """The communication kernels of a case. ``group`` is by device, name and place in the step."""
    ops = case.report.ops
    found = case.kernels[case.index.communicates[case.kernels]]
    if not len(found):
        return Collectives(found, np.zeros(0, bool), np.zeros(0, np.int64), 0)
    exchange = case.names_like(ops.name[found], _EXCHANGE)
    place = np.zeros(len(found), np.int64)
    for pace in case.paces:
        mine = np.flatnonzero(ops.process[found] == pace.process)
        launch = ops.launch[found[mine]]
        when = ops.start[found[mine]]
        when[launch >= 0] = case.report.calls.start[launch[launch >= 0]]
        step = pace.of_times(when)
        order = np.lexsort((when, ops.name[found[mine]], ops.device[found[mine]], step))
        key, _ = combined(step[order], ops.device[found[mine]][order], ops.name[found[mine]][order])
        first = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
        count = np.diff(np.append(first, len(key)))
        place[mine[order]] = np.arange(len(key)) - np.repeat(first, count)
        # Outside the steps there is nothing to compare with.
        place[mine[(step < 0) | (step >= len(pace))]] = -1
    row = ops.row[found]
    group, first = combined(ops.device[found], ops.name[found], case.report.kernels.grid_x[row], place)
    return Collectives(found, exchange, group, len(first))


def collective_name(case: Case, op: int) -> str:
    """``AllReduce`` from ``ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)``; else the kernel's name."""
    name = case.text(int(case.report.ops.name[op]))
    found = re.match(r"nccl(?:Dev)?Kernel_(\w+?)(?:_|\(|$)", name)
    return found[1] if found else name.partition("(")[0]
