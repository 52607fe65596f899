"""Opening a report beside the screen: a thread that starts before Textual is even imported."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.browse.capture import Capture, Choose
    from tui.report.progress import Progress

PARTIAL_FROM = 32 << 20
"""Bytes of a report from which on its parts are shown as they come: a smaller one is there at once."""
HOLD_S = 1.0
"""An import waits for the screen, which needs the same core, but no longer than this."""

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
        self._cancelled = threading.Event()
        self._held: threading.Event | None = None
        self._lock = threading.Lock()
        self._callback: Callable[[Outcome], None] | None = None
        self._part_callback: Callable[[Capture], None] | None = None
        self._thread = threading.Thread(target=self._run, name="nsystui-load", daemon=True)

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
        self._thread.start()
        return self

    def cancel(self) -> None:
        """Ask it to end; its outcome no longer matters."""
        self._cancelled.set()
        self.go_on()
        with self._lock:
            self._callback = self._part_callback = None

    def wait(self, seconds: float | None = None) -> Outcome | None:
        """Block until it has ended, for at most ``seconds``; None: it has not."""
        self._thread.join(seconds)
        return self.outcome

    def on_done(self, callback: Callable[[Outcome], None]) -> None:
        """Call ``callback`` (on the loading thread) when it ends, or at once if it has."""
        with self._lock:
            if self.outcome is None:
                self._callback = callback
                return
            outcome = self.outcome
        callback(outcome)

    def on_part(self, callback: Callable[[Capture], None]) -> None:
        """Call ``callback`` (on the loading thread) when there is more to show, or at once if there is."""
        with self._lock:
            self._part_callback = callback
            part = self.part if self.outcome is None else None
        if part is not None:
            callback(part)

    def _run(self) -> None:
        try:
            outcome = Outcome(capture=self._open())
        except Exception as error:
            outcome = Outcome(error=error)
        self._end(outcome)
        if outcome.capture is not None:
            with suppress(Exception):  # only the next opening would have been quicker
                outcome.capture.keep_lanes(self._cancelled.is_set)

    def _end(self, outcome: Outcome) -> None:
        with self._lock:
            self.outcome = outcome
            self.part = None
            callback = self._callback
        if callback is not None:
            callback(outcome)

    def _open(self) -> Capture:
        from tui.browse.capture import open_capture

        size = self.identity[2] if self.identity is not None else 0
        return open_capture(
            self.path,
            cache_dir=self._cache_dir,
            use_store=self._use_store,
            progress=self._note,
            cancelled=self._cancelled.is_set,
            choose=self._choose,
            step_name=self._step_name,
            partial=self._tell_part if size >= PARTIAL_FROM else None,
        )

    def _tell_part(self, part: Capture) -> None:
        with self._lock:
            self.part = part
            callback = self._part_callback
        if callback is not None:
            callback(part)

    def _note(self, progress: Progress) -> None:
        self.progress = progress
        if self._held is not None:
            self._held.wait(HOLD_S)
            self._held = None
