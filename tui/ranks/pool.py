"""Reports read by several processes. Alone imports concurrent.futures and multiprocessing."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing import resource_tracker
from pathlib import Path

from tui.ranks.one_report import Choices, Outcome, summarise_report
from tui.ranks.set_progress import SetMeter
from tui.ranks.tasks import Task
from tui.report.store.folder import pruning_rarely

WORKER_BYTES = 600 << 20
"""What a worker may take, generously: NumPy, the columns of a large report and a copy of some."""
MEMORY_SHARE = 0.5
"""The share of the available memory that workers may take: they read through the page cache."""
_LOOK_S = 0.5
"""Seconds between two looks at how far it is."""

Work = Callable[[Path, Choices], Outcome]
"""What a worker does with a report."""


def prepare() -> None:
    """Start what workers need of this process's stderr: to be called before a screen takes its place."""
    resource_tracker.ensure_running()


def worker_count(tasks: int, jobs: int | None) -> int:
    """Return how many workers read ``tasks`` reports: ``jobs`` where it is given, never more than reports."""
    if jobs is None:
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        jobs = min(cores, int(MEMORY_SHARE * available_memory() / WORKER_BYTES))
    return max(1, min(tasks, jobs))


def available_memory() -> int:
    """Bytes that processes can still take; what the machine has where the system doesn't tell."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return min(int(line.split()[1]) << 10, _group_memory())
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _group_memory() -> int:
    """What the control group that this process is in may still take; no limit: a great deal."""
    with suppress(OSError, ValueError):
        group = Path("/sys/fs/cgroup")
        limit = (group / "memory.max").read_text().strip()
        return int(limit) - int((group / "memory.current").read_text())
    return 1 << 62


def read_in_pool(
    tasks: Sequence[Task], choices: Choices, meter: SetMeter, jobs: int | None, work: Work = summarise_report
) -> Iterator[tuple[Task, Outcome]]:
    """Read reports in worker processes, in the order given; yield what comes of each as it comes.

    A report that was being read when a worker died is read once more, alone; if the worker dies again, it
    has an error. The other reports don't suffer. ``work`` must be a function that another process can import.
    """
    waiting = list(reversed(tasks))
    count = worker_count(len(tasks), jobs)
    while waiting:
        with _Pool(count, choices, work) as pool:
            yield from pool.read(waiting, meter)
        for task in pool.lost:
            with _Pool(1, choices, work) as alone:
                again = [task]
                yield from alone.read(again, meter)
                if alone.lost:
                    meter.ended(task)
                    yield task, Outcome(error=f"{task.path}: the worker was killed (out of memory?)")


class _Pool:
    """Worker processes, which have ended when the context does, whatever they were doing."""

    def __init__(self, count: int, choices: Choices, work: Work) -> None:
        self.lost: list[Task] = []
        """What was being read when a worker died."""
        self._count = count
        self._choices = choices
        self._work = work

    def __enter__(self) -> _Pool:
        self._before = set(multiprocessing.active_children())
        self._executor = ProcessPoolExecutor(
            self._count, mp_context=multiprocessing.get_context("spawn"), initializer=_prepare
        )
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            for worker in set(multiprocessing.active_children()) - self._before:
                worker.terminate()
        self._executor.shutdown(wait=True, cancel_futures=True)

    def read(self, waiting: list[Task], meter: SetMeter) -> Iterator[tuple[Task, Outcome]]:
        """Read ``waiting``, taking them off its end, until all are done or a worker dies."""
        running: dict[Future[Outcome], Task] = {}
        while waiting or running:
            # No more than there are workers: what is running when one dies is then what may have killed it.
            while waiting and len(running) < self._count and not self.lost:
                task = waiting.pop()
                try:
                    future = self._executor.submit(self._work, task.path, self._choices)
                except BrokenProcessPool:  # a worker died without anything to do
                    waiting.append(task)
                    if not running:
                        return
                    break
                running[future] = task
                meter.begun(task)
            done, _ = wait(running, timeout=_LOOK_S, return_when=FIRST_COMPLETED)
            meter.show()
            for future in done:
                task = running.pop(future)
                try:
                    outcome = future.result()
                except BrokenProcessPool:
                    self.lost.append(task)
                    continue
                meter.ended(task)
                yield task, outcome
            if self.lost and not running:
                return


def _prepare() -> None:
    """Make this process a worker: the parent is told of an interrupt, and prunes when all is done."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pruning_rarely().__enter__()
