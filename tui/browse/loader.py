"""Opens a report on a thread of its own, which starts before Textual is even imported."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tui.browse.background import News, Worker

if TYPE_CHECKING:
    from tui.browse.capture import Capture, Choose
    from tui.report.progress import Progress

PARTIAL_FROM = 32 << 20
"""A report of so many bytes is shown in parts as it is read; a smaller one is read at once."""
HOLD_S = 1.0
"""How long an import waits for the screen, which needs the same core."""
PART, WHOLE = "part of a report", "report"
"""Kinds of a load's news: a :class:`Capture` of what is read so far, and the :class:`Outcome`."""

Identity = tuple[int, int, int, int]


def identity_of(path: Path) -> Identity | None:
    """Return the file's device, inode, size and mtime (ns): another file differs in them. None: no file."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


@dataclass
class Outcome:
    """What a load ended with: a capture, or the error."""

    capture: Capture | None = None
    error: BaseException | None = None


class Load:
    """The opening of one report."""

    def __init__(
        self,
        path: Path,
        *,
        cache_dir: Path | None = None,
        use_store: bool = True,
        use_nsys: bool = False,
        choose: Choose | None = None,
        step_name: str | None = None,
        comm: str = "class",
    ) -> None:
        self.path = path
        self._choose = choose
        self.step_name = step_name
        """The range that is a step; may be changed before :meth:`start`."""
        self._comm = comm
        self.identity = identity_of(path)
        self.progress: Progress | None = None
        self.outcome: Outcome | None = None
        self._news: News | None = None
        """What there is to show: what has been read so far of a large report, or the outcome."""
        self._cache_dir = cache_dir
        self._use_store = use_store
        self._use_nsys = use_nsys
        self._screen = threading.Event()
        self._screen.set()
        self._lock = threading.Lock()
        self._listener: Callable[[News], None] | None = None
        self._worker = Worker("load", lambda news: None)

    def hold(self) -> Load:
        """Have an import wait for the screen, until :meth:`go_on` is called. Returns itself."""
        self._screen.clear()
        return self

    def go_on(self) -> None:
        """Go on with the import: the screen is there."""
        self._screen.set()

    def start(self) -> Load:
        """Begin; returns itself."""
        self._worker.run(self.path, self._run)
        return self

    def cancel(self) -> None:
        """Have it end without an outcome."""
        self._worker.close()
        self.go_on()
        with self._lock:
            self._listener = None

    def wait(self, seconds: float | None = None) -> Outcome | None:
        """Wait until it has ended, for at most ``seconds``. Returns None where it has not."""
        self._worker.wait(seconds)
        return self.outcome

    def listen(self, listener: Callable[[News], None]) -> None:
        """Call ``listener`` (on the loading thread) with what there is to show, now and when more comes."""
        with self._lock:
            self._listener, news = listener, self._news
        if news is not None:
            listener(news)

    def _run(self, dropped: threading.Event) -> None:
        try:
            outcome = Outcome(capture=self._open(dropped))
        except Exception as error:
            outcome = Outcome(error=error)
        self._show(outcome=outcome)
        if outcome.capture is not None:
            with suppress(Exception):  # only the next opening would have been quicker
                outcome.capture.keep_lanes(dropped.is_set)
        self._worker.close()

    def _show(self, part: Capture | None = None, outcome: Outcome | None = None) -> None:
        """Keep what there is to show and hand it to the listener; nothing follows the outcome."""
        with self._lock:
            if self.outcome is not None:
                return
            self.outcome = outcome
            self._news = News(PART, self, part) if outcome is None else News(WHOLE, self, outcome)
            listener, news = self._listener, self._news
        if listener is not None:
            listener(news)

    def _open(self, dropped: threading.Event) -> Capture:
        from tui.browse.capture import open_capture

        size = self.identity[2] if self.identity is not None else 0
        return open_capture(
            self.path,
            cache_dir=self._cache_dir,
            use_store=self._use_store,
            use_nsys=self._use_nsys,
            progress=self._note,
            cancelled=dropped.is_set,
            choose=self._choose,
            step_name=self.step_name,
            comm=self._comm,
            partial=self._show if size >= PARTIAL_FROM else None,
        )

    def _note(self, progress: Progress) -> None:
        self.progress = progress
        self._screen.wait(HOLD_S)
        self._screen.set()
