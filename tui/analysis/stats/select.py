"""Which rows of a report's tables are in scope, and their values.

A chosen window keeps the rows that overlap it (zero-length ones inside it too) and clips none; a filter
of nsys also keeps those that end just as it starts (:mod:`tui.analysis.filters`). The default window keeps
everything recorded, as the reports of NVIDIA do: host work before the first device op counts. ``--process``
keeps the rows of those processes. ``--device`` keeps the ops of those devices and, of the host's tables, the
rows of the processes that use them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tui.analysis.scope import Scope, Window
from tui.report.columns import NULL, Int64
from tui.report.model import OpKind, Report

RowSet = NDArray[np.intp] | slice
"""Positions in a table; where no copy is needed, a slice from its first row on."""

T = TypeVar("T", bound=np.generic)


def take(column: NDArray[T], rows: RowSet) -> NDArray[T]:
    """The values of ``column`` in ``rows``: a view where ``rows`` is a slice."""
    part: NDArray[T] = column[rows]
    return part


def durations(table: Any, rows: NDArray[np.integer] | slice) -> Int64:
    """The duration of each of ``rows`` of a table with ``start`` and ``end``."""
    lengths: Int64 = table.end[rows] - table.start[rows]
    return lengths


def kind_values(report: Report, rows: RowSet, columns: Mapping[OpKind, NDArray[Any]]) -> Int64:
    """The value of each op in ``rows`` from the column of its kind; NULL for kinds without a column."""
    kind, row = take(report.ops.kind, rows), take(report.ops.row, rows)
    values = np.full(len(kind), NULL, np.int64)
    for of, column in columns.items():
        mine = kind == of
        values[mine] = column[row[mine]]
    return values


def narrowed(rows: RowSet, keep: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Those of ``rows`` (as positions) for which ``keep`` holds."""
    found = np.flatnonzero(keep)
    return found if isinstance(rows, slice) else rows[found]


def op_rows(report: Report, scope: Scope, *kinds: OpKind) -> RowSet:
    """The ops in scope of these kinds (none given: of all kinds)."""
    ops = report.ops
    rows = in_window(ops.start, ops.end, scope.window)
    if kinds:
        kind = take(ops.kind, rows)
        wanted = np.logical_or.reduce([kind == one for one in kinds])
        if not wanted.all():
            rows = narrowed(rows, wanted)
    for column, chosen in ((ops.device, scope.devices), (ops.process, scope.processes)):
        if chosen is not None:
            rows = narrowed(rows, np.isin(take(column, rows), chosen))
    return rows


def host_rows(report: Report, scope: Scope, table: Any) -> RowSet:
    """The rows in scope of a table whose events happen on threads (``start``, ``thread``, maybe ``end``)."""
    rows = in_window(table.start, getattr(table, "end", table.start), scope.window)
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
        return slice(0, len(start))
    part = slice(0, int(np.searchsorted(start, window.end, "left")))
    if window.touching:
        return narrowed(part, end[part] >= window.start)
    return narrowed(part, (end[part] > window.start) | (start[part] >= window.start))


def launches_in_scope(report: Report, scope: Scope, rows: RowSet) -> NDArray[np.int32]:
    """The call that launched each of these ops; -1 where it was not recorded or a filter leaves it out."""
    launch = take(report.ops.launch, rows)
    if not scope.window.touching or not len(report.calls):
        return launch
    counts = np.zeros(len(report.calls) + 1, bool)  # the last: of no call
    counts[in_window(report.calls.start, report.calls.end, scope.window)] = True
    counts[-1] = False
    return np.where(counts[launch], launch, -1)
