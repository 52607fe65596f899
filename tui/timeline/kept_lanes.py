"""Lanes as columns: gathered once, kept in the store, mapped ever after.

Gathering the slices of every lane costs time and memory by the event. Kept, opening a report
again costs neither: a lane is a handful of views on a file, and a frame reads only the pages in
which its cells' edges are searched for.
"""

from __future__ import annotations

from collections.abc import Callable
from mmap import mmap
from typing import Any

import numpy as np

from tui.intervals import Coverage
from tui.report.columns import Array
from tui.report.model import Report
from tui.timeline.catalogue import Catalogue
from tui.timeline.lane import Lane, LaneKind, LaneTree
from tui.timeline.slices import LaneRows, Row, Summary

MEANING = 4
"""Goes up whenever what is kept, or what it is made of, changes its meaning."""

Put = Callable[[str, Array], None]
Get = Callable[[str], Array]
LaneFacts = dict[str, Any]


def save(tree: LaneTree, put: Put) -> LaneFacts:
    """Hand every lane's arrays to ``put``, a lane at a time; the facts that :func:`load` needs.

    Lanes that were not gathered before are not held afterwards.
    """
    columns = _Columns(put)

    def facts(lane: Lane) -> LaneFacts:
        rows = lane.load() if lane.loaded or lane.loader is None else lane.loader()
        return {
            "key": lane.key, "kind": lane.kind.name, "title": lane.title, "detail": lane.detail,
            "depth": lane.depth, "device": lane.device, "thread": lane.thread, "process": lane.process,
            "table": lane.table, "shape": lane.shape,
            "rows": [columns.keep(row) for row in rows], "children": [facts(c) for c in lane.children],
        }  # fmt: skip

    return {"roots": [facts(root) for root in tree.roots], "folded": sorted(tree.folded_first)}


def load(facts: LaneFacts, get: Get, report: Report) -> LaneTree:
    """The tree that :func:`save` was given, on the arrays that ``get`` finds. Reads no event."""

    def lane(found: LaneFacts) -> Lane:
        made = Lane(
            found["key"], LaneKind[found["kind"]], found["title"], found["detail"], found["depth"],
            found["device"], found["thread"], found["process"], tuple(map(lane, found["children"])),
            table=found["table"], shape=found["shape"],
        )  # fmt: skip
        made.take(_rows(found["rows"], get))
        return made

    roots = tuple(map(lane, facts["roots"]))
    return LaneTree(roots, Catalogue(report), frozenset(facts["folded"]))


def settled(rows: LaneRows, keep: Callable[[Array], Array]) -> LaneRows:
    """``rows`` with their arrays where ``keep`` puts them, what frames derive from them included.

    What lies in a file already stays there.
    """

    def put(values: Array) -> Array:
        return values if _in_a_file(values) else keep(values)

    def coverage(found: Coverage) -> Coverage:
        return Coverage.of(put(found.start), put(found.end), put(found.before))

    def row(found: Row) -> Row:
        made = Row(
            found.table, put(found.start), put(found.end), put(_short(found.index)), put(found.point),
            put(_short(found.point_index)),
        )  # fmt: skip
        made.__dict__["before"] = put(found.before)
        return made

    first = rows[0] if rows else None
    if isinstance(first, Summary):
        busy = coverage(first.busy)
        kernels = busy if _equal(first.kernels, first.busy) else coverage(first.kernels)
        return (Summary(busy, kernels, put(first.point), put(_short(first.point_index))),)
    return tuple(row(found) for found in rows if isinstance(found, Row))


def hand_over(old: LaneTree, new: LaneTree) -> None:
    """Give the lanes of ``new`` what those of ``old``, of the same report in an earlier stage, have gathered.

    A table that was there in the earlier stage has not changed since, so its lanes have not either.
    """
    known = {_contents(root, lane): lane.load() for root in old.roots for lane in root.walk() if lane.loaded}
    for root in new.roots:
        for lane in root.walk():
            rows = known.get(_contents(root, lane))
            if rows is not None and not lane.loaded:
                lane.take(rows)


def _contents(root: Lane, lane: Lane) -> tuple[str, ...]:
    """What a lane shows: a thread's lanes change their places as tables come."""
    if root.kind is LaneKind.THREAD:
        return root.key, lane.table, lane.shape
    return lane.key, lane.table


def swap(tree: LaneTree, kept: LaneTree) -> None:
    """Give the lanes of ``tree`` the rows of ``kept``, which hold no memory; their own are let go."""
    rows = {lane.key: lane.load() for lane in kept.walk()}
    for lane in tree.walk():
        lane.take(rows[lane.key])


class _Columns:
    """Numbers the arrays as they are put."""

    def __init__(self, put: Put) -> None:
        self._put = put
        self._count = 0

    def keep(self, row: Row | Summary) -> LaneFacts:
        points = {"point": row.point, "point_index": _short(row.point_index)}
        if isinstance(row, Summary):
            kept = {"busy": self._coverage(row.busy)}
            if not _equal(row.kernels, row.busy):
                kept["kernels"] = self._coverage(row.kernels)
            return {**kept, **self._arrays(points)}
        arrays = {"start": row.start, "end": row.end, "index": _short(row.index), "before": row.before}
        return {"table": row.table, **self._arrays({**arrays, **points})}

    def _coverage(self, coverage: Coverage) -> LaneFacts:
        return self._arrays({"start": coverage.start, "end": coverage.end, "before": coverage.before})

    def _arrays(self, arrays: dict[str, Array]) -> LaneFacts:
        names = {}
        for name, values in arrays.items():
            if len(values):
                names[name] = f"{self._count}.{name}"
                self._put(names[name], values)
        self._count += 1
        return names


def _in_a_file(values: Array) -> bool:
    held: object = values
    while isinstance(held, np.ndarray):
        held = held.base
    return isinstance(held.obj if isinstance(held, memoryview) else held, mmap)


def _equal(a: Coverage, b: Coverage) -> bool:
    return a is b or (np.array_equal(a.start, b.start) and np.array_equal(a.end, b.end))


def _short(index: Array) -> Array:
    return index.astype(np.int32) if not len(index) or int(index.max()) <= np.iinfo(np.int32).max else index


_NO_TIMES = np.zeros(0, np.int64)


def _array(facts: LaneFacts, name: str, get: Get) -> Array:
    return get(facts[name]) if name in facts else _NO_TIMES


def _coverage(facts: LaneFacts, get: Get) -> Coverage:
    if "before" not in facts:
        return Coverage(_NO_TIMES, _NO_TIMES)
    return Coverage.of(*(_array(facts, name, get) for name in ("start", "end", "before")))


def _rows(found: list[LaneFacts], get: Get) -> LaneRows:
    if found and "busy" in found[0]:
        return (_summary(found[0], get),)
    return tuple(_row(facts, get) for facts in found)


def _summary(facts: LaneFacts, get: Get) -> Summary:
    busy = _coverage(facts["busy"], get)
    kernels = _coverage(facts["kernels"], get) if "kernels" in facts else busy
    return Summary(busy, kernels, _array(facts, "point", get), _array(facts, "point_index", get))


def _row(facts: LaneFacts, get: Get) -> Row:
    start, end, index, point, point_index = (
        _array(facts, name, get) for name in ("start", "end", "index", "point", "point_index")
    )
    row = Row(facts["table"], start, end, index, point, point_index)
    if "before" in facts:
        row.__dict__["before"] = get(facts["before"])
    return row
