"""How the reports nest ranges: as nsys does, by their bounds alone.

The explorer draws push/pop ranges as they were pushed. The reports follow nsys: the parent of a range is the
shortest one around it on its thread, whichever was opened first, and open ranges end with the last range.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tui.intervals import tightest_around
from tui.report.columns import NULL, Int64
from tui.report.importing.range_levels import depths
from tui.report.model import RangeStyle, Report
from tui.text.stacks import DEEPEST, cut_note, left_out


def closed_ends(report: Report, style: RangeStyle | None = None) -> Int64:
    """The end of each range, an open one ending with the last range: at the latest start or end of any.

    Of the ranges of one style where ``style`` is given: then the ends of others mean nothing. Where none of
    them was closed the ends are unknown: NULL.
    """
    ranges = report.ranges
    if not ranges.unfinished.any():
        return ranges.end
    mine = np.ones(len(ranges), bool) if style is None else ranges.style == style
    ended = ranges.end[mine & ~ranges.unfinished]
    last = max(ended.max(), ranges.start[mine][-1]) if len(ended) else NULL
    return np.where(ranges.unfinished, last, ranges.end)


def lengths(start: Int64, end: Int64) -> Int64:
    """From start to end; NULL where the end is."""
    return np.where(end == NULL, NULL, end - start)


class RangeTree:
    """The nesting of some ranges among themselves, on the thread of each."""

    def __init__(self, report: Report, rows: NDArray[np.intp], end: Int64) -> None:
        """``rows``: positions in `Report.ranges`; ``end``: the end of each of these rows, in ns.

        Where ends are unknown (NULL) no range is around another.
        """
        ranges, start = report.ranges, report.ranges.start[rows]
        self.ids: Int64 = ranges.rowid[rows]
        """The id of each range: its row in the export."""
        group = np.where(end == NULL, -1 - rows, ranges.thread[rows])
        self.parent = tightest_around(start, np.maximum(start, end), group, self.ids)
        """The place in ``rows`` of the range around each one; -1 for none."""
        self.depth = depths(self.parent.astype(np.int64)).astype(np.int64)
        """How many ranges are around each one."""
        self.children = self.in_children(np.ones(len(rows), np.int64))
        """How many ranges are directly inside each one."""

    def in_children(self, values: Int64) -> Int64:
        """The sum of the ``values`` of the ranges directly inside each one."""
        found = np.zeros(len(self.parent), np.int64)
        nested = self.parent >= 0
        np.add.at(found, self.parent[nested], values[nested])
        return found

    def breadth_first(self, *keys: Int64) -> Int64:
        """A rank for each range: outer ones first, then by the path of ids that leads to it.

        It matters to ranges of equal ``keys`` only; where there are none it is 0 throughout.
        """
        order = np.lexsort(keys)
        equal = [key[order][1:] == key[order][:-1] for key in keys]
        rank = np.zeros(len(order), np.int64)
        if not np.logical_and.reduce(equal).any():
            return rank
        rank[np.argsort(self.ids)] = np.arange(len(rank))
        above = self.parent
        while (inside := above >= 0).any():  # compares paths of 1, 2, 4, ... ids, the outer half first
            outer = np.where(inside, rank[above], -1)
            rank[np.lexsort((rank, outer))] = np.arange(len(rank))
            above = np.where(inside, above[above], -1)
        rank[np.lexsort((rank, self.depth))] = np.arange(len(rank))
        return rank

    def parent_ids(self) -> Int64:
        """The id of each range's parent; NULL for none."""
        return np.where(self.parent >= 0, np.append(self.ids, NULL)[self.parent], NULL)

    def stacks(self, places: NDArray[np.intp]) -> list[str]:
        """The ids from the outermost range to each of these: ``:1:5:9``.

        Of more than :data:`DEEPEST` only the innermost, after how many are left out.
        """
        known: dict[int, tuple[str, ...]] = {-1: ()}
        for place in places.tolist():
            path: list[int] = []
            at = place
            while at not in known and len(path) < DEEPEST:
                path.append(at)
                at = int(self.parent[at])
            whole = at in known
            stack = known[at] if whole else ()
            for inner in reversed(path):
                stack = (*stack, str(self.ids[inner]))[-DEEPEST:]
                if whole or inner == place:
                    known[inner] = stack
        left = np.maximum(self.depth[places] + 1 - DEEPEST, 0).tolist()
        return [
            ":" + ":".join((left_out(more), *known[place]) if more else known[place])
            for place, more in zip(places.tolist(), left, strict=True)
        ]

    def indents(self, places: NDArray[np.intp]) -> list[str]:
        """``--`` for each range around each of these; from :data:`DEEPEST` on, how many more there are."""
        return [
            "--" * level if level <= DEEPEST else f"{left_out(level - DEEPEST)} {'--' * DEEPEST}"
            for level in self.depth[places].tolist()
        ]

    def cut_note(self) -> str | None:
        """The note on stacks that are printed cut; None without any."""
        cut = int(np.count_nonzero(self.depth >= DEEPEST))
        return cut_note(cut, "ParentId leads to the others, Lvl counts them")
