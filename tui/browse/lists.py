"""Choose which events the Events tab lists."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tui.browse.details import LOOKUPS_S
from tui.browse.flame_view import Flame
from tui.browse.listing import LaneEvents, RowEvents, SearchEvents
from tui.browse.name_search import NameSearch
from tui.browse.page import Instances, Section
from tui.browse.part import Part
from tui.browse.state import Browse
from tui.text import safe
from tui.text.times import brief
from tui.timeline.lane import LaneKind

EVENTS, RANGES = "Events", "Ranges"
"""The tabs."""


class Lists(Part):
    """``show`` shows a tab by its name, with the keys in its rows."""

    def __init__(self, browse: Browse, search: NameSearch, show: Callable[[str], None]) -> None:
        super().__init__(browse)
        self._search = search
        self._show = show

    def events(self) -> None:
        """List the events of the search, while there is one; else of the lane under the cursor."""
        found = self._search.found()
        if found is not None and not len(found):
            return
        at = self.view.at
        if found is None and at is not None and at.lane.kind is LaneKind.SERIES:
            self.say("values over time: no events to list")
            return
        if found is not None:
            self.browse.listed = SearchEvents(self._search.needle, found)
        elif at is not None:
            self.browse.listed = LaneEvents(at.lane)
        self._show(EVENTS)

    def ranges(self) -> None:
        """Show the tree of NVTX ranges."""
        self._show(RANGES)

    def flame(self) -> Flame | None:
        """Return the flame of the window; None, and say why, where there is none."""
        from tui.analysis.flame import has_ranges, range_tree

        capture, window = self.capture, self.browse.window
        if not has_ranges(capture.report):
            self.say("no NVTX ranges recorded: no flame")
            return None
        with capture.try_lookups(LOOKUPS_S) as index:
            if index is None:
                self.say("figures are still being worked out: once more in a moment")
                return None
            tree = range_tree(index, capture.scope_of(window))
        if not len(tree):
            self.say("no ranges in this window")
            return None
        return Flame(tree, f"{window.label} {brief(window.length)}")

    def of_node(self, flame: Flame) -> None:
        """List the ranges of the node under the flame's cursor."""
        rows, ranges = flame.tree.of_node(flame.node), self.capture.report.ranges
        found = Instances("ranges", rows.astype(np.int64), ranges.start[rows], ranges.end[rows])
        self.browse.listed = RowEvents(safe(flame.tree.labels[flame.node]), found)
        self._show(EVENTS)

    def of_row(self, section: Section, name: str, row: int) -> None:
        """List the events that a row of the side pane sums up."""
        instances = section.find(row) if section.find is not None else None
        if instances is None or not len(instances) or instances.kind in ("gap", "span"):
            self.say("this row sums up no events")
            return
        self.browse.listed = RowEvents(name, instances)
        self._show(EVENTS)
