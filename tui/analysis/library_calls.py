"""Calls of cuDNN, cuBLAS and their like: whose work a launch does."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tui.analysis.index import Index
from tui.intervals import Stabber, lookup
from tui.report.columns import Int32, Int64, Positions, distinct_values
from tui.text import safe

SOURCES = {
    "CUDNN_EVENTS": "cuDNN", "CUBLAS_EVENTS": "cuBLAS", "CUSPARSE_EVENTS": "cuSPARSE",
    "CUSOLVER_EVENTS": "cuSOLVER", "CUFFT_EVENTS": "cuFFT",
}  # fmt: skip
"""The tables of an export that hold such calls, and what the library is called."""


class LibraryCalls(NamedTuple):
    """The calls of known threads, by table."""

    start: Int64
    end: Int64
    thread: Int32
    name: Int32
    """Position in ``Report.strings``."""
    library: Positions
    """Position in :data:`SOURCES`."""


def library_calls(index: Index) -> LibraryCalls:
    """All calls of libraries in the report."""
    return index.once("library calls", lambda: _find(index))


def _find(index: Index) -> LibraryCalls:
    kinds = (np.int64, np.int64, np.int32, np.int32, np.intp)
    parts = [LibraryCalls._make(np.zeros(0, kind) for kind in kinds)]
    for number, source in enumerate(SOURCES):
        table = index.report.others.get(source)
        if table is not None and len(rows := np.flatnonzero((table.thread >= 0) & (table.name >= 0))):
            columns = (table.start[rows], table.end[rows], table.thread[rows], table.name[rows])
            parts.append(LibraryCalls(*columns, np.full(len(rows), number, np.intp)))
    return LibraryCalls._make(np.concatenate(columns) for columns in zip(*parts, strict=True))


def library_call_at(index: Index, low: Int64, high: Int64, thread: Int32 | Int64) -> Int64:
    """The innermost call of a library that each thread is in from ``low`` to ``high``; -1 none."""
    calls = library_calls(index)
    if not len(calls.start):
        return np.full(len(low), -1, np.int64)
    stabber = index.once("library stabber", lambda: Stabber(calls.start, calls.end, calls.thread))
    return stabber.latest_holding(low, high, thread).astype(np.int64)


def library_cuts(index: Index, thread: int) -> Int64:
    """The times at which a thread begins or ends calls of libraries, sorted."""
    calls = library_calls(index)
    mine = calls.thread == thread
    return distinct_values(np.concatenate((calls.start[mine], calls.end[mine])))


def library_of_ops(index: Index, ops: Positions) -> Int64:
    """The innermost call of a library that launched each op; -1 none."""
    calls = index.report.calls
    launch = index.report.ops.launch[ops].astype(np.int64)
    start, end, thread = (lookup(column, launch) for column in (calls.start, calls.end, calls.thread))
    found = library_call_at(index, start, end, thread)
    return np.where((launch >= 0) & (thread >= 0), found, -1)


def library_words(index: Index, call: int) -> str:
    """``cublasSgemm_v2 (cuBLAS)``, safe for a screen."""
    calls = library_calls(index)
    library = list(SOURCES.values())[int(calls.library[call])]
    return f"{safe(index.report.strings[int(calls.name[call])])} ({library})"
