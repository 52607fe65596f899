"""Columns that say whose a row is: kept as numbers while an import goes on, given as indices.

The index of a thread, process or device is its place among all there are, and those are complete last.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.report.columns import NULL, Array, Int32, Int64
from tui.report.importing.devices import device_of, find_devices
from tui.report.importing.numbering import Numbering
from tui.report.importing.processes import ThreadRegistry
from tui.report.importing.sorting import spans
from tui.report.model import Device
from tui.report.spool import Spool
from tui.report.sqlite.source import Source

Pair = tuple[int, int]


class OwnerColumn:
    """What ``numbers`` stand for, a stretch at a time; -1 stands for the last of ``meaning``."""

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
        """All of them; costs nothing where numbers are what they stand for, or all stand for one."""
        used = self.meaning[:-1]
        if len(used) and (used == used[0]).all() and (not len(self) or int(self.numbers.min()) >= 0):
            return np.broadcast_to(used[0], len(self))
        if self.numbers.dtype == np.int32 and np.array_equal(used, np.arange(len(used))):
            return self.numbers
        return spool.gathered(np.int32, self.blocks())


class DevicePairs:
    """(globalPid, deviceId) of rows, numbered as they come."""

    def __init__(self) -> None:
        self.listed: list[Pair] = []
        self.rows: list[int] = []
        """How many rows each pair has."""
        self._number: dict[Pair, int] = {}
        self._pids, self._devices = Numbering(), Numbering()

    def of(self, global_pid: Int64, device_id: Int64) -> Int32:
        """The number of each row's pair."""
        pid, device = self._pids.of(global_pid), self._devices.of(device_id)
        width = len(self._devices) + 1
        code = (pid.astype(np.int64) + 1) * width + (device + 1)
        pids, devices = [NULL, *self._pids.ids.tolist()], [NULL, *self._devices.ids.tolist()]
        counts = np.bincount(code)
        number = np.zeros(len(counts), np.int32)
        for at in np.flatnonzero(counts).tolist():
            pair = pids[at // width], devices[at % width]
            if pair not in self._number:
                self._number[pair] = len(self.listed)
                self.listed.append(pair)
                self.rows.append(0)
            number[at] = self._number[pair]
            self.rows[number[at]] += int(counts[at])
        found: Int32 = number[code]
        return found


class Owners:
    """Whose the rows of every table are."""

    def __init__(self, people: ThreadRegistry, spool: Spool) -> None:
        self._people = people
        self._spool = spool
        self._nobody: int | None = None
        self._threads: dict[str, Array] = {}  # column -> a thread's number by row
        self._pairs: dict[str, tuple[DevicePairs, Array]] = {}  # table -> pairs, a pair's number by row

    def add_devices(self, table: str, global_pid: Iterator[Array], device_id: Iterator[Array]) -> None:
        """Note the processes and devices of a table's rows."""
        pairs = DevicePairs()
        numbers = self._spool.gathered(
            np.int32, (pairs.of(pid, device) for pid, device in zip(global_pid, device_id, strict=True))
        )
        self._people.processes(np.array([pid for pid, _ in pairs.listed], np.int64))
        self._pairs[table] = pairs, numbers

    def add_threads(self, column: str, global_tids: Iterator[Int64]) -> Array:
        """Note the threads that ``column`` has for a table's rows; their numbers."""
        found = self._spool.gathered(np.int32, map(self._people.threads, global_tids))
        self._threads[column] = found
        return found

    @property
    def nobody(self) -> int:
        """What a missing globalPid means: old exports have none, and where there is one process it is its."""
        if self._nobody is not None:
            return self._nobody
        return self._people.global_pid(0) if self._people.process_count == 1 else NULL

    def settle(self) -> None:
        """Whoever comes to light from now on did no device work."""
        self._nobody = self.nobody

    def op_processes(self) -> OwnerColumn:
        """The number of each op's process."""
        pairs, numbers = self._pairs["ops"]
        return OwnerColumn(self._processes(pairs, self.nobody), numbers)

    def call_processes(self) -> OwnerColumn:
        """The number of the process of each call."""
        return OwnerColumn(self._people.process_of_thread(), self._threads["calls.thread"])

    def _processes(self, pairs: DevicePairs, nobody: int) -> Int32:
        pids = [nobody if pid == NULL else pid for pid, _ in pairs.listed]
        return np.append(self._people.processes(np.array(pids, np.int64)), np.int32(-1))

    def so_far(self, source: Source) -> tuple[tuple[Device, ...], dict[str, OwnerColumn]]:
        """The devices, and by column the indices of all rows, among those that have come to light."""
        ops, _ = self._pairs["ops"]
        ops_of: dict[Pair, int] = {}
        meant = [(self.nobody if pid == NULL else pid, device) for pid, device in ops.listed]
        for pair, count in zip(meant, ops.rows, strict=True):
            ops_of[pair] = ops_of.get(pair, 0) + count
        devices, device_of_pair = find_devices(ops_of, source)
        process_rank, thread_rank = self._people.process_ranks(), self._people.thread_ranks()
        columns = {}
        for table, (pairs, numbers) in self._pairs.items():
            if pairs is ops:
                found, nobody = [device_of_pair[pair] for pair in meant], self.nobody
            else:
                found, nobody = [device_of(devices, *pair) for pair in pairs.listed], NULL
            columns[f"{table}.device"] = OwnerColumn(np.array([*found, -1], np.int32), numbers)
            columns[f"{table}.process"] = OwnerColumn(process_rank[self._processes(pairs, nobody)], numbers)
        for column, numbers in self._threads.items():
            columns[column] = OwnerColumn(thread_rank, numbers)
        return devices, columns
