"""Which intervals of a thread contain which: parents and drawing levels."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from tui.report.columns import Int32, Int64

_FEW = 64
_FREE = int(np.iinfo(np.int64).min)


def _parents(start: Int64, end: Int64, group: NDArray[np.integer]) -> tuple[Int64, Int64]:
    """Find the tightest enclosing interval of each (a position, -1: none), and those that cross one before.

    Intervals come sorted by (group, start, -end); containment is inclusive at both ends. The parent is
    the nearest earlier one in the group that ends no sooner. A candidate's own pointer skips only intervals
    that end sooner than the candidate. So all pointers can be followed at once, and the chains halve each
    round: no loop over intervals.

    Two of a group cross where the earlier one ends within the later. The earlier one is then a candidate
    of the later, or ends sooner than such a candidate, so checking the candidates is enough.
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
    """Count the ancestors of each: 0 for a root."""
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
    """Nests intervals that come by start, longer first, a block at a time.

    Of the blocks before it a block needs the last interval of each group and all that enclose that one.
    """

    def __init__(self) -> None:
        self.crossed: set[int] = set()
        """Groups in which intervals cross (popped in the wrong order): their levels are :func:`stacked`."""
        self._at = np.empty(0, np.int64)
        self._end = np.empty(0, np.int64)
        self._group = np.empty(0, np.int64)

    def add(
        self, at: NDArray[np.integer], start: Int64, end: Int64, group: NDArray[np.integer]
    ) -> tuple[Int32, Int64]:
        """Find the level (how many enclose it in its group) and the parent (-1: none) of each interval.

        ``at``: the positions by which parents are named.
        """
        before = len(self._at)
        all_at = np.concatenate([self._at, at])
        all_end = np.concatenate([self._end, end])
        all_group = np.concatenate([self._group, group])
        # Intervals of earlier blocks all started sooner, so any such start does: they cross no more.
        all_start = np.concatenate([self._end, start])
        order = np.argsort(all_group, kind="stable")
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        sorted_group = all_group[order]
        found, crossing = _parents(all_start[order], all_end[order], sorted_group)
        self.crossed.update(np.unique(sorted_group[crossing]).tolist())
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
    """Find a level for each (start, end): the lowest one below all that enclose it where nothing is open.

    No two intervals overlap on one level. Where all nest, levels are depths. Where some cross, the
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
