"""Processes and threads: who appears in the events, under which names."""

from __future__ import annotations

import numpy as np

from tui.report.columns import NULL, Int32, Int64
from tui.report.importing.global_ids import global_pid_of, pid_of, tid_of
from tui.report.importing.name_pool import NamePool, StringTable
from tui.report.importing.numbering import Numbering
from tui.report.model import Process, Thread
from tui.report.sqlite.source import Source


class ThreadRegistry:
    """Dense indices for the global ids of processes and threads, as they come to light.

    While an import goes on they count in the order of first sight. In a report processes are sorted by
    globalPid, threads by globalTid: :meth:`thread_ranks` and :meth:`process_ranks` lead from one to the
    other.
    """

    def __init__(self) -> None:
        self._tids = Numbering()
        self._pids = Numbering()

    @property
    def process_count(self) -> int:
        return len(self._pids)

    def global_pid(self, process: int) -> int:
        return int(self._pids.ids[process])

    def threads(self, global_tids: Int64) -> Int32:
        """The number of each globalTid's thread, -1 for NULL (and for an id whose process would be NULL)."""
        before = len(self._tids)
        found = self._tids.of(np.where(global_pid_of(global_tids) == NULL, NULL, global_tids))
        if len(self._tids) > before:
            self._pids.of(global_pid_of(self._tids.ids[before:]))
        return found

    def processes(self, global_pids: Int64) -> Int32:
        """The number of each globalPid's process, -1 for NULL."""
        return self._pids.of(np.where(global_pids == NULL, NULL, global_pid_of(global_pids)))

    def process_of_thread(self) -> Int32:
        """The process number by thread number, and a last -1 for threads of the number -1."""
        owners = self._pids.of(global_pid_of(self._tids.ids))
        return np.append(owners, np.int32(-1))

    def thread_ranks(self) -> Int32:
        """Index in :attr:`Report.threads` by number, and a last -1."""
        return self._tids.ranks()

    def process_ranks(self) -> Int32:
        """Index in :attr:`Report.processes` by number, and a last -1."""
        return self._pids.ranks()

    def named(
        self, source: Source, strings: StringTable, pool: NamePool, nvtx_names: dict[int, str]
    ) -> tuple[tuple[Process, ...], tuple[Thread, ...]]:
        """The processes and threads, sorted, with what the export calls them.

        A thread is called as in ThreadNames, else as through NVTX; a process as in PROCESSES, else as its
        main thread.
        """
        names = {**nvtx_names, **_thread_names(source, strings, pool)}
        process_names: dict[int, str] = {}
        for row in source.records("PROCESSES", ["globalPid", "name"]):
            if isinstance(row.get("globalPid"), int) and isinstance(row.get("name"), str):
                process_names[int(global_pid_of(row["globalPid"]))] = row["name"]  # type: ignore[call-overload,assignment]
        pids, tids = sorted(self._pids.ids.tolist()), sorted(self._tids.ids.tolist())
        processes = []
        for i, g in enumerate(pids):
            name = process_names.get(g) or names.get(g | pid_of(g))
            processes.append(Process(i, g, pid_of(g), name or None))
        index = {g: i for i, g in enumerate(pids)}
        threads = tuple(
            Thread(i, index[global_pid_of(g)], g, pid_of(g), tid_of(g), names.get(g))
            for i, g in enumerate(tids)
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
