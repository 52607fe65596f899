"""KERNEL, MEMCPY, MEMSET and GRAPH_TRACE rows -> one table of ops and one a kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from tui.report import schema
from tui.report.columns import NULL, Int32, NamedColumns
from tui.report.event_tables.ops import OPS
from tui.report.importing.context import Context
from tui.report.importing.doubts import NO_DEVICE
from tui.report.importing.merged import Merged
from tui.report.importing.name_pool import NamePool
from tui.report.importing.sorting import Reader
from tui.report.importing.table_rows import TableRows, names_of


def read_ops(context: Context) -> Merged:
    """Read the rows of the four tables, in the order of :class:`OpKind`, trusted and by start."""
    tables = []
    for table, part in zip(OPS.sources, OPS.parts, strict=True):
        rows = TableRows.read(context, table, (*schema.OP_COLUMNS, *part.from_columns.values()))
        tables.append(rows.trusted(context.doubts).by_start())
    return Merged(tables, context.spool)


def op_columns(ops: Merged, enums: Mapping[str, Mapping[int, str]], context: Context) -> NamedColumns:
    """Make the columns of all ops by start; owners and launches are not known yet."""
    kernels, copies, sets, graphs = ops.tables
    pool, directions = context.pool, enums["copy_kind"]
    yield "start", ops.column("start")
    yield "end", ops.column("end")
    yield "kind", ops.tables_of()
    yield "row", ops.ranks()
    yield "context", ops.column("contextId")
    yield "stream", ops.column("streamId")
    yield "correlation", ops.column("correlationId")
    yield "rowid", ops.column("rowid")

    def copy_label(kind: int) -> str:
        label = "Unknown" if kind == NULL else directions.get(kind, f"kind {kind}")
        return f"[CUDA memcpy {label}]"

    def graph_label(graph: int) -> str:
        return "[CUDA graph]" if graph == NULL else f"[CUDA graph {graph}]"

    memset = pool.intern("[CUDA memset]") if len(sets) else -1
    names: list[Reader] = [
        names_of(kernels, context, "demangledName", "shortName", "mangledName"),
        _labels(copies, "copyKind", copy_label, pool),
        lambda low, high: np.full(high - low, memset, np.int32),
        _labels(graphs, "graphId", graph_label, pool),
    ]
    yield "name", ops.blocks(names)


def _labels(rows: TableRows, column: str, label: Callable[[int], str], pool: NamePool) -> Reader:
    """Name rows by the values of one column."""
    read = rows.reader(column)

    def part(low: int, high: int) -> Int32:
        distinct, inverse = np.unique(read(low, high), return_inverse=True)
        return pool.intern_all([label(value) for value in distinct.tolist()])[inverse]

    return part


def list_missing_devices(ops: Merged, context: Context) -> None:
    """List the ops that have no device id as doubtful; they still count."""
    for rows in ops.tables:
        missing = rows.where("deviceId", lambda ids: ids == NULL)
        if len(missing):
            example = f"row {missing.reader('rowid')(0, 1)[0]}: deviceId NULL"
            context.doubts.add(NO_DEVICE, rows.table, len(missing), example, excluded=False)
