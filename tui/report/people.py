"""Processes and threads: who appears in the events, under which names."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tui.report.decode import global_pid_of, pid_of, tid_of
from tui.report.model import NULL, Int32, Int64, Process, Thread
from tui.report.names import NamePool, StringTable
from tui.report.source import Source


class People:
    """Dense indices for the global ids of processes and threads.

    Processes are sorted by globalPid, threads by globalTid, so the index of an id is its rank.
    """

    def __init__(self, global_tids: Iterable[Int64], global_pids: Iterable[Int64]) -> None:
        self._tids = _distinct(global_tids)
        self._pids = _distinct([*(global_pid_of(g) for g in global_pids), global_pid_of(self._tids)])

    @property
    def process_count(self) -> int:
        return len(self._pids)

    def global_pid(self, process: int) -> int:
        return int(self._pids[process])

    def thread_index(self, global_tids: Int64) -> Int32:
        """Index per globalTid, -1 for NULL."""
        return _rank(self._tids, global_tids)

    def process_index(self, global_pids: Int64) -> Int32:
        """Index per globalPid, -1 for NULL."""
        known = global_pids != NULL
        return _rank(self._pids, np.where(known, global_pid_of(global_pids), NULL))

    def process_of_thread(self) -> Int32:
        """Process index per thread index."""
        return _rank(self._pids, global_pid_of(self._tids))

    def named(
        self, source: Source, strings: StringTable, pool: NamePool, nvtx_names: dict[int, str]
    ) -> tuple[tuple[Process, ...], tuple[Thread, ...]]:
        """The processes and threads with what the export calls them.

        A thread is called as in ThreadNames, else as through NVTX; a process as in PROCESSES, else as its
        main thread.
        """
        names = {**nvtx_names, **_thread_names(source, strings, pool)}
        process_names: dict[int, str] = {}
        for row in source.records("PROCESSES", ["globalPid", "name"]):
            if isinstance(row.get("globalPid"), int) and isinstance(row.get("name"), str):
                process_names[int(global_pid_of(row["globalPid"]))] = row["name"]  # type: ignore[call-overload,assignment]
        processes = []
        for i, g in enumerate(int(g) for g in self._pids):
            name = process_names.get(g) or names.get(g | pid_of(g))
            processes.append(Process(i, g, pid_of(g), name or None))
        owner = self.process_of_thread()
        threads = tuple(
            Thread(i, int(owner[i]), g, pid_of(g), tid_of(g), names.get(g))
            for i, g in enumerate(int(g) for g in self._tids)
        )
        return tuple(processes), threads


def _thread_names(source: Source, strings: StringTable, pool: NamePool) -> dict[int, str]:
    """ThreadNames joined to StringIds; the last name of a thread counts."""
    rows = [
        (thread, name)
        for row in source.records("ThreadNames", ["globalTid", "nameId"])
        if isinstance(thread := row.get("globalTid"), int) and isinstance(name := row.get("nameId"), int)
    ]
    found = strings.find(np.array([name for _, name in rows], np.int64))
    known = [(thread, i) for (thread, _), i in zip(rows, found.tolist(), strict=True) if i >= 0]
    texts = pool.texts(np.array([i for _, i in known], np.int32))
    return {thread: text for (thread, _), text in zip(known, texts, strict=True) if text}


def _distinct(arrays: Iterable[Int64]) -> Int64:
    parts = [np.unique(a) for a in arrays]
    found = np.unique(np.concatenate(parts)) if parts else np.empty(0, np.int64)
    known: Int64 = found[found != NULL]
    return known


def _rank(sorted_ids: Int64, ids: Int64) -> Int32:
    if not len(sorted_ids):
        return np.full(len(ids), -1, np.int32)
    at = np.minimum(np.searchsorted(sorted_ids, ids), len(sorted_ids) - 1)
    return np.where(sorted_ids[at] == ids, at, -1).astype(np.int32)
