"""KERNEL, MEMCPY, MEMSET and GRAPH_TRACE rows -> one table of ops and one a kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tui.report import schema
from tui.report.assemble import Array, Named, Sink
from tui.report.doubts import DANGLING_NAME, NO_DEVICE, SWALLOWS, Doubts, swallowers
from tui.report.model import NULL, Int32, Int64, OpKind
from tui.report.names import NamePool, StringTable, fill_missing
from tui.report.progress import Meter
from tui.report.rows import Rows
from tui.report.source import Source


@dataclass
class RawOps:
    """The rows of the four tables, trusted and sorted by start, before devices and launches are known."""

    kernels: Rows
    copies: Rows
    sets: Rows
    graphs: Rows

    @classmethod
    def read(cls, source: Source, doubts: Doubts, meter: Meter) -> RawOps:
        def read(table: str, more: tuple[str, ...]) -> Rows:
            rows = Rows.read(source, table, schema.OP_COLUMNS + more, meter=meter)
            rows.trust(doubts)
            return rows

        return cls(
            read(schema.KERNEL, schema.KERNEL_COLUMNS),
            read(schema.MEMCPY, schema.MEMCPY_COLUMNS),
            read(schema.MEMSET, schema.MEMSET_COLUMNS),
            read(schema.GRAPH, schema.GRAPH_COLUMNS),
        )

    @property
    def tables(self) -> tuple[Rows, Rows, Rows, Rows]:
        """In the order of :class:`OpKind`."""
        return self.kernels, self.copies, self.sets, self.graphs

    def column(self, name: str) -> Int64:
        """One column of all four, kernels first."""
        return np.concatenate([rows.ints(name) for rows in self.tables])


def op_names(
    raw: RawOps, strings: StringTable, pool: NamePool, enums: Mapping[str, Mapping[int, str]], doubts: Doubts
) -> Int32:
    """The name of every op of ``raw``, in the order of :meth:`RawOps.column`."""
    return np.concatenate(
        [
            _kernel_names(raw.kernels, strings, pool, doubts),
            _labels(raw.copies.ints("copyKind"), enums["copy_kind"], pool),
            np.full(len(raw.sets), pool.intern("[CUDA memset]"), np.int32),
            _graph_names(raw.graphs.ints("graphId"), pool),
        ]
    )


def _kernel_names(rows: Rows, strings: StringTable, pool: NamePool, doubts: Doubts) -> Int32:
    """demangledName, else shortName, else mangledName, else a placeholder that shows the id."""
    ids = rows.ints("demangledName")
    names = strings.find(ids)
    dangling = (names < 0) & (ids != NULL)
    if dangling.any():
        i = int(np.argmax(dangling))
        example = f"row {rows.ints('rowid')[i]}: demangledName {ids[i]}"
        doubts.add(DANGLING_NAME, rows.table, int(dangling.sum()), example, excluded=False)
    for column in ("shortName", "mangledName"):
        if (names < 0).any():
            names = np.where(names < 0, strings.find(rows.ints(column)), names)
    fill_missing(names, ids, pool)
    return names


def _labels(kinds: Int64, labels: Mapping[int, str], pool: NamePool) -> Int32:
    names = np.empty(len(kinds), np.int32)
    for kind in np.unique(kinds).tolist():
        label = "Unknown" if kind == NULL else labels.get(kind, f"kind {kind}")
        names[kinds == kind] = pool.intern(f"[CUDA memcpy {label}]")
    return names


def _graph_names(graphs: Int64, pool: NamePool) -> Int32:
    distinct, inverse = np.unique(graphs, return_inverse=True)
    found = [pool.intern("[CUDA graph]" if g == NULL else f"[CUDA graph {g}]") for g in distinct.tolist()]
    return np.array(found, np.int32)[inverse.reshape(-1)] if found else np.empty(0, np.int32)


def op_columns(raw: RawOps, device: Int32, process: Int32, names: Int32, launch: Int32) -> Named:
    """The four tables as one, by start. The arguments come in the order of :meth:`RawOps.column`."""
    start = raw.column("start")
    order = np.argsort(start, kind="stable")
    yield "start", start[order]
    del start
    sizes = [len(rows) for rows in raw.tables]
    yield "kind", np.repeat(np.array(list(OpKind), np.uint8), sizes)[order]
    yield "row", np.concatenate([np.arange(n, dtype=np.int32) for n in sizes])[order]
    yield "device", device[order]
    yield "process", process[order]
    yield "name", names[order]
    yield "launch", launch[order]
    for field, column in (
        ("end", "end"),
        ("context", "contextId"),
        ("stream", "streamId"),
        ("correlation", "correlationId"),
        ("rowid", "rowid"),
    ):
        yield field, raw.column(column)[order]


def check_streams(sink: Sink, doubts: Doubts) -> None:
    """Ops that swallow fifty later ones of their stream: counted as recorded, but listed."""
    tables = (schema.KERNEL, schema.MEMCPY, schema.MEMSET, schema.GRAPH)
    start, end, kind, rowid = (sink.get(f"ops.{c}") for c in ("start", "end", "kind", "rowid"))
    stream = _dense(*(sink.get(f"ops.{c}") for c in ("process", "device", "context", "stream")))
    for i in swallowers(start, end, stream):
        example = f"row {rowid[i]}: start {start[i]}, end {end[i]}"
        doubts.add(SWALLOWS, tables[int(kind[i])], 1, example, excluded=False)


def check_device_ids(raw: RawOps, doubts: Doubts) -> None:
    for rows in raw.tables:
        missing = rows.ints("deviceId") == NULL
        if missing.any():
            example = f"row {rows.ints('rowid')[int(np.argmax(missing))]}: deviceId NULL"
            doubts.add(NO_DEVICE, rows.table, int(missing.sum()), example, excluded=False)


def _dense(*columns: Array) -> Int64:
    """One integer per distinct combination of the columns' values."""
    out = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        if len(column) and (column == column[0]).all():
            continue
        values, inverse = np.unique(column, return_inverse=True)
        out = np.unique(out * len(values) + inverse.reshape(-1), return_inverse=True)[1].reshape(-1)
    return out


def kernel_columns(rows: Rows, strings: StringTable) -> Named:
    yield "short_name", strings.find(rows.ints("shortName"))
    yield "mangled_name", strings.find(rows.ints("mangledName"))
    yield "grid_x", rows.ints("gridX")
    yield "grid_y", rows.ints("gridY")
    yield "grid_z", rows.ints("gridZ")
    yield "block_x", rows.ints("blockX")
    yield "block_y", rows.ints("blockY")
    yield "block_z", rows.ints("blockZ")
    yield "registers", rows.ints("registersPerThread")
    yield "static_shared", rows.ints("staticSharedMemory")
    yield "dynamic_shared", rows.ints("dynamicSharedMemory")
    yield "local_per_thread", rows.ints("localMemoryPerThread")
    yield "graph_node", rows.ints("graphNodeId")
    yield "green_context", rows.ints("greenContextId")


def copy_columns(rows: Rows) -> Named:
    yield "bytes", rows.ints("bytes")
    yield "copy_kind", rows.ints("copyKind")
    yield "src_kind", rows.ints("srcKind")
    yield "dst_kind", rows.ints("dstKind")
    yield "src_device", rows.ints("srcDeviceId")
    yield "dst_device", rows.ints("dstDeviceId")
    yield "green_context", rows.ints("greenContextId")


def set_columns(rows: Rows) -> Named:
    yield "bytes", rows.ints("bytes")
    yield "value", rows.ints("value")
    yield "mem_kind", rows.ints("memKind")
    yield "green_context", rows.ints("greenContextId")


def graph_columns(rows: Rows) -> Named:
    yield "graph", rows.ints("graphId")
    yield "graph_exec", rows.ints("graphExecId")
