"""KERNEL, MEMCPY, MEMSET and GRAPH_TRACE rows -> one table of ops and one a kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tui.report import schema
from tui.report.doubts import DANGLING_NAME, NO_DEVICE, SWALLOWS, Doubts, swallowers
from tui.report.model import NULL, Copies, Graphs, Int32, Int64, Kernels, OpKind, Ops, Sets
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


def build_ops(
    raw: RawOps, start: Int64, device: Int32, process: Int32, names: Int32, launch: Int32, correlation: Int64
) -> Ops:
    """Merge the four tables by start. All arguments in the order of :meth:`RawOps.column`."""
    order = np.argsort(start, kind="stable")
    sizes = [len(rows) for rows in raw.tables]
    kind = np.repeat(np.array(list(OpKind), np.uint8), sizes)
    row = np.concatenate([np.arange(n, dtype=np.int32) for n in sizes])
    return Ops(
        start=start[order],
        end=raw.column("end")[order],
        kind=kind[order],
        device=device[order],
        process=process[order],
        context=raw.column("contextId")[order],
        stream=raw.column("streamId")[order],
        correlation=correlation[order],
        name=names[order],
        row=row[order],
        launch=launch[order],
        rowid=raw.column("rowid")[order],
    )


def check_ops(ops: Ops, doubts: Doubts) -> None:
    """Ops without a device, and ops that swallow fifty later ones of their stream: counted, but listed."""
    tables = (schema.KERNEL, schema.MEMCPY, schema.MEMSET, schema.GRAPH)
    stream = _dense(ops.process.astype(np.int64), ops.device.astype(np.int64), ops.context, ops.stream)
    for i in swallowers(ops.start, ops.end, stream):
        example = f"row {ops.rowid[i]}: start {ops.start[i]}, end {ops.end[i]}"
        doubts.add(SWALLOWS, tables[int(ops.kind[i])], 1, example, excluded=False)


def check_device_ids(raw: RawOps, doubts: Doubts) -> None:
    for rows in raw.tables:
        missing = rows.ints("deviceId") == NULL
        if missing.any():
            example = f"row {rows.ints('rowid')[int(np.argmax(missing))]}: deviceId NULL"
            doubts.add(NO_DEVICE, rows.table, int(missing.sum()), example, excluded=False)


def _dense(*columns: Int64) -> Int64:
    """One integer per distinct combination of the columns' values."""
    out = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        values, inverse = np.unique(column, return_inverse=True)
        out = np.unique(out * len(values) + inverse.reshape(-1), return_inverse=True)[1].reshape(-1)
    return out


def build_kernels(rows: Rows, strings: StringTable) -> Kernels:
    return Kernels(
        short_name=strings.find(rows.ints("shortName")),
        mangled_name=strings.find(rows.ints("mangledName")),
        grid_x=rows.ints("gridX"),
        grid_y=rows.ints("gridY"),
        grid_z=rows.ints("gridZ"),
        block_x=rows.ints("blockX"),
        block_y=rows.ints("blockY"),
        block_z=rows.ints("blockZ"),
        registers=rows.ints("registersPerThread"),
        static_shared=rows.ints("staticSharedMemory"),
        dynamic_shared=rows.ints("dynamicSharedMemory"),
        local_per_thread=rows.ints("localMemoryPerThread"),
        graph_node=rows.ints("graphNodeId"),
        green_context=rows.ints("greenContextId"),
    )


def build_copies(rows: Rows) -> Copies:
    return Copies(
        bytes=rows.ints("bytes"),
        copy_kind=rows.ints("copyKind"),
        src_kind=rows.ints("srcKind"),
        dst_kind=rows.ints("dstKind"),
        src_device=rows.ints("srcDeviceId"),
        dst_device=rows.ints("dstDeviceId"),
        green_context=rows.ints("greenContextId"),
    )


def build_sets(rows: Rows) -> Sets:
    return Sets(
        bytes=rows.ints("bytes"),
        value=rows.ints("value"),
        mem_kind=rows.ints("memKind"),
        green_context=rows.ints("greenContextId"),
    )


def build_graphs(rows: Rows) -> Graphs:
    return Graphs(graph=rows.ints("graphId"), graph_exec=rows.ints("graphExecId"))
