"""What the timeline shows and where its cursor is. Pure state: no Textual, no drawing."""

from __future__ import annotations

from dataclasses import dataclass, field

from tui.timeline.lane import Lane, LaneLine, LaneTree
from tui.timeline.slices import SliceId
from tui.timeline.viewport import Viewport

HISTORY = 200
"""Views that `u` can go back to."""


@dataclass
class History:
    """Views left behind, and those gone back from."""

    back: list[Viewport] = field(default_factory=list)
    forward: list[Viewport] = field(default_factory=list)
    _gliding: bool = False

    def leave(self, view: Viewport, glide: bool = False) -> None:
        """Remember ``view``, which is about to change. A run of small moves (``glide``) counts as one."""
        if not (glide and self._gliding) and (not self.back or self.back[-1] != view):
            self.back.append(view)
            del self.back[:-HISTORY]
            self.forward.clear()
        self._gliding = glide

    def step_back(self, current: Viewport) -> Viewport | None:
        """The view before ``current``; None at the beginning."""
        self._gliding = False
        while self.back:
            view = self.back.pop()
            if view != current:
                self.forward.append(current)
                return view
        return None

    def step_forward(self, current: Viewport) -> Viewport | None:
        """The view that :meth:`step_back` left; None at the end."""
        self._gliding = False
        if not self.forward:
            return None
        self.back.append(current)
        return self.forward.pop()


@dataclass(frozen=True)
class Mark:
    """A place to come back to."""

    time: int
    lane: str
    sub: int
    viewport: Viewport


class View:
    """Viewport, cursor, folds, range and marks over one report's lanes.

    ``cells``: cells of the time axis. ``height``: lines of lanes on the screen. ``cursor``: ns.
    ``picked``: the slice that the last move landed on, until the cursor moves off it.
    ``aim``: the stretch that the last move went to (a step), until the cursor moves off it.
    """

    def __init__(self, tree: LaneTree, span: tuple[int, int], home: tuple[int, int]) -> None:
        self.tree = tree
        self.span = span
        self.home = home
        self.cells = 80
        self.height = 20
        self.folded = tree.folded_first
        self.lines: list[LaneLine] = tree.lines(self.folded)
        self.viewport = Viewport.fit(*home, self.cells)
        self.cursor = home[0]
        self.picked: SliceId | None = None
        self.aim: tuple[int, int] | None = None
        self.line = 0
        self.top = 0
        self.range: tuple[int, int] | None = None
        self.anchor: int | None = None
        self.spot: tuple[int, int] | None = None
        """A stretch that is pointed out on the ruler."""
        self.marks: dict[str, Mark] = {}
        self.history = History()
        self._fitted = True
        self.settle()

    # A report that is still being read -----------------------------------------------------

    @property
    def untouched(self) -> bool:
        """Whether nobody has moved, selected or folded anything yet."""
        return self._state() == self._first

    def settle(self) -> None:
        """What is shown now is where the user begins."""
        self._first = self._state()

    def _state(self) -> tuple[object, ...]:
        return self.viewport, self.cursor, self.line, self.folded, self.range, bool(self.marks)

    def grow(self, tree: LaneTree, span: tuple[int, int], home: tuple[int, int]) -> None:
        """More of the report is there, in ``tree``: everything that the user chose stays as it is."""
        untouched, at, offset = self.untouched, self.at, self.line - self.top
        known = {lane.key for lane in self.tree.walk()}
        fresh = {key for key in tree.folded_first if key not in known}
        at_start = self.cursor == self.home[0]
        self.tree, self.span, self.home = tree, span, home
        self.folded = self.folded | fresh
        self.lines = tree.lines(self.folded)
        if self._fitted:
            self.viewport = Viewport.fit(*home, self.cells)
        if at_start:
            self.cursor = home[0]
        line = None if at is None else self.line_of(_now_called(tree, at.lane), at.sub)
        if line is None:
            self._let_go()
        self.line = min(self.line, max(len(self.lines) - 1, 0)) if line is None else line
        self.top = self.line - offset
        self._keep_line_in_sight()
        if untouched:
            self.settle()

    def show_lanes(self, tree: LaneTree) -> None:
        """Show only the lanes of ``tree``."""
        self.tree = tree
        self._fold(self.folded)
        self.settle()

    def unfold_all(self) -> None:
        """Unfold every lane, those that begin folded too."""
        self._fold(frozenset())
        self.settle()

    # Size ----------------------------------------------------------------------------------

    def resize(self, cells: int, height: int) -> None:
        """The screen's size changed; a view that was fitted stays fitted."""
        cells, height, untouched = max(1, cells), max(1, height), self.untouched
        if cells != self.cells:
            if self._fitted:
                self.viewport = Viewport.fit(*self.home, cells)
            else:  # the same left edge; the scale is the user's
                self.viewport = self.viewport.reveal(self.cursor, cells)
        self.cells, self.height = cells, height
        self._keep_line_in_sight()
        if untouched:
            self.settle()

    # Time ----------------------------------------------------------------------------------

    def look(self, viewport: Viewport, *, glide: bool = False, fitted: bool = False) -> None:
        """Show ``viewport``, kept near the capture; the cursor comes along if it would be out of sight."""
        viewport = viewport.clamp(self.span, self.cells)
        if viewport != self.viewport:
            self.history.leave(self.viewport, glide)
            self.viewport = viewport
            self._fitted = fitted
        self._keep_cursor_in_sight()

    def _keep_cursor_in_sight(self) -> None:
        cell = self.viewport.cell(self.cursor)
        if not 0 <= cell < self.cells:
            self.cursor = self.viewport.time(min(max(cell, 0), self.cells - 1))
            self._moved()

    def _let_go(self) -> None:
        self.picked = None
        self.aim = None

    def _moved(self) -> None:
        self._let_go()
        if self.anchor is not None:
            self.range = min(self.anchor, self.cursor), max(self.anchor, self.cursor)

    def zoom(self, closer: bool) -> None:
        """One rung in or out; the cursor stays in its cell."""
        view = self.viewport.zoom_in(self.cursor) if closer else self.viewport.zoom_out(self.cursor)
        self.look(view, glide=True)

    def zoom_about(self, cell: int, closer: bool) -> None:
        """One rung in or out about the time in ``cell`` (the mouse's)."""
        about = self.viewport.time(cell)
        self.look(self.viewport.zoom_in(about) if closer else self.viewport.zoom_out(about), glide=True)

    def pan(self, cells: int) -> None:
        """Move the view by whole cells."""
        self.look(self.viewport.pan(cells), glide=True)

    def page(self, screens: int) -> None:
        """Move the view by screens; the cursor keeps its place on the screen."""
        cell = self.viewport.cell(self.cursor)
        self.history.leave(self.viewport)
        self.viewport = self.viewport.pan(screens * self.cells).clamp(self.span, self.cells)
        self._fitted = False
        self.cursor = self.viewport.time(min(max(cell, 0), self.cells - 1))
        self._moved()

    def move_cursor(self, cells: int) -> None:
        """Cursor by cells; past an edge the view follows by a quarter of the screen."""
        cell = self.viewport.cell(self.cursor) + cells
        time = self.viewport.time(cell)
        first, last = self.span
        self.cursor = min(max(time, first - self.viewport.ns_per_cell), last)
        cell = self.viewport.cell(self.cursor)
        if not 0 <= cell < self.cells:
            quarter = max(1, self.cells // 4)
            self.look(
                self.viewport.pan(cell - quarter if cell < 0 else cell - self.cells + quarter), glide=True
            )
        self._moved()

    def go(self, time: int, picked: SliceId | None = None) -> None:
        """Cursor to ``time``; the view follows only where it must."""
        self.cursor = time
        self._moved()
        self.picked = picked
        if not self.viewport.shows(time, self.cells):
            self.history.leave(self.viewport)
            self.viewport = self.viewport.reveal(time, self.cells).clamp(self.span, self.cells)
            self._fitted = False

    def show_whole(self, start: int, end: int) -> None:
        """Bring [start, end] into sight: unmoved if it is, at this scale if it fits, else fitted."""
        view = self.viewport
        if view.shows(start, self.cells) and view.shows(end, self.cells):
            return
        if end - start < view.ns_per_cell * self.cells * 4 // 5:
            middle = view.cell(start + (end - start) // 2) - self.cells // 2
            self.look(view.pan(middle))
        else:
            self.look(Viewport.fit_with_margin(start, end, self.cells))

    def fit(self, start: int, end: int) -> None:
        """[start, end] as large as it goes, with a little around it."""
        self.look(Viewport.fit_with_margin(start, end, self.cells))

    def fit_all(self) -> None:
        """The home window: the device work; pressed again, everything recorded."""
        home = Viewport.fit(*self.home, self.cells)
        if self.viewport == home:
            home = Viewport.fit(*self.span, self.cells)
        self.look(home, fitted=True)

    def back(self) -> bool:
        """The view before; False if there is none."""
        return self._return_to(self.history.step_back(self.viewport))

    def forward(self) -> bool:
        """The view that `back` left; False if there is none."""
        return self._return_to(self.history.step_forward(self.viewport))

    def _return_to(self, view: Viewport | None) -> bool:
        if view is None:
            return False
        self.viewport = view
        self._fitted = False
        self._keep_cursor_in_sight()
        return True

    # Lanes ---------------------------------------------------------------------------------

    @property
    def at(self) -> LaneLine | None:
        """The line under the cursor."""
        return self.lines[self.line] if self.line < len(self.lines) else None

    def move_line(self, lines: int) -> None:
        """Cursor by lines."""
        self.go_line(self.line + lines)

    def go_line(self, line: int) -> None:
        """Cursor to line ``line``, kept within the lanes and in sight."""
        line = min(max(line, 0), max(len(self.lines) - 1, 0))
        if line != self.line:
            self.line = line
            self._let_go()
        self._keep_line_in_sight()

    def _keep_line_in_sight(self) -> None:
        lowest = max(0, len(self.lines) - self.height)
        self.top = min(max(self.top, self.line - self.height + 1), self.line, lowest)
        self.top = max(self.top, 0)

    def scroll(self, lines: int) -> None:
        """Move the lanes under the cursor's line (the wheel)."""
        self.top = min(max(self.top + lines, 0), max(0, len(self.lines) - self.height))
        self.line = min(max(self.line, self.top), self.top + self.height - 1, max(len(self.lines) - 1, 0))
        self._let_go()

    def line_of(self, key: str, sub: int) -> int | None:
        """The line of row ``sub`` of lane ``key``; None while it is folded away."""
        for number, line in enumerate(self.lines):
            if line.lane.key == key and (line.sub == sub or line.folded):
                return number if not line.folded or sub == 0 else None
        return None

    def reveal_lane(self, key: str, sub: int = 0) -> bool:
        """Unfold what hides row ``sub`` of lane ``key`` and go there; False if there is no such lane."""
        line = self.line_of(key, sub)
        if line is None:
            hiding = {lane.key for root in self.tree.roots for lane in root.walk() if _holds(lane, key)}
            self._fold(self.folded - hiding)
            line = self.line_of(key, sub)
        if line is None:
            return False
        self.line = line
        self._keep_line_in_sight()
        return True

    def toggle_fold(self) -> bool:
        """Fold or unfold the lane under the cursor, or the one it belongs to; False if nothing folds."""
        if self.at is None:
            return False
        lane = self.at.lane
        if not self.tree.foldable(lane) and lane.key not in self.folded:
            parents = [root for root in self.tree.roots if lane in root.walk() and root is not lane]
            if not parents:
                return False
            lane = parents[0]
        self._fold(self.folded ^ {lane.key})
        line = self.line_of(lane.key, 0)
        if line is not None:
            self.go_line(line)
        return True

    def toggle_fold_all(self) -> None:
        """Fold every group, or unfold them all where all are folded."""
        groups = frozenset(root.key for root in self.tree.roots if self.tree.foldable(root))
        lane = self.at.lane if self.at is not None else None
        self._fold(self.folded - groups if groups <= self.folded else self.folded | groups)
        if lane is not None:
            owner = next((r for r in self.tree.roots if lane in r.walk()), lane)
            line = self.line_of(lane.key, 0)
            self.go_line(line if line is not None else self.line_of(owner.key, 0) or 0)

    def _fold(self, folded: frozenset[str]) -> None:
        self.folded = folded
        self.lines = self.tree.lines(folded)
        self.go_line(min(self.line, len(self.lines) - 1))
        self._let_go()

    # Range and marks -----------------------------------------------------------------------

    def toggle_anchor(self) -> None:
        """Start a range at the cursor; again: leave it as it is."""
        if self.anchor is None:
            self.anchor = self.cursor
            self.range = self.cursor, self.cursor
        else:
            self.anchor = None
            if self.range is not None and self.range[0] == self.range[1]:
                self.range = None

    def select(self, start: int, end: int) -> None:
        """The range is [start, end]."""
        self.anchor = None
        self.range = start, end

    def clear(self) -> bool:
        """No range; False if there was none."""
        had = self.range is not None or self.spot is not None
        self.anchor = self.range = self.spot = None
        return had

    @property
    def chosen(self) -> tuple[int, int] | None:
        """The range, once it has a length."""
        return self.range if self.range is not None and self.range[1] > self.range[0] else None

    def set_mark(self, letter: str) -> None:
        """Remember the cursor's place and view under ``letter``."""
        if self.at is not None:
            self.marks[letter] = Mark(self.cursor, self.at.lane.key, self.at.sub, self.viewport)

    def go_mark(self, letter: str) -> bool:
        """Back to the mark's view and place; False if it was never set. ``'``: where we were before."""
        mark = self.marks.get(letter)
        if mark is None:
            return False
        if self.at is not None:
            self.marks["'"] = Mark(self.cursor, self.at.lane.key, self.at.sub, self.viewport)
        self.look(mark.viewport.reveal(mark.time, self.cells))
        self.cursor = mark.time
        self._moved()
        self.reveal_lane(mark.lane, mark.sub)
        return True


def _now_called(tree: LaneTree, lane: Lane) -> str:
    """The key of the lane in ``tree`` that shows what ``lane`` did: a thread's heading may show more now."""
    root = next((root for root in tree.roots if root.key == lane.key), None)
    same = (inner.key for inner in root.walk() if inner.table == lane.table) if root is not None else iter(())
    return next(same, lane.key)


def _holds(lane: object, key: str) -> bool:
    """Whether ``lane`` is the lane ``key`` or has it below itself."""
    return any(inner.key == key for inner in lane.walk())  # type: ignore[attr-defined]
