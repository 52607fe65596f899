"""The progress of a slow import, as one line on a terminal that goes away when it is done."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from tui.report.progress import Progress

PATIENCE = 0.5
"""Seconds before anything is shown: a quick import shows nothing."""
INTERVAL = 0.1
"""Seconds between two updates."""


class ProgressLine:
    """Shows :class:`Progress` on ``stream`` if that is a terminal and the import takes its time."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream if stream is not None and stream.isatty() else None
        self._next = time.monotonic() + PATIENCE
        self._shown = False

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stream is not None and self._shown:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def update(self, progress: Progress) -> None:
        """Show ``progress`` if it is time to."""
        now = time.monotonic()
        if self._stream is None or now < self._next:
            return
        self._next = now + INTERVAL
        self._shown = True
        percent = 100 * progress.done // progress.total if progress.total else 0
        self._stream.write(f"\r\x1b[Kreading {progress.stage}: {percent}% of {progress.total:,} rows")
        self._stream.flush()
