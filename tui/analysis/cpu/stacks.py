"""Stacks as a tree: a node is a way from the root to a function, so that equal stacks are one number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tui.analysis.cpu.frames import Frames, frames_of
from tui.analysis.grouping import dense
from tui.intervals import lookup
from tui.report.columns import NULL, Bool, Int64, Positions, distinct_values
from tui.report.extra.extra_table import ExtraRows

Nodes = Positions
"""Numbers of nodes; -1: no stack."""
_NO_UNWINDING = 0
"""The unwindMethod of the only frame of a sample without a stack."""


@dataclass(frozen=True)
class StackTree:
    """Nodes by number; a parent's number is smaller than its children's."""

    frame: Positions
    """The frame of each node, a position in :attr:`frames`."""
    parent: Nodes
    """-1: the node is a root."""
    frames: Frames

    def path(self, node: int) -> list[int]:
        """The frames of a stack, the root first."""
        found = []
        while node >= 0:
            found.append(int(self.frame[node]))
            node = int(self.parent[node])
        return found[::-1]

    def nearest(self, nodes: Nodes, wanted: Bool) -> Positions:
        """The innermost frame of each stack that is among the ``wanted`` (a mask of frames); -1 none."""
        found = np.full(len(nodes), -1, np.intp)
        asked, node = np.arange(len(nodes)), nodes
        while True:
            there = node >= 0
            asked, node = asked[there], node[there]
            if not len(asked):
                return found
            hit = wanted[self.frame[node]]
            found[asked[hit]] = self.frame[node[hit]]
            asked, node = asked[~hit], self.parent[node[~hit]]

    def functions(self, nodes: Nodes) -> tuple[Positions, Positions]:
        """(which of ``nodes``, frame) for every frame of each stack, once however often it recurs."""
        asked, node = np.arange(len(nodes)), nodes
        pairs = [np.zeros(0, np.int64)]
        size = max(1, len(self.frames))
        while True:
            there = node >= 0
            asked, node = asked[there], node[there]
            if not len(asked):
                break
            pairs.append(asked * size + self.frame[node])
            node = self.parent[node]
        found = distinct_values(np.concatenate(pairs))
        return (found // size).astype(np.intp), (found % size).astype(np.intp)

    def holds(self, nodes: Nodes, wanted: Bool) -> Bool:
        """Whether each stack has a frame among the ``wanted``."""
        return self.passes(nodes, wanted[self.frame])

    def passes(self, nodes: Nodes, through: Bool) -> Bool:
        """Whether each stack has a node among those of the mask ``through``."""
        inside = np.zeros(len(self.frame) + 1, bool)  # the last: of no stack
        for low in _levels(self.parent):  # a node's parents are of the levels before its own
            inside[low] = through[low] | inside[self.parent[low]]
        found: Bool = inside[nodes]
        return found

    def only(self, wanted: Bool) -> tuple[StackTree, Nodes]:
        """The tree of the stacks without all other frames, and where each node of this one is in it."""
        place = np.full(len(self.frame) + 1, -1, np.intp)
        frame, parent = [np.zeros(0, np.intp)], [np.zeros(0, np.intp)]
        count = 0
        for low in _levels(self.parent):
            above = place[self.parent[low]]
            place[low] = above
            mine = np.flatnonzero(wanted[self.frame[low]])
            key, found = dense((above[mine] + 1) * max(1, len(self.frames)) + self.frame[low[mine]])
            # One key may come up at several levels: a tree with such twins names the same stacks.
            place[low[mine]] = count + key
            frame.append(found % max(1, len(self.frames)))
            parent.append(found // max(1, len(self.frames)) - 1)
            count += len(found)
        return StackTree(np.concatenate(frame), np.concatenate(parent), self.frames), place[:-1]


def _levels(parent: Nodes) -> Sequence[Positions]:
    """The nodes by their depth below the roots."""
    found, nodes, at = [], np.arange(len(parent)), parent
    while len(nodes):
        is_here = at < 0
        found.append(nodes[is_here])
        nodes, at = nodes[~is_here], parent[at[~is_here]]
    return found


@dataclass(frozen=True)
class Stacks:
    """The stacks that a table of backtraces has, by their id there."""

    ids: Int64
    """Sorted."""
    node: Nodes
    leaf: Positions
    """Each stack's innermost frame."""
    address_only: Bool
    """Where only the address was recorded: a leaf without a stack."""
    tree: StackTree

    def of(self, ids: Int64) -> Positions:
        """The position here of each id; -1: there is no such stack."""
        if not len(self.ids):
            return np.full(len(ids), -1, np.intp)
        at = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        return np.where(self.ids[at] == ids, at, -1)

    def nodes(self, stacks: Positions) -> Nodes:
        """The node of each stack; -1 where there is none."""
        return lookup(self.node, stacks).astype(np.intp)


def stacks_of(rows: ExtraRows) -> Stacks:
    """Read the rows of a table of backtraces: ``id``, ``stackDepth`` (0 is the leaf) and frames."""
    frame, frames = frames_of(rows)
    ids, first, size, to_leaf = _from_roots(rows["id"], rows["stackDepth"])
    node = np.full(len(ids), -1, np.intp)
    tree_frame, tree_parent = [np.zeros(0, np.intp)], [np.zeros(0, np.intp)]
    count, level, width = 0, 0, max(1, len(frames))
    there = np.arange(len(ids))
    while len(there):
        key, found = dense((node[there] + 1) * width + frame[to_leaf(first[there] + level)])
        tree_frame.append((found % width).astype(np.intp))
        tree_parent.append((found // width - 1).astype(np.intp))
        node[there] = count + key
        count += len(found)
        level += 1
        there = there[size[there] > level]
    tree = StackTree(np.concatenate(tree_frame), np.concatenate(tree_parent), frames)
    leaf_row = to_leaf(first + size - 1)
    bare = (size == 1) & (rows["unwindMethod"][leaf_row] == _NO_UNWINDING)
    return Stacks(ids, node, frame[leaf_row], bare, tree)


def _from_roots(
    numbers: Int64, depth: Int64
) -> tuple[Int64, Positions, Positions, Callable[[Positions], Positions]]:
    """(ids, first place and size of each stack, row of a place), each stack's places from root to leaf."""
    same = numbers[1:] == numbers[:-1]
    steps = np.where(same, depth[1:] > depth[:-1], numbers[1:] > numbers[:-1])
    if steps.all() and not (numbers[:1] == NULL).any():  # as nsys writes it: nothing needs to move
        first = np.flatnonzero(np.append(True, ~same)[: len(numbers)])
        size = np.diff(np.append(first, len(numbers)))

        def mirrored(place: Positions) -> Positions:
            stack = np.searchsorted(first, place, "right") - 1
            return 2 * first[stack] + size[stack] - 1 - place

        return numbers[first], first, size, mirrored
    known = np.flatnonzero(numbers != NULL)
    stack, ids = dense(numbers[known])
    order = known[np.lexsort((-depth[known], stack))]
    size = np.bincount(stack, minlength=len(ids))
    return ids, np.cumsum(size) - size, size, order.__getitem__
