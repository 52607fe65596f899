"""The algebra of half-open intervals ``[start, end)`` in int64 nanoseconds.

An interval list is two arrays of one length. *Merged* means sorted, disjoint, not touching and
without empty intervals; :func:`union` makes it so, and the binary operations expect and return it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Int64 = NDArray[np.int64]
Positions = NDArray[np.intp]


NEVER = int(np.iinfo(np.int64).max)
"""The time of what does not happen."""


class Spans(NamedTuple):
    """An interval list: starts and ends, int64 nanoseconds."""

    start: Int64
    end: Int64


class Pieces(NamedTuple):
    """Parts of intervals: where each lies and which interval (an index) it was cut from."""

    start: Int64
    end: Int64
    source: Positions


class Overlaps(NamedTuple):
    """Pairs of overlapping intervals of two lists, and the part that each pair shares."""

    start: Int64
    end: Int64
    left: Positions
    right: Positions


def as_times(values: ArrayLike) -> Int64:
    """Return ``values`` as an int64 array, copied only where needed."""
    return np.asarray(values, np.int64)


def empty() -> Spans:
    """No interval at all."""
    return Spans(np.zeros(0, np.int64), np.zeros(0, np.int64))


def total(start: Int64, end: Int64) -> int:
    """Sum of lengths; overlaps count as often as they occur."""
    return int(end.sum(dtype=np.int64)) - int(start.sum(dtype=np.int64))


def union(start: ArrayLike, end: ArrayLike) -> Spans:
    """Merge intervals, given in any order. Empty ones vanish, touching ones join."""
    s, e = as_times(start), as_times(end)
    filled = e > s
    if not filled.all():
        s, e = s[filled], e[filled]
    if len(s) == 0:
        return empty()
    if (s[1:] < s[:-1]).any():
        order = np.argsort(s, kind="stable")
        s, e = s[order], e[order]
    reach = np.maximum.accumulate(e)
    opens = np.flatnonzero(s[1:] > reach[:-1]) + 1
    first = np.concatenate(([0], opens))
    last = np.concatenate((opens - 1, [len(s) - 1]))
    return Spans(s[first], reach[last])


class Grouped(NamedTuple):
    """Intervals that belong to groups (numbers from 0 on)."""

    start: Int64
    end: Int64
    group: Positions


def union_by_group(start: Int64, end: Int64, group: Positions) -> Grouped:
    """Merge the intervals of each group, by group and time. Empty ones vanish, touching ones join."""
    order = np.lexsort((start, group))
    order = order[end[order] > start[order]]
    s, e, g = start[order], end[order], group[order].astype(np.intp)
    if not len(s):
        return Grouped(s, e, g)
    change = np.append(True, g[1:] != g[:-1])
    # Ranks of times keep the groups apart without large numbers.
    times, rank = np.unique(e, return_inverse=True)
    reach = np.maximum.accumulate(rank + np.cumsum(change) * len(times))
    last = times[reach - np.cumsum(change) * len(times)]
    opens = change.copy()
    opens[1:] |= s[1:] > last[:-1]
    first = np.flatnonzero(opens)
    final = np.append(first[1:], len(s)) - 1
    return Grouped(s[first], last[final], g[first])


def union_of_blocks(blocks: Iterable[tuple[Int64, Int64]]) -> Spans:
    """Merge intervals that come by start, a block at a time, in little more memory than the result needs."""
    starts: list[Int64] = []
    ends: list[Int64] = []
    last = empty()  # what a later block may still extend
    for start, end in blocks:
        merged = union(np.concatenate((last.start, start)), np.concatenate((last.end, end)))
        starts.append(merged.start[:-1])
        ends.append(merged.end[:-1])
        last = Spans(merged.start[-1:], merged.end[-1:])
    return Spans(np.concatenate((*starts, last.start)), np.concatenate((*ends, last.end)))


def gaps(start: Int64, end: Int64, low: int, high: int) -> Spans:
    """The holes of a sorted and disjoint list from ``low`` to ``high``."""
    if high <= low:
        return empty()
    first = int(np.searchsorted(end, low, "right"))
    last = max(first, int(np.searchsorted(start, high, "left")))
    s, e = np.maximum(start[first:last], low), np.minimum(end[first:last], high)
    hole_start = np.concatenate(([low], e)).astype(np.int64)
    hole_end = np.concatenate((s, [high])).astype(np.int64)
    keep = hole_end > hole_start
    return Spans(hole_start[keep], hole_end[keep])


def outermost(start: Int64, end: Int64) -> Pieces:
    """Cut intervals (by start, longer first) so that the earliest-started one owns each instant.

    The result is sorted and disjoint; an interval inside another vanishes, one that crosses the end of
    another keeps its tail.
    """
    reach = np.maximum.accumulate(end)
    s = start.copy()
    s[1:] = np.maximum(s[1:], reach[:-1])
    keep = np.flatnonzero(end > s)
    return Pieces(s[keep], end[keep], keep)


def split(start: Int64, end: Int64, cuts: Int64) -> Pieces:
    """Cut non-empty intervals at every one of the sorted ``cuts`` that lies inside them."""
    first = np.searchsorted(cuts, start, "right")
    last = np.maximum(np.searchsorted(cuts, end, "left"), first)
    source, cut = expand(first, last + 1)  # one piece more than cuts: each runs up to its cut
    opening, closing = cut == first[source], cut == last[source]
    padded = np.append(cuts, 0)  # the very last piece may point past the cuts
    piece_start = np.where(opening, start[source], padded[cut - 1])
    return Pieces(piece_start, np.where(closing, end[source], padded[cut]), source)


def expand(first: Positions, last: Positions) -> tuple[Positions, Positions]:
    """Flatten the index ranges ``[first[i], last[i])``: (which range, index) of every member."""
    count = np.maximum(last - first, 0)
    owner = np.repeat(np.arange(len(count)), count)
    offset = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    return owner, first[owner] + offset


def overlaps(a: tuple[Int64, Int64], b: tuple[Int64, Int64]) -> Overlaps:
    """All overlapping pairs of ``a`` (any intervals) with ``b`` (sorted and disjoint)."""
    first = np.searchsorted(b[1], a[0], "right")
    last = np.searchsorted(b[0], a[1], "left")
    left, right = expand(first, last)
    start = np.maximum(a[0][left], b[0][right])
    end = np.minimum(a[1][left], b[1][right])
    keep = end > start  # an empty interval of `a` inside one of `b` shares nothing
    if not keep.all():
        start, end, left, right = start[keep], end[keep], left[keep], right[keep]
    return Overlaps(start, end, left, right)


def intersect(a: tuple[Int64, Int64], b: tuple[Int64, Int64]) -> Spans:
    """What lies in both merged lists."""
    return Spans(*overlaps(a, b)[:2])


def subtract(a: tuple[Int64, Int64], b: tuple[Int64, Int64]) -> Pieces:
    """What is left of the intervals ``a`` outside the merged list ``b``, and from which of ``a``."""
    if len(a[0]) == 0:
        return Pieces(*empty(), np.zeros(0, np.intp))
    return Pieces(*overlaps(a, gaps(b[0], b[1], int(a[0].min()), int(a[1].max())))[:3])


def overlap_length(a: tuple[Int64, Int64], b: tuple[Int64, Int64]) -> int:
    """How long both merged lists are covered at once."""
    return total(*intersect(a, b))
