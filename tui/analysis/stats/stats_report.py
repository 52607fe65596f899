"""The shape of a report: everything that it is, in its own module."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tui.analysis.choices import Choices
from tui.analysis.index import Index
from tui.analysis.table import Column, Table

SUMS = "Sums durations by name. Time (%): share of the listed total, not of wall time. StdDev: of a sample."
"""How the figures of most summaries come about."""


@dataclass(frozen=True)
class StatsReport:
    """One report: what it is called, what it says, and the function that makes it."""

    name: str
    title: str
    compute: Callable[[Index, Choices], Table]
    """Makes the table; no rows where the scope holds none of the data."""
    needs: str
    """The data without which it is skipped, as in ``does not contain NEEDS data``."""
    means: str
    """What it shows, one line."""
    how: str = SUMS
    """How the figures come about, one line."""
    differs: str = "Equal to the report of nsys, digit for digit."
    """Where it differs from nsys's report of that name, and why."""
    aliases: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    """What may follow the name after a colon."""

    def table(self, columns: tuple[Column, ...], note: str | None = None) -> Table:
        """The table of this report."""
        return Table(self.name, self.title, columns, note)
