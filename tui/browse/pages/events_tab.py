"""Events: each event of the lane under the cursor, of the search or of a row, and how long they took."""

from __future__ import annotations

from functools import partial

import numpy as np

from tui.analysis.grouping import combined
from tui.analysis.table import Column, Unit
from tui.browse.event_table import EventFigures, figures_of, list_table, recorded_table
from tui.browse.histogram import histogram_lines, spread_of
from tui.browse.lazy_columns import Coded
from tui.browse.listing import Listed, SearchEvents
from tui.browse.page import Instances, Page, Pairs, Section, table_of
from tui.browse.pages.request import PageRequest
from tui.report.columns import Int64
from tui.report.event_tables import table_named
from tui.text import safe
from tui.text.numbers import plural
from tui.text.times import brief

LIST = "Events by start"
"""The heading of the list: what it is sorted and filtered by stays, whatever it is of."""
NAME_LEAST = 12
_NOTHING = "no lane under the cursor: move onto one"


def events_page(request: PageRequest) -> Page:
    """Show the list that the user asked for: see :class:`~tui.browse.listing.Subject`."""
    subject, report = request.subject, request.capture.report
    if subject is None:
        return [Section("Events", lines=(_NOTHING,))]
    whole = subject.find(report, request.scope)
    listed = whole.inside(report, request.scope)
    request.stop_if_dropped()
    figures = figures_of(request.index, listed, request.capture.steps)
    request.stop_if_dropped()
    where = f"{safe(subject.title)} · {request.label}"
    names = _names(request, listed, figures) if isinstance(subject, SearchEvents) else []
    return [*names, _list(request, listed, figures, where)]


def _list(request: PageRequest, listed: Listed, found: EventFigures, where: str) -> Section:
    """List the events, with their spread above."""
    report, capture, clock = request.capture.report, request.capture, request.clock

    def instances(row: int) -> Instances:
        event = listed.id(row)
        start, end = int(found.start[row]), int(found.start[row] + found.duration[row])
        index, begin, finish = (np.array([value], np.int64) for value in (event.index, start, end))
        return Instances(event.table, index, begin, finish)

    def details(row: int) -> Pairs | None:
        from tui.browse.details import LOOKUPS_S, describe

        with capture.try_lookups(LOOKUPS_S) as index:
            return None if index is None else describe(index, listed.id(row), clock)

    lines = [where]
    if len(listed):
        spread = spread_of(found.duration)
        lines += [f"{plural(spread.count, 'event')}, {brief(spread.total)} in all", spread.words()]
    instant = all(table_named(name).instant for name in listed.tables)
    return Section(
        LIST,
        list_table(request.index, listed, found, clock),
        tuple(lines if not instant else lines[:1]),
        instances,
        "no events in this window",
        NAME_LEAST,
        details=details,
        picture=None if instant else partial(histogram_lines, found.duration),
        one_by_one=True,
        recorded=lambda index, rows: recorded_table(index, listed, found, rows),
        file_name=f"{report.path.stem}-events",
    )


def _names(request: PageRequest, listed: Listed, found: EventFigures) -> list[Section]:
    """Count the events of a search by name; a row leads to its first from the cursor on."""
    report = request.capture.report
    if not len(listed):
        return []
    groups, first = combined(found.name)
    count = np.bincount(groups, minlength=len(first)).astype(np.int64)
    total = np.zeros(len(first), np.int64)
    np.add.at(total, groups, found.duration)
    order = np.argsort(-count, kind="stable")
    kinds = found.name[first[order]]
    whose = listed.table[first[order]]

    def word(at: int) -> str:
        table, code = found.names[int(kinds[at])]
        return safe(table_named(listed.tables[table]).word(report, code))

    def find(row: int) -> Instances:
        mine = np.flatnonzero(groups == order[row])
        start = found.start[mine]
        name = listed.tables[int(whose[row])]
        rows: Int64 = listed.index[mine].astype(np.int64)
        return Instances(name, rows, start, start + found.duration[mine])

    nouns = [table_named(name).noun for name in listed.tables]
    table = table_of(
        "names",
        Column("name", "name", Unit.TEXT, Coded(np.arange(len(order)), len(order), word)),
        Column("count", "count", Unit.COUNT, count[order]),
        Column("total", "total_ns", Unit.NS, total[order], 1),
        Column("kind", "kind", Unit.TEXT, [nouns[at] for at in whose.tolist()], 2),
    )
    return [Section("Matches by name", table, (), find, least=NAME_LEAST)]
