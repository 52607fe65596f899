"""What an opened export looks like: NumPy columns, one class a kind of event.

Every column is one array, every table is sorted by ``start`` (stable, so rows that start
together keep the file's order). Times are int64 nanoseconds since the session's start and may
be negative. An *index* column (``device``, ``thread``, ``name``...) has positions in
:attr:`Report.devices`, :attr:`Report.threads`, :attr:`Report.strings`...; -1 means none. Plain
integer columns have :data:`NULL` where the export has NULL or no such column.

Rows whose times can't be true never reach a table; they are listed in :attr:`Report.doubtful`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic

from tui.report.classify import CallClass
from tui.report.data import Device, Doubtful, Process, ReportData, Strings, TableInfo, Thread
from tui.report.event_tables import other_tables_of
from tui.report.event_tables.calls import CALLS
from tui.report.event_tables.event_table import C, ColumnTable
from tui.report.event_tables.marks import MARKS
from tui.report.event_tables.ops import COPIES, GRAPHS, KERNELS, OPS, SETS, Kernels, OpKind, Ops
from tui.report.event_tables.os_calls import OS_CALLS
from tui.report.event_tables.other import PREFIX, OtherEvents
from tui.report.event_tables.ranges import RANGES, RangeStyle
from tui.report.event_tables.syncs import SYNCS
from tui.report.extra.extra_table import ExtraRows, ExtraSource, ExtraTable, no_rows

__all__ = [
    "CallClass", "Device", "Doubtful", "Kernels", "OpKind", "Ops", "OtherEvents", "Process", "RangeStyle",
    "Report", "Strings", "TableInfo", "Thread",
]  # fmt: skip


class _Typed(Generic[C]):
    """An attribute of a report: the columns of one of its tables."""

    def __init__(self, table: ColumnTable[C]) -> None:
        self._table = table

    def __get__(self, report: ReportData, owner: type) -> C:
        return self._table.of(report)


@dataclass(frozen=True, eq=False, repr=False)
class Report(ReportData):
    """An opened export. Read-only; an analysis is a function from it to a table.

    The tables that analyses are about have names of their own here; all are in :attr:`events`.
    """

    ops = _Typed(OPS)
    kernels = _Typed(KERNELS)
    copies = _Typed(COPIES)
    sets = _Typed(SETS)
    graphs = _Typed(GRAPHS)
    calls = _Typed(CALLS)
    ranges = _Typed(RANGES)
    marks = _Typed(MARKS)
    os_calls = _Typed(OS_CALLS)
    syncs = _Typed(SYNCS)

    extra: ExtraSource | None = field(default=None, repr=False, compare=False)
    """Reads the tables that an import leaves alone; None where there is no file to read."""

    def extra_rows(self, table: ExtraTable, *, keep: bool = True) -> ExtraRows:
        """The rows of a table that an import leaves alone, read at the first call; none where it is absent.

        ``keep=False`` reads them anew and keeps them nowhere: for what keeps something smaller instead.
        Raises ReportError where the file is damaged, or has changed since it was opened.
        """
        is_empty = any(info.name == table.source and not info.rows for info in self.tables)
        if self.extra is None or table.source not in self.has or is_empty:
            return no_rows(table)
        return self.extra.read(table, keep=keep)

    @cached_property
    def others(self) -> Mapping[str, OtherEvents]:
        """The events of the tables that have no descriptor, by the table's name in the export."""
        return {table.name.removeprefix(PREFIX): table.of(self) for table in other_tables_of(self)}
