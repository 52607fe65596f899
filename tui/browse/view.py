"""What the timeline shows and where its cursor is. Pure state: no Textual, no drawing."""

from __future__ import annotations

from tui.browse.history import History, Mark
from tui.browse.rows import Rows
from tui.timeline.lane import Lane, LaneTree
from tui.timeline.link_line import Link
from tui.timeline.slices import SliceId
from tui.timeline.viewport import Viewport

BEYOND = 20
"""At an end of the capture this part of the screen shows what lies beyond it."""


class View(Rows):
    """Viewport, cursor, range and marks over the rows of one report's lanes.

    ``cells``: cells of the time axis. ``cursor``: ns.
    """

    def __init__(
        self, tree: LaneTree, span: tuple[int, int], home: tuple[int, int], *, adapts: bool = True
    ) -> None:
        super().__init__(tree, adapts=adapts)
        self.span = span
        self.home = home
        self.cells = 80
        self.in_view = False
        """Whether scales of values end at the greatest value in sight."""
        self.viewport = Viewport.of_window(*home, self.cells)
        self.cursor = home[0]
        self.picked: SliceId | None = None
        """The slice that the last move landed on, until the cursor moves off it."""
        self.aim: tuple[int, int] | None = None
        """The stretch that the last move went to (a step), until the cursor moves off it."""
        self.range: tuple[int, int] | None = None
        self.anchor: int | None = None
        """The end of the range that stays while the cursor moves the other one."""
        self.anchor_line = 0
        self.of_lanes = True
        """Whether a range may be of some lanes only."""
        self.area: tuple[Lane, ...] = ()
        """The lanes of the range, where only some of them are chosen."""
        self.highlight: tuple[int, int] | None = None
        """A stretch that is pointed out on the ruler."""
        self.link: Link | None = None
        """A call and what it issued, with the way between them."""
        self.marks: dict[str, Mark] = {}
        self.history = History()
        self._fitted = True
        self.start_here()

    # A report that is still being read -----------------------------------------------------

    @property
    def untouched(self) -> bool:
        """Whether nobody has moved, selected or folded anything yet."""
        return self._state() == self._first

    def start_here(self) -> None:
        """Take what is shown now as the state in which the user finds the view."""
        self._first = self._state()

    def _state(self) -> tuple[object, ...]:
        return self.viewport, self.cursor, self.line, self.folded, self.range, bool(self.marks)

    def grow(self, tree: LaneTree, span: tuple[int, int], home: tuple[int, int]) -> None:
        """Show ``tree``, which holds more of the report: everything that the user chose stays as it is."""
        untouched, at_start = self.untouched, self.cursor == self.home[0]
        self.folded |= tree.folded_first - {lane.key for lane in self.tree.walk()}
        self.tree, self.span, self.home = tree, span, home
        self.area = ()
        if self._fitted:
            self.viewport = Viewport.of_window(*home, self.cells)
        if at_start:
            self.cursor = home[0]
        self.lay_out()
        self.fit_room()
        if untouched:
            self.start_here()

    def show_lanes(self, tree: LaneTree) -> None:
        """Show only the lanes of ``tree``."""
        self.tree = tree
        self.fold(self.folded)
        self.fit_room()
        self.start_here()

    def swap_lanes(self, tree: LaneTree) -> None:
        """Show lanes of another look in the places of those that are shown."""
        self.tree = tree
        self.fold(self.folded)

    def unfold_all(self) -> None:
        """Unfold every lane, those that begin folded too."""
        self.make_no_room()
        self.fold(frozenset())
        self.fit_room()
        self.start_here()

    def resize(self, cells: int, height: int) -> None:
        """Adapt to another size of the screen; a view that was fitted stays fitted."""
        cells, height, untouched = max(1, cells), max(1, height), self.untouched
        if cells != self.cells:
            if self._fitted:
                self.viewport = Viewport.of_window(*self.home, cells)
            else:  # the same left edge; the scale is the user's
                self.viewport = self.viewport.reveal(self.cursor, cells)
        refit, self.cells, self.height = height != self.height, cells, height
        if refit:
            self.fit_room()
        self.keep_line_in_sight()
        if untouched:
            self.start_here()

    # Time ----------------------------------------------------------------------------------

    def show(self, viewport: Viewport, *, glide: bool = False, fitted: bool = False) -> None:
        """Show ``viewport``, kept near the capture; the cursor moves along where it must to stay in sight."""
        self._change(viewport, glide=glide, fitted=fitted)
        self._keep_cursor_in_sight()

    def _change(self, viewport: Viewport, *, glide: bool = False, fitted: bool = False) -> None:
        viewport = viewport.clamp(self.span, self.cells)
        if viewport != self.viewport:
            self.history.leave(self.viewport, glide)
            self.viewport = viewport
            self._fitted = fitted

    def _keep_cursor_in_sight(self) -> None:
        cell = self.viewport.cell(self.cursor)
        if not 0 <= cell < self.cells:
            self._put_cursor(cell)

    def _put_cursor(self, cell: int) -> None:
        """Put the cursor into ``cell``, or the one at the edge that is nearest to it."""
        self.cursor = self.viewport.time(min(max(cell, 0), self.cells - 1))
        self._moved()

    def forget_pick(self) -> None:
        self.picked = self.aim = None

    def _moved(self) -> None:
        self.forget_pick()
        if self.anchor is not None:
            self.range = min(self.anchor, self.cursor), max(self.anchor, self.cursor)

    def zoom(self, closer: bool, cell: int | None = None) -> None:
        """Go one scale in or out about the cursor, or about the time in ``cell`` (the mouse's)."""
        about = self.cursor if cell is None else self.viewport.time(cell)
        self.show(self.viewport.zoom_in(about) if closer else self.viewport.zoom_out(about), glide=True)

    def pan(self, cells: int) -> None:
        """Move the view by whole cells."""
        self.show(self.viewport.pan(cells), glide=True)

    def page(self, screens: int) -> None:
        """Move the view by screens; the cursor keeps its place on the screen."""
        cell = self.viewport.cell(self.cursor)
        self._change(self.viewport.pan(screens * self.cells))
        self._put_cursor(cell)

    def move_cursor(self, cells: int) -> None:
        """Move the cursor by cells; past an edge the view follows by a quarter of the screen."""
        time = self.viewport.time(self.viewport.cell(self.cursor) + cells)
        first, last = self.span
        self.cursor = min(max(time, first - self.viewport.ns_per_cell), last)
        cell = self.viewport.cell(self.cursor)
        if not 0 <= cell < self.cells:
            quarter = max(1, self.cells // 4)
            self.pan(cell - quarter if cell < 0 else cell - self.cells + quarter)
        self._moved()

    def go(self, time: int, picked: SliceId | None = None) -> None:
        """Move the cursor to ``time``; the view follows only where it must."""
        self.cursor = time
        self._moved()
        self.picked = picked
        if not self.viewport.shows(time, self.cells):
            self._change(self.viewport.reveal(time, self.cells))

    def go_to_end_of_capture(self, last: bool) -> None:
        """Move the cursor to where the capture starts or ends, with next to nothing beyond it in sight."""
        first_time, last_time = self.span
        time = last_time if last else first_time
        self.cursor = time
        self._moved()
        view, cell = self.viewport, self.viewport.cell(time)
        if view.shows(first_time, self.cells) and view.shows(last_time, self.cells):
            return
        spare = self.cells // BEYOND
        least, most = (self.cells - 1 - spare, self.cells - 1) if last else (0, spare)
        if not 0 <= cell < self.cells or (cell < least if last else cell > most):
            self._change(view.pan(cell - (least if last else most)))

    def show_whole(self, start: int, end: int) -> None:
        """Bring [start, end] into sight: unmoved if it is, at this scale if it fits, else fitted."""
        view = self.viewport
        if view.shows(start, self.cells) and view.shows(end, self.cells):
            return
        if end - start < view.ns_per_cell * self.cells * 4 // 5:
            self.show(view.pan(view.cell(start + (end - start) // 2) - self.cells // 2))
        else:
            self.fit(start, end)

    def fit(self, start: int, end: int) -> None:
        """Show [start, end] as large as it goes, with a little around it."""
        self.show(Viewport.fit_with_margin(start, end, self.cells))

    def fit_all(self) -> None:
        """Show the home window, which is the device work; pressed again, everything recorded."""
        home = Viewport.of_window(*self.home, self.cells)
        if self.viewport == home:
            home = Viewport.of_window(*self.span, self.cells)
        self.show(home, fitted=True)

    def back(self) -> bool:
        """Show the view before; False if there is none."""
        return self._return_to(self.history.step_back(self.viewport))

    def forward(self) -> bool:
        """Show the view that :meth:`back` left; False if there is none."""
        return self._return_to(self.history.step_forward(self.viewport))

    def _return_to(self, view: Viewport | None) -> bool:
        if view is None:
            return False
        self.viewport = view
        self._fitted = False
        self._keep_cursor_in_sight()
        return True

    def go_line(self, line: int) -> None:
        """Move the cursor to a line; a range that is being drawn is then of the lanes up to there."""
        before, self.holds = self.line, self.anchor is not None
        super().go_line(line)
        if self.line != before and self.anchor is not None and self.of_lanes:
            first, last = sorted((self.anchor_line, self.line))
            self.area = tuple(dict.fromkeys(at.lane for at in self.lines[first : last + 1]))

    # Range and marks -----------------------------------------------------------------------

    def toggle_anchor(self) -> None:
        """Start a range at the cursor; again: leave it as it is."""
        if self.anchor is None:
            self.anchor, self.anchor_line = self.cursor, self.line
            self.range, self.area = (self.cursor, self.cursor), ()
        else:
            self.anchor = None
            self.range = self.chosen

    def select(self, start: int, end: int) -> None:
        """Make [start, end] the range."""
        self.anchor = None
        self.area = ()
        self.range = start, end

    def clear(self) -> bool:
        """Remove the range; False if there was none."""
        had = any(x is not None for x in (self.range, self.highlight, self.link))
        self.anchor = self.range = self.highlight = self.link = None
        self.area = ()
        return had

    @property
    def chosen(self) -> tuple[int, int] | None:
        """The range, once it has a length."""
        return self.range if self.range is not None and self.range[1] > self.range[0] else None

    def in_area(self, lane: Lane) -> bool:
        """Return whether the range is one of this lane, too."""
        return not self.area or any(one is lane for one in self.area)

    def set_mark(self, letter: str) -> None:
        """Remember the cursor's place and view under ``letter``."""
        if self.at is not None:
            self.marks[letter] = Mark(self.cursor, self.at.lane.key, self.at.sub, self.viewport)

    def go_mark(self, letter: str) -> bool:
        """Go back to a mark's view and place; False if it was never set. ``'``: the place before this one."""
        mark = self.marks.get(letter)
        if mark is None:
            return False
        self.set_mark("'")
        self.show(mark.viewport.reveal(mark.time, self.cells))
        self.cursor = mark.time
        self._moved()
        self.reveal_lane(mark.lane, mark.sub)
        return True
