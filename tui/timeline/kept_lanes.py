"""Lanes as columns: gathered once, kept in the store, mapped ever after.

Gathering the slices of every lane costs time and memory by the event. Kept, opening a report
again costs neither: a lane is a handful of views on a file, and a frame reads only the pages in
which its cells' edges are searched for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from mmap import mmap
from typing import Any

import numpy as np

from tui.intervals import Coverage
from tui.report.columns import Array
from tui.report.model import Report
from tui.timeline.lane import Lane, LaneKind, LaneTree
from tui.timeline.series import Series
from tui.timeline.slice_labels import Catalogue
from tui.timeline.slices import LaneRows, Row, Summary

MEANING = 4
"""Goes up whenever what is kept, or what it is made of, changes its meaning."""

Put = Callable[[str, Array], None]
Get = Callable[[str], Array]
LaneFacts = dict[str, Any]

_PLAIN = ("key", "title", "detail", "depth", "device", "thread", "process", "table", "shape")
"""Fields of a lane that are kept as they are."""


def save(tree: LaneTree, put: Put) -> LaneFacts:
    """Hand every lane's arrays to ``put``, a lane at a time; return the facts that :func:`load` needs.

    Lanes that were not gathered before are not afterwards.
    """
    writer = _Writer(put)

    def facts(lane: Lane, depth: int = 0) -> LaneFacts:
        rows = lane.load() if lane.loaded or lane.loader is None else lane.loader()
        kept = [row for row in rows if not isinstance(row, Series)]
        plain = {name: getattr(lane, name) for name in _PLAIN} | {"depth": depth}
        children = [facts(child, depth + 1) for child in _kept_below(lane)]
        return {**plain, "kind": lane.kind.name, "rows": list(map(writer.row, kept)), "children": children}

    roots = [root for root in tree.roots if _is_kept(root)]
    keys = {lane.key for root in roots for lane in root.walk() if _is_kept(lane)}
    return {"roots": [facts(root) for root in roots], "folded": sorted(tree.folded_first & keys)}


def _kept_below(lane: Lane) -> Iterator[Lane]:
    """The kept lanes below a lane, and below its lanes of values."""
    for child in lane.children:
        yield from [child] if _is_kept(child) else _kept_below(child)


def _is_kept(lane: Lane) -> bool:
    """Whether a lane is kept: those of values are not, they come from elsewhere at every opening."""
    return lane.kind is not LaneKind.SERIES


def load(facts: LaneFacts, get: Get, report: Report) -> LaneTree:
    """The tree that :func:`save` was given, on the arrays that ``get`` finds. Reads no event."""

    def lane(found: LaneFacts) -> Lane:
        plain = {name: found[name] for name in _PLAIN}
        made = Lane(kind=LaneKind[found["kind"]], children=tuple(map(lane, found["children"])), **plain)
        made.take(tuple(_row(row, get) for row in found["rows"]))
        return made

    roots = tuple(map(lane, facts["roots"]))
    return LaneTree(roots, Catalogue(report), frozenset(facts["folded"]))


def settled(rows: LaneRows, keep: Callable[[Array], Array]) -> LaneRows:
    """``rows`` with their arrays where ``keep`` puts them, what frames derive from them included.

    Arrays that are in a file already stay there.
    """
    arrays: dict[str, Array] = {}

    def put(name: str, values: Array) -> None:
        arrays[name] = values if _in_a_file(values) else keep(values)

    writer = _Writer(put)
    return tuple(
        row if isinstance(row, Series) else _row(writer.row(row), arrays.__getitem__) for row in rows
    )


def hand_over(old: LaneTree, new: LaneTree) -> None:
    """Give the lanes of ``new`` what those of ``old``, of the same report in an earlier stage, have gathered.

    A table that was read in the earlier stage has not changed since, so its lanes have not either.
    """
    gathered = {
        _contents(root, lane): lane.load()
        for root in old.roots
        for lane in root.walk()
        if lane.loaded and _is_kept(lane)
    }
    for root in new.roots:
        for lane in root.walk():
            rows = gathered.get(_contents(root, lane))
            if rows is not None and not lane.loaded and _is_kept(lane):
                lane.take(rows)


def _contents(root: Lane, lane: Lane) -> tuple[str, ...]:
    """What a lane shows: a thread's lanes change their places as tables are read."""
    if root.kind is LaneKind.THREAD:
        return root.key, lane.table, lane.shape
    return lane.key, lane.table


def swap(tree: LaneTree, kept: LaneTree) -> None:
    """Replace the rows of ``tree``'s lanes by those of ``kept``, which take no memory."""
    rows = {lane.key: lane.load() for lane in kept.walk()}
    for lane in filter(_is_kept, tree.walk()):
        lane.take(rows[lane.key])


class _Writer:
    """Puts the arrays of rows under numbered names; empty arrays are left out."""

    def __init__(self, put: Put) -> None:
        self._put = put
        self._numbers = count()

    def row(self, row: Row | Summary) -> LaneFacts:
        """The facts that :func:`_row` needs."""
        points = {"point": row.point, "point_index": _short(row.point_index)}
        if isinstance(row, Row):
            index = _short(row.index)
            names = self._arrays(start=row.start, end=row.end, index=index, before=row.before, **points)
            return {"table": row.table, **names}
        facts = {"busy": self._coverage(row.busy)}
        if not _equal(row.kernels, row.busy):
            facts["kernels"] = self._coverage(row.kernels)
        return {**facts, **self._arrays(**points)}

    def _coverage(self, coverage: Coverage) -> LaneFacts:
        return self._arrays(start=coverage.start, end=coverage.end, before=coverage.before)

    def _arrays(self, **arrays: Array) -> LaneFacts:
        number = next(self._numbers)
        names = {name: f"{number}.{name}" for name, values in arrays.items() if len(values)}
        for name, unique in names.items():
            self._put(unique, arrays[name])
        return names


def _row(facts: LaneFacts, get: Get) -> Row | Summary:
    """The row of which a :class:`_Writer` returned ``facts``."""

    def arrays(names: LaneFacts, *wanted: str) -> list[Array]:
        return [get(names[name]) if name in names else np.zeros(0, np.int64) for name in wanted]

    def coverage(names: LaneFacts) -> Coverage:
        return Coverage.of(*arrays(names, "start", "end", "before"))

    points = arrays(facts, "point", "point_index")
    if "busy" in facts:
        busy = coverage(facts["busy"])
        return Summary(busy, coverage(facts["kernels"]) if "kernels" in facts else busy, *points)
    row = Row(facts["table"], *arrays(facts, "start", "end", "index"), *points)
    row.before = get(facts["before"])
    return row


def _in_a_file(values: Array) -> bool:
    base: object = values
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(base.obj if isinstance(base, memoryview) else base, mmap)


def _equal(a: Coverage, b: Coverage) -> bool:
    return a is b or (np.array_equal(a.start, b.start) and np.array_equal(a.end, b.end))


def _short(index: Array) -> Array:
    """``index`` as int32, if its values fit."""
    return index.astype(np.int32) if not len(index) or int(index.max()) <= np.iinfo(np.int32).max else index
