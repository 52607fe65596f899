"""Which cells hold events that a search found: of a row, of a device's summary, of the whole report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from tui.report.columns import Bool, Int64
from tui.report.model import Report
from tui.timeline.lane import LaneKind, LaneLine
from tui.timeline.slices import Row
from tui.timeline.viewport import Viewport


@dataclass(eq=False)
class Found:
    """``start``: all of the events (ns, sorted); ``hit``: which rows of each table are among them."""

    start: Int64
    hit: Mapping[str, Bool]
    _rows: dict[int, tuple[Row, Int64, Int64]] = field(default_factory=dict, repr=False)
    _devices: dict[int, tuple[Int64, Int64]] = field(default_factory=dict, repr=False)

    def cells(self, line: LaneLine, report: Report, viewport: Viewport, cells: int) -> Bool | None:
        """Return which of ``cells`` hold such an event of a line; None for no cell.

        A device's line has those of its streams only while they are folded away.
        """
        start, end = self._times(line, report)
        if not len(start):
            return None
        first = np.searchsorted(end, viewport.start, "right")
        last = np.searchsorted(start, viewport.end(cells), "left")
        if last <= first:
            return None
        edge = np.zeros(cells + 1, np.int64)
        begin = np.clip((start[first:last] - viewport.start) // viewport.ns_per_cell, 0, cells - 1)
        stop = np.maximum(end[first:last] - 1, start[first:last])
        np.add.at(edge, begin, 1)
        np.add.at(edge, np.clip((stop - viewport.start) // viewport.ns_per_cell, 0, cells - 1) + 1, -1)
        held: Bool = np.cumsum(edge)[:-1] > 0
        return held

    def _times(self, line: LaneLine, report: Report) -> tuple[Int64, Int64]:
        """Return starts and ends of the events of a line, both ascending."""
        none = np.zeros(0, np.int64)
        if line.lane.kind is LaneKind.DEVICE:
            hit, device = self.hit.get("ops"), line.lane.device
            if hit is None or not line.folded:
                return none, none
            if device not in self._devices:
                ops = report.ops
                mine = np.flatnonzero(hit & (ops.device == device))
                # Ops of several streams overlap: an end that reaches on stands for the later ones.
                self._devices[device] = ops.start[mine], np.maximum.accumulate(ops.end[mine])
            return self._devices[device]
        row = line.row if line.lane.ready else None
        hit = self.hit.get(row.table) if row is not None else None
        if row is None or hit is None:
            return none, none
        known = self._rows.get(id(row))
        if known is None:
            slices, marks = hit[row.index], hit[row.point_index]
            start = np.concatenate((row.start[slices], row.point[marks]))
            end = np.concatenate((row.end[slices], row.point[marks] + 1))
            order = np.argsort(start, kind="stable")
            known = self._rows[id(row)] = row, start[order], np.maximum.accumulate(end[order])
        return known[1], known[2]

    def in_bins(self, span: tuple[int, int], bins: int) -> Bool:
        """Return which of so many equal parts of ``span`` hold the start of one."""
        first, last = span
        held = np.zeros(bins, bool)
        if bins > 0:
            inside = self.start[(self.start >= first) & (self.start <= last)]
            share = (inside - first) / max(last - first, 1)
            held[np.minimum((share * bins).astype(np.int64), bins - 1)] = True
        return held
