"""Zoom, pan and clicks in the ranks view, where titles are a place of their own."""

from __future__ import annotations

from tui.browse.navigator import Navigator
from tui.browse.ranks.browse import RanksBrowse
from tui.browse.ranks.moves import RankJumps


class RankNavigator(Navigator):
    """A click on a title puts the cursor there: zooming then changes how many ranks a row shows."""

    def __init__(self, browse: RanksBrowse, jumps: RankJumps) -> None:
        super().__init__(browse)
        self._ranks = browse
        self._jumps = jumps

    def click(self, cell: int, line: int) -> None:
        """Go to a cell of a line; on a title: first only there, then fold its group."""
        view, ranks = self.view, self._ranks
        before = view.line
        if line < 0 or view.top + line >= len(view.lines) or line >= view.height:
            return
        view.go_line(view.top + line)
        again = ranks.in_labels and view.line == before
        ranks.in_labels = cell < 0
        if cell >= 0:
            view.go(view.viewport.time(cell))
        elif again:
            view.toggle_fold()

    def zoom(self, closer: bool) -> None:
        """Zoom about the cursor; with the cursor in the titles, show fewer or more ranks a row."""
        if self._ranks.in_labels:
            self._jumps.farther(-1 if closer else 1)
        else:
            self.view.zoom(closer)
