"""Actions on view, cursor, folds and range that need more than a call of the view."""

from __future__ import annotations

from tui.analysis.index import Busy
from tui.browse.part import Part
from tui.timeline.titles import IN_VIEW

WHEEL_LINES = 3


BUSY_MEANS = {
    Busy.ALL: "all device work",
    Busy.KERNELS: "kernels only: copies count as idle",
    Busy.COMPUTE: "compute only: copies and communication count as idle",
}
"""In the order in which a key goes through them."""


class Navigator(Part):
    """Directions are -1 (left, up) and 1 (right, down)."""

    def zoom(self, closer: bool) -> None:
        """Zoom in or out at the cursor."""
        self.view.zoom(closer)

    def pan(self, direction: int) -> None:
        """Pan by a quarter of the screen."""
        self.view.pan(direction * max(1, self.view.cells // 4))

    def lanes(self, direction: int) -> None:
        """Move the cursor by a screen of lanes."""
        self.view.move_screen(direction)

    def start(self) -> None:
        """Move the cursor to the start of the capture."""
        self.view.go_to_end_of_capture(last=False)

    def end(self) -> None:
        """Move the cursor to the end of the capture."""
        self.view.go_to_end_of_capture(last=True)

    def fit(self) -> None:
        """Fit the range, the step that the last move went to, or the thing under the cursor."""
        view, target = self.view, self.browse.target
        if view.chosen is not None:
            view.fit(*view.chosen)
        elif view.aim is not None:
            cursor = view.cursor
            view.fit(*view.aim)
            view.cursor = cursor
        elif target is not None:
            cursor = min(max(view.cursor, target.start), max(target.start, target.end - 1))
            view.fit(target.start, target.end)
            view.cursor, view.picked = cursor, target.slice_id
        else:
            self.say("nothing under the cursor to fit: move onto something, or select a stretch with v")

    def back(self) -> None:
        """Show the view before this one."""
        if not self.view.back() and not self.browse.leave():
            self.say("no view before this one")

    def forward(self) -> None:
        """Show the view that :meth:`back` left."""
        if not self.view.forward():
            self.say("no view after this one")

    def fold(self) -> None:
        """Fold or unfold the group of the lane under the cursor."""
        if not self.view.toggle_fold():
            self.say("nothing to fold here")

    def scale(self) -> None:
        """Let the scales of values end at the greatest value of the capture, or in sight."""
        view = self.view
        view.in_view = not view.in_view
        if view.in_view:
            self.say(f"scales marked{IN_VIEW} end at the greatest value in sight: they change as you move")
        else:
            self.say("scales end at the greatest value of the capture, those of percentages at 100")

    # The range -----------------------------------------------------------------------------

    def range_start(self) -> None:
        """Start a range at the cursor, or end the one that moves with it."""
        self.view.toggle_anchor()
        again = self.browse.hint("range-start")
        lanes = ", up or down for some lanes only" if self.view.of_lanes else ""
        going = self.view.anchor is not None
        self.say(f"selection starts here: move to its other end{lanes}; {again} ends it" if going else "")

    def range_here(self) -> None:
        """Select the thing under the cursor."""
        view, here = self.view, self.browse.here or (0, 0)
        if here[1] <= here[0]:
            self.say("nothing with a length under the cursor")
        else:
            view.select(*here)
            self.say("")

    # The mouse -----------------------------------------------------------------------------

    def click(self, cell: int, line: int) -> None:
        """Go to a cell of a line below the top one; before the first cell: fold the line's group."""
        view = self.view
        if line >= 0:
            number = view.number_at(line)
            view.go_line(len(view.lines) - 1 if number is None else number)
        if cell < 0:
            view.toggle_fold()
        else:
            view.go(view.viewport.time(cell))

    def centre(self, time: int) -> None:
        """Show ``time`` in the middle, the cursor on it."""
        viewport = self.view.viewport
        self.view.show(viewport.pan(viewport.cell(time) - self.view.cells // 2))
        self.view.go(time)

    def drag(self, first: int, last: int) -> None:
        """Select the cells from ``first`` to ``last``, whichever is the earlier."""
        viewport = self.view.viewport
        first, last = sorted((first, last))
        self.view.select(viewport.time(first), viewport.time(last + 1))

    def wheel(self, cell: int, closer: bool, lanes: bool) -> None:
        """Zoom about a cell, or scroll the lanes."""
        if lanes:
            self.view.scroll(-WHEEL_LINES if closer else WHEEL_LINES)
        else:
            self.view.zoom(closer, cell)

    # What the figures mean -----------------------------------------------------------------

    def busy(self) -> None:
        """Count all device work as busy, then kernels only, then compute only."""
        browse, every = self.browse, list(BUSY_MEANS)
        browse.busy = every[(every.index(browse.busy) + 1) % len(every)]
        self.say(f"busy = {BUSY_MEANS[browse.busy]}")

    def time(self) -> None:
        """Write times as recorded, or since the first device work."""
        browse = self.browse
        browse.absolute = not browse.absolute
        self.say("times as recorded" if browse.absolute else "times since the first device work")
