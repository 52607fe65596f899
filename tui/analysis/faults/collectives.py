"""Communication kernels: the kind of each, its step, and how much of it no compute hides."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from tui.analysis.faults.case import Case
from tui.report.columns import Bool, Int64, Positions

_EXCHANGE = re.compile(r"all_?to_?all|sendrecv|send|recv|dispatch|combine", re.IGNORECASE)


@dataclass(frozen=True)
class Collectives:
    """Communication kernels in scope, by start; arrays have one entry each."""

    op: Positions
    """Positions in ``Report.ops``."""
    exchange: Bool
    """True: an all-to-all or a plain send and receive; False: all-reduce, all-gather and the like."""
    pace: Int64
    """Position in the case's paces; -1 none."""
    step: Int64
    """The step that launched it, a position in its pace; -1 none."""
    exposed: Int64
    """Nanoseconds of it in which no compute runs on its device, clipped to the window."""


def find_collectives(case: Case) -> Collectives:
    """Return the communication kernels of a case."""
    ops, window = case.report.ops, case.window
    found = case.kernels[case.index.communicates[case.kernels]]
    exchange = case.names_like(ops.name[found], _EXCHANGE)
    pace, step = np.full(len(found), -1, np.int64), np.full(len(found), -1, np.int64)
    exposed = np.zeros(len(found), np.int64)
    when = case.index.launched_at(found)
    for number, one in enumerate(case.paces):
        mine = np.flatnonzero(ops.process[found] == one.process)
        place = one.of_times(when[mine])
        inside = (place >= 0) & (place < len(one))
        pace[mine[inside]], step[mine[inside]] = number, place[inside]
    for device in case.devices:
        mine = np.flatnonzero(ops.device[found] == device.index)
        low = np.maximum(ops.start[found[mine]], window.start)
        high = np.maximum(np.minimum(ops.end[found[mine]], window.end), low)
        exposed[mine] = high - low - case.compute(device.index).between(low, high)
    return Collectives(found, exchange, pace, step, exposed)


def collective_name(case: Case, op: int) -> str:
    """Return ``AllReduce`` for ``ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)``; else the kernel's name."""
    name = case.text(int(case.report.ops.name[op]))
    found = re.match(r"nccl(?:Dev)?Kernel_(\w+?)(?:_|\(|$)", name)
    return found[1] if found else name.partition("(")[0]
