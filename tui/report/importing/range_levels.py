"""Who contains whom among intervals of one thread: parents and drawing levels."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from tui.report.columns import Int32, Int64

_FEW = 64
_FREE = int(np.iinfo(np.int64).min)


def _parents(start: Int64, end: Int64, group: NDArray[np.integer]) -> tuple[Int64, Int64]:
    """The tightest enclosing interval of each, by position; -1 for none. And those that cross an earlier one.

    Intervals come sorted by (group, start, -end); containment is inclusive at both ends. The parent is
    the nearest earlier one in the group that ends no sooner. Every candidate pointer skips only
    intervals that end sooner than its own, so following the candidates' pointers at once is safe
    and the chains halve each round: no loop over intervals.

    Two of a group cross where the earlier one ends within the later. It is then one that the later's
    pointers look at, or one that ends sooner than such a one: so it is enough to mind those.
    """
    n = len(end)
    candidate = np.arange(-1, n - 1)
    if n:
        first = np.r_[True, group[1:] != group[:-1]]
        candidate[first] = -1
    crossing = [np.empty(0, np.int64)]
    active = np.flatnonzero(candidate >= 0)
    while len(active):
        at = candidate[active]
        sooner = end[at] < end[active]
        active, at = active[sooner], at[sooner]
        within = end[at] > start[active]
        if within.any():
            crossing.append(active[within])
        candidate[active] = candidate[at]
        active = active[candidate[active] >= 0]
    return candidate, np.concatenate(crossing)


def depths(parent: Int64) -> Int32:
    """How many ancestors each has: 0 for a root."""
    depth = (parent >= 0).astype(np.int32)
    ancestor = parent.copy()
    active = np.flatnonzero(ancestor >= 0)
    while len(active):
        up = ancestor[active]
        depth[active] += depth[up]
        ancestor[active] = ancestor[up]
        active = active[ancestor[active] >= 0]
    return depth


class Nesting:
    """Parents and levels of intervals that come by start, longer first, a block at a time.

    What a block needs of those before it is the last interval of each group and all that enclose it.
    """

    def __init__(self) -> None:
        self.crossed: list[int] = []
        """Groups in which intervals cross (popped in the wrong order): their levels are :func:`stacked`."""
        self._at = np.empty(0, np.int64)
        self._end = np.empty(0, np.int64)
        self._group = np.empty(0, np.int64)

    def add(
        self, at: NDArray[np.integer], start: Int64, end: Int64, group: NDArray[np.integer]
    ) -> tuple[Int32, Int64]:
        """Level (how many enclose it in its group) and parent of each interval; -1 for none.

        ``at``: what to call the intervals where they are parents.
        """
        before = len(self._at)
        all_at = np.concatenate([self._at, at])
        all_end = np.concatenate([self._end, end])
        all_group = np.concatenate([self._group, group])
        # Those from before all started sooner: what their start was does not matter, they cross no more.
        all_start = np.concatenate([self._end, start])
        order = np.argsort(all_group, kind="stable")
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        sorted_group = all_group[order]
        found, crossing = _parents(all_start[order], all_end[order], sorted_group)
        for group_id in np.unique(sorted_group[crossing]).tolist():
            if group_id not in self.crossed:
                self.crossed.append(group_id)
        level = depths(found)[place[before:]]
        up = found[place[before:]]
        parent = np.where(up < 0, -1, all_at[order[up]])

        needed = np.flatnonzero(np.append(sorted_group[1:] != sorted_group[:-1], True)[: len(order)])
        keep = np.zeros(len(order), bool)
        while len(needed):
            keep[needed] = True
            needed = found[needed]
            needed = needed[needed >= 0]
        kept = order[keep]
        self._at, self._end, self._group = all_at[kept], all_end[kept], all_group[kept]
        return level, parent


def stacked(times: Iterable[tuple[int, int]]) -> list[int]:
    """Level of each (start, end): the lowest one below all that enclose it and free of those still open.

    No two intervals overlap on one level. Where all nest that is their depth; where some cross the
    intervals have to be walked one by one.
    """
    out: list[int] = []
    until = np.full(_FEW, _FREE)  # per level: the end of what is open there
    used = 0
    for s, e in times:
        levels = until[:used]
        levels[levels < min(s + 1, e)] = _FREE
        enclosing = np.flatnonzero(levels >= e)
        lowest = int(enclosing[-1]) + 1 if len(enclosing) else 0
        free = np.flatnonzero(levels[lowest:] == _FREE)
        level = lowest + int(free[0]) if len(free) else used
        if level == len(until):
            until = np.append(until, np.full(len(until), _FREE))
        until[level] = e
        used = max(used, level + 1)
        if used > _FEW and until[used - 1] == _FREE:
            used = int(np.flatnonzero(until[:used] != _FREE)[-1]) + 1
        out.append(level)
    return out
