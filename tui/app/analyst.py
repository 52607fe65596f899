"""Figures off the screen's thread: one worker, newest question first, answers kept by question."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

from tui.browse.pages.request import Dropped

T = TypeVar("T")
KEPT = 64


@dataclass(frozen=True)
class Failed:
    """The question could not be answered."""

    error: Exception


class Analyst(Generic[T]):
    """Answers one question at a time on a thread of its own.

    A new question takes the place of one that waits, and the one at work is told to drop (``work`` gets
    a function that says so). ``deliver(key, answer)`` is called on the worker thread.
    """

    def __init__(self, deliver: Callable[[Hashable, T | Failed], None]) -> None:
        self._deliver = deliver
        self._condition = threading.Condition()
        self._waiting: tuple[Hashable, Callable[[Callable[[], bool]], T]] | None = None
        self._at_work: Hashable | None = None
        self._dropped = threading.Event()
        self._answers: OrderedDict[Hashable, T] = OrderedDict()
        self._closed = False
        self._thread: threading.Thread | None = None

    def known(self, key: Hashable) -> T | None:
        """The answer, if it was worked out before."""
        with self._condition:
            if key in self._answers:
                self._answers.move_to_end(key)
                return self._answers[key]
            return None

    @property
    def at_rest(self) -> bool:
        """Whether no question waits or is being worked on."""
        with self._condition:
            return self._waiting is None and self._at_work is None

    def ask(self, key: Hashable, work: Callable[[Callable[[], bool]], T]) -> None:
        """Have ``work`` done, unless it is being done already."""
        with self._condition:
            if self._closed or (key == self._at_work and not self._dropped.is_set()):
                self._waiting = None
                return
            self._waiting = key, work
            if self._at_work is not None:
                self._dropped.set()
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="nsystui-figures", daemon=True)
                self._thread.start()
            self._condition.notify()

    def close(self) -> None:
        """No more questions; what is at work is told to drop."""
        with self._condition:
            self._closed = True
            self._waiting = None
            self._dropped.set()
            self._condition.notify()

    def _run(self) -> None:
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._waiting is not None or self._closed)
                if self._closed or self._waiting is None:
                    return
                key, work = self._waiting
                self._waiting = None
                self._at_work = key
                self._dropped.clear()
            answer: T | Failed | None
            try:
                answer = work(self._dropped.is_set)
            except Dropped:
                answer = None
            except Exception as error:
                answer = Failed(error)
            with self._condition:
                if answer is not None and not isinstance(answer, Failed):
                    self._answers[key] = answer
                    while len(self._answers) > KEPT:
                        self._answers.popitem(last=False)
                closed = self._closed
            if answer is not None and not closed:
                self._deliver(key, answer)
            with self._condition:
                self._at_work = None
