"""Columns of owners: threads, processes and devices have numbers until all are found, then indices.

The index of a thread, process or device is its place in the sorted list of all, which is complete last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np

from tui.report.columns import NULL, Array, Int32, Int64
from tui.report.importing.devices import FoundDevices, find_devices
from tui.report.importing.numbering import Numbering
from tui.report.importing.processes import ThreadRegistry
from tui.report.importing.sorting import spans
from tui.report.spool import Spool
from tui.report.sqlite.source import Source

Pair = tuple[int, int]


class OwnerColumn:
    """A column of indices: what ``numbers`` mean; the number -1 means the last of ``meaning``."""

    def __init__(self, meaning: Int32, numbers: Array) -> None:
        self.meaning = meaning
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, rows: slice) -> Int32:
        return self.meaning[self.numbers[rows]]

    def blocks(self) -> Iterator[Int32]:
        return (self[low:high] for low, high in spans(len(self)))

    def whole(self, spool: Spool) -> Int32:
        """Return all indices; free where the numbers are the indices, or all indices are equal."""
        used = self.meaning[:-1]
        if len(used) and (used == used[0]).all() and (not len(self) or int(self.numbers.min()) >= 0):
            return np.broadcast_to(used[0], len(self))
        if self.numbers.dtype == np.int32 and np.array_equal(used, np.arange(len(used))):
            return self.numbers
        return spool.gathered(np.int32, self.blocks())


class DevicePairs:
    """Numbers the distinct (globalPid, deviceId) of rows."""

    def __init__(self) -> None:
        self.rows: Counter[Pair] = Counter()
        """How many rows each pair has, in the order of the numbers."""
        self._number: dict[Pair, int] = {}
        self._pids, self._devices = Numbering(), Numbering()

    def of(self, global_pid: Int64, device_id: Int64) -> Int32:
        """Return the number of each row's pair."""
        pid, device = self._pids.of(global_pid), self._devices.of(device_id)
        width = len(self._devices) + 1
        code = (pid.astype(np.int64) + 1) * width + (device + 1)
        pids, devices = [NULL, *self._pids.ids.tolist()], [NULL, *self._devices.ids.tolist()]
        counts = np.bincount(code)
        number = np.zeros(len(counts), np.int32)
        for at in np.flatnonzero(counts).tolist():
            pair = pids[at // width], devices[at % width]
            number[at] = self._number.setdefault(pair, len(self._number))
            self.rows[pair] += int(counts[at])
        found: Int32 = number[code]
        return found


class Owners:
    """Collects the owners of the rows of every table."""

    def __init__(self, registry: ThreadRegistry, spool: Spool) -> None:
        self._registry = registry
        self._spool = spool
        self._default_pid: int | None = None
        self._threads: dict[str, Array] = {}  # column -> a thread's number by row
        self._pairs: dict[str, tuple[DevicePairs, Array]] = {}  # table -> pairs, a pair's number by row

    def add_devices(self, table: str, global_pid: Iterator[Array], device_id: Iterator[Array]) -> None:
        """Note the processes and devices of a table's rows."""
        pairs = DevicePairs()
        numbers = self._spool.gathered(np.int32, map(pairs.of, global_pid, device_id))
        self._registry.processes(np.array([pid for pid, _ in pairs.rows], np.int64))
        self._pairs[table] = pairs, numbers

    def add_threads(self, column: str, global_tids: Iterator[Int64]) -> Array:
        """Note the threads that ``column`` has for a table's rows; return their numbers."""
        found = self._spool.gathered(np.int32, map(self._registry.threads, global_tids))
        self._threads[column] = found
        return found

    @property
    def default_pid(self) -> int:
        """What a missing globalPid means: the only process where there is one (old exports have no ids)."""
        if self._default_pid is not None:
            return self._default_pid
        pids = self._registry.pids.ids
        return int(pids[0]) if len(pids) == 1 else NULL

    def fix_default_pid(self) -> None:
        """Keep :attr:`default_pid` as it is: processes that are found from now on did no device work."""
        self._default_pid = self.default_pid

    def op_processes(self) -> OwnerColumn:
        """Return the number of each op's process."""
        pairs, numbers = self._pairs["ops"]
        return OwnerColumn(self._processes(pairs, self.default_pid), numbers)

    def call_processes(self) -> OwnerColumn:
        """Return the number of each call's process."""
        return OwnerColumn(self._registry.process_of_thread(), self._threads["calls.thread"])

    def _processes(self, pairs: DevicePairs, default_pid: int) -> Int32:
        pids = [default_pid if pid == NULL else pid for pid, _ in pairs.rows]
        return np.append(self._registry.processes(np.array(pids, np.int64)), np.int32(-1))

    def resolve(self, source: Source) -> tuple[FoundDevices, dict[str, OwnerColumn]]:
        """Return the devices found so far, and the indices of all owner columns by name."""
        ops, _ = self._pairs["ops"]
        meant = [(self.default_pid if pid == NULL else pid, device) for pid, device in ops.rows]
        ops_of: Counter[Pair] = Counter()
        for pair, count in zip(meant, ops.rows.values(), strict=True):
            ops_of[pair] += count
        others = [pair for pairs, _ in self._pairs.values() for pair in pairs.rows]
        devices = find_devices(ops_of, others, source)
        process_rank, thread_rank = self._registry.pids.ranks(), self._registry.tids.ranks()
        columns = {}
        for table, (pairs, numbers) in self._pairs.items():
            if pairs is ops:
                found, default = [devices.index[pair] for pair in meant], self.default_pid
            else:
                found, default = [devices.index[pair] for pair in pairs.rows], NULL
            columns[f"{table}.device"] = OwnerColumn(np.array([*found, -1], np.int32), numbers)
            columns[f"{table}.process"] = OwnerColumn(process_rank[self._processes(pairs, default)], numbers)
        for column, numbers in self._threads.items():
            columns[column] = OwnerColumn(thread_rank, numbers)
        return devices, columns
