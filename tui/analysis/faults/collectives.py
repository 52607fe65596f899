"""Communication kernels: the kind of each, its step, and how much of it no compute hides."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tui.analysis.faults.case import Case
from tui.analysis.grouping import combined
from tui.analysis.stats.dominant import Dominant, at_edges, find_dominant
from tui.report.columns import Bool, Int64, Positions
from tui.text.times import show_duration

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
    apart: tuple[Dominant, ...]
    """Those that are most of the time of their kind (name, blocks, stream): no transfer, but a wait."""
    edge: Bool
    """First or last of its communicator (device, stream), or of its kind there: not typical."""

    @property
    def is_apart(self) -> Bool:
        """For each whether it is one of those set apart."""
        chosen = np.zeros(len(self.op), bool)
        chosen[[one.at for one in self.apart]] = True
        return chosen


def find_collectives(case: Case) -> Collectives:
    """Return the communication kernels of a case."""
    return case.once("collectives", lambda: _find(case))


def _find(case: Case) -> Collectives:
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
    stream, _ = combined(ops.process[found], ops.device[found], ops.context[found], ops.stream[found])
    # Collectives of other sizes are given other numbers of blocks.
    grid = case.report.kernels.grid_x[ops.row[found]]
    kind, _ = combined(stream, ops.name[found], grid)
    start = ops.start[found]
    apart = tuple(find_dominant(kind, ops.end[found] - start, start))
    edge = np.zeros(len(found), bool)
    edge[at_edges(start, kind)] = True
    return Collectives(found, exchange, pace, step, exposed, apart, edge)


def edge_words(case: Case, found: Collectives, chosen: Bool) -> str | None:
    """Return what the first and last ones take, where that is not what the others take; None elsewhere.

    ``chosen``: which of the collectives are looked at. Those set apart do not count.
    """
    duration = case.report.ops.end[found.op] - case.report.ops.start[found.op]
    rest = chosen & ~found.is_apart
    edge, inner = duration[rest & found.edge], duration[rest & ~found.edge]
    if not len(edge) or not len(inner) or edge.max() <= 2 * np.median(inner):
        return None
    usual = show_duration(round(float(np.median(inner))))
    return (
        f"the first and last of each kind and stream are not typical: {len(edge):,} of them take "
        f"{show_duration(int(edge.sum()))} in all, the {len(inner):,} between {usual} each (median)"
    )


def apart_words(case: Case, found: Collectives, chosen: Bool) -> Iterator[str]:
    """Yield what is set apart of the ``chosen`` collectives, one text each."""
    ops = case.report.ops
    for one in found.apart:
        if chosen[one.at]:
            op = int(found.op[one.at])
            where = case.device_name(int(ops.device[op]))
            yield (
                f"left out: {one.place} {collective_name(case, op)} on {where} takes "
                f"{show_duration(one.ns)}, a wait for other ranks; {one.others}"
            )


def collective_name(case: Case, op: int) -> str:
    """Return ``AllReduce`` for ``ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)``; else the kernel's name."""
    name = case.text(int(case.report.ops.name[op]))
    found = re.match(r"nccl(?:Dev)?Kernel_(\w+?)(?:_|\(|$)", name)
    return found[1] if found else name.partition("(")[0]
