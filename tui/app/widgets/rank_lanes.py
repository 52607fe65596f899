"""The ranks view's timeline: that of a report, with other lines."""

from __future__ import annotations

from tui.app.looks import Looks
from tui.app.widgets.timeline import Timeline
from tui.browse.ranks.browse import RanksBrowse
from tui.browse.ranks.lines import RankLines
from tui.browse.state import Backdrop


class RankLanes(Timeline):
    """Draws the lanes of a set's ranks, and what is below them."""

    def __init__(self, looks: Looks, browse: RanksBrowse) -> None:
        super().__init__(looks)
        self.lines: RankLines = RankLines(browse, self._lanes)

    def update_view(self, backdrop: Backdrop | None = None) -> None:
        self.lines.alone = self.size.width == self.app.size.width
        self.lines.fit(self.state)  # folds and what is below change the room for lanes
        super().update_view(backdrop)
