"""Ops whose times contradict that a stream runs its work in order."""

from __future__ import annotations

import numpy as np

from tui.report import schema
from tui.report.columns import NULL, ColumnSource, Int32, Int64
from tui.report.event_tables.ops import OpKind
from tui.report.importing.context import Context
from tui.report.importing.doubts import SWALLOWS
from tui.report.importing.numbering import Combinations
from tui.report.importing.swallow import swallowers

_NAMED = 3
"""How many ops are named in notes: those that contain most."""
_UNIFIED = (11, 12, 13)
"""Kinds of copies that the driver makes of managed memory, in no stream: often while a kernel waits."""


def list_swallowers(columns: ColumnSource, context: Context) -> list[str]:
    """List the ops that contain two or more later ones of their stream as doubtful, and name some in notes.

    They still count. A stream is (process, device, context, stream). What has none is not looked at, nor are
    nodes of graphs without a launch: a graph that a kernel launches runs while that does.
    """
    start, end, kind, row, name, rowid, stream, correlation = (
        columns.get(f"ops.{c}")
        for c in ("start", "end", "kind", "row", "name", "rowid", "stream", "correlation")
    )
    owner = [*(columns.get(f"ops.{c}") for c in ("process", "device", "context")), stream]
    copy_kind, graph_node = columns.get("copies.copy_kind"), columns.get("kernels.graph_node")
    streams = Combinations(len(owner))

    def lanes(low: int, high: int) -> Int32:
        found = streams.of(*(column[low:high] for column in owner))
        found[stream[low:high] == NULL] = -1
        kinds, rows = kind[low:high], row[low:high]
        copies = np.flatnonzero(kinds == OpKind.MEMCPY)
        found[copies[np.isin(copy_kind[rows[copies]], _UNIFIED)]] = -1
        kernels = np.flatnonzero((kinds == OpKind.KERNEL) & (correlation[low:high] <= 0))
        found[kernels[graph_node[rows[kernels]] > 0]] = -1
        return found

    def launches(low: int, high: int) -> Int64:
        """The correlation id; for an op without one a number of its own."""
        found: Int64 = np.where(correlation[low:high] > 0, correlation[low:high], -1 - np.arange(low, high))
        return found

    found = swallowers(start, end, lanes, launches, context.spool)
    for table in OpKind:
        rows = found.rows[kind[found.rows] == table]
        if len(rows):
            first = int(rows[0])
            example = f"row {rowid[first]}: start {start[first]}, end {end[first]}"
            context.doubts.add(SWALLOWS, schema.OP_TABLES[table], len(rows), example, excluded=False)
    most = np.argsort(-found.counts, kind="stable")[:_NAMED]
    names = context.pool.texts(name[found.rows[most]])
    notes = [
        f"{text} at {start[op]} ns (row {rowid[op]}) lasts over {count:,} later ops of its own stream: its "
        "times are doubtful, and so is the busy time they make"
        for op, count, text in zip(found.rows[most].tolist(), found.counts[most].tolist(), names, strict=True)
    ]
    more = len(found.rows) - len(most)
    return notes + ([f"... and {more:,} more such ops"] if more else [])
