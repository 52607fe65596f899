"""KERNEL, MEMCPY, MEMSET and GRAPH_TRACE rows -> one table of ops and one a kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tui.report import schema
from tui.report.columns import NULL, Int32, NamedColumns
from tui.report.importing.doubts import DANGLING_NAME, NO_DEVICE, Doubts
from tui.report.importing.merged import Merged, Part
from tui.report.importing.name_pool import NamePool, StringTable, fill_missing
from tui.report.importing.table_rows import TableRows
from tui.report.progress import Meter
from tui.report.spool import Spool
from tui.report.sqlite.source import Source
from tui.report.tables.ops import OPS


@dataclass
class RawOps:
    """The rows of the four tables, trusted and by start, before devices and launches are known."""

    tables: list[TableRows]
    """In the order of :class:`OpKind`."""
    all: Merged

    @classmethod
    def read(cls, source: Source, doubts: Doubts, meter: Meter, spool: Spool) -> RawOps:
        tables = []
        for table, part in zip(OPS.sources, OPS.parts, strict=True):
            wanted = (*schema.OP_COLUMNS, *part.from_columns.values())
            rows = TableRows.read(source, table, wanted, meter=meter, spool=spool)
            tables.append(rows.trusted(doubts).by_start())
        return cls(tables, Merged(tables, spool))


def op_columns(
    raw: RawOps, strings: StringTable, pool: NamePool, enums: Mapping[str, Mapping[int, str]], doubts: Doubts
) -> NamedColumns:
    """The four tables as one, by start: all that is known of an op without the rest of the report."""
    kernels, copies, sets, graphs = raw.tables
    yield "start", raw.all.column("start")
    yield "end", raw.all.column("end")
    yield "kind", raw.all.tables_of()
    yield "row", raw.all.ranks()
    yield "context", raw.all.column("contextId")
    yield "stream", raw.all.column("streamId")
    yield "correlation", raw.all.column("correlationId")
    yield "rowid", raw.all.column("rowid")
    memset = pool.intern("[CUDA memset]") if len(sets) else -1
    yield (
        "name",
        raw.all.blocks(
            [
                _kernel_names(kernels, strings, pool, doubts),
                _labels(copies, enums["copy_kind"], pool),
                lambda low, high: np.full(high - low, memset, np.int32),
                _graph_names(graphs, pool),
            ]
        ),
    )


def _kernel_names(rows: TableRows, strings: StringTable, pool: NamePool, doubts: Doubts) -> Part:
    """demangledName, else shortName, else mangledName, else a placeholder that shows the id."""
    readers = [rows.reader(column) for column in ("demangledName", "shortName", "mangledName")]

    def part(low: int, high: int) -> Int32:
        ids = readers[0].at(low, high)
        names = strings.find(ids)
        dangling = (names < 0) & (ids != NULL)
        if dangling.any():
            i = int(np.argmax(dangling))
            row = rows.reader("rowid").at(low + i, low + i + 1)[0]
            example = f"row {row}: demangledName {ids[i]}"
            doubts.add(DANGLING_NAME, rows.table, int(dangling.sum()), example, excluded=False)
        for reader in readers[1:]:
            if (names < 0).any():
                names = np.where(names < 0, strings.find(reader.at(low, high)), names)
        fill_missing(names, ids, pool)
        return names

    return part


def _labels(rows: TableRows, labels: Mapping[int, str], pool: NamePool) -> Part:
    reader = rows.reader("copyKind")

    def part(low: int, high: int) -> Int32:
        kinds = reader.at(low, high)
        names = np.empty(len(kinds), np.int32)
        for kind in np.unique(kinds).tolist():
            label = "Unknown" if kind == NULL else labels.get(kind, f"kind {kind}")
            names[kinds == kind] = pool.intern(f"[CUDA memcpy {label}]")
        return names

    return part


def _graph_names(rows: TableRows, pool: NamePool) -> Part:
    reader = rows.reader("graphId")

    def part(low: int, high: int) -> Int32:
        distinct, inverse = np.unique(reader.at(low, high), return_inverse=True)
        found = [pool.intern("[CUDA graph]" if g == NULL else f"[CUDA graph {g}]") for g in distinct.tolist()]
        return np.array(found, np.int32)[inverse.reshape(-1)]

    return part


def list_missing_devices(raw: RawOps, doubts: Doubts) -> None:
    """Ops without a device id: counted, but listed."""
    for rows in raw.tables:
        missing = rows.where("deviceId", lambda ids: ids == NULL)
        if len(missing):
            example = f"row {missing.reader('rowid').at(0, 1)[0]}: deviceId NULL"
            doubts.add(NO_DEVICE, rows.table, len(missing), example, excluded=False)
