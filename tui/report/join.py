"""Which API call issued which device op."""

from __future__ import annotations

import numpy as np

from tui.report.model import NULL, CallClass, Int32, Int64, UInt8

_RANK = np.zeros(len(CallClass), np.int64)
_RANK[CallClass.LAUNCH] = 0
_RANK[CallClass.BLOCKING_COPY] = 1
_RANK[CallClass.MEMORY_MANAGEMENT] = 2
_RANK[CallClass.OTHER] = 3
_RANK[CallClass.SYNCHRONISATION] = 4

# Ids of a usual capture and its processes fit into one integer side by side.
_SPAN = 1 << 40
_PROCESSES = 1 << 20
_BLOCK = 1 << 18


def join_launches(
    op_process: Int32,
    op_correlation: Int64,
    call_process: Int32,
    call_correlation: Int64,
    call_class: UInt8,
    call_start: Int64,
    call_end: Int64,
) -> Int32:
    """The index of each op's launching call, -1 where none is recorded.

    Joined on (process, correlation id). One call may own many ops; an op has one call at most.
    Where several calls of a process share an id (a runtime call and the driver call inside it),
    the launch is the one whose class enqueues work, then the earliest, then the outermost, then
    the first in the table. An id of NULL joins nothing; a process of -1 joins only -1.
    """
    launch = np.full(len(op_process), -1, np.int32)
    callers = np.flatnonzero(call_correlation != NULL)
    if not len(callers) or not len(op_process):
        return launch
    low, high = int(call_correlation[callers].min()), int(call_correlation[callers].max())
    if high - low < _SPAN and int(call_process.max()) < _PROCESSES:

        def keyed(process: Int32, correlation: Int64) -> Int64:
            key: Int64 = (process.astype(np.int64) + 1) * _SPAN + (correlation - low)
            return np.where((correlation >= low) & (correlation <= high), key, -1)
    else:
        ids = np.unique(call_correlation[callers])

        def keyed(process: Int32, correlation: Int64) -> Int64:
            rank = np.minimum(np.searchsorted(ids, correlation), len(ids) - 1)
            key: Int64 = (process.astype(np.int64) + 1) * len(ids) + rank
            return np.where(ids[rank] == correlation, key, -1)

    key = keyed(call_process[callers], call_correlation[callers])
    order = np.argsort(key, kind="stable")
    if (np.diff(key[order]) == 0).any():
        order = np.lexsort((-call_end[callers], call_start[callers], _RANK[call_class[callers]], key))
        first = np.r_[True, np.diff(key[order]) != 0]
        order = order[first]
    keys, owner = key[order], callers[order]
    del key, order
    for low_op in range(0, len(op_process), _BLOCK):  # in blocks: a table of ops is large enough once
        block = slice(low_op, low_op + _BLOCK)
        op_key = keyed(op_process[block], op_correlation[block])
        at = np.minimum(np.searchsorted(keys, op_key), len(keys) - 1)
        launch[block] = np.where(keys[at] == op_key, owner[at], -1)
    return launch
