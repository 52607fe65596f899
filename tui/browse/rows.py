"""The lines of the lanes: which there are, which of them are in sight, and the one under the cursor."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from tui.timeline.arrangement import Arrangement, arranged_lines
from tui.timeline.lane import Heights, Lane, LaneKind, LaneLine, LaneTree
from tui.timeline.room import folded_for_room, heights_for_room, most_rows, sticky_lines


class Rows:
    """Folds, heights and arrangement of lanes, and the line under the cursor.

    ``height``: lines of lanes on the screen. ``top``: the first of those that scroll.
    """

    def __init__(self, tree: LaneTree, *, adapts: bool = True) -> None:
        """``adapts``: folds and heights follow the room, and devices stay in sight."""
        self.tree = tree
        self.height = 20
        self.folded = tree.folded_first
        self.heights: dict[tuple[str, int], int] = {}
        """Lines of rows whose height the user has chosen, by lane and row."""
        self.arrangement = Arrangement()
        self.line = 0
        self.top = 0
        self._adapts = adapts
        self._auto: frozenset[str] = frozenset()
        """Groups that are folded for lack of room."""
        self._makes_room = True
        """Whether groups are folded for lack of room: until all are folded or unfolded by hand."""
        self._by_hand: frozenset[str] = frozenset()
        """Groups that the user has folded or unfolded."""
        self._follows = True
        """Whether the one of them that is under the cursor is open."""
        self._tall: dict[tuple[str, int], int] = {}
        """Lines of rows that are higher because there is room."""
        self.holds = False
        """Whether nothing opens or folds by itself while the cursor moves."""
        self._sticky: list[int] = []
        self._here = ""
        """The root of the line under the cursor, when lines were last laid out."""
        self.lines: list[LaneLine] = self._laid_out()
        self.fit_room()

    def forget_pick(self) -> None:
        """Note that the cursor has left what it was put on."""
        raise NotImplementedError

    # Which lines there are -----------------------------------------------------------------

    def _laid_out(self) -> list[LaneLine]:
        return self._lay(self._closed, {**self._tall, **self.heights})

    def _lay(self, folded: frozenset[str], heights: Heights) -> list[LaneLine]:
        return arranged_lines(self.tree, self.arrangement, folded, {**heights, **self.heights})

    @property
    def _closed(self) -> frozenset[str]:
        """The lanes that are folded now."""
        return self.folded | (self._auto - {self._here} if self._follows else self._auto)

    def fit_room(self) -> None:
        """Let folds and heights follow the room that there is."""
        if not self._adapts:
            return
        self._here = self._root_here()

        def lay(folded: frozenset[str], heights: Heights) -> list[LaneLine]:
            return self._lay(self.folded | folded, heights)

        self._auto = frozenset()
        if self._makes_room:
            found, self._follows = folded_for_room(self.tree, lay, self.height, self._here)
            self._auto = found - self._by_hand
        self._tall = heights_for_room(self._lay(self._closed, {}), self.height)
        self.lay_out()

    def lay_out(self) -> None:
        """Place the lines again: the cursor stays on its lane, and that at its height on the screen."""
        at, offset = self.at, self.line - self.top
        self.lines = self._laid_out()
        line = None if at is None else self._line_near(at)
        if line is None:
            self.forget_pick()
            line = min(self.line, max(len(self.lines) - 1, 0))
        self.line = line
        self.top = self.line - offset
        self._sticky = sticky_lines(self.lines, self.arrangement.pinned) if self._adapts else []
        self.keep_line_in_sight()

    def _line_near(self, at: LaneLine) -> int | None:
        """Return the line of a row, or of the innermost lane that it is folded into."""
        key = _key_in(self.tree, at.lane)
        line = self.line_of(key, at.sub, at.part)
        if line is not None or not self._adapts:
            return line
        owners = [one.key for one in self.tree.walk() if any(inner.key == key for inner in one.walk())]
        found = (self.line_of(owner, 0) for owner in reversed(owners))
        return next((line for line in found if line is not None), None)

    def arrange(self, arrangement: Arrangement) -> None:
        """Show the lanes as they are arranged; the cursor stays on its lane where that is still there."""
        self.arrangement = arrangement
        self.lay_out()

    # The line under the cursor -------------------------------------------------------------

    @property
    def at(self) -> LaneLine | None:
        """The line under the cursor."""
        return self.lines[self.line] if self.line < len(self.lines) else None

    def move_line(self, rows: int) -> None:
        """Move the cursor by rows: each takes one step, however high it is."""
        starts = [at for at, line in enumerate(self.lines) if line.part == 0]
        if not starts:
            return
        now = bisect_right(starts, self.line) - 1
        self.go_line(starts[min(max(now + rows, 0), len(starts) - 1)])

    def move_screen(self, screens: int) -> None:
        """Move the cursor by screens of lines, to the first line of a row."""
        line = min(max(self.line + screens * max(self.height - 1, 1), 0), max(len(self.lines) - 1, 0))
        self.go_line(line - self.lines[line].part if self.lines else line)

    def go_line(self, line: int) -> None:
        """Move the cursor to line ``line``, kept within the lanes and in sight."""
        line = min(max(line, 0), max(len(self.lines) - 1, 0))
        if line != self.line:
            self.line = line
            self.forget_pick()
        self._follow()
        self.keep_line_in_sight()

    def _follow(self) -> None:
        """Open the group under the cursor, and fold the one before, where there is no room for all."""
        if self._auto and self._follows and not self.holds and (here := self._root_here()) != self._here:
            self._here = here
            self.lay_out()

    def _root_here(self) -> str:
        return "" if self.at is None else self.root_of(self.at.lane).key

    # What is in sight ----------------------------------------------------------------------

    def number_at(self, y: int) -> int | None:
        """Return the line that is ``y`` lines below the top of the lanes; None below the last."""
        stuck = self._stuck(self.top)
        number = stuck[y] if y < len(stuck) else self.top + y - len(stuck)
        return number if 0 <= number < len(self.lines) else None

    @property
    def seen(self) -> list[LaneLine]:
        """The lines in sight."""
        numbers = (self.number_at(y) for y in range(self.height))
        return [self.lines[number] for number in numbers if number is not None]

    @property
    def below(self) -> int:
        """How many lines there are below those in sight."""
        return max(len(self.lines) - self.top - self._room(self.top), 0)

    def _stuck(self, top: int) -> list[int]:
        """Return the lines that stay in sight above line ``top``: at most half of the screen."""
        return self._sticky[: min(bisect_left(self._sticky, top), self.height // 2)]

    def _room(self, top: int) -> int:
        """How many lines scroll."""
        return self.height - len(self._stuck(top))

    def _lowest(self) -> int:
        """Return the ``top`` with which the last line is at the bottom."""
        top = max(0, len(self.lines) - self.height)
        while top + self._room(top) < len(self.lines):
            top += 1
        return top

    def keep_line_in_sight(self) -> None:
        """Scroll as little as shows the line under the cursor."""
        self.top = max(min(self.top, self._lowest()), 0)
        if self.line in self._stuck(self.top):
            return
        self.top = min(self.top, self.line)
        while self.line >= self.top + self._room(self.top):
            self.top += 1

    def scroll(self, lines: int) -> None:
        """Move the lanes under the cursor's line (the wheel)."""
        self.top = min(max(self.top + lines, 0), self._lowest())
        if self.line not in self._stuck(self.top):
            last = min(self.top + self._room(self.top), len(self.lines)) - 1
            self.line = max(min(max(self.line, self.top), last), 0)
        self.forget_pick()

    # Folds and heights ---------------------------------------------------------------------

    def line_of(self, key: str, sub: int, part: int = 0) -> int | None:
        """Return the line of row ``sub`` of lane ``key`` (of its lines the one nearest to ``part``).

        None while it is folded away.
        """
        found: int | None = None
        for number, line in enumerate(self.lines):
            if line.lane.key == key and line.sub == sub:
                found = number
                if line.part >= part:
                    break
        return found

    def reveal_lane(self, key: str, sub: int = 0) -> bool:
        """Unfold what hides row ``sub`` of lane ``key`` and go there; False if there is no such lane."""
        line = self.line_of(key, sub)
        if line is None:
            hiding = {o.key for o in self.tree.walk() if any(inner.key == key for inner in o.walk())}
            self._keep_by_hand(hiding)
            self.fold(self.folded - hiding)
            line = self.line_of(key, sub)
        if line is None:
            return False
        self.line = line
        self.keep_line_in_sight()
        return True

    def toggle_fold(self) -> bool:
        """Fold or unfold the lane under the cursor, or the one it belongs to; False if nothing folds."""
        if self.at is None:
            return False
        lane = self.at.lane
        foldable = self.tree.foldable(lane)
        if not foldable and (lane.kind is LaneKind.SERIES or lane.key not in self._closed):
            lane = self.root_of(lane)
            if lane is self.at.lane:
                lane = next((root for root in self.tree.roots if lane in root.children), lane)
            if lane is self.at.lane:
                return False
        closed = self._closed
        self._keep_by_hand({lane.key})
        self.fold(self.folded - {lane.key} if lane.key in closed else self.folded | {lane.key})
        line = self.line_of(lane.key, 0)
        if line is not None:
            self.go_line(line)
        return True

    def _keep_by_hand(self, keys: set[str]) -> None:
        """Leave these groups as the user wants them."""
        self._by_hand |= keys
        self._auto -= keys

    def make_no_room(self) -> None:
        """Fold nothing for lack of room any more."""
        self._makes_room, self._auto = False, frozenset()

    def toggle_fold_all(self) -> None:
        """Fold every group, or unfold them all where all are folded."""
        groups = frozenset(root.key for root in self.tree.roots if self.tree.foldable(root))
        lane = self.at.lane if self.at is not None else None
        closed = self._closed
        self.make_no_room()
        self.fold(closed - groups if groups <= closed else closed | groups)
        if lane is not None:
            line = self.line_of(lane.key, 0)
            self.go_line(line if line is not None else self.line_of(self.root_of(lane).key, 0) or 0)

    def grow_line(self, by: int) -> int | None:
        """Give the row under the cursor ``by`` more lines; return how many it has, None: it never grows."""
        if self.at is None or (most := most_rows(self.at)) == 1:
            return None
        rows = min(max(self.at.rows + by, 1), most)
        self.heights[self.at.lane.key, self.at.sub] = rows
        self.lay_out()
        return rows

    def root_of(self, lane: Lane) -> Lane:
        """Return the device or thread that a lane belongs to."""
        root = next((root for root in self.tree.roots if lane in root.walk()), lane)
        if root.kind is LaneKind.QUIET and lane is not root:
            return next(child for child in root.children if lane in child.walk())
        return root

    def fold(self, folded: frozenset[str]) -> None:
        """Fold just these lanes."""
        self.folded = folded
        self.lines = self._laid_out()
        self._sticky = sticky_lines(self.lines, self.arrangement.pinned) if self._adapts else []
        self.go_line(min(self.line, len(self.lines) - 1))
        self.forget_pick()


def _key_in(tree: LaneTree, lane: Lane) -> str:
    """Return the key of the lane of ``tree`` that shows what ``lane`` did: a thread's heading may differ."""
    roots = (root for root in tree.roots if root.key == lane.key)
    same = (inner.key for root in roots for inner in root.walk() if inner.table == lane.table)
    return next(same, lane.key)
