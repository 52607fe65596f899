"""One drawn line of a lane: slices that do not overlap, in time order, and points without length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tui.intervals import Coverage, lanes_for_overlaps
from tui.report.columns import Int64, Positions
from tui.timeline.series import Series


class SliceId(NamedTuple):
    """The row of the report that a slice shows; ``table`` is named as in ``Report.events``."""

    table: str
    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody asks for


@dataclass(eq=False)
class Row:
    """Slices ``[start[i], end[i])`` (int64 ns, sorted, disjoint) of one table, and points.

    ``index[i]`` is the slice's position in ``table``; ``point[j]`` (sorted) is the time of an event
    of no length and ``point_index[j]`` its position.
    """

    table: str
    start: Int64
    end: Int64
    index: Positions
    point: Int64
    point_index: Positions

    def __len__(self) -> int:
        return len(self.start) + len(self.point)

    @cached_property
    def before(self) -> Int64:
        """Total length of the slices before each one (one entry more than slices), made on first use."""
        sums = np.zeros(len(self.start) + 1, np.int64)
        np.cumsum(self.end - self.start, out=sums[1:])
        return sums

    def slice_id(self, position: int) -> SliceId:
        """Identity of slice ``position``."""
        return SliceId(self.table, int(self.index[position]))

    def point_id(self, position: int) -> SliceId:
        """Identity of point ``position``."""
        return SliceId(self.table, int(self.point_index[position]))


@dataclass(eq=False)
class Summary:
    """A device's summary line: everything that it did, merged, and its kernels (and graphs) alone.

    ``point``: the times of ops without length, so that they are seen on a folded device too.
    """

    busy: Coverage
    kernels: Coverage
    point: Int64
    point_index: Positions


LaneRows = tuple[Row | Summary | Series, ...]
"""The drawn lines of a lane; of a device's lane its summary alone."""
Loader = Callable[[], LaneRows]


def split_rows(table: str, start: Int64, end: Int64, index: Positions) -> tuple[Row, ...]:
    """As many rows as the deepest overlap needs, so that every slice is drawn.

    ``start``/``end``: all of the table's columns; ``index``: the members, in time order.
    """
    whole = len(index) == len(start)
    s, e = (start, end) if whole else (start[index], end[index])
    lasting = e > s
    if lasting.all():
        point, point_index = s[:0], index[:0]
    else:
        point, point_index = s[~lasting], index[~lasting]
        s, e, index = s[lasting], e[lasting], index[lasting]
    if not (e[:-1] > s[1:]).any():  # by start: if no neighbours overlap, none do
        return (Row(table, s, e, index, point, point_index),)
    row = lanes_for_overlaps(s, e)
    none = np.zeros(0, np.int64)
    rows = []
    for line in range(int(row.max()) + 1):
        members = np.flatnonzero(row == line)
        points = (point, point_index) if line == 0 else (none, none.astype(np.intp))
        rows.append(Row(table, s[members], e[members], index[members], *points))
    return tuple(rows)
