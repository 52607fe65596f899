"""Jobs on threads beside the screen, one thread a kind, and the way back for their answers."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any


class Dropped(Exception):
    """Raised by a job whose answer nobody wants any more: there are no news of it."""


Work = Callable[[threading.Event], Any]
"""A job. The event is set once nobody wants the answer any more."""


@dataclass(frozen=True)
class News:
    """What a job, or a part of it, found: ``answer``, or the ``error`` that ended it."""

    kind: str
    key: Hashable
    answer: Any = None
    error: Exception | None = None


@dataclass(frozen=True)
class _Job:
    key: Hashable
    work: Work
    queued: bool = False
    dropped: threading.Event = field(default_factory=threading.Event)


class Worker:
    """Does one job at a time on a thread of its own, and calls ``deliver`` with its news on that thread."""

    def __init__(self, kind: str, deliver: Callable[[News], None]) -> None:
        self.kind = kind
        self._deliver = deliver
        self._condition = threading.Condition()
        self._waiting: deque[_Job] = deque()
        self._at_work: _Job | None = None
        self._closed = False
        self._thread: threading.Thread | None = None

    @property
    def at_rest(self) -> bool:
        """Whether no job waits or is at work."""
        with self._condition:
            return self._idle()

    def _idle(self) -> bool:
        return not self._waiting and self._at_work is None

    def run(self, key: Hashable, work: Work, *, queue: bool = False) -> None:
        """Do ``work`` instead of all jobs before it; one of the same ``key`` that is at work goes on instead.

        With ``queue`` it is done after all jobs before it, even if the worker is closed meanwhile.
        """
        with self._condition:
            if self._closed:
                return
            at_work = self._at_work
            if not queue:
                self._waiting.clear()
                if at_work is not None:
                    if key == at_work.key and not at_work.dropped.is_set():
                        return
                    at_work.dropped.set()
            self._waiting.append(_Job(key, work, queue))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=f"nsystui-{self.kind}", daemon=True)
                self._thread.start()
            self._condition.notify_all()

    def close(self) -> None:
        """Accept no more jobs, drop all but the queued ones, and end the thread after these."""
        with self._condition:
            self._closed = True
            self._waiting = deque(job for job in self._waiting if job.queued)
            if self._at_work is not None and not self._at_work.queued:
                self._at_work.dropped.set()
            self._condition.notify_all()

    def wait(self, seconds: float | None = None) -> None:
        """Wait until no job waits or is at work, for at most ``seconds``."""
        with self._condition:
            self._condition.wait_for(self._idle, seconds)

    def wait_for_queued(self) -> None:
        """Wait until no queued job waits or is at work."""
        with self._condition:
            self._condition.wait_for(
                lambda: not any(job.queued for job in (*self._waiting, self._at_work) if job is not None)
            )

    def _run(self) -> None:
        while self._do_next():
            pass  # a call of its own, so that nothing of a job stays in memory while the next one is awaited

    def _do_next(self) -> bool:
        """Do the next job once there is one. Returns False where there will be none."""
        with self._condition:
            self._condition.wait_for(lambda: self._waiting or self._closed)
            if not self._waiting:
                return False
            job = self._at_work = self._waiting.popleft()
        news = self._news_of(job)
        with self._condition:
            wanted = job.queued or not self._closed
        if news is not None and wanted:
            self._deliver(news)
        with self._condition:
            self._at_work = None
            self._condition.notify_all()
        return True

    def _news_of(self, job: _Job) -> News | None:
        try:
            return News(self.kind, job.key, job.work(job.dropped))
        except Dropped:
            return None
        except Exception as error:
            return News(self.kind, job.key, error=error)


class Background:
    """The workers by the kind of their jobs, and the way from them to the screen.

    ``post``, called on any thread, hands news over to the screen's thread, which calls :meth:`arrived` once
    it has dealt with them. It returns False where nobody accepts news any more.
    """

    def __init__(self, post: Callable[[News], bool]) -> None:
        self._post = post
        self._workers: dict[str, Worker] = {}
        self._lock = threading.Lock()
        self._on_the_way: list[News] = []
        self._unread: list[News] = []
        self._closed = False

    def run(self, kind: str, key: Hashable, work: Work, *, queue: bool = False) -> None:
        """Do ``work`` on the thread of its kind: see :meth:`Worker.run`. Call this on one thread only."""
        if self._closed:
            return
        if kind not in self._workers:
            self._workers[kind] = Worker(kind, self.deliver)
        self._workers[kind].run(key, work, queue=queue)

    def deliver(self, news: News) -> None:
        """Hand ``news`` over to the screen's thread."""
        with self._lock:
            self._on_the_way.append(news)
        if not self._post(news):
            self.arrived(news)
            self._unread.append(news)

    def arrived(self, news: News) -> None:
        """Note that the screen has dealt with the news."""
        with self._lock:
            self._on_the_way = [other for other in self._on_the_way if other is not news]

    @property
    def at_rest(self) -> bool:
        """Whether no job waits or is at work, and no news are on their way."""
        resting = all(worker.at_rest for worker in self._workers.values())
        with self._lock:
            return resting and not self._on_the_way

    def finish(self) -> list[News]:
        """Close, wait for the queued jobs, and return the news that the screen has not dealt with."""
        self.close()
        for worker in self._workers.values():
            worker.wait_for_queued()
        with self._lock:
            return self._unread + self._on_the_way

    def close(self) -> None:
        """Accept no more jobs, and drop those that are not queued."""
        self._closed = True
        for worker in self._workers.values():
            worker.close()
