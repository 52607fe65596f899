"""Ctrl-C ends a command soon, whatever it is doing.

Python turns SIGINT into a KeyboardInterrupt once the main thread runs Python code. That is not enough: a
library may swallow it or turn it into an error of its own, and a signal that comes just before a call that
waits (for a pipe's reader) is acted on only when that call returns. So a thread notices the signal the moment
it arrives, sends it again while the command goes on, and in the end leaves.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tui import INTERRUPTED

AGAIN_S = 0.5
"""How long to wait for the command to end before it is interrupted again: to clean up takes less."""
TIMES = 6
"""How often to interrupt it before leaving without it."""


_MARK = b"\0"
"""No signal's number: says that all signals before it have been seen."""


class Watch:
    """Watches for SIGINT from :meth:`begin` to :meth:`end`, in the main thread."""

    def __init__(self) -> None:
        self._seen = threading.Event()
        self._caught_up = threading.Event()
        self._done = threading.Event()
        self._reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        self._thread = threading.Thread(target=self._run, args=(threading.get_ident(),), daemon=True)
        self._before = -1

    def begin(self) -> None:
        """Start watching."""
        self._thread.start()
        self._before = signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)

    def end(self) -> None:
        """Stop watching."""
        self._done.set()
        if signal.set_wakeup_fd(-1) == self._writer:  # else another event loop took it, and has ended
            signal.set_wakeup_fd(self._before)
        os.close(self._writer)
        self._thread.join()
        os.close(self._reader)

    def interrupted(self) -> bool:
        """Whether SIGINT has come by now."""
        self._caught_up.clear()
        os.write(self._writer, _MARK)
        while not self._seen.is_set() and not self._caught_up.wait(0.01):
            pass
        return self._seen.is_set()

    def _run(self, main: int) -> None:
        while number := os.read(self._reader, 1):
            if number == _MARK:
                self._caught_up.set()
            elif number[0] == signal.SIGINT:
                self._seen.set()
                self._insist(main)
                return

    def _insist(self, main: int) -> None:
        for _ in range(TIMES):
            if self._done.wait(AGAIN_S):
                return
            signal.pthread_kill(main, signal.SIGINT)
        if not self._done.wait(AGAIN_S):
            os._exit(INTERRUPTED)


@contextmanager
def watched() -> Iterator[Callable[[], bool]]:
    """Watch for SIGINT while the block runs; yields a function that tells whether one has come."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_kill"):
        yield lambda: False
        return
    try:
        watch = Watch()
    except OSError:  # no file descriptor left: Ctrl-C is what Python makes of it
        yield lambda: False
        return
    watch.begin()
    try:
        yield watch.interrupted
    finally:
        watch.end()
