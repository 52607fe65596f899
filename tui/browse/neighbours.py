"""From one event to the next: along a row, and to the launch. Pure functions over lanes and tables."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from tui.analysis.links import Links
from tui.intervals import next_index, previous_index
from tui.report.columns import Int64
from tui.report.event_tables import EVENT_TABLES, table_named
from tui.report.event_tables.event_table import EventTable
from tui.timeline.hits import Hit, position_of, slice_at
from tui.timeline.lane import LaneLine
from tui.timeline.slices import Row, SliceId
from tui.timeline.viewport import Viewport


def events_in_cell(row: Row, cursor: int, viewport: Viewport) -> int:
    """Count the events of ``row`` in the cursor's cell."""
    left = viewport.time(viewport.cell(cursor))
    right = left + viewport.ns_per_cell
    slices = int(np.searchsorted(row.start, right, "left")) - int(np.searchsorted(row.end, left, "right"))
    points = np.searchsorted(row.point, [left, right], "left")
    return max(0, slices) + int(points[1] - points[0])


def event_under(row: Row, cursor: int, viewport: Viewport, picked: SliceId | None = None) -> Hit | None:
    """Return the event under the cursor: the one that a move landed on, else what its cell shows."""
    if picked is not None and (found := position_of(row, picked)) is not None:
        return found
    return slice_at(row, viewport.time(viewport.cell(cursor)), viewport.ns_per_cell)


def step_event(
    row: Row, cursor: int, forward: bool, picked: SliceId | None = None
) -> tuple[int, SliceId] | None:
    """Return the event of ``row`` that starts next after the cursor (or after ``picked``), or last before it.

    Events that start at one instant all get their turn: a slice first, then points. None at the end.
    """
    place = _position(row, picked) if picked is not None else None
    if place is None:
        side: Literal["left", "right"] = "right" if forward else "left"
        slices, points = (int(np.searchsorted(times, cursor, side)) for times in (row.start, row.point))
    elif place[0]:
        slices, points = int(np.searchsorted(row.start, row.point[place[1]], "right")), place[1] + forward
    else:
        slices, points = place[1] + forward, int(np.searchsorted(row.point, row.start[place[1]], "left"))
    if not forward:
        slices, points = slices - 1, points - 1
    candidates: list[tuple[int, int, SliceId]] = []
    if 0 <= slices < len(row.start):
        candidates.append((int(row.start[slices]), 0, row.slice_id(slices)))
    if 0 <= points < len(row.point):
        candidates.append((int(row.point[points]), 1, row.point_id(points)))
    if not candidates:
        return None
    time, _, event = min(candidates) if forward else max(candidates)
    return time, event


def step_time(times: Int64, time: int, forward: bool) -> int:
    """Return the position of the first of sorted ``times`` after ``time``, or of the last before; -1 none."""
    return (next_index if forward else previous_index)(times, time)


def _position(row: Row, slice_id: SliceId) -> tuple[bool, int] | None:
    """Return (whether it is a point, its position in ``row``); None where the row does not hold it."""
    if slice_id.table != row.table:
        return None
    for is_point, index in ((False, row.index), (True, row.point_index)):
        at = int(np.searchsorted(index, slice_id.index))
        if at < len(index) and index[at] == slice_id.index:
            return is_point, at
    return None


def caused_tables(name: str) -> list[EventTable[Any]]:
    """Return the tables whose rows are issued by rows of the table ``name``."""
    return [table for table in EVENT_TABLES if table.cause == name]


def linked(links: Links, slice_id: SliceId) -> list[SliceId]:
    """Return the call that launched an op, or the ops that a call launched; empty where none is recorded."""
    table = table_named(slice_id.table)
    if table.cause:
        launch = int(table.of(links.report).launch[slice_id.index])
        return [SliceId(table.cause, launch)] if launch >= 0 else []
    return [
        SliceId(caused.name, row)
        for caused in caused_tables(slice_id.table)
        for row in links.caused_by(caused, slice_id.index).tolist()
    ]


def device_of(line: LaneLine | None, links: Links, near: int) -> int:
    """Return a line's device, else the one that its process used last before ``near``, else any; -1 none."""
    if line is not None and line.lane.device >= 0:
        return line.lane.device
    ops = links.report.ops
    if not len(ops):
        return -1
    op = links.last_op_of(line.lane.process, near) if line is not None and line.lane.process >= 0 else None
    return int(ops.device[op or 0])
