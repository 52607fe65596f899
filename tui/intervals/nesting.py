"""Rows for intervals that overlap: how deep each one lies, and a row of its own for each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tui.intervals.spans import Int64

Int32 = NDArray[np.int32]


def _drawn_end(start: Int64, end: Int64) -> Int64:
    """Ends as drawn: an empty interval still takes the nanosecond that it stands on."""
    return np.maximum(end, start + 1)


def nesting_depth(start: Int64, end: Int64) -> Int32:
    """How many earlier intervals are open when each one starts (0: none).

    Intervals come by start, longer first. For properly nested ones that is the row to draw in;
    crossing ones need :func:`lanes_for_overlaps`.
    """
    closed = np.searchsorted(np.sort(_drawn_end(start, end)), start, "right")
    return (np.arange(len(start)) - closed).astype(np.int32)


def lanes_for_overlaps(start: Int64, end: Int64, limit: int | None = None) -> Int32:
    """The lowest row, for each interval in turn, where it meets no earlier one (first fit).

    Intervals come by start (longer first, to have nested ones below their parents). As few rows as
    the deepest overlap needs. With ``limit`` rows beyond it are folded onto the last.
    """
    lanes = np.zeros(len(start), np.int32)
    ends = _drawn_end(start, end)
    left = _in_company(start, ends)
    lane = 0
    while len(left) and (limit is None or lane < limit - 1):
        taken = _greedy(start[left], ends[left])
        lanes[left[taken]] = lane
        left = left[~taken]
        lane += 1
    lanes[left] = lane
    return lanes


def _in_company(start: Int64, end: Int64) -> NDArray[np.intp]:
    """Indices of the intervals that overlap any other; the rest all fit the first row."""
    if len(start) < 2:
        return np.zeros(0, np.intp)
    meets_earlier = np.zeros(len(start), bool)
    meets_earlier[1:] = np.maximum.accumulate(end)[:-1] > start[1:]
    meets_later = np.zeros(len(start), bool)
    meets_later[:-1] = start[1:] < end[:-1]
    return np.flatnonzero(meets_earlier | meets_later)


def _greedy(start: Int64, end: Int64) -> NDArray[np.bool_]:
    """Which intervals the first row takes: the first, the next one after its end, and so on.

    The chain is followed by doubling: after k rounds it holds its first 2^k members.
    """
    following = np.searchsorted(start, end, "left")
    following = np.append(following, len(start))  # past the end stays there
    chain = np.zeros(1, np.intp)
    while chain[-1] < len(start):
        chain = np.concatenate((chain, following[chain]))
        following = following[following]
    taken = np.zeros(len(start) + 1, bool)
    taken[chain] = True
    return taken[:-1]
