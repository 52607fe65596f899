"""The tree of NVTX ranges as a table: one row a path, depth first."""

from __future__ import annotations

import numpy as np

from tui.analysis.flame import RangeTree
from tui.analysis.stats.lazy import Computed
from tui.analysis.table import Column, Table, Unit
from tui.report.columns import NULL, Int64, Positions
from tui.text.numbers import hundredths, percent, plural
from tui.text.times import brief

JOINT = " > "
"""Between the labels of a path."""


def shown_nodes(tree: RangeTree, by: str, least_pct: float = 0.0, deepest: int | None = None) -> Positions:
    """Return the nodes depth first, without those narrower than a share of the whole, or deeper."""
    values, order = tree.values(by), tree.order(by)
    whole = int(values[tree.roots].sum())
    keep = values[order] * 100 >= least_pct * whole
    if deepest is not None:
        keep &= tree.depth[order] < deepest
    return order[keep]


def flame_table(tree: RangeTree, by: str, nodes: Positions, *, indented: bool) -> Table:
    """Return the rows of ``nodes``; ``indented``: labels below each other instead of whole paths."""
    values = tree.values(by)
    whole = int(values[tree.roots].sum())

    def names(part: Positions) -> list[str]:
        if indented:
            return ["  " * int(tree.depth[node]) + tree.labels[node] for node in part.tolist()]
        return [JOINT.join(tree.path(node)) for node in part.tolist()]

    def share(of: Int64) -> list[float | None]:
        return [hundredths(percent(int(value), whole)) for value in of[nodes]]

    def device(values: Int64) -> Int64:
        return values[nodes] if tree.gpu_known else np.full(len(nodes), NULL, np.int64)

    columns = (
        Column(
            "Range" if indented else "Path",
            "range" if indented else "path",
            Unit.TEXT,
            Computed(nodes, names),
        ),
        Column("Depth", "depth", Unit.COUNT, tree.depth[nodes], 6),
        Column("%", "pct", Unit.PCT, share(values)),
        Column("Count", "count", Unit.COUNT, tree.count[nodes]),
        Column("Host (ns)", "host_ns", Unit.NS, tree.host[nodes]),
        Column("Host self (ns)", "own_host_ns", Unit.NS, tree.own_host[nodes], 3),
        Column("GPU (ns)", "gpu_ns", Unit.NS, device(tree.gpu)),
        Column("GPU self (ns)", "own_gpu_ns", Unit.NS, device(tree.own_gpu), 3),
        Column("Ops", "ops", Unit.COUNT, device(tree.ops), 4),
        Column("Idle (ns)", "idle_ns", Unit.NS, tree.idle[nodes], 2),
    )
    return Table("flame", "NVTX ranges by path", columns, "; ".join(notes(tree)) or None)


def notes(tree: RangeTree) -> list[str]:
    """Say which device work is in no range."""
    found = []
    if tree.outside_ops:
        found.append(
            f"{plural(tree.outside_ops, 'op')} ({brief(tree.outside_gpu)}) launched outside of any range"
        )
    if tree.unlaunched:
        found.append(f"{plural(tree.unlaunched, 'op')} without a recorded launch belong to no range")
    return found


def whole_ns(tree: RangeTree, by: str) -> int:
    """Return the sum over the roots: what 100 % is."""
    return int(np.sum(tree.values(by)[tree.roots]))
