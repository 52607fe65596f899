"""Names and styles of slices, found when a frame shows them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from tui.report.columns import Positions
from tui.report.event_tables import table_named
from tui.report.event_tables.ops import OPS
from tui.report.kernels.short_names import ShortNames
from tui.report.model import OpKind, Report
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
            self._labels[slice_id] = self._find(slice_id)
        return self._labels[slice_id]

    def _find(self, slice_id: SliceId) -> tuple[str, str]:
        ops, row = self.report.ops, slice_id.index
        if slice_id.table == OPS.name and ops.kind[row] == OpKind.KERNEL and ops.name[row] >= 0:
            short = self._kernels[self.report.strings[int(ops.name[row])]]
            return short, short  # the whole name is in the details
        return table_named(slice_id.table).labels(self.report, row)

    @cached_property
    def _kernels(self) -> ShortNames:
        """The short forms of all device work: of what may stand beside each other."""
        strings, names = self.report.strings, self.report.ops.name
        used = np.flatnonzero(np.bincount(np.maximum(names, 0), minlength=1)).tolist() if len(names) else []
        return ShortNames(strings[number] for number in used)

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
