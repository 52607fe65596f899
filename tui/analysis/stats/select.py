"""Which rows of a report's tables a scope means.

A chosen window keeps the rows that overlap it (zero-length ones inside it too) and clips none; the
default window keeps everything recorded, as the reports of NVIDIA do: host work before the first
device op counts. ``--process`` keeps the rows of those processes. ``--device`` keeps the ops of
those devices and, of the host's tables, the rows of the processes that use them.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tui.analysis.scope import Scope, Window
from tui.report.columns import Int64
from tui.report.model import Ops, Report

RowSet = NDArray[np.intp] | slice
"""Positions in a table; a slice where no copy is needed."""

EVERYTHING = slice(None)

T = TypeVar("T", bound=np.generic)


def take(column: NDArray[T], rows: RowSet) -> NDArray[T]:
    """The values of ``column`` in ``rows``: a view where ``rows`` is a slice."""
    part: NDArray[T] = column[rows]
    return part


def narrowed(rows: RowSet, keep: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Those of ``rows`` (as positions) for which ``keep`` holds."""
    found = np.flatnonzero(keep)
    if isinstance(rows, slice):
        return found + (rows.start or 0)
    return rows[found]


def op_rows(report: Report, scope: Scope, *kinds: int) -> RowSet:
    """The ops in scope of these kinds (none given: of all kinds)."""
    ops: Ops = report.ops
    rows = in_window(ops.start, ops.end, scope.window)
    if kinds:
        kind = take(ops.kind, rows)
        wanted = kind == kinds[0]
        for other in kinds[1:]:
            wanted = wanted | (kind == other)
        if not wanted.all():
            rows = narrowed(rows, wanted)
    if scope.devices is not None:
        rows = narrowed(rows, np.isin(take(ops.device, rows), scope.devices))
    if scope.processes is not None:
        rows = narrowed(rows, np.isin(take(ops.process, rows), scope.processes))
    return rows


def host_rows(report: Report, scope: Scope, table: Any) -> RowSet:
    """The rows in scope of a table whose events happen on threads (``start``, ``thread``, maybe ``end``)."""
    end = getattr(table, "end", table.start)
    rows = in_window(table.start, end, scope.window)
    processes = host_processes(report, scope)
    if processes is not None:
        owner = np.array([thread.process for thread in report.threads] + [-1], np.int32)
        rows = narrowed(rows, np.isin(owner[take(table.thread, rows)], processes))
    return rows


def host_processes(report: Report, scope: Scope) -> list[int] | None:
    """The processes whose host work is in scope; None for all."""
    if scope.devices is None:
        return None if scope.processes is None else list(scope.processes)
    pids = {pid for device in scope.devices for pid, _ in report.devices[device].owners}
    using = [process.index for process in report.processes if process.pid in pids]
    return using if scope.processes is None else [index for index in using if index in scope.processes]


def in_window(start: Int64, end: Int64, window: Window) -> RowSet:
    """The rows, sorted by ``start``, that overlap a chosen window; all of them for the default one."""
    if not window.chosen:
        return EVERYTHING
    high = int(np.searchsorted(start, window.end, "left"))
    part = slice(0, high)
    return narrowed(part, (end[part] > window.start) | (start[part] >= window.start))
