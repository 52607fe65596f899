"""Packets that met congestion in a switch."""

from __future__ import annotations

import numpy as np

from tui.analysis.index import Index
from tui.analysis.network.devices import switches, unnamed
from tui.report.columns import Int64
from tui.report.extra.tables import SWITCH_CONGESTION
from tui.report.model import Report


def may_have_congestion(report: Report) -> bool:
    """Whether there may be any event. Costs nothing."""
    return any(table.name == SWITCH_CONGESTION.source and table.rows for table in report.tables)


def congestion_events(index: Index) -> list[tuple[str, Int64]]:
    """The name of each switch, not yet safe for a screen, and the times of its events, ascending."""
    return index.once("congestion events", lambda: _read(index.report))


def _read(report: Report) -> list[tuple[str, Int64]]:
    rows = report.extra_rows(SWITCH_CONGESTION)
    known = switches(report)
    found = []
    for key in np.unique(rows["globalId"]).tolist():
        device = known.get(key) or unnamed(key, is_switch=True)
        found.append((device.name, rows["start"][rows["globalId"] == key]))
    return found
