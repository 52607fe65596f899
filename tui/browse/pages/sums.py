"""A ``stats`` report narrowed to what a pane has room for; its rows lead to the events that they sum up."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tui.analysis.choices import Choices
from tui.analysis.stats import REPORTS
from tui.analysis.table import Table, Unit
from tui.browse.page import Finder, Instances, Section
from tui.browse.pages.instances import named_instances
from tui.browse.pages.request import PageRequest

SHORT = {
    "Time (%)": "%",
    "Total Time (ns)": "total",
    "Avg (ns)": "avg",
    "Med (ns)": "med",
    "Min (ns)": "min",
    "Max (ns)": "max",
    "StdDev (ns)": "stddev",
    "Instances": "count",
    "Num Calls": "count",
    "Count": "count",
    "Name": "name",
    "Range": "range",
    "Operation": "operation",
    "Style": "style",
}
FIRST = ("total", "%", "count", "avg", "max", "med", "min", "stddev")
"""Order of the columns after the name: what matters first, for the last ones may find no room."""
NAME_LEAST = 26
"""Cells of a name before further figures: kernels of one library differ late in their names."""


def report_table(asked: PageRequest, name: str) -> Table:
    """A ``stats`` report over the window, its columns renamed and put in the pane's order: the name first."""
    table = REPORTS[name].compute(asked.index, Choices(asked.scope))
    texts = {c.key: SHORT.get(c.header, c.header) for c in reversed(table.columns) if c.unit is Unit.TEXT}
    numbers = {c.key: SHORT.get(c.header, c.header) for c in table.columns if c.unit is not Unit.TEXT}
    places = {header: place for place, header in enumerate(FIRST)}
    order = sorted(numbers, key=lambda key: places.get(numbers[key], len(FIRST)))
    return table.pick(texts | {key: numbers[key] for key in order})


def sum_section(title: str, table: Table, find: Finder, empty: str) -> Section:
    """The table with its note above it."""
    return Section(title, table, (table.note,) if table.note else (), find, empty, NAME_LEAST)


def by_name(
    asked: PageRequest,
    table: Table,
    source: str,
    spell: Callable[[str], str] | None = None,
    kinds: tuple[int, ...] = (),
) -> Finder:
    """Leads from a row to the events of the table ``source`` that bear its name, as ``spell`` writes names.

    ``kinds``: of ops, those that count.
    """

    def find(row: int) -> Instances | None:
        keep = np.isin(asked.capture.report.ops.kind, kinds) if kinds else None
        return named_instances(asked, source, str(table.columns[0].values[row]), spell, keep)

    return find
