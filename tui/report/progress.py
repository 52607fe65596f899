"""How far an import is, and how its caller stops it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tui.errors import ReportError


@dataclass(frozen=True)
class Progress:
    """One moment of an import: ``done`` of about ``total``, and what is being read."""

    stage: str
    done: int
    total: int
    unit: str = "rows"
    """What is counted; empty for parts of a hundred."""

    @property
    def percent(self) -> int | None:
        """How much is done; None where the total is not known."""
        return 100 * self.done // self.total if self.total else None

    @property
    def share(self) -> str:
        """How much is done in words; empty where the total is not known."""
        if not self.total:
            return ""
        return f"{self.percent}%" + (f" of {self.total:,} {self.unit}" if self.unit else "")


class ImportCancelled(ReportError):
    """The caller stopped the import; nothing was stored."""


class Meter:
    """Counts rows, reports progress, and raises :class:`ImportCancelled` when asked to."""

    def __init__(
        self, report: Callable[[Progress], None] | None = None, cancelled: Callable[[], bool] | None = None
    ) -> None:
        self._report = report
        self._cancelled = cancelled
        self._done = 0
        self._total = 0

    def expect(self, rows: int) -> None:
        """Add to the rows that will be read."""
        self._total += max(rows, 0)

    def step(self, stage: str, rows: int = 0) -> None:
        """Count more rows; ``stage`` names the table or the work at hand."""
        self._done += rows
        self.show(Progress(stage, self._done, max(self._total, self._done)))

    def show(self, progress: Progress) -> None:
        """Report ``progress``, of work that is not counted here."""
        if self._cancelled is not None and self._cancelled():
            raise ImportCancelled("import cancelled")
        if self._report is not None:
            self._report(progress)
