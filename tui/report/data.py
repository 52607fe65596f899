"""Everything of a report but typed access to its events: names, devices, processes, threads, facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tui.report.columns import Columns, Int64, Shelf, UInt8


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
class Facts:
    """What an export says beside its events."""

    product_version: str | None
    schema_version: str | None
    capture: Mapping[str, str]
    """META_DATA_CAPTURE (name -> value), empty where the export has none."""
    session_start_utc_ns: int | None
    devices: tuple[Device, ...]
    processes: tuple[Process, ...]
    threads: tuple[Thread, ...]
    tables: tuple[TableInfo, ...]
    doubtful: tuple[Doubtful, ...]
    notes: tuple[str, ...]
    enums: Mapping[str, Mapping[int, str]]
    """`copy_kind`, `mem_kind`, `sync_kind`: the file's own labels, else the built-in ones."""


@dataclass(frozen=True)
class ReportData(Facts):
    """What a report holds, its tables of events by name: all that a table's descriptor needs to know."""

    path: Path
    strings: Strings
    events: Mapping[str, Columns]
    """The columns of every table of `tui.report.tables` and of its parts, and `other:NAME` of the rest."""
    has: frozenset[str] = frozenset()
    """Names of the source tables that exist in the file, empty ones included."""
    stamp: tuple[int, int, int, int] | None = None
    """(device, inode, size, mtime ns) of the file when it was opened: see `tui.report.has_changed`."""
    loading: frozenset[str] = frozenset()
    """Tables that are still to come, of a report that is shown while it is being read (`others` for those
    without a descriptor): they are empty here whatever the file holds, and with ``calls`` no op has a
    launch yet."""
    shelf: Shelf | None = field(default=None, repr=False, compare=False)
    """Where what is derived from this report can be kept; None where nothing is kept of it."""
