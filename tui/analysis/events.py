"""The events of a scope as rows, by start: what ``export`` and the explorer's ``e`` write.

A row holds only its table and its position there, a few bytes. Each column is computed when it is
written, so that millions of events need little memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from tui.analysis.gap_context import deep_note, path_name, range_paths
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.stats.lazy import Computed, OwnerIds
from tui.analysis.stats.select import RowSet, host_rows, in_window, narrowed, take
from tui.analysis.table import Column, Table, Unit
from tui.intervals import lookup
from tui.report.columns import NULL, Array, Bool, Int64, Positions, UInt8, distinct_values
from tui.report.event_tables import HOST_FIRST, table_named
from tui.report.event_tables.event_table import EventTable, Owner, Phase
from tui.report.model import Report

AnyTable = EventTable[Any]

EXPORTED = tuple(table for table in HOST_FIRST if table.exports)
"""The exported tables; of events that start together, those of the earlier table come first."""
FIRST_KIND = tuple(accumulate((len(table.exports) for table in EXPORTED), initial=0))
"""The number of each table's first kind, and how many kinds there are."""


@dataclass(frozen=True)
class Events:
    """Events by start: the kind of each, and its position in the kind's table.

    A kind is a position among the :attr:`EventTable.exports` of all :data:`EXPORTED` tables.
    """

    kind: UInt8
    row: Int64

    def __len__(self) -> int:
        return len(self.kind)


def find_events(report: Report, scope: Scope) -> Events:
    """All events in scope: those that overlap a chosen window, else everything recorded."""
    starts, kinds, rows = [], [], []
    for table, first in zip(EXPORTED, FIRST_KIND, strict=False):
        start, _ = table.times(report)
        found = np.arange(len(start))[_in_scope(report, scope, table)]
        starts.append(start[found])
        kind = np.full(len(found), first, np.uint8)
        if len(table.exports) > 1:
            kind += table.of(report).kind[found]
        kinds.append(kind)
        rows.append(found)
    order = np.argsort(np.concatenate(starts), kind="stable")
    return Events(np.concatenate(kinds)[order], np.concatenate(rows)[order])


def _in_scope(report: Report, scope: Scope, table: AnyTable) -> RowSet:
    columns = table.of(report)
    if table.owner is Owner.THREAD:
        return host_rows(report, scope, columns)
    rows = in_window(*table.times(report), scope.window)
    for column, wanted in ((columns.device, scope.devices), (columns.process, scope.processes)):
        if wanted is not None:
            rows = narrowed(rows, np.isin(take(column, rows), wanted))
    return rows


def export_table(report: Report, scope: Scope, index: Index | None = None) -> Table:
    """The events in scope with the columns of the export; ``index`` spares building one."""
    events = find_events(report, scope)
    cells = EventCells(report, events, index or Index(report))

    def column(key: str, unit: Unit, make: Callable[[RowSet], Any], rank: int = 0) -> Column:
        return Column(key, key, unit, Computed(slice(0, len(events)), make), rank, "-")

    columns = (
        column("start_ns", Unit.COUNT, cells.start),
        column("duration_ns", Unit.COUNT, cells.duration),
        column("kind", Unit.TEXT, cells.kind),
        column("name", Unit.TEXT, cells.name),
        column("device", Unit.ID, cells.device, 2),
        column("stream", Unit.ID, lambda part: cells.column(part, "stream"), 2),
        column("pid", Unit.ID, cells.pid, 4),
        column("tid", Unit.ID, cells.tid, 3),
        column("correlation_id", Unit.ID, lambda part: cells.column(part, "correlation"), 5),
        column("bytes", Unit.COUNT, cells.bytes, 3),
        column("nvtx_path", Unit.TEXT, cells.path, 1),
    )
    return Table("export", "Events", columns, deep_note(cells.index, "each range has a row of its own"))


class EventCells:
    """The cells of each column for a slice of the events."""

    def __init__(self, report: Report, events: Events, index: Index) -> None:
        self._report = report
        self._events = events
        self.index = index
        self._ids = OwnerIds(report)
        self._kinds = [word for table in EXPORTED for word in table.exports]
        self._paths: dict[int, list[int]] = {-1: []}

    def _parts(self, part: RowSet) -> Iterator[tuple[AnyTable, Bool, Positions]]:
        """Each table that some of the events are of: which events these are, and their rows."""
        kind, row = self._events.kind[part], self._events.row[part]
        for table, first, end in zip(EXPORTED, FIRST_KIND, FIRST_KIND[1:], strict=False):
            mine = (kind >= first) & (kind < end)
            if mine.any():
                yield table, mine, row[mine]

    def _integers(self, part: RowSet, cells: Callable[[AnyTable, Positions], Array | None]) -> Int64:
        """One integer an event: the ``cells`` of a table's rows; NULL where it has none (None)."""
        values = np.full(len(self._events.kind[part]), NULL, np.int64)
        for table, mine, rows in self._parts(part):
            found = cells(table, rows)
            if found is not None:
                values[mine] = found
        return values

    def column(self, part: RowSet, name: str) -> Int64:
        """A column that has one name in every table; NULL where a table has none of that name."""
        return self._integers(
            part,
            lambda table, rows: (
                getattr(table.of(self._report), name)[rows] if table.has_column(name) else None
            ),
        )

    def start(self, part: RowSet) -> Int64:
        return self._integers(part, lambda table, rows: table.times(self._report)[0][rows])

    def duration(self, part: RowSet) -> Int64:
        return self._integers(part, lambda table, rows: table.times(self._report)[1][rows]) - self.start(part)

    def kind(self, part: RowSet) -> list[str]:
        return [self._kinds[kind] for kind in self._events.kind[part].tolist()]

    def name(self, part: RowSet) -> list[str]:
        names = np.full(len(self._events.kind[part]), "", object)
        for table, mine, rows in self._parts(part):
            distinct, which = np.unique(table.codes(self._report)[rows], return_inverse=True)
            words = np.array([table.word(self._report, code) for code in distinct.tolist()], object)
            names[mine] = words[which.reshape(-1)]
        found: list[str] = names.tolist()
        return found

    def device(self, part: RowSet) -> Int64:
        found = self.column(part, "device")
        return self._ids.device[np.where(found == NULL, -1, found)]

    def _threads(self, part: RowSet) -> Int64:
        """The thread of each event, for an op the one that launched it; -1 not recorded."""

        def threads(table: AnyTable, rows: Positions) -> Array:
            if not table.cause:
                return table.owners(self._report)[rows]
            callers = table_named(table.cause).owners(self._report)
            return lookup(callers, table.of(self._report).launch[rows])

        return self._integers(part, threads)

    def pid(self, part: RowSet) -> Int64:
        """The process of each event; of device work its own, whichever process launched it."""
        found = self._ids.pid[self._threads(part)]
        for table, mine, rows in self._parts(part):
            if table.owner is Owner.DEVICE:
                found[mine] = self._ids.process_pid[table.of(self._report).process[rows]]
        return found

    def tid(self, part: RowSet) -> Int64:
        return self._ids.tid[self._threads(part)]

    def bytes(self, part: RowSet) -> Int64:
        return self._integers(
            part, lambda table, rows: table.bytes(self._report, rows) if table.bytes else None
        )

    def path(self, part: RowSet) -> list[str]:
        """The ranges around each event on its thread, outermost first; around an op: around its launch."""
        around = self._integers(part, self._innermost)
        is_range = np.zeros(len(around), bool)
        for table, mine, _ in self._parts(part):
            is_range[mine] = table.phase is Phase.IS_ONE
        new = [place for place in distinct_values(around).tolist() if place not in self._paths]
        self._paths.update(zip(new, range_paths(self.index, np.array(new, np.int64)), strict=True))
        return [
            " > ".join(path_name(self._report, r) for r in self._paths[inner] if not (own and r == inner))
            for inner, own in zip(around.tolist(), is_range.tolist(), strict=True)
        ]

    def _innermost(self, table: AnyTable, rows: Positions) -> Int64:
        """The innermost range around each row (a range: itself), of an op around its launch; -1 none."""
        if table.phase is Phase.IS_ONE:
            return rows.astype(np.int64)
        found = np.full(len(rows), -1, np.int64)
        if table.cause:
            launch = table.of(self._report).launch[rows]
            found[launch >= 0] = self._innermost(table_named(table.cause), launch[launch >= 0])
        elif table.phase is Phase.INSIDE:
            start, end = table.times(self._report)
            found = self.index.range_holding(start[rows], end[rows], table.owners(self._report)[rows])
        return found
