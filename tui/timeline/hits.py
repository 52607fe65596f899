"""What a lane has at a time (a slice, a gap, a busy or idle stretch), and where a slice is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tui.intervals import Coverage
from tui.report.event_tables import table_named
from tui.report.event_tables.event_table import Owner
from tui.report.event_tables.other import gpu_of, is_gpu_work
from tui.timeline.canvas import GapMarks
from tui.timeline.lane import Lane, LaneKind, LaneTree
from tui.timeline.slices import Row, SliceId


class Hit(NamedTuple):
    """A slice and its times (ns)."""

    id: SliceId
    start: int
    end: int


def slice_at(row: Row, time: int, tolerance: int = 0) -> Hit | None:
    """The event of ``row`` in ``[time, time + tolerance)``, the cell under the cursor; None for nothing.

    An event without length comes first, for it can't be hit otherwise; then the slice that has the
    longest part in the cell (the first of equals).
    """
    stop = time + max(tolerance, 1)
    point = int(np.searchsorted(row.point, time, "left"))
    if point < len(row.point) and row.point[point] < stop:
        at = int(row.point[point])
        return Hit(row.point_id(point), at, at)
    first = int(np.searchsorted(row.end, time, "right"))
    last = int(np.searchsorted(row.start, stop, "left"))
    if last <= first:
        return None
    inside = np.minimum(row.end[first:last], stop) - np.maximum(row.start[first:last], time)
    position = first + int(inside.argmax())
    return Hit(row.slice_id(position), int(row.start[position]), int(row.end[position]))


def position_of(row: Row, slice_id: SliceId) -> Hit | None:
    """The place of a slice in ``row``; None if it is not in it."""
    if slice_id.table != row.table:
        return None
    for index, start, end in ((row.index, row.start, row.end), (row.point_index, row.point, row.point)):
        at = int(np.searchsorted(index, slice_id.index))
        if at < len(index) and index[at] == slice_id.index:
            return Hit(slice_id, int(start[at]), int(end[at]))
    return None


def locate(tree: LaneTree, slice_id: SliceId) -> tuple[Lane, int] | None:
    """The lane that draws a slice, and which of its rows; None where no lane of the tree does.

    Gathers the lanes of the slice's device or thread, where they have not been yet.
    """
    if tree.catalogue is None:
        return None
    table = table_named(slice_id.table)
    on_device = table.owner is Owner.DEVICE
    report = tree.catalogue.report
    owner = int(table.owners(report)[slice_id.index])
    if is_gpu_work(table.sources[0]):
        on_device, owner = True, int(gpu_of(report, table.of(report))[slice_id.index])
    for lane in tree.walk():
        if lane.kind is LaneKind.DEVICE or (lane.device if on_device else lane.thread) != owner:
            continue
        for sub, row in enumerate(lane.rows):
            if position_of(row, slice_id) is not None:
                return lane, sub
    return None


def busy_at(coverage: Coverage, time: int) -> tuple[int, int] | None:
    """The merged busy stretch of a device that holds ``time``."""
    i = int(np.searchsorted(coverage.start, time, "right")) - 1
    if i >= 0 and time < coverage.end[i]:
        return int(coverage.start[i]), int(coverage.end[i])
    return None


def idle_at(coverage: Coverage, time: int) -> tuple[int, int] | None:
    """The idle stretch between two busy ones that holds ``time``, however short."""
    i = int(np.searchsorted(coverage.start, time, "right"))
    if 0 < i < len(coverage.start) and time >= coverage.end[i - 1]:
        return int(coverage.end[i - 1]), int(coverage.start[i])
    return None


def gap_at(gaps: GapMarks, time: int, tolerance: int = 0) -> int | None:
    """Position of the listed gap at ``time``, or of the longest one within the cell."""
    first = int(np.searchsorted(gaps.end, time, "right"))
    last = int(np.searchsorted(gaps.start, time + max(tolerance, 1), "left"))
    if last <= first:
        return None
    return first + int((gaps.end[first:last] - gaps.start[first:last]).argmax())
