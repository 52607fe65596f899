"""NVTX ranges as one tree by path: what all instances of a path took of the host and of the devices.

Ranges of one label (numbers left out) below one path are one node, whichever thread they are on. Of a range
that the window cuts, the part inside it counts. An op belongs to the innermost pushed range around its
launch, and counts whole where that launch begins in the window: it mostly runs after the range has ended.
Start/end ranges are nodes of their own at the root, without children and without device work of their own:
what is launched in them belongs to the pushed ranges there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tui.analysis.accounts import not_idle
from tui.analysis.grouping import by_text, dense
from tui.analysis.index import Index
from tui.analysis.scope import Scope
from tui.analysis.stats.select import host_processes
from tui.intervals import Coverage, Stabber, union
from tui.report.columns import NULL, Int64, Positions
from tui.report.model import RangeStyle, Report


@dataclass(frozen=True, eq=False)
class RangeTree:
    """Nodes, one entry each, a parent before its children. Times are sums in ns over a node's ranges.

    ``parent``: -1 of a root. ``depth``: 0 of a root. ``count``: ranges. ``host``: from begin to end.
    ``ops`` and ``gpu``: the device work launched in them, that of their children included; ``own_gpu``
    without it. ``idle``: of the host time, when no device of the process did anything; NULL unknown.
    ``ranges``: the positions in ``Report.ranges`` of all ranges, ``node`` of each.
    """

    labels: list[str]
    parent: Positions
    depth: Int64
    count: Int64
    host: Int64
    own_host: Int64
    ops: Int64
    gpu: Int64
    own_gpu: Int64
    idle: Int64
    ranges: Positions
    node: Positions
    outside_ops: int = 0
    """Ops launched in the window outside of any range."""
    outside_gpu: int = 0
    unlaunched: int = 0
    """Ops in the window whose launch was not recorded."""
    gpu_known: bool = True
    """Whether device work was recorded at all: else its times are unknown, not zero."""

    def __len__(self) -> int:
        return len(self.parent)

    def path(self, node: int) -> tuple[str, ...]:
        """Return the labels from the root to a node."""
        labels: list[str] = []
        while node >= 0:
            labels.append(self.labels[node])
            node = int(self.parent[node])
        return tuple(reversed(labels))

    def values(self, by: str) -> Int64:
        """Return the width of each node: ``host`` or ``gpu``."""
        return self.gpu if by == "gpu" else self.host

    def own(self, by: str) -> Int64:
        """Return what of its width is no child's."""
        return self.own_gpu if by == "gpu" else self.own_host

    def order(self, by: str) -> Positions:
        """Return the nodes depth first, of siblings the widest first."""
        values = self.values(by)
        key = np.lexsort((np.arange(len(self)), -values))
        rank = np.empty(len(self), np.int64)
        rank[key] = np.arange(len(self))
        found: list[int] = []
        left = [int(node) for node in sorted(self.roots.tolist(), key=lambda n: -int(rank[n]))]
        while left:
            node = left.pop()
            found.append(node)
            left += sorted(self.children(node).tolist(), key=lambda n: -int(rank[n]))
        return np.array(found, np.intp)

    @cached_property
    def roots(self) -> Positions:
        return np.flatnonzero(self.parent < 0)

    def children(self, node: int) -> Positions:
        """Return the nodes directly below a node."""
        order, sorted_parents = self._by_parent
        low, high = np.searchsorted(sorted_parents, [node, node + 1])
        return order[low:high]

    @cached_property
    def _by_parent(self) -> tuple[Positions, Positions]:
        order = np.argsort(self.parent, kind="stable")
        return order, self.parent[order]

    def of_node(self, node: int) -> Positions:
        """Return the ranges of a node, by start."""
        return np.sort(self.ranges[self.node == node])


def range_tree(index: Index, scope: Scope) -> RangeTree:
    """Return the tree of the ranges in scope; worked out once for a scope."""
    key = ("range tree", scope.window.start, scope.window.end, scope.devices, scope.processes)
    return index.once(key, lambda: _range_tree(index, scope))


def _range_tree(index: Index, scope: Scope) -> RangeTree:
    report, window = index.report, scope.window
    ranges = report.ranges
    rows = _rows(index, scope)
    label_of, labels = by_text(ranges.name[rows], lambda name: index.labels[name] if name >= 0 else "?")
    place = np.full(len(ranges) + 1, -1, np.intp)  # the node of each range; the last: of no range
    parent, name = [np.zeros(0, np.intp)], [np.zeros(0, np.intp)]
    depths = np.full(len(rows) + 1, -1, np.int64)  # of each node; the last: above the roots
    total = 0
    pushed = ranges.style[rows] == RangeStyle.PUSH_POP
    level = np.where(pushed, ranges.level[rows], -1)
    order = np.argsort(level, kind="stable")
    cuts = np.flatnonzero(np.diff(level[order])) + 1
    for part in np.split(order, cuts) if len(order) else ():
        free = level[part[0]] < 0
        above = np.full(len(part), -1, np.intp) if free else place[ranges.parent[rows[part]]]
        # Start/end ranges have roots of their own, even where a pushed one is called the same.
        group, keys = dense((above + 1) * max(1, len(labels)) + label_of[part])
        place[rows[part]] = total + group
        name.append((keys % max(1, len(labels))).astype(np.intp))
        parent.append((keys // max(1, len(labels)) - 1).astype(np.intp))
        depths[total : total + len(keys)] = depths[parent[-1]] + 1
        total += len(keys)
    nodes_parent, names = np.concatenate(parent), np.concatenate(name)
    node = place[rows]
    start = np.maximum(ranges.start[rows], window.start)
    end = np.minimum(ranges.end[rows], window.end)
    host = _added(node, end - start, total)
    own_ops, own_gpu, outside = _own_work(index, scope, place, total)
    depth = depths[:total]
    return RangeTree(
        [str(labels[at]) for at in names.tolist()],
        nodes_parent,
        depth,
        np.bincount(node, minlength=total).astype(np.int64),
        host,
        host - _added_up(nodes_parent, depth, host, inclusive=False),
        _added_up(nodes_parent, depth, own_ops, inclusive=True),
        _added_up(nodes_parent, depth, own_gpu, inclusive=True),
        own_gpu,
        _idle(index, rows, node, start, end, total),
        rows,
        node,
        *outside,
        len(report.ops) > 0,
    )


def _rows(index: Index, scope: Scope) -> Positions:
    """Return the ranges of known threads, in scope, that overlap the window."""
    report, window = index.report, scope.window
    ranges = report.ranges
    keep = (ranges.thread >= 0) & (ranges.end > window.start) & (ranges.start < window.end)
    processes = host_processes(report, scope)
    if processes is not None:
        keep &= np.isin(index.process_of_thread[ranges.thread], processes)
    return np.flatnonzero(keep)


def _added(groups: Positions, values: Int64, size: int) -> Int64:
    found = np.zeros(size, np.int64)
    np.add.at(found, groups, values)
    return found


def _added_up(parent: Positions, depth: Int64, own: Int64, *, inclusive: bool) -> Int64:
    """Return the sum of ``own`` over each node and all below it; else over its children alone."""
    if not inclusive:
        below = parent >= 0
        return _added(parent[below], own[below], len(parent))
    found = own.copy()
    order = np.argsort(-depth, kind="stable")
    for nodes in np.split(order, np.flatnonzero(np.diff(depth[order])) + 1) if len(order) else ():
        nodes = nodes[parent[nodes] >= 0]
        np.add.at(found, parent[nodes], found[nodes])
    return found


def _own_work(
    index: Index, scope: Scope, place: Positions, size: int
) -> tuple[Int64, Int64, tuple[int, int, int]]:
    """Return ops and their time of each node alone; (ops, time) outside of ranges; ops without a launch."""
    report, window = index.report, scope.window
    ops, calls, ranges = report.ops, report.calls, report.ranges
    mine = np.ones(len(ops), bool)
    for column, chosen in ((ops.device, scope.devices), (ops.process, scope.processes)):
        if chosen is not None:
            mine &= np.isin(column, chosen)
    known = mine & (ops.launch >= 0)
    lost = mine & (ops.launch < 0) & (ops.start < window.end) & (ops.end > window.start)
    rows = np.flatnonzero(known)
    begun = calls.start[ops.launch[rows]]
    rows = rows[(begun >= window.start) & (begun < window.end)]
    call, of_call = dense(ops.launch[rows])[::-1]
    call = call.astype(np.intp)
    pushed = np.flatnonzero((ranges.style == RangeStyle.PUSH_POP) & (ranges.thread >= 0))
    stabber = Stabber(ranges.start[pushed], ranges.end[pushed], ranges.thread[pushed])
    inner = stabber.latest_holding(calls.start[call], calls.end[call], calls.thread[call])
    holder = np.append(pushed, len(ranges))[inner] if len(call) else np.zeros(0, np.intp)
    node = place[holder][of_call] if len(call) else np.zeros(0, np.intp)
    length = ops.end[rows] - ops.start[rows]
    inside = node >= 0
    count = np.bincount(node[inside], minlength=size).astype(np.int64)
    out = ~inside
    return (
        count,
        _added(node[inside], length[inside], size),
        (int(out.sum()), int(length[out].sum()), int(lost.sum())),
    )


def _idle(index: Index, rows: Positions, node: Positions, start: Int64, end: Int64, size: int) -> Int64:
    """Return the idle time inside the ranges of each node; NULL where any range's process has no device."""
    process = index.process_of_thread[index.report.ranges.thread[rows]]
    idle, known = np.zeros(size, np.int64), np.ones(size, bool)
    for number in np.unique(process).tolist():
        mine = process == number
        working = _working(index, number)
        if working is None:
            known[node[mine]] = False
        else:
            free = end[mine] - start[mine] - working.between(start[mine], end[mine])
            np.add.at(idle, node[mine], free)
    return np.where(known, idle, NULL)


def _working(index: Index, process: int) -> Coverage | None:
    """Return when any device of a process works, or may do so; None for a process without one."""
    ops = index.report.ops
    devices = np.unique(ops.device[ops.process == process]).tolist()
    parts = [not_idle(index, device) for device in devices if device >= 0]
    if not parts:
        return None
    if len(parts) == 1:
        return parts[0]
    starts, ends = (np.concatenate([getattr(part, name) for part in parts]) for name in ("start", "end"))
    return Coverage.of(*union(starts, ends))


def has_ranges(report: Report) -> bool:
    """Return whether any range belongs to a known thread."""
    return bool((report.ranges.thread >= 0).any())
