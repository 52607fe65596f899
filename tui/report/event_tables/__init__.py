"""The kinds of events that the product knows: one descriptor a table, in one file each.

The store's columns, the reading of simple tables, lanes and what is drawn in them, details, search and the
rows of an export are made from it.
"""

from __future__ import annotations

from typing import Any

from tui.report.columns import Columns
from tui.report.data import ReportData
from tui.report.event_tables.calls import CALLS
from tui.report.event_tables.cpu import CPU
from tui.report.event_tables.event_table import EventTable, Owner
from tui.report.event_tables.marks import MARKS
from tui.report.event_tables.ops import OPS
from tui.report.event_tables.os_calls import OS_CALLS
from tui.report.event_tables.other import PREFIX, other_table
from tui.report.event_tables.ranges import RANGES
from tui.report.event_tables.syncs import SYNCS

EVENT_TABLES: tuple[EventTable[Any], ...] = (OPS, SYNCS, RANGES, MARKS, CALLS, OS_CALLS, CPU)
"""In the order of their lanes."""
HOST_FIRST = tuple(sorted(EVENT_TABLES, key=lambda table: table.owner is Owner.DEVICE))
"""In the order of events that start together: what the host did comes first."""
SOURCES = frozenset(source for table in EVENT_TABLES for source in table.sources)
"""Tables of an export that have descriptors."""
COLUMN_TABLES: dict[str, type[Columns]] = {
    part.name: part.columns for table in EVENT_TABLES for part in (table, *table.parts)
}
"""All tables of columns that a report has whatever the export holds, by name."""

_BY_NAME = {table.name: table for table in EVENT_TABLES}


def table_named(name: str) -> EventTable[Any]:
    """The descriptor of a table of :attr:`ReportData.events`."""
    return _BY_NAME.get(name) or other_table(name.removeprefix(PREFIX))


def other_tables_of(report: ReportData) -> list[EventTable[Any]]:
    """The descriptors of a report's tables that have none of their own."""
    return [table_named(name) for name in report.events if name.startswith(PREFIX)]
