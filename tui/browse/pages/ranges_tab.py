"""Ranges: NVTX as a tree by path. The figures of ``nsystui flame``."""

from __future__ import annotations

import numpy as np

from tui.analysis.flame import has_ranges, range_tree
from tui.analysis.flame_table import JOINT, notes, shown_nodes
from tui.analysis.table import Column, Table, Unit, picked
from tui.browse.lazy_columns import Coded
from tui.browse.page import Instances, Page, Pairs, Section
from tui.browse.pages.instances import instances
from tui.browse.pages.request import PageRequest
from tui.report.columns import NULL, Int64
from tui.text import safe
from tui.text.times import exact

TITLE = "NVTX ranges by path"
NAME_LEAST = 16


def ranges_page(request: PageRequest) -> Page:
    """Show the tree, the widest first, each range below the one that it is in."""
    report = request.capture.report
    if not has_ranges(report):
        return [Section(TITLE, lines=("no NVTX ranges recorded (capture with --trace=nvtx)",))]
    tree = range_tree(request.index, request.scope)
    request.stop_if_dropped()
    nodes = shown_nodes(tree, "host")
    whole = int(tree.host[tree.roots].sum())

    def name(row: int) -> str:
        node = int(nodes[row])
        return "  " * int(tree.depth[node]) + safe(tree.labels[node])

    def device(values: Int64) -> Int64:
        return values[nodes] if tree.gpu_known else np.full(len(nodes), NULL, np.int64)

    def find(row: int) -> Instances | None:
        return instances("ranges", report.ranges, tree.of_node(int(nodes[row])))

    def details(row: int) -> Pairs:
        node = int(nodes[row])
        times = {"host": tree.host, "host self": tree.own_host}
        if tree.gpu_known:
            times |= {"GPU": tree.gpu, "GPU self": tree.own_gpu}
        pairs = [("name", JOINT.join(map(safe, tree.path(node)))), ("count", f"{int(tree.count[node]):,}")]
        pairs += [(label, exact(int(values[node]))) for label, values in times.items()]
        idle = int(tree.idle[node])
        return [*pairs, ("idle", "?" if idle == NULL else exact(idle)), ("ops", f"{int(tree.ops[node]):,}")]

    share = [100 * int(value) / whole if whole else None for value in picked(tree.host, nodes)]
    table = Table(
        "ranges",
        "",
        (
            Column("range", "range", Unit.TEXT, Coded(np.arange(len(nodes)), len(nodes), name)),
            Column("count", "count", Unit.COUNT, tree.count[nodes], 2),
            Column("host", "host_ns", Unit.NS, tree.host[nodes]),
            Column("%", "host_pct", Unit.PCT, share, 3),
            Column("GPU", "gpu_ns", Unit.NS, device(tree.gpu)),
            Column("idle", "idle_ns", Unit.NS, tree.idle[nodes], 1),
        ),
    )
    lines = [request.label, *notes(tree), "f draws them: rows are depth, width is summed time"]
    return [
        Section(TITLE, table, tuple(lines), find, "no ranges in this window", NAME_LEAST, details=details)
    ]
