"""What a report consists of: names, devices, processes, threads, facts, and its events by table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tui.report.columns import Columns, Int64, Shelf, UInt8
from tui.report.kernels.classes import Classes

UNNAMED = "(unnamed)"
"""The name of an event that has none in the export."""


class Strings(Sequence[str]):
    """All names of a report: UTF-8 bytes in one blob, decoded one at a time.

    ``offsets`` has one entry more than there are strings; string ``i`` is
    ``blob[offsets[i]:offsets[i + 1]]``. Bytes that are no UTF-8 decode to U+FFFD.
    """

    def __init__(self, blob: UInt8, offsets: Int64) -> None:
        self.blob = blob
        self.offsets = offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        i = int(index)
        if not 0 <= i < len(self.offsets) - 1:
            raise IndexError(i)
        text: str = self.blob[self.offsets[i] : self.offsets[i + 1]].tobytes().decode("utf-8", "replace")
        return text  # as raw() does, without calling it: names are asked for by the ten thousand

    def raw(self, i: int) -> bytes:
        """The bytes of one string. Raises IndexError for a position that is none."""
        if not 0 <= i < len(self):
            raise IndexError(i)
        found: bytes = self.blob[self.offsets[i] : self.offsets[i + 1]].tobytes()
        return found


@dataclass(frozen=True)
class Device:
    """One physical GPU that has ops in the report (or is listed as used by a process)."""

    index: int
    name: str | None
    """GPU model, or None where the export does not say."""
    gpu_id: int | None
    """TARGET_INFO_GPU.id, where known."""
    cuda_id: int
    """The number to show: the CUDA ordinal, made unique where two GPUs have the same."""
    owners: tuple[tuple[int, int], ...]
    """(pid, deviceId) pairs that mean this GPU."""
    ops: int = 0
    users: tuple[int, ...] = ()
    """The processes that mean it, by globalPid: those of two VMs may have the same pid."""
    uuid: str | None = None
    bus: str | None = None
    """The PCI address, ``0000:1a:00.0``; like the UUID None where it is not recorded or not sure."""


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
    priority: int | None = None
    """The one it runs with, where ThreadNames tells it."""


@dataclass(frozen=True)
class Doubtful:
    """A kind of row that can't be right, how many there are and the first one."""

    kind: str
    count: int
    example: str
    excluded: bool = True
    """True: kept out of every sum. False: counted; a name that is missing under a placeholder."""


@dataclass(frozen=True)
class TableInfo:
    """One table of the file."""

    name: str
    rows: int
    used: bool


@dataclass(frozen=True)
class Origin:
    """Where a report comes from; `tui.ranks.identity` says what it means."""

    host: str | None = None
    """The machine that it was captured on."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """The launcher's variables, those of `tui.report.launch_names` alone."""
    system_ns: int | None = None
    """The system's monotonic clock at time 0 of the capture."""
    counter: int | None = None
    """The machine's counter at that moment."""
    communicators: tuple[tuple[int, int, int], ...] = ()
    """(pid, rank, how many ranks) of each communicator of NCCL that says so."""
    shift_ns: int | None = None
    """What the export added to the capture's own times; None: it does not say, which means nothing."""


@dataclass(frozen=True)
class Diagnostic:
    """A message of the profiler about the capture."""

    severity: str
    """``error``, ``warning``, ``info``, ``verbose`` or ``unknown``."""
    source: str
    """Which part of the profiler it comes from: ``injection``, ``daemon``, ``analysis`` or ``unknown``."""
    text: str
    """In one line; not yet safe for a terminal."""
    time_ns: int | None
    """When, on the clock of the capture; None where it has a time of another clock, or none."""
    pid: int | None


@dataclass(frozen=True, eq=False, repr=False)
class Facts:
    """What an export says beside its events."""

    product_version: str | None
    schema_version: str | None
    capture: Mapping[str, str]
    """META_DATA_CAPTURE (name -> value) but for the environment, empty where the export has none."""
    session_start_utc_ns: int | None
    origin: Origin
    devices: tuple[Device, ...]
    processes: tuple[Process, ...]
    threads: tuple[Thread, ...]
    tables: tuple[TableInfo, ...]
    doubtful: tuple[Doubtful, ...]
    diagnostics: tuple[Diagnostic, ...]
    notes: tuple[str, ...]
    device_notes: tuple[str, ...]
    """Where it is not sure which GPU a process used; all of them are among the notes."""
    enums: Mapping[str, Mapping[int, str]]
    """`copy_kind`, `mem_kind`, `sync_kind`: the file's own labels, else the built-in ones."""
    span: tuple[int, int] | None
    """(first start, last end) of everything recorded; None: no events. Tables aside count where there is
    nothing else: profiler overhead reaches far outside the work of a capture."""
    op_span: tuple[int, int] | None
    """(first op start, last op end) over all devices: the default window. None: no ops."""
    nvtx_end: int | None
    """The latest time in an NVTX row of any kind: a range, a mark, a domain. None: none has an end."""


@dataclass(frozen=True, eq=False, repr=False)
class ReportData(Facts):
    """The contents of a report, events by table: all that a table's descriptor needs to know."""

    path: Path
    strings: Strings
    events: Mapping[str, Columns]
    """The columns of every event table and of its parts, and `other:NAME` of the rest."""
    has: frozenset[str] = frozenset()
    """Names of the source tables that exist in the file, empty ones included."""
    stamp: tuple[int, int, int, int] | None = None
    """(device, inode, size, mtime ns) of the file when it was opened: see `tui.report.has_changed`."""
    loading: frozenset[str] = frozenset()
    """Tables that are still to come, of a report that is shown while it is being read (`others` for those
    without a descriptor). They are empty here; while ``calls`` is among them no op has a launch."""
    shelf: Shelf | None = field(default=None, repr=False, compare=False)
    """Where what is derived from this report can be kept; None where nothing is kept of it."""
    classes: Classes = field(default_factory=Classes, repr=False, compare=False)
    """The classes of its kernels' names."""
