"""Who made the calls that gaps are blamed on: the function behind an OS call or a CUDA call."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tui.analysis.blame import Blame, BlameClass
from tui.analysis.cpu.callers import cuda_backtraces, os_backtraces
from tui.analysis.grouping import combined, summed
from tui.analysis.index import Doing, Index
from tui.report.columns import Int64, Positions, distinct_values

_CUDA_CLASSES = (
    BlameClass.SYNCHRONISATION,
    BlameClass.MEMORY_MANAGEMENT,
    BlameClass.BLOCKING_COPY,
    BlameClass.LAUNCH,
    BlameClass.OTHER_CUDA_CALL,
)


@dataclass(frozen=True)
class Caller:
    """The function that made most of some calls, by time."""

    name: str
    module: str


def callers_of(index: Index, blame: Blame, group: Positions, groups: int) -> list[Caller | None]:
    """The caller behind the calls in each group of a blame's parts; None where no backtrace tells it.

    ``group``: per part of ``blame``.
    """
    found: list[Caller | None] = [None] * groups
    for doing, causes in ((Doing.OS_CALL, (BlameClass.OS_CALL,)), (Doing.CUDA_CALL, _CUDA_CLASSES)):
        traces = os_backtraces(index) if doing is Doing.OS_CALL else cuda_backtraces(index)
        if not (traces.node >= 0).any():
            continue
        parts = np.flatnonzero(np.isin(blame.cause, causes) & (blame.thread >= 0))
        call = _call_at(index, blame.start[parts], blame.thread[parts], doing)
        caller = np.append(traces.caller, -1)[call]
        known = np.flatnonzero(caller >= 0)
        pair, first = combined(group[parts[known]], caller[known])
        time = summed(pair, len(first), blame.ns[parts[known]])
        frames = traces.stacks.tree.frames
        for one in np.lexsort((-caller[known[first]], time)).tolist():  # the most time is written last
            frame = int(caller[known[first[one]]])
            found[int(group[parts[known[first[one]]]])] = Caller(frames.name[frame], frames.module[frame])
    return found


def _call_at(index: Index, times: Int64, thread: NDArray[np.integer], doing: Doing) -> Positions:
    """The call of a kind that each thread was in at each time: a position in its table, -1 none."""
    found = np.full(len(times), -1, np.intp)
    for one in distinct_values(thread).tolist():
        activity = index.activity(one)
        if not len(activity.start):
            continue
        mine = np.flatnonzero(thread == one)
        at = np.searchsorted(activity.start, times[mine], "right") - 1
        inside = (at >= 0) & (times[mine] < activity.end[at]) & (activity.doing[at] == doing)
        found[mine[inside]] = activity.source[at[inside]]
    return found
