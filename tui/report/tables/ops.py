"""Device work: kernels, copies, memsets and graphs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from tui.report import schema
from tui.report.columns import NULL, Array, Bool, Columns, Int32, Int64, Positions, UInt8
from tui.report.data import ReportData
from tui.report.tables import words
from tui.report.tables.table import ColumnTable, EventTable, LaneShape, Owner, Pairs, Split, tint
from tui.text import safe


class OpKind(IntEnum):
    """What a device op is; the values of :attr:`Ops.kind`."""

    KERNEL = 0
    MEMCPY = 1
    MEMSET = 2
    GRAPH = 3


@dataclass(frozen=True)
class Ops(Columns):
    """Device work of all kinds (kernels, copies, memsets, graphs), by start."""

    start: Int64
    end: Int64
    kind: UInt8  # OpKind
    device: Int32  # -> Report.devices
    process: Int32  # -> Report.processes
    context: Int64
    stream: Int64
    correlation: Int64
    name: Int32  # -> Report.strings: demangled kernel name, `[CUDA memcpy Host-to-Device]`, ...
    row: Int32  # -> the table of its kind: Report.kernels, .copies, .sets, .graphs
    launch: Int32  # -> Report.calls: the call that issued it; -1 not recorded
    rowid: Int64  # SQLite rowid in its source table


@dataclass(frozen=True)
class Kernels(Columns):
    """What only kernels have; in the order of ``ops[kind == KERNEL]``."""

    short_name: Int32
    mangled_name: Int32  # -1 where the export has none
    grid_x: Int64
    grid_y: Int64
    grid_z: Int64
    block_x: Int64
    block_y: Int64
    block_z: Int64
    registers: Int64
    static_shared: Int64
    dynamic_shared: Int64
    local_per_thread: Int64
    graph_node: Int64
    green_context: Int64


@dataclass(frozen=True)
class Copies(Columns):
    """What only copies have; in the order of ``ops[kind == MEMCPY]``."""

    bytes: Int64
    copy_kind: Int64
    src_kind: Int64
    dst_kind: Int64
    src_device: Int64
    dst_device: Int64
    green_context: Int64


@dataclass(frozen=True)
class Sets(Columns):
    """What only memsets have; in the order of ``ops[kind == MEMSET]``."""

    bytes: Int64
    value: Int64
    mem_kind: Int64
    green_context: Int64


@dataclass(frozen=True)
class Graphs(Columns):
    """What only whole-graph rows have; in the order of ``ops[kind == GRAPH]``."""

    graph: Int64
    graph_exec: Int64


KERNELS = ColumnTable(
    "kernels",
    Kernels,
    {
        "short_name": "shortName", "mangled_name": "mangledName", "grid_x": "gridX", "grid_y": "gridY",
        "grid_z": "gridZ", "block_x": "blockX", "block_y": "blockY", "block_z": "blockZ",
        "registers": "registersPerThread", "static_shared": "staticSharedMemory",
        "dynamic_shared": "dynamicSharedMemory", "local_per_thread": "localMemoryPerThread",
        "graph_node": "graphNodeId", "green_context": "greenContextId",
    },
)  # fmt: skip
COPIES = ColumnTable(
    "copies",
    Copies,
    {
        "bytes": "bytes", "copy_kind": "copyKind", "src_kind": "srcKind", "dst_kind": "dstKind",
        "src_device": "srcDeviceId", "dst_device": "dstDeviceId", "green_context": "greenContextId",
    },
)  # fmt: skip
SETS = ColumnTable(
    "sets",
    Sets,
    {"bytes": "bytes", "value": "value", "mem_kind": "memKind", "green_context": "greenContextId"},
)
GRAPHS = ColumnTable("graphs", Graphs, {"graph": "graphId", "graph_exec": "graphExecId"})

_COPY_STYLES = {
    1: "copy.h2d", 3: "copy.h2d", 11: "copy.h2d",
    2: "copy.d2h", 4: "copy.d2h", 12: "copy.d2h",
    5: "copy.d2d", 6: "copy.d2d", 7: "copy.d2d", 8: "copy.d2d", 13: "copy.d2d",
    9: "copy.h2h", 10: "copy.p2p",
}  # fmt: skip
_COPY_WORDS = {
    "copy.h2d": "HtoD",
    "copy.d2h": "DtoH",
    "copy.d2d": "DtoD",
    "copy.h2h": "HtoH",
    "copy.p2p": "PtoP",
}
_MEMSET, _GRAPH, _COPY = -1, -2, -3
"""Looks of what is no kernel; copies of the kinds 0, 1, ... look -3, -4, ..."""
_COPY_KINDS = max(_COPY_STYLES) + 1


def is_work(kind: UInt8) -> Bool:
    """Which ops are kernels or graphs."""
    work: Bool = (kind == OpKind.KERNEL) | (kind == OpKind.GRAPH)
    return work


def _of_kind(kind: OpKind, ops: Ops) -> Bool:
    chosen: Bool = ops.kind == kind
    return chosen


def _looks(report: ReportData, rows: Positions) -> Array:
    """A kernel's name; of the rest a negative number."""
    ops = OPS.of(report)
    kind, names = ops.kind[rows], ops.name[rows]
    if not kind.any():
        return names
    looks = names.astype(np.int64)
    looks[kind == OpKind.MEMSET] = _MEMSET
    looks[kind == OpKind.GRAPH] = _GRAPH
    copies = np.flatnonzero(kind == OpKind.MEMCPY)
    if len(copies):
        direction = COPIES.of(report).copy_kind[ops.row[rows[copies]]]
        looks[copies] = _COPY - np.where((direction < 0) | (direction >= _COPY_KINDS), 0, direction)
    return looks


def _style(report: ReportData, look: int) -> str:
    if look >= 0:
        name = report.strings[look]
        return "nccl" if name.startswith("nccl") else f"kernel.{tint(name)}"
    if look in (_MEMSET, _GRAPH):
        return "memset" if look == _MEMSET else "graph"
    return _COPY_STYLES.get(_COPY - look, "copy.other")


def _shown(report: ReportData, row: int, name: str) -> tuple[str, str]:
    ops = OPS.of(report)
    kind, at = int(ops.kind[row]), int(ops.row[row])
    short = ""
    if kind == OpKind.KERNEL:
        place = int(KERNELS.of(report).short_name[at])
        short = safe(report.strings[place]) if place >= 0 else ""
    elif kind == OpKind.MEMCPY:
        style = _COPY_STYLES.get(int(COPIES.of(report).copy_kind[at]), "")
        short = _COPY_WORDS.get(style, "")
    elif kind == OpKind.MEMSET:
        short = "memset"
    return name, short or name


def _details(report: ReportData, row: int) -> Pairs:
    ops = OPS.of(report)
    kind, at = OpKind(int(ops.kind[row])), int(ops.row[row])
    model = report.devices[int(ops.device[row])].name
    device = words.device(report, int(ops.device[row]))
    return [
        ("kind", kind.name.lower()),
        ("device", f"{device} · {safe(model)}" if model else device),
        ("stream", words.plain(ops.stream[row])),
        ("context", words.plain(ops.context[row])),
        ("process", words.process(report, int(ops.process[row]))),
        ("correlation", words.plain(ops.correlation[row])),
        *_DETAILS[kind](report, row, at),
    ]


def _kernel(report: ReportData, row: int, at: int) -> Pairs:
    k = KERNELS.of(report)
    return [
        ("short name", words.string(report, int(k.short_name[at]))),
        ("mangled name", words.string(report, int(k.mangled_name[at]))),
        ("grid", words.triple(k.grid_x[at], k.grid_y[at], k.grid_z[at])),
        ("block", words.triple(k.block_x[at], k.block_y[at], k.block_z[at])),
        ("registers/thread", words.plain(k.registers[at])),
        ("static shared", words.size(k.static_shared[at])),
        ("dynamic shared", words.size(k.dynamic_shared[at])),
        ("local/thread", words.size(k.local_per_thread[at])),
        *words.if_known("graph node", k.graph_node[at]),
        *words.if_known("green context", k.green_context[at]),
    ]


def _copy(report: ReportData, row: int, at: int) -> Pairs:
    c, ops = COPIES.of(report), OPS.of(report)
    size = int(c.bytes[at])
    duration = int(ops.end[row] - ops.start[row])
    rate = words.UNKNOWN
    if size != NULL and duration > 0:
        rate = f"{size / duration:.2f} GB/s"  # bytes per ns are GB per s
    source = words.enum_label(report, "mem_kind", c.src_kind[at])
    target = words.enum_label(report, "mem_kind", c.dst_kind[at])
    pairs: Pairs = [
        ("direction", words.enum_label(report, "copy_kind", c.copy_kind[at])),
        ("bytes", words.size(size)),
        ("throughput", rate),
        ("memory", f"{source} to {target}"),
        *words.if_known("source device", c.src_device[at]),
        *words.if_known("target device", c.dst_device[at]),
    ]
    if "Pageable" in (source, target):
        pairs.append(
            ("note", "pageable memory: such a copy can't overlap with the host, even if asynchronous")
        )
    return pairs


def _memset(report: ReportData, row: int, at: int) -> Pairs:
    sets = SETS.of(report)
    return [
        ("bytes", words.size(sets.bytes[at])),
        ("value", words.plain(sets.value[at])),
        ("memory", words.enum_label(report, "mem_kind", sets.mem_kind[at])),
    ]


def _graph(report: ReportData, row: int, at: int) -> Pairs:
    graphs = GRAPHS.of(report)
    return [
        ("graph", words.plain(graphs.graph[at])),
        ("graph exec", words.plain(graphs.graph_exec[at])),
        ("kernels", "not recorded: capture with --cuda-graph-trace=node to see them"),
    ]


_DETAILS = {OpKind.KERNEL: _kernel, OpKind.MEMCPY: _copy, OpKind.MEMSET: _memset, OpKind.GRAPH: _graph}


def _place(report: ReportData, row: int) -> str:
    ops = OPS.of(report)
    return f"{words.device(report, int(ops.device[row]))} s{int(ops.stream[row])}"


def op_bytes(report: ReportData, rows: Positions | slice) -> Int64:
    """Bytes that each op in ``rows`` moved or set; NULL for kernels and where the export has no size."""
    ops = OPS.of(report)
    kind, row = ops.kind[rows], ops.row[rows]
    moved = np.full(len(kind), NULL, np.int64)
    for of, column in ((OpKind.MEMCPY, COPIES.of(report).bytes), (OpKind.MEMSET, SETS.of(report).bytes)):
        mine = kind == of
        moved[mine] = column[row[mine]]
    return np.where(moved < 0, NULL, moved)


OPS = EventTable(
    "ops",
    Ops,
    sources=schema.OP_TABLES,
    title="GPU",
    noun="Device work",
    owner=Owner.DEVICE,
    lanes=(
        LaneShape("stream", lambda ops: is_work(ops.kind), Split.STREAMS),
        LaneShape("copies", lambda ops: _of_kind(OpKind.MEMCPY, ops)),
        LaneShape("memsets", lambda ops: _of_kind(OpKind.MEMSET, ops)),
    ),
    parts=(KERNELS, COPIES, SETS, GRAPHS),
    looks=_looks,
    style=_style,
    legend=(
        ("kernel.1", "kernel"),
        ("nccl", "NCCL"),
        ("graph", "graph"),
        ("copy.h2d", "HtoD"),
        ("copy.d2h", "DtoH"),
        ("copy.d2d", "DtoD"),
        ("copy.p2p", "PtoP"),
        ("memset", "memset"),
    ),
    shown=_shown,
    details=_details,
    place=_place,
    cause="calls",
    exports=("kernel", "memcpy", "memset", "graph"),
    bytes=op_bytes,
)
