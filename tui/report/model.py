"""What an opened export looks like: NumPy columns, one class a kind of event.

Every column is one array, every table is sorted by ``start`` (stable, so rows that start
together keep the file's order). Times are int64 nanoseconds since the session's start and may
be negative. An *index* column (``device``, ``thread``, ``name``...) holds positions in
:attr:`Report.devices`, :attr:`Report.threads`, :attr:`Report.strings`...; -1 says "none". Plain
integer columns hold :data:`NULL` where the export has NULL or no such column.

Rows whose times can't be true never reach a table; they are listed in :attr:`Report.doubtful`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tui.report.columns import Bool, Columns, Int32, Int64, Shelf, UInt8


class OpKind(IntEnum):
    """What a device op is; the values of :attr:`Ops.kind`."""

    KERNEL = 0
    MEMCPY = 1
    MEMSET = 2
    GRAPH = 3


class CallClass(IntEnum):
    """What a CUDA API call does to its thread; the values of :attr:`Calls.call_class`."""

    SYNCHRONISATION = 0
    MEMORY_MANAGEMENT = 1
    BLOCKING_COPY = 2
    LAUNCH = 3
    OTHER = 4


class RangeStyle(IntEnum):
    """How an NVTX range was opened; the values of :attr:`Ranges.style`."""

    PUSH_POP = 0
    START_END = 1


class Strings(Sequence[str]):
    """All names of a report: UTF-8 bytes in one blob, decoded one at a time.

    ``offsets`` has one entry more than there are strings; string ``i`` is
    ``blob[offsets[i]:offsets[i + 1]]``. Bytes that are no UTF-8 decode to U+FFFD.
    """

    def __init__(self, blob: UInt8, offsets: Int64) -> None:
        self.blob = blob
        self.offsets = offsets

    @classmethod
    def of(cls, values: Sequence[str | bytes]) -> Strings:
        """Pack ``values`` (text is encoded with surrogates passed through)."""
        parts = [v if isinstance(v, bytes) else v.encode("utf-8", "surrogatepass") for v in values]
        offsets = np.zeros(len(parts) + 1, np.int64)
        np.cumsum([len(p) for p in parts], out=offsets[1:])
        return cls(np.frombuffer(b"".join(parts), np.uint8), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        i = int(index)
        if not 0 <= i < len(self):
            raise IndexError(i)
        raw: bytes = self.blob[self.offsets[i] : self.offsets[i + 1]].tobytes()
        return raw.decode("utf-8", "replace")

    def __iter__(self) -> Iterator[str]:
        for i in range(len(self)):
            yield self[i]


@dataclass(frozen=True)
class Device:
    """One physical GPU that has ops in the report (or is listed as used by a process)."""

    index: int
    name: str | None
    """GPU model, or None where the export does not tell."""
    gpu_id: int | None
    """TARGET_INFO_GPU.id, where known."""
    cuda_id: int
    """The number to show: the CUDA ordinal, made unique by gpu_id where two processes share it."""
    owners: tuple[tuple[int, int], ...]
    """(pid, deviceId) pairs that mean this GPU."""
    ops: int = 0


@dataclass(frozen=True)
class Process:
    index: int
    global_pid: int
    pid: int
    name: str | None


@dataclass(frozen=True)
class Thread:
    index: int
    process: int
    global_tid: int
    pid: int
    tid: int
    name: str | None


@dataclass(frozen=True)
class Doubtful:
    """A kind of row that can't be taken at its word, how many there are and the first one."""

    kind: str
    count: int
    example: str
    excluded: bool = True
    """True: kept out of every sum. False: counted, under a placeholder name."""


@dataclass(frozen=True)
class TableInfo:
    """One table of the file."""

    name: str
    rows: int
    used: bool


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


@dataclass(frozen=True)
class Calls(Columns):
    """CUDA runtime and driver calls, by start. Backtrace rows (eventClass 67) are left out."""

    start: Int64
    end: Int64
    thread: Int32  # -> Report.threads
    correlation: Int64
    name: Int32  # as recorded, e.g. `cudaLaunchKernel_v7000`
    call_class: UInt8  # CallClass
    event_class: Int64  # 0 runtime, 1 driver
    returned: Int64
    rowid: Int64


@dataclass(frozen=True)
class Ranges(Columns):
    """NVTX ranges, by start, longer first. An open range ends with the capture."""

    start: Int64
    end: Int64
    thread: Int32
    end_thread: Int32  # the thread that ended a start/end range; -1 unknown
    name: Int32
    domain: Int32  # -> Report.strings; -1 the default domain
    style: UInt8  # RangeStyle
    unfinished: Bool
    level: Int32  # nesting depth on its thread, 0 outermost (push/pop; start/end ranges: 0)
    parent: Int32  # -> Ranges: tightest enclosing push/pop range of the same thread; -1 none
    color: Int64  # ARGB or NULL
    category: Int64
    rowid: Int64


@dataclass(frozen=True)
class Marks(Columns):
    """NVTX marks, by start."""

    start: Int64
    thread: Int32
    name: Int32
    domain: Int32
    color: Int64
    rowid: Int64


@dataclass(frozen=True)
class OsCalls(Columns):
    """OS runtime calls (eventClass 27), by start."""

    start: Int64
    end: Int64
    thread: Int32
    name: Int32
    level: Int64
    rowid: Int64


@dataclass(frozen=True)
class Syncs(Columns):
    """CUPTI synchronisation records, by start. Not device work."""

    start: Int64
    end: Int64
    device: Int32  # -1 where the device does no work in the report
    process: Int32
    context: Int64
    stream: Int64
    correlation: Int64
    kind: Int64  # 1 event, 2 stream wait, 3 stream, 4 context
    rowid: Int64


@dataclass(frozen=True)
class OtherEvents(Columns):
    """Rows of a table that the product only sums up (MPI, cuDNN, profiler overhead, ...)."""

    start: Int64
    end: Int64
    thread: Int32
    name: Int32
    event_class: Int64
    rowid: Int64


@dataclass(frozen=True)
class Report:
    """An opened export. Read-only; an analysis is a function from it to a table."""

    path: Path
    product_version: str | None
    schema_version: str | None
    capture: Mapping[str, str]
    """META_DATA_CAPTURE (name -> value), empty where the export has none."""
    session_start_utc_ns: int | None
    strings: Strings
    devices: tuple[Device, ...]
    processes: tuple[Process, ...]
    threads: tuple[Thread, ...]
    tables: tuple[TableInfo, ...]
    doubtful: tuple[Doubtful, ...]
    notes: tuple[str, ...]
    enums: Mapping[str, Mapping[int, str]]
    """`copy_kind`, `mem_kind`, `sync_kind`: the file's own labels, else the built-in ones."""
    ops: Ops
    kernels: Kernels
    copies: Copies
    sets: Sets
    graphs: Graphs
    calls: Calls
    ranges: Ranges
    marks: Marks
    os_calls: OsCalls
    syncs: Syncs
    others: Mapping[str, OtherEvents] = field(default_factory=dict)
    """Source table name -> its events."""
    has: frozenset[str] = frozenset()
    """Names of the source tables that exist in the file, empty ones included."""
    stamp: tuple[int, int, int, int] | None = None
    """(device, inode, size, mtime ns) of the file when it was opened: see `tui.report.has_changed`."""
    loading: frozenset[str] = frozenset()
    """Fields of this class that are still to come, of a report that is shown while it is being read:
    they are empty here whatever the file holds, and with ``calls`` no op has a launch yet."""
    shelf: Shelf | None = field(default=None, repr=False, compare=False)
    """Where what is derived from this report can be kept; None where nothing is kept of it."""

    @cached_property
    def span(self) -> tuple[int, int] | None:
        """(first start, last end) of everything recorded; None for a report without events.

        Tables that are only summed up (:attr:`others`) count where there is nothing else: profiler
        overhead reaches far outside the work of a capture.
        """
        main: tuple[Ops | Calls | Ranges | OsCalls | Syncs | OtherEvents, ...]
        main = (self.ops, self.calls, self.ranges, self.os_calls, self.syncs)
        if not len(self.marks) and not any(len(table) for table in main):
            main = tuple(self.others.values())
        starts: list[int] = []
        ends: list[int] = []
        for table in main:
            if len(table):
                starts.append(int(table.start[0]))
                ends.append(int(table.end.max()))
        if len(self.marks):
            starts.append(int(self.marks.start[0]))
            ends.append(int(self.marks.start[-1]))
        return (min(starts), max(ends)) if starts else None

    @cached_property
    def op_span(self) -> tuple[int, int] | None:
        """(first op start, last op end) over all devices: the default window. None: no ops."""
        if not len(self.ops):
            return None
        return int(self.ops.start[0]), int(self.ops.end.max())
