"""Find rows that contain fifty or more later ones of their own stream, a block at a time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.report.columns import Int32, Int64
from tui.report.importing.sorting import Reader, spans
from tui.report.spool import Spool

LEAST = 50


def swallowers(start: Int64, end: Int64, lanes: Reader, spool: Spool, *, least: int = LEAST) -> list[int]:
    """Find the positions of rows that contain ``least`` or more later-starting rows of their own lane.

    ``start``, ``end``: int64 ns sorted by start; ``lanes``: any integer per row, for those between two rows.
    """
    blocks = spans(len(start) - least)
    if not any((start[low + least : high + least] < end[low:high]).any() for low, high in blocks):
        return []  # no row lasts until so many later ones have started, of whatever lane
    lane = spool.gathered(np.int32, (lanes(low, high) for low, high in spans(len(start))))
    found: list[int] = []
    for suspect in _suspects(start, end, lane, least):
        parts = [np.flatnonzero(lane[low:high] == suspect) + low for low, high in spans(len(start))]
        rows = np.concatenate(parts)
        found += rows[_within(start[rows], end[rows], least)].tolist()
    return sorted(found)


def _suspects(start: Int64, end: Int64, lane: Int32, least: int) -> set[int]:
    """Find the lanes with a row that lasts until ``least`` later ones of its lane have started."""
    found: set[int] = set()
    for rows, group in _by_lane(lane, least):
        same = group[:-least] == group[least:]
        long = same & (start[rows[least:]] < end[rows[:-least]])
        found.update(np.unique(group[:-least][long]).tolist())
    return found


def _by_lane(lane: Int32, least: int) -> Iterator[tuple[Int64, Int32]]:
    """Yield blocks of (rows, their lanes) by lane, with the last ``least`` rows of each lane before them."""
    carried = np.empty(0, np.int64)
    for low, high in spans(len(lane)):
        rows = np.concatenate([carried, np.arange(low, high)])
        group = lane[rows]
        order = np.argsort(group, kind="stable")
        rows, group = rows[order], group[order]
        yield rows, group
        last = np.ones(len(rows), bool)
        last[:-least] = group[:-least] != group[least:]
        carried = rows[last]


def _within(start: Int64, end: Int64, least: int) -> list[int]:
    """Find the positions of rows of one lane that contain ``least`` or more later-starting ones."""
    later = np.searchsorted(start, end, "left") - np.arange(len(start)) - 1
    return [
        i
        for i in np.flatnonzero(later >= least).tolist()
        if int((end[i + 1 : i + 1 + later[i]] <= end[i]).sum()) >= least
    ]
