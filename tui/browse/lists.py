"""Choose which events the Events tab lists."""

from __future__ import annotations

from collections.abc import Callable

from tui.browse.listing import LaneEvents, RowEvents, SearchEvents
from tui.browse.name_search import NameSearch
from tui.browse.page import Section
from tui.browse.part import Part
from tui.browse.state import Browse
from tui.timeline.lane import LaneKind

EVENTS = "Events"
"""The tab."""


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

    def of_row(self, section: Section, name: str, row: int) -> None:
        """List the events that a row of the side pane sums up."""
        instances = section.find(row) if section.find is not None else None
        if instances is None or not len(instances) or instances.kind in ("gap", "span"):
            self.say("this row sums up no events")
            return
        self.browse.listed = RowEvents(name, instances)
        self._show(EVENTS)
