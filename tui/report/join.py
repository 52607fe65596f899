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
    ids = np.unique(call_correlation[callers])
    key = (call_process[callers].astype(np.int64) + 1) * len(ids) + np.searchsorted(
        ids, call_correlation[callers]
    )
    order = np.lexsort((-call_end[callers], call_start[callers], _RANK[call_class[callers]], key))
    keys, first = np.unique(key[order], return_index=True)
    owner = callers[order][first]

    rank = np.minimum(np.searchsorted(ids, op_correlation), len(ids) - 1)
    op_key = (op_process.astype(np.int64) + 1) * len(ids) + rank
    at = np.minimum(np.searchsorted(keys, op_key), len(keys) - 1)
    found = (ids[rank] == op_correlation) & (keys[at] == op_key)
    launch[found] = owner[at[found]]
    return launch
