"""Columns that say whose a row is: told by number while an import goes on, by index when it is whole.

The index of a thread, process or device is its place among all there are, and those are known last.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tui.report.columns import NULL, Array, Int32, Int64
from tui.report.importing.devices import device_of, find_devices
from tui.report.importing.numbering import Numbering
from tui.report.importing.processes import ThreadRegistry
from tui.report.importing.sorting import spans
from tui.report.importing.table_rows import TableRows
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
        self._threads: dict[str, Array] = {}  # column -> a thread's number by row
        self._ops, self._syncs = DevicePairs(), DevicePairs()
        self._op_pairs: Array = np.empty(0, np.int32)
        self._sync_pairs: Array = np.empty(0, np.int32)

    def add_ops(self, global_pid: Iterator[Array], device_id: Iterator[Array]) -> None:
        """Whose the ops are."""
        self._op_pairs = self._numbered(self._ops, global_pid, device_id)

    def add_syncs(self, rows: TableRows) -> None:
        """Whose the synchronisation records are."""
        self._sync_pairs = self._numbered(self._syncs, rows.blocks("globalPid"), rows.blocks("deviceId"))

    def _numbered(self, pairs: DevicePairs, global_pid: Iterator[Array], device_id: Iterator[Array]) -> Array:
        found = self._spool.gathered(
            np.int32, (pairs.of(pid, device) for pid, device in zip(global_pid, device_id, strict=True))
        )
        self._people.processes(np.array([pid for pid, _ in pairs.listed], np.int64))
        return found

    def add_threads(self, column: str, global_tids: Iterator[Int64]) -> Array:
        """``column`` tells the threads of a table's rows; their numbers."""
        found = self._spool.gathered(np.int32, map(self._people.threads, global_tids))
        self._threads[column] = found
        return found

    @property
    def nobody(self) -> int:
        """What a missing globalPid means: old exports have none, and where there is one process it is its."""
        return self._people.global_pid(0) if self._people.process_count == 1 else NULL

    def op_processes(self) -> OwnerColumn:
        """The number of each op's process."""
        return OwnerColumn(self._processes(self._ops, self.nobody), self._op_pairs)

    def call_processes(self) -> OwnerColumn:
        """The number of the process of each call."""
        return OwnerColumn(self._people.process_of_thread(), self._threads["calls.thread"])

    def _processes(self, pairs: DevicePairs, nobody: int) -> Int32:
        pids = [nobody if pid == NULL else pid for pid, _ in pairs.listed]
        return np.append(self._people.processes(np.array(pids, np.int64)), np.int32(-1))

    def told(self, source: Source) -> tuple[tuple[Device, ...], dict[str, OwnerColumn]]:
        """The devices, and by column the indices of all rows, as far as everyone is known."""
        ops_of: dict[Pair, int] = {}
        meant = [(self.nobody if pid == NULL else pid, device) for pid, device in self._ops.listed]
        for pair, count in zip(meant, self._ops.rows, strict=True):
            ops_of[pair] = ops_of.get(pair, 0) + count
        devices, device_of_pair = find_devices(ops_of, source)
        process_rank, thread_rank = self._people.process_ranks(), self._people.thread_ranks()
        of_op = np.array([*(device_of_pair[pair] for pair in meant), -1], np.int32)
        of_sync = np.array([*(device_of(devices, *pair) for pair in self._syncs.listed), -1], np.int32)
        columns = {
            "ops.device": OwnerColumn(of_op, self._op_pairs),
            "ops.process": OwnerColumn(process_rank[self._processes(self._ops, self.nobody)], self._op_pairs),
            "syncs.device": OwnerColumn(of_sync, self._sync_pairs),
            "syncs.process": OwnerColumn(process_rank[self._processes(self._syncs, NULL)], self._sync_pairs),
        }
        for column, numbers in self._threads.items():
            columns[column] = OwnerColumn(thread_rank, numbers)
        return devices, columns
