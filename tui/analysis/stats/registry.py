"""The shape of a report's entry in the list of reports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tui.analysis.scope import Scope
from tui.analysis.table import Table
from tui.report.model import Report

Compute = Callable[[Report, Scope, frozenset[str]], Table]


@dataclass(frozen=True)
class StatsReport:
    """One report: what it is called, what it says, and the function that makes it."""

    name: str
    title: str
    compute: Compute
    """``(report, scope, options) -> Table``; no rows where the scope holds none of the data."""
    needs: str
    """The data without which it is skipped, as in ``does not contain NEEDS data``."""
    means: str
    """What it tells, one line."""
    how: str
    """How the figures come about, one line."""
    differs: str = "Equal to the report of nsys, digit for digit."
    """Where it differs from nsys's report of that name, and why."""
    aliases: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    """What may follow the name after a colon."""
