"""How far the reading of a set is: reports and bytes, how long it will take, and what is slow."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from tui.text import safe

SLOW_S = 2.0
"""A report that takes longer is named."""


@dataclass(frozen=True)
class SetProgress:
    """One moment of the reading of a set."""

    done: int
    total: int
    done_bytes: int
    total_bytes: int
    seconds: float
    """Since it began."""
    slow: str | None
    """The report that has been read longest; None: none for long."""

    @property
    def words(self) -> str:
        """Return it as one line: ``12 of 40 reports, 210 MB/s, 3 s left; reading rank7.sqlite``."""
        parts = [f"{self.done:,} of {self.total:,} reports"]
        if self.done_bytes and self.seconds > 0:
            rate = self.done_bytes / self.seconds
            parts.append(f"{rate / 1e6:,.0f} MB/s")
            parts.append(f"{(self.total_bytes - self.done_bytes) / rate:,.0f} s left")
        text = ", ".join(parts)
        return f"{text}; reading {safe(self.slow)}" if self.slow else text


class Sized(Protocol):
    """A report that is to be read."""

    @property
    def path(self) -> Path: ...

    @property
    def size(self) -> int: ...


class SetMeter:
    """Counts the reports of a set, and reports how far it is."""

    def __init__(self, tasks: Sequence[Sized], report: Callable[[SetProgress], None] | None) -> None:
        self._total = len(tasks)
        self._total_bytes = sum(task.size for task in tasks)
        self._report = report
        self._began = time.monotonic()
        self._done = 0
        self._done_bytes = 0
        self._reading: dict[Path, float] = {}

    def begun(self, task: Sized) -> None:
        """Note that a report is being read."""
        self._reading[task.path] = time.monotonic()
        self.show()

    def ended(self, task: Sized) -> None:
        """Note that a report has been read, or can't be."""
        self._reading.pop(task.path, None)
        self._done += 1
        self._done_bytes += task.size
        self.show()

    def show(self) -> None:
        """Report how far it is."""
        if self._report is None:
            return
        now = time.monotonic()
        oldest = min(self._reading, key=self._reading.__getitem__, default=None)
        slow = oldest.name if oldest is not None and now - self._reading[oldest] >= SLOW_S else None
        done = self._done, self._total, self._done_bytes, self._total_bytes
        self._report(SetProgress(*done, now - self._began, slow))
