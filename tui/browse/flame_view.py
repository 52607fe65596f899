"""The flame of the window: NVTX ranges by path, a row a depth, as wide as the time that they took in sum."""

from __future__ import annotations

from dataclasses import dataclass, field

from tui.analysis.flame import RangeTree
from tui.report.event_tables.event_table import tint
from tui.text import cut, safe, width
from tui.text.numbers import share
from tui.text.times import brief
from tui.timeline.glyphs import Glyphs
from tui.timeline.runs import Line, Run, fit_line, merge

TINTS = 6
LEAST_NAME = 3
"""Cells below which a name is not worth reading."""
WORDS = {"host": "host time", "gpu": "GPU time of what they launched"}


@dataclass
class Flame:
    """``focus``: what fills the width, -1 for all roots; ``node``: what is under the cursor, -1 nothing."""

    tree: RangeTree
    label: str
    """The window in words."""
    by: str = "host"
    focus: int = -1
    node: int = field(init=False)
    top: int = 0
    """The first depth in sight, from the focus on."""

    def __post_init__(self) -> None:
        self.node = next(iter(self.siblings(-1)), -1)

    # Moving about --------------------------------------------------------------------------

    def siblings(self, parent: int) -> list[int]:
        """Return the nodes below ``parent`` (-1: the roots) that take any time, the widest first."""
        tree, values = self.tree, self.tree.values(self.by)
        nodes = tree.roots if parent < 0 else tree.children(parent)
        return sorted((n for n in nodes.tolist() if values[n] > 0), key=lambda n: (-int(values[n]), n))

    def across(self, step: int) -> bool:
        """Go to the next (1) or previous (-1) node of one parent; False at the end."""
        if self.node < 0 or self.node == self.focus:
            return False
        row = self.siblings(int(self.tree.parent[self.node]))
        at = row.index(self.node) + step
        if not 0 <= at < len(row):
            return False
        self.node = row[at]
        return True

    def deeper(self) -> bool:
        """Go to the widest child; False without one."""
        below = self.siblings(self.node) if self.node >= 0 else []
        if below:
            self.node = below[0]
        return bool(below)

    def outward(self) -> bool:
        """Go to the parent; False at a root and at what fills the width."""
        if self.node < 0 or self.node == self.focus or self.tree.parent[self.node] < 0:
            return False
        self.node = int(self.tree.parent[self.node])
        return True

    def closer(self) -> bool:
        """Let the node under the cursor fill the width; False if it does."""
        if self.node < 0 or self.node == self.focus:
            return False
        self.focus, self.top = self.node, 0
        return True

    def farther(self) -> bool:
        """Let its parent fill the width again; False where all is shown."""
        if self.focus < 0:
            return False
        self.focus, self.top = int(self.tree.parent[self.focus]), 0
        return True

    def turn(self) -> None:
        """Show device time instead of host time, or the other way round."""
        self.by = "gpu" if self.by == "host" else "host"
        values = self.tree.values(self.by)
        if self.focus >= 0 and not values[self.focus]:
            self.focus = -1
        if self.node < 0 or not values[self.node]:
            self.node = next(iter(self.siblings(self.focus)), self.focus)
        self.top = 0

    def at(self, cell: int, row: int, cells: int) -> int:
        """Return the node that is drawn at a cell of a row; -1 for none."""
        rows = self._rows(cells, row + self.top + 1)
        found = rows[row + self.top] if 0 <= row + self.top < len(rows) else []
        return next((node for node, first, stop in found if first <= cell < stop), -1)

    # Drawing -------------------------------------------------------------------------------

    @property
    def whole(self) -> int:
        """The time that the width stands for."""
        values = self.tree.values(self.by)
        return int(values[self.focus]) if self.focus >= 0 else int(values[self.tree.roots].sum())

    @property
    def words(self) -> str:
        """Say what is under the cursor."""
        tree, node = self.tree, self.node
        if node < 0:
            return f"no range in {self.label} launched recorded device work"
        value, own = int(tree.values(self.by)[node]), int(tree.own(self.by)[node])
        parts = [
            safe(tree.labels[node]),
            f"{brief(value)}, {share(value, self.whole)}",
            f"self {brief(own)}",
            f"{int(tree.count[node]):,} x",
        ]
        return " · ".join(parts)

    def _rows(self, cells: int, count: int) -> list[list[tuple[int, int, int]]]:
        """Return (node, first cell, cell after the last) of the first ``count`` rows below the focus.

        A node narrower than a cell has the cell in which it begins, unless another one has it; below what
        is much narrower nothing is looked for.
        """
        values, whole = self.tree.values(self.by), max(self.whole, 1)
        rows: list[list[tuple[int, int, int]]] = []
        level = [(self.focus, 0)] if self.focus >= 0 else self._placed(-1, 0, whole // (4 * cells))
        while level and len(rows) < count:
            drawn: list[tuple[int, int, int]] = []
            for node, at in level:
                first, stop = at * cells // whole, (at + int(values[node])) * cells // whole
                first = max(first, drawn[-1][2]) if drawn else first
                stop = min(max(stop, first + 1), cells)
                if first < stop:
                    drawn.append((node, first, stop))
            rows.append(drawn)
            level = [found for node, at in level for found in self._placed(node, at, whole // (4 * cells))]
        return rows

    def _placed(self, parent: int, at: int, least: int) -> list[tuple[int, int]]:
        """Return the children of a node that take ``least`` or more, and the time at which each begins."""
        found = []
        values = self.tree.values(self.by)
        for node in self.siblings(parent):
            if values[node] < least:
                break  # the widest come first
            found.append((node, at))
            at += int(values[node])
        return found

    def lines(self, cells: int, height: int, glyphs: Glyphs, *, fill: bool = True) -> list[Line]:
        """Draw it in ``cells`` x ``height``: two lines of heading, then a row a depth."""
        head = [
            Run(f" NVTX ranges by path, {WORDS[self.by]}", "pane.title"),
            Run(f" · {self.label}", "pane.dim"),
        ]
        path = self.tree.path(self.focus) if self.focus >= 0 else ()
        where = " > ".join(map(safe, path)) or "all"
        base = [Run(f" {where}: {brief(self.whole)}", "ruler.label")]
        room = max(height - 2, 0)
        self._keep_in_sight(room)
        placed = self._rows(cells, self.top + room)[self.top :]
        rows = [self._drawn(row, glyphs, fill) for row in placed]
        rows += [[] for _ in range(room - len(rows))]
        return [fit_line(line, cells, "") for line in (head, base, *rows)][:height]

    def _keep_in_sight(self, room: int) -> None:
        depth = int(self.tree.depth[self.node]) if self.node >= 0 else 0
        depth -= int(self.tree.depth[self.focus]) if self.focus >= 0 else 0
        self.top = max(0, min(self.top, depth), depth - room + 1) if room else 0

    def _drawn(self, row: list[tuple[int, int, int]], glyphs: Glyphs, fill: bool) -> Line:
        line: Line = []
        at = 0
        for node, first, stop in row:
            line.append(Run(" " * (first - at)))
            line += self._box(node, stop - first, glyphs, fill)
            at = stop
        return merge(line)

    def _box(self, node: int, cells: int, glyphs: Glyphs, fill: bool) -> Line:
        """Draw a node: its name, behind a line that parts it from its neighbour."""
        label = safe(self.tree.labels[node])
        style = "selected" if node == self.node else f"range.{tint(self.tree.labels[node]) % TINTS}"
        room = cells - 1
        text = cut(label, room, glyphs.ellipsis) if room >= LEAST_NAME else ""
        rest = room - width(text)
        blank = " " if fill else glyphs.fill(style)
        edge = Run(glyphs.edge, f"edge|{style}") if fill else Run(glyphs.bar, style)
        if cells == 1 and fill:
            return [Run(" ", style)]
        return [edge, Run(text + blank * rest, style)]
