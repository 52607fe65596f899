"""The events of a scope as rows, by start: what ``export`` and the explorer's ``e`` write.

Rows hold only where they come from; every column is worked out when it is written, so that millions
of events take a few bytes each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tui.analysis.gap_context import path_name, range_paths
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.stats.lazy import Computed, OwnerIds
from tui.analysis.stats.select import RowSet, host_rows, in_window, narrowed, take
from tui.analysis.table import Column, Unit, Values
from tui.analysis.table import Table as Listing
from tui.report.columns import NULL, Array, Int64, Positions
from tui.report.model import Report
from tui.report.tables import HOST_FIRST, table_named
from tui.report.tables.table import EventTable, Owner, Phase

Table = EventTable[Any]
PATH_SEPARATOR = " > "


EXPORTED = tuple(table for table in HOST_FIRST if table.exports)
"""Of events that start together the earlier table stands first."""
FIRST_KIND = tuple(accumulate((len(table.exports) for table in EXPORTED), initial=0))
"""The number of each table's first kind, and how many kinds there are."""


@dataclass(frozen=True)
class Events:
    """Events by start: the kind of each, and its position in the kind's table.

    A kind is a position among the :attr:`EventTable.exports` of all :data:`EXPORTED` tables.
    """

    kind: NDArray[np.uint8]
    row: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.kind)


def find_events(report: Report, scope: Scope) -> Events:
    """All events in scope: those that overlap a chosen window, else everything recorded."""
    starts, kinds, rows = [], [], []
    for table, first in zip(EXPORTED, FIRST_KIND, strict=False):
        start, _ = table.times(report)
        found = positions(_in_scope(report, scope, table), len(start))
        starts.append(start[found])
        kind = np.full(len(found), first, np.uint8)
        if len(table.exports) > 1:
            kind += table.of(report).kind[found]
        kinds.append(kind)
        rows.append(found)
    order = np.argsort(np.concatenate(starts), kind="stable")
    return Events(np.concatenate(kinds)[order], np.concatenate(rows)[order])


def _in_scope(report: Report, scope: Scope, table: Table) -> RowSet:
    columns = table.of(report)
    if table.owner is Owner.THREAD:
        return host_rows(report, scope, columns)
    rows = in_window(*table.times(report), scope.window)
    for column, wanted in ((columns.device, scope.devices), (columns.process, scope.processes)):
        if wanted is not None:
            rows = narrowed(rows, np.isin(take(column, rows), wanted))
    return rows


def positions(rows: RowSet, length: int) -> NDArray[np.int64]:
    """``rows`` as positions."""
    return np.arange(length)[rows] if isinstance(rows, slice) else rows.astype(np.int64, copy=False)


def export_table(report: Report, scope: Scope, index: Index | None = None) -> Listing:
    """The events in scope with the columns of the export; ``index`` spares building one."""
    events = find_events(report, scope)
    cells = EventCells(report, events, index or Index(report))

    def column(key: str, unit: Unit, make: Callable[[RowSet], Values], rank: int = 0) -> Column:
        values = Computed(slice(0, len(events)), make)
        return Column(key, key, unit, values, rank, "-")

    columns = (
        column("start_ns", Unit.COUNT, cells.start),
        column("duration_ns", Unit.COUNT, cells.duration),
        column("kind", Unit.TEXT, cells.kind),
        column("name", Unit.TEXT, cells.name),
        column("device", Unit.ID, cells.device, 2),
        column("stream", Unit.ID, cells.stream, 2),
        column("pid", Unit.ID, cells.pid, 4),
        column("tid", Unit.ID, cells.tid, 3),
        column("correlation_id", Unit.ID, cells.correlation, 5),
        column("bytes", Unit.COUNT, cells.bytes, 3),
        column("nvtx_path", Unit.TEXT, cells.path, 1),
    )
    return Listing("export", "Events", columns)


Cells = Callable[[Table, Positions], NDArray[np.generic] | None]
"""The values of some rows of a table; None where it has no such column."""


class EventCells:
    """The cells of each column for a slice of the events."""

    def __init__(self, report: Report, events: Events, index: Index) -> None:
        self._report = report
        self._events = events
        self._index = index
        self._people = OwnerIds(report)
        self._devices = np.array([device.cuda_id for device in report.devices] + [NULL], np.int64)
        self._labels = [word for table in EXPORTED for word in table.exports]
        self._paths: dict[int, list[int]] = {-1: []}

    def _parts(self, part: RowSet) -> Iterator[tuple[Table, NDArray[np.bool_], Positions]]:
        """Each table that some of the events are of: which of them, and their rows."""
        kind, row = self._events.kind[part], self._events.row[part]
        for number, table in enumerate(EXPORTED):
            mine = (kind >= FIRST_KIND[number]) & (kind < FIRST_KIND[number + 1])
            if mine.any():
                yield table, mine, row[mine]

    def _spread(self, part: RowSet, cells: Cells) -> Int64:
        """One integer an event; NULL where its table has none."""
        values = np.full(len(self._events.kind[part]), NULL, np.int64)
        for table, mine, rows in self._parts(part):
            found = cells(table, rows)
            if found is not None:
                values[mine] = found
        return values

    def _column(self, part: RowSet, name: str) -> Int64:
        """A column that has one name in every table; NULL where a table has none of that name."""
        report = self._report
        return self._spread(
            part,
            lambda table, rows: getattr(table.of(report), name)[rows] if table.has_column(name) else None,
        )

    def start(self, part: RowSet) -> Int64:
        return self._spread(part, lambda table, rows: table.times(self._report)[0][rows])

    def duration(self, part: RowSet) -> Int64:
        def lengths(table: Table, rows: Positions) -> Int64:
            start, end = table.times(self._report)
            return end[rows] - start[rows]

        return self._spread(part, lengths)

    def kind(self, part: RowSet) -> list[str]:
        return [self._labels[kind] for kind in self._events.kind[part].tolist()]

    def name(self, part: RowSet) -> list[str]:
        names = np.full(len(self._events.kind[part]), "", object)
        for table, mine, rows in self._parts(part):
            codes = table.codes(self._report)[rows]
            distinct, which = np.unique(codes, return_inverse=True)
            words = np.array([table.word(self._report, code) for code in distinct.tolist()], object)
            names[mine] = words[which.reshape(-1)]
        found: list[str] = names.tolist()
        return found

    def device(self, part: RowSet) -> Int64:
        found = self._column(part, "device")
        return self._devices[np.where(found == NULL, -1, found)]

    def stream(self, part: RowSet) -> Int64:
        return self._column(part, "stream")

    def threads(self, part: RowSet) -> Int64:
        """The thread of each event, for an op the one that launched it; -1 not recorded."""

        def threads(table: Table, rows: Positions) -> Array:
            if not table.cause:
                return table.owners(self._report)[rows]
            callers = np.append(table_named(table.cause).owners(self._report), np.int32(-1))
            found: Array = callers[table.of(self._report).launch[rows]]
            return found

        return self._spread(part, threads)

    def pid(self, part: RowSet) -> Int64:
        """The process of each event: of device work the one whose it was, whoever launched it."""
        found = self._people.pid[self.threads(part)]
        for table, mine, rows in self._parts(part):
            if table.owner is Owner.DEVICE:
                found[mine] = self._people.process_pid[table.of(self._report).process[rows]]
        return found

    def tid(self, part: RowSet) -> Int64:
        return self._people.tid[self.threads(part)]

    def correlation(self, part: RowSet) -> Int64:
        return self._column(part, "correlation")

    def bytes(self, part: RowSet) -> Int64:
        return self._spread(
            part, lambda table, rows: None if table.bytes is None else table.bytes(self._report, rows)
        )

    def path(self, part: RowSet) -> list[str]:
        """The ranges around each event on its thread, outermost first; around an op: around its launch."""
        around = self._spread(part, self._phases)
        is_range = np.zeros(len(around), bool)
        for table, mine, _ in self._parts(part):
            is_range[mine] = table.phase is Phase.IS_ONE
        self._learn(around)
        return [
            PATH_SEPARATOR.join(
                path_name(self._report, place) for place in self._paths[inner] if not (own and place == inner)
            )
            for inner, own in zip(around.tolist(), is_range.tolist(), strict=True)
        ]

    def _phases(self, table: Table, rows: Positions) -> Int64:
        """The innermost range around each row (a range: itself), an op's launch; -1 none."""
        if table.phase is Phase.IS_ONE:
            return rows.astype(np.int64)
        phase = np.full(len(rows), -1, np.int64)
        if table.cause:
            launch = table.of(self._report).launch[rows]
            phase[launch >= 0] = self._phases(table_named(table.cause), launch[launch >= 0])
        elif table.phase is Phase.INSIDE:
            start, end = table.times(self._report)
            phase = self._index.range_holding(start[rows], end[rows], table.owners(self._report)[rows])
        return phase

    def _learn(self, ranges: Int64) -> None:
        """Work out the paths of those ``ranges`` that are new."""
        new = np.array([place for place in np.unique(ranges).tolist() if place not in self._paths], np.int64)
        if len(new):
            self._paths.update(zip(new.tolist(), range_paths(self._index, new), strict=True))
