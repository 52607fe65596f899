"""The shape of a report: what it is called, what it says, and the function that makes its table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tui.analysis.choices import Choices
from tui.analysis.index import Index
from tui.analysis.table import Column, Table

Compute = Callable[[Index, Choices], Table]
"""Makes the table of a report; no rows where the scope holds none of the data."""

SUMS = "Sums durations by name. Time (%): share of the listed total, not of wall time. StdDev: of a sample."
"""How the figures of most summaries come about."""


@dataclass(frozen=True)
class StatsReport:
    """One report, as :func:`stats_report` describes it."""

    name: str
    compute: Compute
    title: str
    needs: str
    means: str
    how: str
    differs: str
    aliases: tuple[str, ...]
    options: tuple[str, ...]

    @property
    def offers(self) -> tuple[str, ...]:
        """Its options as a user may write them: ``base``, ``rows=N``."""
        return tuple(f"{option}N" if option.endswith("=") else option for option in self.options)

    def table(self, columns: tuple[Column, ...], note: str | None = None) -> Table:
        """The table of this report."""
        return Table(self.name, self.title, columns, note)


def stats_report(
    title: str,
    needs: str,
    means: str,
    how: str = SUMS,
    differs: str = "Equal to the report of nsys, digit for digit.",
    *,
    aliases: tuple[str, ...] = (),
    options: tuple[str, ...] = (),
) -> Callable[[Compute], StatsReport]:
    """Turn the function that follows into the report of its name.

    ``needs``: the data without which it is skipped, as in ``does not contain NEEDS data``. In one line
    each, ``means``: what it shows, ``how``: how its figures come about, ``differs``: where it differs
    from nsys's report of that name, and why. ``options``: what may follow its name after a colon; a number
    follows one that ends in ``=``.
    """
    return lambda compute: StatsReport(
        compute.__name__, compute, title, needs, means, how, differs, aliases, options
    )
