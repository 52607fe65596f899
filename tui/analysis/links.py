"""Which row issued which, and what a process ran last: lookups that any thread may make."""

from __future__ import annotations

from typing import Any

import numpy as np

from tui.report.columns import Int32, Positions
from tui.report.event_tables.event_table import EventTable
from tui.report.model import Report


class Links:
    """Lookups built on first use. Two threads that ask at once build one twice, and get the same."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self._caused: dict[str, tuple[Int32, Int32]] = {}
        self._ops: dict[int, Positions] = {}

    def caused_by(self, table: EventTable[Any], row: int) -> Positions:
        """Return the rows of ``table`` that row ``row`` of its cause's table issued, by start."""
        if table.name not in self._caused:
            launch = table.of(self.report).launch
            order = np.flatnonzero(launch >= 0).astype(np.int32)
            order = order[np.argsort(launch[order], kind="stable")]
            self._caused[table.name] = launch[order], order
        causes, rows = self._caused[table.name]
        low, high = np.searchsorted(causes, [row, row + 1])
        found: Positions = rows[low:high].astype(np.intp)
        return found

    def last_op_of(self, process: int, time: int) -> int | None:
        """Return the last op of a process that starts by ``time``, else its first; None if it has none."""
        if process not in self._ops:
            self._ops[process] = np.flatnonzero(self.report.ops.process == process)
        mine = self._ops[process]
        if not len(mine):
            return None
        begun = int(np.searchsorted(self.report.ops.start, time, "right"))
        return int(mine[max(int(np.searchsorted(mine, begun)) - 1, 0)])
