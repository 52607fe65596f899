"""Device work: kernels, copies, memsets and graphs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from tui.report import schema
from tui.report.columns import NULL, Array, Bool, Columns, Int32, Int64, Positions, UInt8
from tui.report.data import ReportData
from tui.report.event_tables import words
from tui.report.event_tables.event_table import ColumnTable, EventTable, LaneShape, Owner, Pairs, Split, tint
from tui.report.kernels.families import MEANINGS, SHADES, family
from tui.text import safe


class OpKind(IntEnum):
    """What a device op is; the values of :attr:`Ops.kind`."""

    KERNEL = 0
    MEMCPY = 1
    MEMSET = 2
    GRAPH = 3


@dataclass(frozen=True, eq=False, repr=False)
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


@dataclass(frozen=True, eq=False, repr=False)
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


@dataclass(frozen=True, eq=False, repr=False)
class Copies(Columns):
    """What only copies have; in the order of ``ops[kind == MEMCPY]``."""

    bytes: Int64
    copy_kind: Int64
    src_kind: Int64
    dst_kind: Int64
    src_device: Int64
    dst_device: Int64
    green_context: Int64


@dataclass(frozen=True, eq=False, repr=False)
class Sets(Columns):
    """What only memsets have; in the order of ``ops[kind == MEMSET]``."""

    bytes: Int64
    value: Int64
    mem_kind: Int64
    green_context: Int64


@dataclass(frozen=True, eq=False, repr=False)
class Graphs(Columns):
    """What only whole-graph rows have; in the order of ``ops[kind == GRAPH]``."""

    graph: Int64
    graph_exec: Int64


def _memory(report: ReportData, source: int, target: int) -> str:
    return f"{_memory_kind(report, source)} to {_memory_kind(report, target)}"


def _pageable(report: ReportData, source: int, target: int) -> str:
    pageable = "Pageable" in (_memory_kind(report, source), _memory_kind(report, target))
    return (
        "pageable memory: such a copy can't overlap with the host, even if asynchronous" if pageable else ""
    )


_SOURCE, _TARGET = "source device", "target device"
_memory_kind = words.label_of("mem_kind")

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
    facts=(
        ("short name", "short_name", words.string),
        ("mangled name", "mangled_name", words.string),
        ("grid", "grid_x grid_y grid_z", words.product),
        ("block", "block_x block_y block_z", words.product),
        ("registers/thread", "registers", words.number),
        ("static shared", "static_shared", words.size),
        ("dynamic shared", "dynamic_shared", words.size),
        ("local/thread", "local_per_thread", words.size),
        ("graph node", "graph_node", words.number_if_any),
        ("green context", "green_context", words.number_if_any),
    ),
)  # fmt: skip
COPIES = ColumnTable(
    "copies",
    Copies,
    {
        "bytes": "bytes", "copy_kind": "copyKind", "src_kind": "srcKind", "dst_kind": "dstKind",
        "src_device": "srcDeviceId", "dst_device": "dstDeviceId", "green_context": "greenContextId",
    },
    facts=(
        ("direction", "copy_kind", words.label_of("copy_kind")),
        ("bytes", "bytes", words.size),
        ("memory", "src_kind dst_kind", _memory),
        (_SOURCE, "src_device", words.number_if_any),
        (_TARGET, "dst_device", words.number_if_any),
        ("note", "src_kind dst_kind", _pageable),
    ),
)  # fmt: skip
SETS = ColumnTable(
    "sets",
    Sets,
    {"bytes": "bytes", "value": "value", "mem_kind": "memKind", "green_context": "greenContextId"},
    facts=(
        ("bytes", "bytes", words.size),
        ("value", "value", words.number),
        ("memory", "mem_kind", _memory_kind),
    ),
)
GRAPHS = ColumnTable(
    "graphs",
    Graphs,
    {"graph": "graphId", "graph_exec": "graphExecId"},
    facts=(
        ("graph", "graph", words.number),
        ("graph exec", "graph_exec", words.number),
        ("kernels", "", lambda report: "not recorded: capture with --cuda-graph-trace=node to see them"),
    ),
)

_COPY_STYLES = {
    1: "copy.h2d", 3: "copy.h2d", 11: "copy.h2d",
    2: "copy.d2h", 4: "copy.d2h", 12: "copy.d2h",
    5: "copy.d2d", 6: "copy.d2d", 7: "copy.d2d", 8: "copy.d2d", 13: "copy.d2d",
    9: "copy.h2h", 10: "copy.p2p",
}  # fmt: skip
_COPY_WORDS = {
    "copy.h2d": "HtoD", "copy.d2h": "DtoH", "copy.d2d": "DtoD", "copy.h2h": "HtoH", "copy.p2p": "PtoP"
}  # fmt: skip
_MEMSET, _GRAPH, _COPY = -1, -2, -3
"""Looks of ops that are no kernels: those of copies of the kinds 0, 1, ... are -3, -4, ..."""
_COPY_KINDS = max(_COPY_STYLES) + 1


def is_work(kind: UInt8) -> Bool:
    """Which ops are kernels or graphs."""
    work: Bool = (kind == OpKind.KERNEL) | (kind == OpKind.GRAPH)
    return work


def _looks(report: ReportData, rows: Positions) -> Array:
    """The name of a kernel; a negative number for the other kinds."""
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


def kernel_style(report: ReportData, name: str) -> str:
    """The style of a kernel: its family, and a shade that is the same for a name in every run."""
    return f"{family(report.classes.kernel_class(name))}.{tint(name, SHADES)}"


def _style(report: ReportData, look: int) -> str:
    if look >= 0:
        return kernel_style(report, report.strings[look])
    if look in (_MEMSET, _GRAPH):
        return "memset" if look == _MEMSET else "graph"
    return _COPY_STYLES.get(_COPY - look, "copy.other")


def _names(report: ReportData, row: int, name: str) -> tuple[str, str]:
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


def _device(report: ReportData, index: int) -> str:
    name, model = words.device(report, index), report.devices[index].name
    return f"{name} · {safe(model)}" if model else name


def _part_details(report: ReportData, row: int) -> Pairs:
    """What the table of an op's kind has about it; of a copy also how fast it was."""
    ops = OPS.of(report)
    kind, at = int(ops.kind[row]), int(ops.row[row])
    pairs = OPS.parts[kind].details(report, at)
    if kind == OpKind.MEMCPY:
        size, duration = int(COPIES.of(report).bytes[at]), int(ops.end[row] - ops.start[row])
        known = size != NULL and duration > 0
        rate = f"{size / duration:.2f} GB/s" if known else words.UNKNOWN  # bytes per ns are GB per s
        pairs.insert(2, ("throughput", rate))
        pairs = [(label, _which(report, row, label, value)) for label, value in pairs]
    return pairs


def _which(report: ReportData, row: int, label: str, value: str) -> str:
    """What a copy's process calls a GPU, led back to the GPU's number where that is another."""
    if label not in (_SOURCE, _TARGET) or not value.isdecimal():
        return value
    process = int(OPS.of(report).process[row])
    user = report.processes[process] if process >= 0 else None
    for device in report.devices:
        if user and user.global_pid in device.users and (user.pid, int(value)) in device.owners:
            return (
                value
                if device.cuda_id == int(value)
                else f"GPU {device.cuda_id} (device {value} of the process)"
            )
    return value


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
    facts=(
        ("kind", "kind", lambda report, kind: OpKind(kind).name.lower()),
        ("device", "device", _device),
        ("stream", "stream", words.number),
        ("context", "context", words.number),
        ("process", "process", words.process),
        ("correlation", "correlation", words.number),
    ),
    sources=schema.OP_TABLES,
    title="GPU",
    noun="Device work",
    owner=Owner.DEVICE,
    lanes=(
        LaneShape("stream", lambda ops: is_work(ops.kind), Split.STREAMS),
        LaneShape("copies", lambda ops: ops.kind == OpKind.MEMCPY),
        LaneShape("memsets", lambda ops: ops.kind == OpKind.MEMSET),
    ),
    parts=(KERNELS, COPIES, SETS, GRAPHS),
    looks=_looks,
    style=_style,
    legend=(
        *((f"{style}.0", meaning) for style, meaning in MEANINGS),
        ("graph", "graph"),
        ("copy.h2d", "HtoD"),
        ("copy.d2h", "DtoH"),
        ("copy.d2d", "DtoD"),
        ("copy.p2p", "PtoP"),
        ("memset", "memset"),
    ),
    names=_names,
    more=_part_details,
    place=_place,
    cause="calls",
    exports=("kernel", "memcpy", "memset", "graph"),
    bytes=op_bytes,
)
