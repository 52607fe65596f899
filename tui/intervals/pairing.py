"""Begins and ends that belong together, and how much of time the intervals of each group cover."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Int64 = NDArray[np.int64]
Positions = NDArray[np.intp]


def paired(
    begin_key: Int64, begin_time: Int64, end_key: Int64, end_time: Int64
) -> tuple[Positions, Positions]:
    """Pair each end with the latest begin of its key that is before it (or at its time) and not yet ended.

    Keys and times have one entry a begin or an end. Returns positions of begins, ascending, and those of
    their ends; begins and ends without a partner are in neither.
    """
    count = len(begin_key)
    key = np.concatenate([begin_key, end_key])
    order = np.lexsort((np.concatenate([begin_time, end_time]), key))  # a begin is before an end at its time
    if not len(order):
        return order, order
    step = np.where(order < count, 1, -1)
    is_first = np.append(True, key[order][1:] != key[order][:-1])
    group = np.cumsum(is_first) - 1
    depth = np.cumsum(step)
    depth -= (depth - step)[is_first][group]
    # An end without a begin takes its key's depth to a new low; from there on depths count anew.
    apart = 2 * len(order) + 2
    low = np.minimum.accumulate(np.minimum(depth, 0) - group * apart) + group * apart
    low_before = np.where(is_first, 0, np.append(0, low[:-1]))
    single = (step < 0) & (depth < low_before)
    level = depth - low + (step < 0)
    kept = np.flatnonzero(~single)
    kept = kept[np.lexsort((kept, level[kept], group[kept]))]
    begins, ends = kept[:-1], kept[1:]
    same = (level[begins] == level[ends]) & (group[begins] == group[ends])
    same &= (step[begins] > 0) & (step[ends] < 0)
    found, partner = order[begins[same]], order[ends[same]] - count
    by_begin = np.argsort(found)
    return found[by_begin], partner[by_begin]


def covered(groups: Int64, start: Int64, end: Int64, count: int) -> Int64:
    """The length of the union of each group's intervals, none of which ends before it starts."""
    total = np.zeros(count, np.int64)
    if not len(groups):
        return total
    order = np.lexsort((start, groups))
    group, start, end = groups[order], start[order], end[order]
    # The latest end so far within the group, by its rank among all ends: ranks can be told apart by group.
    ends, rank = np.unique(end, return_inverse=True)
    apart = group * len(ends)
    reached = ends[np.maximum.accumulate(rank.reshape(-1) + apart) - apart]
    since = start.copy()
    same = group[1:] == group[:-1]
    since[1:] = np.where(same, np.maximum(start[1:], reached[:-1]), start[1:])
    np.add.at(total, group, np.maximum(end - since, 0))
    return total
