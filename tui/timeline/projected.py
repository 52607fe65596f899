"""NVTX lanes as the device saw them: each range from the first to the last op that it launched."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tui.analysis.index import Index
from tui.analysis.range_work import range_work
from tui.intervals import lanes_for_overlaps
from tui.report.columns import Int64, Positions
from tui.timeline.lane import Lane, LaneTree
from tui.timeline.slices import LaneRows, Row

SUFFIX = "/projected"
"""Ends the keys of such lanes below a heading."""
MARK = " on GPU"
"""Ends their titles."""


def is_projected(lane: Lane) -> bool:
    """Return whether a lane shows its ranges on the device's time."""
    return lane.detail.endswith(MARK) and lane.table == "ranges"


def projected(tree: LaneTree, thread: int, index: Index) -> LaneTree | None:
    """Return ``tree`` with the NVTX lanes of a thread projected; None where they launched nothing."""
    work = range_work(index)
    made: dict[str, Lane] = {}
    for lane in tree.walk():
        if lane.thread != thread or lane.table != "ranges" or not lane.ready or is_projected(lane):
            continue
        rows = tuple(part for row in lane.rows for part in _rows(row, work.first, work.last))
        if rows or lane.children:
            made[lane.key] = _lane(lane, rows)
    if not any(lane.rows for lane in made.values()):
        return None
    return _with(tree, made)


def _lane(lane: Lane, rows: LaneRows) -> Lane:
    """Return a lane of other rows; a heading keeps its key, which its group is folded by."""
    suffix = SUFFIX if not lane.children else ""
    made = replace(
        lane, key=lane.key + suffix, title=lane.title + MARK, detail=f"{lane.detail or lane.title}{MARK}"
    )
    made.take(rows)
    return made


def _rows(row: Row, first: Int64, last: Int64) -> LaneRows:
    """Return the slices of a row on the device's time, in as many rows as they overlap there."""
    index = np.sort(np.concatenate((row.index, row.point_index)))
    index = index[last[index] > first[index]]
    if not len(index):
        return ()
    order = index[np.argsort(first[index], kind="stable")]
    level = lanes_for_overlaps(first[order], last[order])
    none = np.zeros(0, np.int64)
    found = []
    for line in range(int(level.max()) + 1):
        for members in _ascending(order[level == line]):
            found.append(Row(row.table, first[members], last[members], members, none, none.astype(np.intp)))
    return tuple(found)


def _ascending(members: Positions) -> list[Positions]:
    """Split rows of a table, by time, into parts in which they ascend: that is how a slice is found."""
    parts = []
    while len(members):
        kept = members == np.maximum.accumulate(members)
        parts.append(members[kept])
        members = members[~kept]
    return parts


def restored(tree: LaneTree, original: LaneTree, thread: int) -> LaneTree:
    """Return ``tree`` with the lanes of a thread as they are in ``original``."""
    by_key = {lane.key: lane for lane in original.walk() if lane.thread == thread}
    made = {
        lane.key: replace(by_key[key], children=lane.children)
        for lane in tree.walk()
        if lane.thread == thread and is_projected(lane) and (key := lane.key.removesuffix(SUFFIX)) in by_key
    }
    return _with(tree, made)


def _with(tree: LaneTree, made: dict[str, Lane]) -> LaneTree:
    """Return ``tree`` with other lanes under the keys of ``made``."""

    def changed(lane: Lane) -> Lane:
        lane = made.get(lane.key, lane)
        children = tuple(map(changed, lane.children))
        same = all(new is old for new, old in zip(children, lane.children, strict=True))
        return lane if same else replace(lane, children=children)

    return LaneTree(tuple(map(changed, tree.roots)), tree.catalogue, tree.folded_first)
