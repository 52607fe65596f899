"""An area of the timeline: a range of some lanes, summed up lane by lane above the page of any tab."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tui.analysis.grouping import dense, summed
from tui.analysis.table import Column, Table, Unit
from tui.browse.listing import LaneEvents, Listed
from tui.browse.page import Instances, Page, Section
from tui.browse.pages.instances import instances
from tui.browse.pages.request import PageRequest
from tui.intervals import total, union
from tui.report.columns import Int64
from tui.report.event_tables import table_named
from tui.report.model import Report
from tui.text import safe
from tui.text.numbers import percent, plural
from tui.text.times import brief
from tui.timeline.lane import Lane, LaneKind

NAME_LEAST = 14


def area_page(request: PageRequest, lanes: Sequence[Lane]) -> Page:
    """Return the section of an area; none where no lanes of events are chosen."""
    lanes = [lane for lane in lanes if lane.kind is not LaneKind.SERIES]
    if not lanes:
        return []
    report, window = request.capture.report, request.window
    rows: list[tuple[str, int, int, int, float | None, str | None]] = []
    listed: list[Listed] = []
    for lane in lanes:
        request.stop_if_dropped()
        whole = LaneEvents(lane).find(report, request.scope)
        mine = whole.inside(report, request.counted)
        listed.append(mine)
        start, end = mine.times(report)
        start, end = np.clip(start, window.start, window.end), np.clip(end, window.start, window.end)
        taken = total(*union(start, end))
        title = lane.title if lane.depth == 0 else f"  {lane.title}"
        most = _longest(report, mine, end - start)
        rows.append(
            (safe(title), len(mine), int((end - start).sum()), taken, percent(taken, window.length), most)
        )

    def find(row: int) -> Instances | None:
        events = listed[row]
        if not len(events):
            return None
        return instances(events.tables[0], table_named(events.tables[0]).of(report), events.index)

    count = [row[1] for row in rows]
    table = Table(
        "area",
        "",
        (
            Column("lane", "lane", Unit.TEXT, [row[0] for row in rows]),
            Column("events", "events", Unit.COUNT, count),
            Column("summed", "summed_ns", Unit.NS, [row[2] for row in rows], 1),
            Column("covered", "covered_ns", Unit.NS, [row[3] for row in rows]),
            Column("%", "covered_pct", Unit.PCT, [row[4] for row in rows]),
            Column("most of it", "most", Unit.TEXT, [row[5] for row in rows], 2, "-"),
        ),
    )
    line = f"{plural(len(lanes), 'lane')}, {brief(window.length)}, {plural(sum(count), 'event')}"
    below = "what stands below counts every lane"
    return [Section("Selected lanes", table, (line, below), find, least=NAME_LEAST)]


def _longest(report: Report, events: Listed, length: Int64) -> str | None:
    """Return the name that takes most of a lane's time."""
    if not length.any():
        return None
    table = table_named(events.tables[0])
    groups, codes = dense(table.codes(report)[events.index])
    most = int(summed(groups, len(codes), length).argmax())
    return safe(table.word(report, int(codes[most])))
