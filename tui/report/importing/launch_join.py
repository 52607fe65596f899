"""Find the API call that issued each device op."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tui.report.columns import NULL, Int32, Int64, UInt8
from tui.report.importing.owners import OwnerColumn
from tui.report.importing.sorting import BLOCK, index_type, spans
from tui.report.model import CallClass

_LIKELIEST = (
    CallClass.LAUNCH, CallClass.BLOCKING_COPY, CallClass.MEMORY_MANAGEMENT, CallClass.OTHER,
    CallClass.SYNCHRONISATION,
)  # fmt: skip
"""Which of several calls of one id enqueues the work."""
_RANK = np.argsort(_LIKELIEST)

_FILLED = 4
"""Calls have places in a table where at least one place in four is in use."""
Processes = Int32 | OwnerColumn


def join_launches(
    op_process: Processes,
    op_correlation: Int64,
    call_process: Processes,
    call_correlation: Int64,
    call_class: UInt8,
    call_start: Int64,
    call_end: Int64,
) -> Iterator[Int32]:
    """Find the index of each op's launching call, -1 where none is recorded; block by block.

    Ops and calls are joined on (process, correlation id). One call may own many ops; an op has one call
    at most. Where several calls of a process share an id (a runtime call and the driver call inside it),
    the launch is the one whose class is likeliest to enqueue work, then the earliest, then the outermost,
    then the first in the table. An id of NULL joins nothing; a process of -1 joins only -1.
    """
    calls = _CallColumns(call_process, call_correlation, call_class, call_start, call_end)
    bounds = _bounds(calls)
    room = sum(high - low + 1 for low, high in bounds.values())
    found = _Table(calls, bounds) if room <= _FILLED * calls.size + BLOCK else _Search(calls)
    for low, high in spans(len(op_correlation)):
        yield found.launches(op_process[low:high], op_correlation[low:high])


class _CallColumns(NamedTuple):
    process: Processes
    correlation: Int64
    call_class: UInt8
    start: Int64
    end: Int64

    @property
    def size(self) -> int:
        return len(self.correlation)

    def launches(self, key: Int64, calls: NDArray[np.integer]) -> NDArray[np.intp]:
        """The position of the launch of each distinct key, ascending."""
        order = np.lexsort((calls, -self.end[calls], self.start[calls], _RANK[self.call_class[calls]], key))
        return order[np.r_[True, np.diff(key[order]) != 0]]


def _bounds(calls: _CallColumns) -> dict[int, tuple[int, int]]:
    """Find the least and the greatest correlation id of each process."""
    found: dict[int, tuple[int, int]] = {}
    for low, high in spans(calls.size):
        ids, owners = calls.correlation[low:high], calls.process[low:high]
        for owner in (np.flatnonzero(np.bincount(owners + 1)) - 1).tolist():
            mine = ids[(owners == owner) & (ids != NULL)]
            if len(mine):
                least, most = int(mine.min()), int(mine.max())
                before = found.get(owner, (least, most))
                found[owner] = min(before[0], least), max(before[1], most)
    return found


class _Table:
    """A place for each id between the least and the greatest of its process: nsys counts them up."""

    def __init__(self, calls: _CallColumns, bounds: dict[int, tuple[int, int]]) -> None:
        count = max(bounds, default=-1) + 3  # the last one: processes without calls
        self._low, self._high = np.zeros(count, np.int64), np.full(count, -1, np.int64)
        self._base = np.zeros(count, np.int64)
        room = 0
        for process, (low, high) in bounds.items():
            self._low[process + 1], self._high[process + 1], self._base[process + 1] = low, high, room
            room += high - low + 1
        self._owner = np.full(room + 1, -1, index_type(calls.size))  # the last one: ids without a place
        for at, rows, key in self._places(calls):
            self._owner[key] = rows + at
        # Each place now has the last of its calls: where several share one, find the best of them.
        for at, rows, key in self._places(calls):
            owner = self._owner[key]
            beaten = owner != rows + at
            if beaten.any():
                rivals = np.concatenate([rows[beaten] + at, owner[beaten]])
                keys = np.tile(key[beaten], 2)
                best = calls.launches(keys, rivals)
                self._owner[keys[best]] = rivals[best]

    def _places(self, calls: _CallColumns) -> Iterator[tuple[int, NDArray[np.intp], Int64]]:
        """Yield blocks: the first row, which of the block's rows have a place, and where."""
        for low, high in spans(calls.size):
            key = self._key(calls.process[low:high], calls.correlation[low:high])
            rows = np.flatnonzero(key >= 0)
            yield low, rows, key[rows]

    def _key(self, process: NDArray[np.integer], ids: Int64) -> Int64:
        row = np.minimum(process + 1, len(self._low) - 1)
        low = self._low[row]
        there = (ids >= low) & (ids <= self._high[row]) & (ids != NULL)
        return np.where(there, self._base[row] + (ids - low), -1)

    def launches(self, process: NDArray[np.integer], ids: Int64) -> Int32:
        return self._owner[self._key(process, ids)].astype(np.int32, copy=False)


class _Search:
    """A search in sorted keys, for ids that lie far apart."""

    def __init__(self, calls: _CallColumns) -> None:
        callers = np.flatnonzero(calls.correlation != NULL)
        self._ids = np.unique(calls.correlation[callers])
        key = self._key(calls.process[0 : calls.size][callers], calls.correlation[callers])
        order = np.argsort(key, kind="stable")
        if (np.diff(key[order]) == 0).any():
            order = calls.launches(key, callers)
        self._keys, self._owner = key[order], callers[order]

    def _key(self, process: NDArray[np.integer], ids: Int64) -> Int64:
        rank = np.minimum(np.searchsorted(self._ids, ids), len(self._ids) - 1)
        return np.where(self._ids[rank] == ids, (process.astype(np.int64) + 1) * len(self._ids) + rank, -1)

    def launches(self, process: NDArray[np.integer], ids: Int64) -> Int32:
        key = self._key(process, ids)
        at = np.minimum(np.searchsorted(self._keys, key), len(self._keys) - 1)
        return np.where(self._keys[at] == key, self._owner[at], -1).astype(np.int32)
