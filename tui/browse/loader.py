"""Opening a report beside the screen: a thread that starts before Textual is even imported."""

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
"""Bytes of a report from which on its parts are shown as they come: a smaller one is there at once."""
HOLD_S = 1.0
"""An import waits for the screen, which needs the same core, but no longer than this."""
PART, WHOLE = "part of a report", "report"
"""Kinds of a load's news: a :class:`Capture` that more is to come of, and the :class:`Outcome`."""

Identity = tuple[int, int, int, int]


def identity_of(path: Path) -> Identity | None:
    """What tells this file from one that replaced it: device, inode, size, mtime. None: it is gone."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


@dataclass
class Outcome:
    """What a load came to: a capture, or the error."""

    capture: Capture | None = None
    error: BaseException | None = None


class Load:
    """One report on its way into memory."""

    def __init__(
        self,
        path: Path,
        *,
        cache_dir: Path | None = None,
        use_store: bool = True,
        choose: Choose | None = None,
        step_name: str | None = None,
    ) -> None:
        self.path = path
        self._choose = choose
        self._step_name = step_name
        self.identity = identity_of(path)
        self.progress: Progress | None = None
        self.part: Capture | None = None
        """What is there so far of a large report."""
        self.outcome: Outcome | None = None
        self._cache_dir = cache_dir
        self._use_store = use_store
        self._held: threading.Event | None = None
        self._lock = threading.Lock()
        self._listener: Callable[[News], None] | None = None
        self._worker = Worker("load", lambda news: None)

    def hold(self) -> Load:
        """Let the screen come up first: an import stops short until :meth:`go_on`. Returns itself."""
        self._held = threading.Event()
        return self

    def go_on(self) -> None:
        """The screen is there."""
        held = self._held
        if held is not None:
            held.set()

    def start(self) -> Load:
        """Begin; returns itself."""
        self._worker.run(self.path, self._run)
        return self

    def cancel(self) -> None:
        """Ask it to end; its outcome no longer matters."""
        self._worker.close()
        self.go_on()
        with self._lock:
            self._listener = None

    def wait(self, seconds: float | None = None) -> Outcome | None:
        """Block until it has ended, for at most ``seconds``; None: it has not."""
        self._worker.wait(seconds)
        return self.outcome

    def listen(self, listener: Callable[[News], None]) -> None:
        """Call ``listener`` (on the loading thread) with what there is to show, now and when more comes."""
        with self._lock:
            self._listener = listener
            news = self._news()
        if news is not None:
            listener(news)

    def _news(self) -> News | None:
        """What there is to show."""
        if self.outcome is not None:
            return News(WHOLE, self, self.outcome)
        return News(PART, self, self.part) if self.part is not None else None

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
        """Note what there is to show, and tell who listens; nothing comes after the outcome."""
        with self._lock:
            if self.outcome is not None:
                return
            self.part, self.outcome = part, outcome
            listener, news = self._listener, self._news()
        if listener is not None and news is not None:
            listener(news)

    def _open(self, dropped: threading.Event) -> Capture:
        from tui.browse.capture import open_capture

        size = self.identity[2] if self.identity is not None else 0
        return open_capture(
            self.path,
            cache_dir=self._cache_dir,
            use_store=self._use_store,
            progress=self._note,
            cancelled=dropped.is_set,
            choose=self._choose,
            step_name=self._step_name,
            partial=self._show if size >= PARTIAL_FROM else None,
        )

    def _note(self, progress: Progress) -> None:
        self.progress = progress
        if self._held is not None:
            self._held.wait(HOLD_S)
            self._held = None
