"""The tightest interval around each one, where intervals may cross."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tui.intervals.spans import Int64, Positions


def tightest_around(
    start: Int64, end: Int64, group: NDArray[np.integer], rank: NDArray[np.integer]
) -> Positions:
    """For each interval the shortest other one of its group that contains it, bounds included; -1 none.

    Of several that are equally short the one of the lowest ``rank`` (distinct numbers) is meant. Intervals
    of the same bounds are taken to be inside each other in the order of their ranks: the first of them
    is inside what is around them, and what is inside them is inside the last.

    Runs in O(n log n), whether intervals nest or cross: no loop over intervals.
    """
    order = np.lexsort((rank, -end, start, group))
    s, e, g = start[order], end[order], group[order]
    again = np.append(False, (s[1:] == s[:-1]) & (e[1:] == e[:-1]) & (g[1:] == g[:-1]))[: len(order)]
    firsts = np.flatnonzero(~again)
    lasts = np.append(firsts[1:], len(order))[: len(firsts)] - 1
    around = _tightest_before(s[firsts], e[firsts], g[firsts], rank[order[firsts]])
    place = np.arange(-1, len(order) - 1)  # the one before, of the same bounds
    place[firsts] = np.where(around >= 0, lasts[around], -1)
    parent = np.empty(len(order), np.intp)
    parent[order] = np.where(place >= 0, order[place], -1)
    return parent


def _tightest_before(
    start: Int64, end: Int64, group: NDArray[np.integer], rank: NDArray[np.integer]
) -> Positions:
    """The same for intervals of distinct bounds, sorted by (group, start, longer first).

    What contains an interval comes before it and ends no sooner. Halves of blocks of the intervals are
    compared, the blocks being halved each round: every pair falls into two halves of one block once.
    There the right half asks for the best of those of the left half that end no sooner, a running minimum
    over both by falling end.
    """
    n = len(start)
    best = np.full(n, n, np.int64)  # by quality: a position in `by_quality`, n for none
    by_quality = np.lexsort((rank, (end - start).view(np.uint64)))  # a length may be 2^63
    quality = np.empty(n, np.int64)
    quality[by_quality] = np.arange(n)
    # Later groups count as ending later than all before them: nothing of those is asked for.
    at = np.lexsort((np.arange(n), -end, -group.astype(np.int64)))
    for bit in reversed(range(max(n - 1, 0).bit_length())):
        block = at >> (bit + 1)
        right = (at >> bit & 1).astype(bool)
        # Each block gets a band of numbers below those of the blocks before it, so that one pass serves all.
        band = block * (n + 1)
        running = np.minimum.accumulate(np.where(right, n, quality[at]) - band) + band
        asking = at[right]
        best[asking] = np.minimum(best[asking], running[right])
        # A block's members take up the same stretch in every round: lefts move to its front, in order.
        lefts = np.cumsum(~right) - ~right
        begin = block << (bit + 1)
        left_place = begin + lefts - lefts[begin]
        right_place = np.arange(n) - (lefts - lefts[begin]) + (1 << bit)
        moved = np.empty(n, np.int64)
        moved[np.where(right, right_place, left_place)] = at
        at = moved
    return np.where(best < n, np.append(by_quality, -1)[best], -1)
