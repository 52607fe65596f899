"""From a row of a summary to the events that it sums up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tui.analysis.stats.select import in_window, narrowed, take
from tui.analysis.table import Table
from tui.browse.page import Finder, Instances
from tui.browse.pages.request import PageRequest
from tui.report.columns import Positions, distinct_values


def by_name(
    request: PageRequest,
    table: Table,
    source: str,
    spell: Callable[[str], str] = str,
    kinds: tuple[int, ...] = (),
) -> Finder:
    """Return a finder of the events of the table ``source`` with a row's name, as ``spell`` writes names.

    ``kinds``: of ops, those that count.
    """
    report = request.capture.report
    events: Any = getattr(report, source)

    def find(row: int) -> Instances | None:
        wanted = str(table.columns[0].values[row])
        rows = in_window(events.start, events.end, request.window)
        names = take(events.name, rows)
        used = distinct_values(names).tolist()
        mask = np.isin(names, [name for name in used if name >= 0 and spell(report.strings[name]) == wanted])
        if kinds:
            mask &= np.isin(take(report.ops.kind, rows), kinds)
        return instances(source, events, narrowed(rows, mask))

    return find


def instances(source: str, events: Any, rows: Positions) -> Instances | None:
    """Return ``rows`` of a table of events as instances; None for none."""
    if not len(rows):
        return None
    return Instances(source, rows.astype(np.int64), events.start[rows], events.end[rows])


def rows_in_window(request: PageRequest, events: Any) -> Positions:
    """Return the positions of the events that overlap the window."""
    rows = in_window(events.start, events.end, request.window)
    return np.arange(len(events)) if isinstance(rows, slice) else rows
