"""The events of a scope as rows, by start: what ``export`` and the explorer's ``e`` write.

Rows hold only where they come from; every column is worked out when it is written, so that millions
of events take a few bytes each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from tui.analysis.attribution import phase_of_calls
from tui.analysis.gap_context import path_name, range_paths
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.stats.lazy import Computed, ThreadIds
from tui.analysis.stats.select import RowSet, host_rows, op_rows
from tui.analysis.stats.sizes import op_bytes
from tui.analysis.table import Column, Table, Unit
from tui.report.columns import NULL, Int64
from tui.report.model import OpKind, Report

PATH_SEPARATOR = " > "


class EventKind(IntEnum):
    """Where an event comes from; of events that start together the lower kind stands first."""

    RANGE = 0
    MARK = 1
    API = 2
    OS = 3
    KERNEL = 4
    MEMCPY = 5
    MEMSET = 6
    GRAPH = 7


FIRST_OP = EventKind.KERNEL - OpKind.KERNEL


@dataclass(frozen=True)
class Events:
    """Events by start: the kind of each, and its position in the kind's table (ops: in ``Report.ops``)."""

    kind: NDArray[np.uint8]
    row: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.kind)


def find_events(report: Report, scope: Scope) -> Events:
    """All events in scope: those that overlap a chosen window, else everything recorded."""
    starts, kinds, rows = [], [], []
    for kind, table in (
        (EventKind.RANGE, report.ranges),
        (EventKind.MARK, report.marks),
        (EventKind.API, report.calls),
        (EventKind.OS, report.os_calls),
    ):
        found = positions(host_rows(report, scope, table), len(table))
        starts.append(table.start[found])
        kinds.append(np.full(len(found), kind, np.uint8))
        rows.append(found)
    found = positions(op_rows(report, scope), len(report.ops))
    starts.append(report.ops.start[found])
    kinds.append((report.ops.kind[found] + FIRST_OP).astype(np.uint8))
    rows.append(found)
    order = np.argsort(np.concatenate(starts), kind="stable")
    return Events(np.concatenate(kinds)[order], np.concatenate(rows)[order])


def positions(rows: RowSet, length: int) -> NDArray[np.int64]:
    """``rows`` as positions."""
    return np.arange(length)[rows] if isinstance(rows, slice) else rows.astype(np.int64, copy=False)


def export_table(report: Report, scope: Scope, index: Index | None = None) -> Table:
    """The events in scope with the columns of the export; ``index`` spares building one."""
    events = find_events(report, scope)
    cells = EventCells(report, events, index or Index(report))

    def column(key: str, unit: Unit, make: Callable[[RowSet], object], rank: int = 0) -> Column:
        values = Computed(slice(None), len(events), make)  # type: ignore[arg-type]
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
    return Table("export", "Events", columns)


PerKind = Mapping[EventKind, Callable[[NDArray[np.int64]], NDArray[np.generic]]]


class EventCells:
    """The cells of each column for a slice of the events."""

    def __init__(self, report: Report, events: Events, index: Index) -> None:
        self._report = report
        self._events = events
        self._index = index
        self._people = ThreadIds(report)
        self._devices = np.array([device.cuda_id for device in report.devices] + [NULL], np.int64)
        self._labels = [kind.name.lower() for kind in EventKind]
        self._paths: dict[int, list[int]] = {-1: []}

    def spread(
        self, part: RowSet, host: PerKind, ops: Callable[[NDArray[np.int64]], NDArray[np.generic]] | None
    ) -> Int64:
        """One integer an event, by kind; NULL where the kind has none."""
        kind, row = self._events.kind[part], self._events.row[part]
        values = np.full(len(kind), NULL, np.int64)
        for of, make in host.items():
            mine = kind == of
            values[mine] = make(row[mine])
        if ops is not None:
            mine = kind >= EventKind.KERNEL
            values[mine] = ops(row[mine])
        return values

    def start(self, part: RowSet) -> Int64:
        r = self._report
        host: PerKind = {
            EventKind.RANGE: lambda row: r.ranges.start[row],
            EventKind.MARK: lambda row: r.marks.start[row],
            EventKind.API: lambda row: r.calls.start[row],
            EventKind.OS: lambda row: r.os_calls.start[row],
        }
        return self.spread(part, host, lambda row: r.ops.start[row])

    def duration(self, part: RowSet) -> Int64:
        r = self._report
        host: PerKind = {
            EventKind.RANGE: lambda row: r.ranges.end[row] - r.ranges.start[row],
            EventKind.MARK: lambda row: np.zeros(len(row), np.int64),
            EventKind.API: lambda row: r.calls.end[row] - r.calls.start[row],
            EventKind.OS: lambda row: r.os_calls.end[row] - r.os_calls.start[row],
        }
        return self.spread(part, host, lambda row: r.ops.end[row] - r.ops.start[row])

    def kind(self, part: RowSet) -> list[str]:
        return [self._labels[kind] for kind in self._events.kind[part].tolist()]

    def name(self, part: RowSet) -> list[str]:
        r = self._report
        host: PerKind = {
            EventKind.RANGE: lambda row: r.ranges.name[row],
            EventKind.MARK: lambda row: r.marks.name[row],
            EventKind.API: lambda row: r.calls.name[row],
            EventKind.OS: lambda row: r.os_calls.name[row],
        }
        names = self.spread(part, host, lambda row: r.ops.name[row])
        known = {index: r.strings[index] for index in np.unique(names).tolist()}
        return [known[index] for index in names.tolist()]

    def device(self, part: RowSet) -> Int64:
        return self.spread(part, {}, lambda row: self._devices[self._report.ops.device[row]])

    def stream(self, part: RowSet) -> Int64:
        return self.spread(part, {}, lambda row: self._report.ops.stream[row])

    def threads(self, part: RowSet) -> Int64:
        """The thread of each event, for an op the one that launched it; -1 not recorded."""
        r = self._report
        host: PerKind = {
            EventKind.RANGE: lambda row: r.ranges.thread[row],
            EventKind.MARK: lambda row: r.marks.thread[row],
            EventKind.API: lambda row: r.calls.thread[row],
            EventKind.OS: lambda row: r.os_calls.thread[row],
        }
        callers = np.append(r.calls.thread, np.int32(-1))
        return self.spread(part, host, lambda row: callers[r.ops.launch[row]])

    def pid(self, part: RowSet) -> Int64:
        pids = self._people.pid[self.threads(part)]
        owners = self.spread(part, {}, lambda row: self._people.process_pid[self._report.ops.process[row]])
        return np.where(self._events.kind[part] >= EventKind.KERNEL, owners, pids)

    def tid(self, part: RowSet) -> Int64:
        return self._people.tid[self.threads(part)]

    def correlation(self, part: RowSet) -> Int64:
        r = self._report
        host: PerKind = {EventKind.API: lambda row: r.calls.correlation[row]}
        return self.spread(part, host, lambda row: r.ops.correlation[row])

    def bytes(self, part: RowSet) -> Int64:
        return self.spread(part, {}, lambda row: op_bytes(self._report, row))

    def path(self, part: RowSet) -> list[str]:
        """The ranges around each event on its thread, outermost first; around an op: around its launch."""
        r, index = self._report, self._index
        around = self.spread(
            part,
            {
                EventKind.RANGE: lambda row: row,
                EventKind.MARK: lambda row: index.range_holding(
                    r.marks.start[row], r.marks.start[row], r.marks.thread[row]
                ),
                EventKind.API: lambda row: phase_of_calls(index, row),
                EventKind.OS: lambda row: index.range_holding(
                    r.os_calls.start[row], r.os_calls.end[row], r.os_calls.thread[row]
                ),
            },
            lambda row: self.launch_phases(r.ops.launch[row]),
        )
        self.learn(around)
        is_range = (self._events.kind[part] == EventKind.RANGE).tolist()
        return [
            PATH_SEPARATOR.join(
                path_name(r, place) for place in self._paths[inner] if not (own and place == inner)
            )
            for inner, own in zip(around.tolist(), is_range, strict=True)
        ]

    def launch_phases(self, launch: NDArray[np.int32]) -> Int64:
        """The innermost range around each launch; -1 none, or no launch recorded."""
        phase = np.full(len(launch), -1, np.int64)
        known = launch >= 0
        phase[known] = phase_of_calls(self._index, launch[known].astype(np.int64))
        return phase

    def learn(self, ranges: Int64) -> None:
        """Work out the paths of those ``ranges`` that are new."""
        new = np.array([place for place in np.unique(ranges).tolist() if place not in self._paths], np.int64)
        if len(new):
            self._paths.update(zip(new.tolist(), range_paths(self._index, new), strict=True))
