"""Names and styles of slices, looked up one at a time: a frame asks only for what it shows."""

from __future__ import annotations

from typing import Any

import numpy as np

from tui.report.columns import Positions
from tui.report.model import Report
from tui.report.tables import table_named
from tui.report.tables.table import EventTable
from tui.timeline.palette import GROUND, nearest_256, visible
from tui.timeline.slices import SliceId

_MOST = 65536
"""Labels that are kept: a long session over a large report must not hold it all."""


class Catalogue:
    """What the slices of one report are called and drawn like; remembers what it was asked."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self._labels: dict[SliceId, tuple[str, str]] = {}
        self._styles: dict[str, dict[int, str]] = {}

    def labels(self, slice_id: SliceId) -> tuple[str, str]:
        """(full, short) names, safe for a screen; equal where there is nothing to shorten."""
        known = self._labels.get(slice_id)
        if known is None:
            if len(self._labels) > _MOST:
                self._labels.clear()
            known = table_named(slice_id.table).labels(self.report, slice_id.index)
            self._labels[slice_id] = known
        return known

    def style(self, slice_id: SliceId) -> str:
        """The slice's style name: its category, and a tint where the category has many names."""
        return self.styles(slice_id.table, np.array([slice_id.index]))[0]

    def styles(self, name: str, rows: Positions) -> list[str]:
        """The style names of many slices of a table."""
        table = table_named(name)
        known = self._styles.setdefault(name, {})
        looks = [0] * len(rows) if table.looks is None else table.looks(self.report, rows).tolist()
        return [known.get(look) or self._style(table, known, look) for look in looks]

    def _style(self, table: EventTable[Any], known: dict[int, str], look: int) -> str:
        style = table.style(self.report, look)
        known[look] = _nearest(style) if style.startswith("#") else style
        return known[look]


def _nearest(colour: str) -> str:
    """The style of a colour that an application gave."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"nvtx.{nearest_256(visible((red, green, blue), GROUND))}"
