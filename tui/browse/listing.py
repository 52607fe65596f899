"""Which events a list shows: those of a lane, of a search, or of a row of the side pane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tui.analysis.scope import Scope
from tui.analysis.stats.select import in_window
from tui.report.columns import Int64, Positions
from tui.report.event_tables import table_named
from tui.report.event_tables.event_table import Owner
from tui.report.model import Report
from tui.timeline.lane import Lane, LaneKind
from tui.timeline.slices import SliceId

if TYPE_CHECKING:
    from tui.browse.page import Instances
    from tui.browse.search import Matches


@dataclass(frozen=True, eq=False)
class Listed:
    """Events by start. ``table`` holds positions in ``tables``, ``index`` in that table."""

    tables: tuple[str, ...]
    table: Positions
    index: Positions

    def __len__(self) -> int:
        return len(self.index)

    def id(self, position: int) -> SliceId:
        """Return the event at ``position``."""
        return SliceId(self.tables[int(self.table[position])], int(self.index[position]))

    def times(self, report: Report) -> tuple[Int64, Int64]:
        """Return starts and ends (ns)."""
        start, end = np.zeros(len(self), np.int64), np.zeros(len(self), np.int64)
        for number, name in enumerate(self.tables):
            mine = self.table == number
            starts, ends = table_named(name).times(report)
            start[mine], end[mine] = starts[self.index[mine]], ends[self.index[mine]]
        return start, end

    def inside(self, report: Report, scope: Scope) -> Listed:
        """Return those that overlap a chosen window; all of them for the default one."""
        if not scope.window.chosen:
            return self
        kept = []
        for number, name in enumerate(self.tables):
            rows = in_window(*table_named(name).times(report), scope.window)
            seen = np.zeros(len(table_named(name).times(report)[0]), bool)
            seen[rows] = True
            mine = np.flatnonzero(self.table == number)
            kept.append(mine[seen[self.index[mine]]])
        keep = np.sort(np.concatenate(kept)) if kept else np.zeros(0, np.intp)
        return Listed(self.tables, self.table[keep], self.index[keep])


def of_one_table(name: str, index: Positions) -> Listed:
    """Return events of one table, ``index`` by start."""
    return Listed((name,), np.zeros(len(index), np.intp), index)


@dataclass(frozen=True)
class LaneEvents:
    """The events of a lane: all of its lines; of a device's summary all work on the device."""

    lane: Lane

    @property
    def title(self) -> str:
        return self.lane.detail or self.lane.title

    def find(self, report: Report, scope: Scope) -> Listed:
        lane = self.lane
        if lane.kind is LaneKind.DEVICE:
            ops = report.ops
            mine = ops.device == lane.device
            if scope.processes is not None:
                mine &= np.isin(ops.process, scope.processes)
            return of_one_table("ops", np.flatnonzero(mine))
        rows = lane.rows
        parts = [part for row in rows for part in (row.index, row.point_index)]
        if not parts:
            return Listed((), np.zeros(0, np.intp), np.zeros(0, np.intp))
        return of_one_table(rows[0].table, np.sort(np.concatenate(parts)).astype(np.intp))


@dataclass(frozen=True, eq=False)
class SearchEvents:
    """The events that a search found."""

    needle: str
    matches: Matches

    @property
    def title(self) -> str:
        return f"matches of {self.needle!r}"

    def find(self, report: Report, scope: Scope) -> Listed:
        return Listed(self.matches.tables, self.matches.table, self.matches.index)


@dataclass(frozen=True, eq=False)
class RowEvents:
    """The events that a row of the side pane sums up."""

    title: str
    instances: Instances

    def find(self, report: Report, scope: Scope) -> Listed:
        return of_one_table(self.instances.kind, np.sort(self.instances.index).astype(np.intp))


Subject = LaneEvents | SearchEvents | RowEvents
"""What the list of events is about."""


def owned_by_device(name: str) -> bool:
    """Return whether a table's rows are work of a device."""
    return table_named(name).owner is Owner.DEVICE
