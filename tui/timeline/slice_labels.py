"""Names and styles of slices, found when a frame shows them."""

from __future__ import annotations

import numpy as np

from tui.report.columns import Positions
from tui.report.event_tables import table_named
from tui.report.model import Report
from tui.timeline.slices import SliceId
from tui.timeline.terminal_colours import GROUND, nearest_256, visible

_MOST = 65536
"""How many labels are remembered: in a long session over a large report not all of them."""


class Catalogue:
    """The names and styles of one report's slices; it remembers those that were asked for."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self._labels: dict[SliceId, tuple[str, str]] = {}
        self._styles: dict[str, dict[int, str]] = {}

    def labels(self, slice_id: SliceId) -> tuple[str, str]:
        """(full, short) names, safe for a screen; equal where there is nothing to shorten."""
        if slice_id not in self._labels:
            if len(self._labels) > _MOST:
                self._labels.clear()
            self._labels[slice_id] = table_named(slice_id.table).labels(self.report, slice_id.index)
        return self._labels[slice_id]

    def style(self, slice_id: SliceId) -> str:
        """The slice's style name: its category, and a tint where the category has many names."""
        return self.styles(slice_id.table, np.array([slice_id.index]))[0]

    def styles(self, name: str, rows: Positions) -> list[str]:
        """The style names of many slices of a table."""
        table = table_named(name)
        styles = self._styles.setdefault(name, {})
        looks = [0] * len(rows) if table.looks is None else table.looks(self.report, rows).tolist()
        for look in looks:
            if look not in styles:
                style = table.style(self.report, look)
                styles[look] = _nearest(style) if style.startswith("#") else style
        return [styles[look] for look in looks]


def _nearest(colour: str) -> str:
    """The style of a colour that an application gave."""
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return f"nvtx.{nearest_256(visible((red, green, blue), GROUND))}"
