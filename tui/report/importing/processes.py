"""Processes and threads: who appears in the events, under which names."""

from __future__ import annotations

import numpy as np

from tui.report.columns import NULL, Int32, Int64
from tui.report.importing.context import Context
from tui.report.importing.global_ids import global_pid_of, pid_of, tid_of
from tui.report.importing.metadata import typed_records
from tui.report.importing.numbering import Numbering
from tui.report.model import Process, Thread


class ThreadRegistry:
    """Numbers the global ids of processes and threads in the order in which they are found.

    In a report processes are sorted by globalPid, threads by globalTid: :meth:`Numbering.ranks` gives the
    index of each number.
    """

    def __init__(self) -> None:
        self.tids = Numbering()
        self.pids = Numbering()

    def threads(self, global_tids: Int64) -> Int32:
        """Return the number of each globalTid's thread, -1 for NULL (and where its process would be NULL)."""
        before = len(self.tids)
        found = self.tids.of(np.where(global_pid_of(global_tids) == NULL, NULL, global_tids))
        if len(self.tids) > before:
            self.pids.of(global_pid_of(self.tids.ids[before:]))
        return found

    def processes(self, global_pids: Int64) -> Int32:
        """Return the number of each globalPid's process, -1 for NULL."""
        return self.pids.of(np.where(global_pids == NULL, NULL, global_pid_of(global_pids)))

    def process_of_thread(self) -> Int32:
        """Return the process number by thread number, and a last -1: of the thread number -1."""
        return np.append(self.pids.of(global_pid_of(self.tids.ids)), np.int32(-1))

    def named(
        self, context: Context, nvtx_names: dict[int, str]
    ) -> tuple[tuple[Process, ...], tuple[Thread, ...]]:
        """Return the processes and threads, sorted and named.

        A thread has its name in ThreadNames, else the one through NVTX; a process the one in PROCESSES, else
        that of its main thread.
        """
        names = {**nvtx_names, **_thread_names(context)}
        priorities = dict(typed_records(context.source, "ThreadNames", globalTid=int, priority=int))
        records = typed_records(context.source, "PROCESSES", globalPid=int, name=str)
        process_names = {global_pid_of(pid): name for pid, name in records}
        pids, tids = sorted(self.pids.ids.tolist()), sorted(self.tids.ids.tolist())
        processes = tuple(
            Process(i, g, pid_of(g), process_names.get(g) or names.get(g | pid_of(g)) or None)
            for i, g in enumerate(pids)
        )
        index = {g: i for i, g in enumerate(pids)}
        threads = tuple(
            Thread(i, index[global_pid_of(g)], g, pid_of(g), tid_of(g), names.get(g), priorities.get(g))
            for i, g in enumerate(tids)
        )
        return processes, threads


def _thread_names(context: Context) -> dict[int, str]:
    """Join ThreadNames to StringIds; the last name of a thread counts."""
    rows = [*typed_records(context.source, "ThreadNames", globalTid=int, nameId=int)]
    found = context.strings.find(np.array([name for _, name in rows], np.int64))
    there = np.flatnonzero(found >= 0)
    texts = context.pool.texts(found[there])
    return {rows[i][0]: text for i, text in zip(there.tolist(), texts, strict=True) if text}
