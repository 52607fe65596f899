"""A ``stats`` report narrowed to what a pane has room for."""

from __future__ import annotations

from collections.abc import Callable

from tui.analysis.choices import Choices
from tui.analysis.stats import REPORTS
from tui.analysis.table import Table, Unit
from tui.browse.page import Finder, Section
from tui.browse.pages.request import PageRequest

SHORT = {"Time (%)": "%", "Total Time (ns)": "total", "Instances": "count", "Num Calls": "count"}
"""Headers that the pane writes in its own way; the others without their unit, in small letters."""
ORDER = ("total", "%", "count", "avg", "max", "med", "min", "stddev")
"""The columns after the name, the most useful first: the last ones may find no room."""
NAME_LEAST = 28
"""Cells that a name keeps: kernels of one library differ late in their names."""


def report_table(request: PageRequest, name: str) -> Table:
    """Return a ``stats`` report over the window, its columns renamed, the names before the figures."""
    table = REPORTS[name].compute(request.index, Choices(request.counted))
    headers = {c.key: SHORT.get(c.header, c.header.partition(" (")[0].lower()) for c in table.columns}
    names = [c.key for c in reversed(table.columns) if c.unit is Unit.TEXT]
    order = sorted(headers, key=lambda key: [*ORDER, headers[key]].index(headers[key]))
    return table.pick({key: headers[key] for key in dict.fromkeys([*names, *order])})


def sum_section(
    title: str, table: Table, find: Finder, empty: str, swatch: Callable[[int], str] | None = None
) -> Section:
    """Return the table with its note above it; ``find`` leads from a row to its events."""
    lines = (table.note,) if table.note else ()
    return Section(title, table, lines, find, empty, NAME_LEAST, swatch=swatch)
