"""Counts of pairs, without looking at each pair."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tui.report.columns import Int64


def later_not_greater(group: NDArray[np.integer], value: Int64) -> Int64:
    """Count for each element the later ones of its group whose value is not greater than its own.

    ``group``, ``value``: an integer each per element, in order. Takes n log n steps.
    """
    size = len(group)
    order = np.argsort(group, kind="stable")
    # Of equal values the last has the least rank, so that the others count it.
    ranked = np.lexsort((-np.arange(size), value[order], group[order]))
    rank = np.empty(size, np.int64)
    rank[ranked] = np.arange(size)
    counts = np.empty(size, np.int64)
    counts[order] = _later_and_less(rank)
    return counts


def _later_and_less(rank: Int64) -> Int64:
    """Count the later ranks that are less than each; ``rank`` holds each of 0 to n - 1 once.

    The ranks are parted bit by bit, the highest first, and keep their order within a part. A part lies where
    its ranks belong. Two ranks are told apart by the highest bit in which they differ, while they are still
    in one part: there the later and lesser ones of each are counted.
    """
    size = len(rank)
    number = np.int32 if size < 1 << 30 else np.int64  # twice as fast in half the room
    places = np.arange(size, dtype=number)
    counts, element, rank = np.zeros(size, number), places.copy(), rank.astype(number)
    for bit in reversed(range(max(size - 1, 0).bit_length())):
        first = rank >> (bit + 1) << (bit + 1)  # of each one's part
        end = np.minimum(first + (2 << bit), size)
        low = (rank >> bit) & 1 == 0
        lows = np.zeros(size + 1, number)  # before each place
        np.cumsum(low, dtype=number, out=lows[1:])
        before = lows[:-1] - lows[first]
        counts[element] += np.where(low, 0, lows[end] - lows[1:])
        place = np.where(low, first + before, places + lows[end] - lows[first] - before)
        for moving in (rank, element):
            moving[place] = moving.copy()
    return counts.astype(np.int64)
