"""Events: each event of the lane under the cursor, of the search or of a row, and how long they took."""

from __future__ import annotations

from functools import partial

import numpy as np

from tui.analysis.grouping import by_text, summed
from tui.analysis.table import Column, Unit
from tui.browse.event_table import EventFigures, figures_of, list_table, recorded_table
from tui.browse.histogram import histogram_lines, spread_of
from tui.browse.lazy_columns import Coded
from tui.browse.listing import Listed, SearchEvents
from tui.browse.page import Instances, Page, Pairs, Section, table_of
from tui.browse.pages.request import PageRequest
from tui.report.columns import Int64
from tui.report.event_tables import table_named
from tui.report.event_tables.ranges import RANGES
from tui.text import safe
from tui.text.labels import kind_of_range
from tui.text.numbers import plural
from tui.text.times import brief

LIST = "Events"
"""The heading of the list: what it is sorted and filtered by stays, whatever it is of."""
NAME_LEAST = 24
"""Cells that a name keeps: what else is known of an event gives way to it."""
_NOTHING = "no lane under the cursor: move onto one"


def events_page(request: PageRequest) -> Page:
    """Show the list that the user asked for: see :class:`~tui.browse.listing.Subject`."""
    subject, report = request.subject, request.capture.report
    if subject is None:
        return [Section("Events", lines=(_NOTHING,))]
    whole = subject.find(report, request.scope)
    listed = whole.inside(report, request.counted)
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
    """Count the events of a search by name, ranges by label; a row leads to its first from the cursor on."""
    if not len(listed):
        return []
    groups, names = by_text(found.name, lambda kind: _label(request, listed, found.names[kind]))
    count = np.bincount(groups, minlength=len(names)).astype(np.int64)
    total = summed(groups, len(names), found.duration)
    order = np.argsort(-count, kind="stable")
    whose = [names[at][0] for at in order.tolist()]

    def find(row: int) -> Instances:
        mine = np.flatnonzero(groups == order[row])
        start = found.start[mine]
        name = listed.tables[whose[row]]
        rows: Int64 = listed.index[mine].astype(np.int64)
        return Instances(name, rows, start, start + found.duration[mine])

    ops = [place for place, number in enumerate(whose) if listed.tables[number] == "ops"]
    nouns = [table_named(name).noun for name in listed.tables]
    table = table_of(
        "names",
        Column(
            "name",
            "name",
            Unit.TEXT,
            Coded(np.arange(len(order)), len(order), lambda at: names[order[at]][1], ops),
            kernels=len(ops) > 0,
        ),
        Column("count", "count", Unit.COUNT, count[order]),
        Column("total", "total_ns", Unit.NS, total[order], 1),
        Column("kind", "kind", Unit.TEXT, [nouns[at] for at in whose], 2),
    )
    return [Section("Matches by name", table, (), find, least=NAME_LEAST)]


def _label(request: PageRequest, listed: Listed, kind: tuple[int, int]) -> tuple[int, str]:
    """Return the table of a kind of name, and the name; of a range without its numbers."""
    number, code = kind
    table = table_named(listed.tables[number])
    word = safe(table.word(request.capture.report, code))
    return number, kind_of_range(word) if table.name == RANGES.name else word
