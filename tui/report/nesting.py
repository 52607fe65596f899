"""Who contains whom among intervals of one thread: parents and drawing levels."""

from __future__ import annotations

import numpy as np

from tui.report.model import Int32, Int64


def parents(end: Int64, group: Int64) -> Int64:
    """The tightest enclosing interval of each, by position; -1 for none.

    Intervals come sorted by (group, start, -end); containment is inclusive at both ends. That is
    the nearest earlier one in the group that ends no sooner. Every candidate pointer skips only
    intervals that end sooner than its own, so following the candidates' pointers at once is safe
    and the chains halve each round: no loop over intervals.
    """
    n = len(end)
    candidate = np.arange(-1, n - 1)
    if n:
        first = np.r_[True, group[1:] != group[:-1]]
        candidate[first] = -1
    active = np.flatnonzero(candidate >= 0)
    while len(active):
        at = candidate[active]
        active = active[end[at] < end[active]]
        candidate[active] = candidate[candidate[active]]
        active = active[candidate[active] >= 0]
    return candidate


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


def levels(start: Int64, end: Int64, group: Int64, parent: Int64) -> Int32:
    """The row each interval is drawn on: its depth where all nest, one lower where some cross.

    Sorted as for :func:`parents`. No two intervals of a group overlap on one level. Groups whose
    intervals cross (popped in the wrong order) are walked one by one: they are rare.
    """
    level = depths(parent)
    for g in np.unique(group[_clashes(start, end, group, level)]):
        low, high = np.searchsorted(group, [g, g + 1])
        level[low:high] = _stacked(start[low:high].tolist(), end[low:high].tolist())
    return level


def _clashes(start: Int64, end: Int64, group: Int64, level: Int32) -> Int64:
    order = np.lexsort((np.arange(len(start)), level, group))
    a, b = order[:-1], order[1:]
    clashing: Int64 = b[(group[a] == group[b]) & (level[a] == level[b]) & (end[a] > start[b])]
    return clashing


def _stacked(start: list[int], end: list[int]) -> list[int]:
    """Level = the lowest one below all that enclose it and free of those still open."""
    out: list[int] = []
    stack: list[tuple[int, int]] = []  # (end, level)
    for s, e in zip(start, end, strict=True):
        stack = [item for item in stack if item[0] > s or (item[0] >= e)]
        taken = {level for _, level in stack}
        level = max((above for until, above in stack if until >= e), default=-1) + 1
        while level in taken:
            level += 1
        stack.append((e, level))
        out.append(level)
    return out
