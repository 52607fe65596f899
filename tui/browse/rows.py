"""The lines of the lanes: which there are, which of them are in sight, and the one under the cursor."""

from __future__ import annotations

from tui.timeline.arrangement import Arrangement, arranged_lines
from tui.timeline.lane import Lane, LaneKind, LaneLine, LaneTree
from tui.timeline.series import TALLEST, grows


class Rows:
    """Folds, heights and arrangement of lanes, and the line under the cursor.

    ``height``: lines of lanes on the screen. ``top``: the first of those that scroll.
    """

    def __init__(self, tree: LaneTree) -> None:
        self.tree = tree
        self.height = 20
        self.folded = tree.folded_first
        self.heights: dict[tuple[str, int], int] = {}
        """Lines of rows whose height the user has chosen, by lane and row."""
        self.arrangement = Arrangement()
        self.line = 0
        self.top = 0
        self.lines: list[LaneLine] = self._laid_out()

    def _laid_out(self) -> list[LaneLine]:
        return arranged_lines(self.tree, self.arrangement, self.folded, self.heights)

    def forget_pick(self) -> None:
        """Note that the cursor has left what it was put on."""
        raise NotImplementedError

    def lay_out(self) -> None:
        """Place the lines again: the cursor stays on its lane, and that at its height on the screen."""
        at, offset = self.at, self.line - self.top
        self.lines = self._laid_out()
        line = None if at is None else self.line_of(_key_in(self.tree, at.lane), at.sub, at.part)
        if line is None:
            self.forget_pick()
            line = min(self.line, max(len(self.lines) - 1, 0))
        self.line = line
        self.top = self.line - offset
        self.keep_line_in_sight()

    @property
    def at(self) -> LaneLine | None:
        """The line under the cursor."""
        return self.lines[self.line] if self.line < len(self.lines) else None

    def move_line(self, lines: int) -> None:
        """Move the cursor by lines."""
        self.go_line(self.line + lines)

    def go_line(self, line: int) -> None:
        """Move the cursor to line ``line``, kept within the lanes and in sight."""
        line = min(max(line, 0), max(len(self.lines) - 1, 0))
        if line != self.line:
            self.line = line
            self.forget_pick()
        self.keep_line_in_sight()

    def keep_line_in_sight(self) -> None:
        """Scroll as little as shows the line under the cursor."""
        lowest = max(0, len(self.lines) - self.height)
        self.top = max(min(max(self.top, self.line - self.height + 1), self.line, lowest), 0)

    def scroll(self, lines: int) -> None:
        """Move the lanes under the cursor's line (the wheel)."""
        self.top = min(max(self.top + lines, 0), max(0, len(self.lines) - self.height))
        self.line = min(max(self.line, self.top), self.top + self.height - 1, max(len(self.lines) - 1, 0))
        self.forget_pick()

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
        if not foldable and (lane.kind is LaneKind.SERIES or lane.key not in self.folded):
            lane = self.root_of(lane)
            if lane is self.at.lane:
                return False
        self.fold(self.folded ^ {lane.key})
        line = self.line_of(lane.key, 0)
        if line is not None:
            self.go_line(line)
        return True

    def toggle_fold_all(self) -> None:
        """Fold every group, or unfold them all where all are folded."""
        groups = frozenset(root.key for root in self.tree.roots if self.tree.foldable(root))
        lane = self.at.lane if self.at is not None else None
        self.fold(self.folded - groups if groups <= self.folded else self.folded | groups)
        if lane is not None:
            line = self.line_of(lane.key, 0)
            self.go_line(line if line is not None else self.line_of(self.root_of(lane).key, 0) or 0)

    def grow_line(self, by: int) -> int | None:
        """Give the row under the cursor ``by`` more lines; return how many it has, None: it never grows."""
        if self.at is None or (series := self.at.series) is None or not grows(series):
            return None
        rows = min(max(self.at.rows + by, 1), TALLEST)
        self.heights[self.at.lane.key, self.at.sub] = rows
        self.lay_out()
        return rows

    def arrange(self, arrangement: Arrangement) -> None:
        """Show the lanes as they are arranged; the cursor stays on its lane where that is still there."""
        self.arrangement = arrangement
        self.lay_out()

    def root_of(self, lane: Lane) -> Lane:
        """Return the device or thread that a lane belongs to."""
        return next((root for root in self.tree.roots if lane in root.walk()), lane)

    def fold(self, folded: frozenset[str]) -> None:
        """Fold just these lanes."""
        self.folded = folded
        self.lines = self._laid_out()
        self.go_line(min(self.line, len(self.lines) - 1))
        self.forget_pick()


def _key_in(tree: LaneTree, lane: Lane) -> str:
    """Return the key of the lane of ``tree`` that shows what ``lane`` did: a thread's heading may differ."""
    roots = (root for root in tree.roots if root.key == lane.key)
    same = (inner.key for root in roots for inner in root.walk() if inner.table == lane.table)
    return next(same, lane.key)
