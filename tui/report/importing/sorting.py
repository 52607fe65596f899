"""Sort rows by time without all of them in memory: one stretch of time after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tui.report.columns import Array, Int64
from tui.report.spool import Spool

BLOCK = 1 << 18
"""Rows handled at a time."""
STRETCH = 1 << 20
"""Rows sorted at a time, if their keys differ enough."""
_MOST = 32
"""Stretches at most: each reads every block that may have rows of it."""
_STRIDE = 256

Reader = Callable[[int, int], Array]
"""From two rows to the values of those between."""


def spans(size: int) -> Iterator[tuple[int, int]]:
    """Yield (first, end) of the blocks that ``size`` rows fall into."""
    for low in range(0, size, BLOCK):
        yield low, min(low + BLOCK, size)


def index_type(size: int) -> type[np.int32] | type[np.int64]:
    """Return the type of integers that number ``size`` rows."""
    return np.int32 if size <= np.iinfo(np.int32).max else np.int64


def sorted_rows(size: int, key: Reader, then: Reader | None, spool: Spool) -> Array | None:
    """Sort the numbers of rows 0 to ``size`` - 1 by ``key``, then by ``then``, then as they are.

    None: the rows are in order as they are.
    """
    lows, highs, samples = [], [], []
    ordered, last = True, (np.iinfo(np.int64).min, np.iinfo(np.int64).min)
    for low, high in spans(size):
        keys = key(low, high)
        lows.append(int(keys.min()))
        highs.append(int(keys.max()))
        samples.append(keys[::_STRIDE].copy())
        if ordered:
            second = np.broadcast_to(0, len(keys)) if then is None else then(low, high)
            rises = (keys[1:] > keys[:-1]) | ((keys[1:] == keys[:-1]) & (second[1:] >= second[:-1]))
            first, end = (int(keys[0]), int(second[0])), (int(keys[-1]), int(second[-1]))
            ordered, last = last <= first and bool(rises.all()), end
    if ordered:
        return None
    sample = np.sort(np.concatenate(samples))
    stretches = min(-(-size // STRETCH), _MOST)
    cuts = np.unique(sample[np.arange(1, stretches) * len(sample) // stretches])
    edges = [min(lows), *(c for c in cuts.tolist() if c > min(lows)), max(highs) + 1]

    def sorted_stretches() -> Iterator[Array]:
        for begin, end in pairwise(edges):
            rows, keys, second = [], [], []
            for number, (low, high) in enumerate(spans(size)):
                if lows[number] >= end or highs[number] < begin:
                    continue
                found = key(low, high)
                inside = np.flatnonzero((found >= begin) & (found < end))
                rows.append(inside + low)
                keys.append(found[inside])
                if then is not None:
                    second.append(then(low, high)[inside])
            order = _order(np.concatenate(keys), np.concatenate(second) if second else None)
            yield np.concatenate(rows)[order]

    return spool.gathered(index_type(size), sorted_stretches())


def _order(keys: Int64, second: Int64 | None) -> NDArray[np.intp]:
    order = np.argsort(keys, kind="stable")
    if second is not None:
        found = keys[order]
        equal = found[1:] == found[:-1]
        tied = np.flatnonzero(np.append(equal, False) | np.insert(equal, 0, False))
        if len(tied):  # few, as a rule
            rows = order[tied]
            order[tied] = rows[np.lexsort((second[rows], keys[rows]))]
    return order
