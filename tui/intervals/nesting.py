"""Rows to draw overlapping intervals in, so that no two of them meet in one row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tui.intervals.spans import Int64, Positions

Int32 = NDArray[np.int32]


def lanes_for_overlaps(start: Int64, end: Int64, limit: int | None = None) -> Int32:
    """Return for each interval in turn the lowest row where it meets no earlier one (first fit).

    Intervals come by start (longer first puts nested ones below their parents). There are as many rows
    as intervals overlap at most; with ``limit``, the last row also gets what belongs below it.
    """
    lanes = np.zeros(len(start), np.int32)
    ends = np.maximum(end, start + 1)  # an empty interval is drawn one nanosecond long
    left = _overlapping(start, ends)
    lane = 0
    while len(left) and (limit is None or lane < limit - 1):
        fits = _first_row(start[left], ends[left])
        lanes[left[fits]] = lane
        left = left[~fits]
        lane += 1
    lanes[left] = lane
    return lanes


def _overlapping(start: Int64, end: Int64) -> Positions:
    """Indices of the intervals that overlap any other; the rest all fit the first row."""
    meets_earlier = np.append(False, np.maximum.accumulate(end)[:-1] > start[1:])[: len(start)]
    meets_later = np.append(start[1:] < end[:-1], False)[: len(start)]
    return np.flatnonzero(meets_earlier | meets_later)


def _first_row(start: Int64, end: Int64) -> NDArray[np.bool_]:
    """Which intervals the first row holds: the first, the next one after its end, and so on.

    The chain is followed by doubling: after k rounds it holds its first 2^k members.
    """
    following = np.append(np.searchsorted(start, end, "left"), len(start))  # past the end stays there
    chain = np.zeros(1, np.intp)
    while chain[-1] < len(start):
        chain = np.concatenate((chain, following[chain]))
        following = following[following]
    chosen = np.zeros(len(start) + 1, bool)
    chosen[chain] = True
    return chosen[:-1]
