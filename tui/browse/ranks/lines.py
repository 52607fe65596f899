"""The lines of the ranks view: map, steps, ruler, the ranks' lanes, and below them heat, legend and pace."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tui.browse.ranks.browse import Lower, RanksBrowse
from tui.browse.ranks.heat import PACE_ROWS, Pace, heat_line, lateness_of, own_of, pace_lines, pace_of
from tui.browse.ranks.lanes import GROUPS, OPENED, PAIRS, RankLane
from tui.browse.ranks.scene import UNKNOWN, Scene
from tui.browse.state import Backdrop
from tui.browse.timeline_lines import MAP, Key, LaneCache, TimelineLines
from tui.browse.view import View
from tui.report.columns import Int64
from tui.text import pad, width
from tui.text.cells import squeeze
from tui.text.times import brief
from tui.timeline.canvas import DrawOptions
from tui.timeline.draw import draw_lane_row
from tui.timeline.lane import LaneLine
from tui.timeline.ruler import draw_map
from tui.timeline.runs import Line, Run, line_width, spread, to_ascii
from tui.timeline.slices import SliceId
from tui.timeline.state_lane import BRIEFEST, cell_codes, draw_codes, draw_pair, state_legend
from tui.timeline.state_times import Shown
from tui.timeline.titles import Scale
from tui.timeline.viewport import Viewport

GUTTER_MOST = 24
RIGHT = 16
"""Cells at the right of a group's row, for its slowest rank's own time."""
MAPPED = 16
"""From how many ranks the map is drawn: more would look the same."""
HEAT_ROWS = 6
LOW_SCREEN = 12


_HEAT_TITLES = {
    Lower.BOTH: "",
    Lower.LATENESS: "lateness of each rank at each collective (high = late)",
    Lower.OWN: "own time of each rank in each step (high = long)",
}  # fmt: skip


class RankLines(TimelineLines):
    """Draws the lines of the ranks view's area."""

    def __init__(self, browse: RanksBrowse, cells: LaneCache) -> None:
        super().__init__(browse.drawing, cells)
        self.browse = browse
        self.alone = False
        """Whether there is no pane beside the lanes: then the verdict is below them."""
        self._lines = 0
        self._titled: list[LaneLine] = []
        self._wanted = 8
        self._lower: list[Key] = []
        self._map: tuple[Key, Int64] = ((), np.zeros(0, np.int64))
        self._pace: tuple[Scene | None, Pace | None] = (None, None)
        self._heat: dict[Key, tuple[int, int]] = {}

    # Space ---------------------------------------------------------------------------------

    def resize(self, width: int, height: int, state: View | None) -> None:
        super().resize(width, height, None)
        self.fit(state)

    def fit(self, state: View | None) -> None:
        """Share the area out between titles, lanes and what is below them, as it is now."""
        if state is None:
            return
        if self._titled is not state.lines:  # they are many, and the same until something is folded
            self._titled = state.lines
            self._wanted = max((_title_cells(line) for line in state.lines), default=8)
        self.gutter = min(self._wanted, GUTTER_MOST, max(8, self.width // 4))
        self._lines = len(state.lines)
        self._lower = self._lower_rows(state)
        state.resize(self.cells, self.lane_lines)

    @property
    def right(self) -> int:
        """Cells at the right of the lanes."""
        return RIGHT if self.browse.distance >= GROUPS and self.width >= 3 * RIGHT else 0

    @property
    def cells(self) -> int:
        return max(1, self.width - self.gutter - self.right)

    @property
    def lane_lines(self) -> int:
        room = self.height - len(self.head) - len(self._lower)
        return max(1, min(room, self._lines) if self._lines else room)  # what is below follows at once

    def _lower_rows(self, state: View) -> list[Key]:
        """What is below the lanes, one key a line."""
        scene = self.browse.scene
        legend: list[Key] = [("legend",)] if self.height >= LOW_SCREEN else []
        spare = self.height - len(self.head) - len(legend)
        self.browse.room = max(1, spare)
        if scene is None or not scene.complete:
            return legend
        mode = self.browse.lower
        if mode is Lower.BOTH:
            spare -= len(state.lines)
            lanes = _representatives(state)[:HEAT_ROWS]
            rows: list[Key] = []
            if scene.main_communicator >= 0 and lanes and spare >= len(lanes) + 2:
                rows = [("",), ("heat title", Lower.LATENESS), *(("heat", at) for at in lanes)]
                spare -= len(rows)
            rows += [("",)] if spare >= 1 else []
            rows += legend
            if spare >= PACE_ROWS + 2 and len(self._pace_of(scene).median):
                rows += [("",), *(("pace", row) for row in range(PACE_ROWS))]
            return rows
        most = max(1, spare // 2 - 1)
        count = sum(isinstance(line.lane, RankLane) for line in state.lines)
        return [("heat title", mode), *(("heat", at) for at in range(min(count, most))), *legend]

    # Lines ---------------------------------------------------------------------------------

    def key(self, y: int, state: View | None, backdrop: Backdrop, note: Sequence[str] = ()) -> Key:
        below = y - len(self.head) - self.lane_lines
        if state is None or below < 0:
            return (*super().key(y, state, backdrop, note), self.browse.distance)
        if below >= len(self._lower):
            return (self.width,)
        kind = self._lower[below]
        at = self._heat_line(state, kind)
        named = () if at is None else (at.lane.key, at.lane.title)
        seen = state.top, state.line if kind[0] == "heat" else 0
        return ("lower", *kind, *named, seen, backdrop.version, self.width, self.gutter, self.browse.lower)

    def line(self, y: int, state: View | None, backdrop: Backdrop, note: Sequence[str] = ()) -> Line:
        scene = self.browse.scene
        below = y - len(self.head) - self.lane_lines
        if state is None or scene is None:
            return super().line(y, None, backdrop, note)
        if y < len(self.head) and self.head[y] == MAP:
            level, view = self._map_level(scene, backdrop), state.viewport
            shown = (state.span, view, self.cells, self.width)
            return draw_map(level, *shown, self.drawing.glyphs, fill=self.drawing.fill)
        if below < 0:
            return super().line(y, state, backdrop, note)
        drawn = self._below(self._lower[below], state, scene) if below < len(self._lower) else []
        return to_ascii(drawn) if self.drawing.glyphs.plain else drawn

    def _map_level(self, scene: Scene, backdrop: Backdrop) -> Int64:
        """The mean share of work over the ranks in eighths, one a cell of the map."""
        inner = self.width - 2
        key = (id(scene), inner)
        if self._map[0] != key and inner >= 4:
            first, last = scene.span
            edges = first + np.array([(last - first) * cell // inner for cell in range(inner + 1)], np.int64)
            chosen = range(0, len(scene.ranks), max(1, -(-len(scene.ranks) // MAPPED)))
            work = np.zeros(inner)
            for at in chosen:
                spent = scene.times(at).over(scene.ranks[at].axis.from_axis(edges))
                work += spent[:, Shown.COMPUTE]
            share = work / np.maximum(np.diff(edges), 1) / max(len(chosen), 1)
            level = np.where(share > 0.001, np.clip(np.ceil(share * 8), 1, 8), 0).astype(np.int64)
            self._map = (key, level)
        return self._map[1]

    def _title(self, line: LaneLine, here: bool, scale: Scale | None = None) -> Line:
        lane = line.lane
        if not isinstance(lane, RankLane):
            return super()._title(line, here, scale)
        glyphs = self.drawing.glyphs
        style = "title.cursor" if here else "title.device" if lane.children or lane.count else "title"
        fold = glyphs.closed if line.folded else glyphs.opened if lane.children else " "
        tail = (f" {lane.count}" if lane.count else "") + ("*" if lane.marked else " ")
        lead = " " * lane.depth + (">" if here and not lane.children and not self.drawing.fill else fold)
        room = self.gutter - 1 - width(lead) - 1 - width(tail)
        name = lane.title if width(lane.title) <= room or not lane.short else lane.short
        # The end of a name tells ranks apart.
        text = f" {lead} {pad(squeeze(name, max(room, 1), glyphs.ellipsis), max(room, 0), ellipsis='')}{tail}"
        return [Run(pad(text, self.gutter, ellipsis=""), style)]

    def _marked(self, cells: Line, cell: int) -> Line:
        line, full = super()._marked(cells, cell), self.drawing.glyphs.up[8]
        if not self.drawing.fill or self.drawing.glyphs.plain:
            return line
        # A full block would hide the cursor's ground.
        return [Run(" ", run.style) if run == Run(full, "cursor") else run for run in line]

    def _aside(self, line: LaneLine) -> Line:
        scene, lane = self.browse.scene, line.lane
        if not self.right or scene is None or not isinstance(lane, RankLane):
            return []
        at = lane.slowest if lane.slowest >= 0 else lane.middle
        own = scene.ranks[at].own_ns if at >= 0 else None
        text = f" {scene.ranks[at].short}  {brief(own) if own is not None else ''}" if at >= 0 else ""
        return [Run(pad(text, self.right), "title")]

    def _drawn(self, state: View, line: LaneLine, picked: SliceId | None, backdrop: Backdrop) -> Line:
        key = (*self._lane_key(state, line, picked, backdrop), self.browse.distance)
        cells = self._cells.get(key)
        if cells is None:
            cells = self._cells[key] = self._draw(state, line, picked, backdrop)
        return cells

    def _draw(self, state: View, line: LaneLine, picked: SliceId | None, backdrop: Backdrop) -> Line:
        scene, lane, glyphs = self.browse.scene, line.lane, self.drawing.glyphs
        assert scene is not None
        if not isinstance(lane, RankLane):
            return self._own_lane(scene, state, line, picked, backdrop)
        if lane.reason:
            drawn = [Run(pad(f" {lane.reason}", self.cells, ellipsis=glyphs.ellipsis), "pane.dim")]
            return to_ascii(drawn) if glyphs.plain else drawn
        if lane.middle < 0:
            return [Run(" " * self.cells)]
        middle = self._codes(scene, lane.middle, state.viewport)
        double = line.folded or self.browse.distance >= PAIRS
        if double and lane.lower >= 0 and lane.lower != lane.middle:
            lower = self._codes(scene, lane.lower, state.viewport)
            return draw_pair(middle, lower, glyphs, self.drawing.fill)
        return draw_codes(middle, glyphs)

    def _codes(self, scene: Scene, at: int, view: Viewport) -> Int64:
        return cell_codes(scene.times(at), scene.ranks[at].axis.from_axis(view.edges(self.cells)))

    def _own_lane(
        self, scene: Scene, state: View, line: LaneLine, picked: SliceId | None, backdrop: Backdrop
    ) -> Line:
        """A lane of the opened rank's report, on the axis."""
        opened = self.browse.opened_rank
        if opened is None or line.lane.key == OPENED:
            what, where = [Run(line.lane.detail, "title.device")], "its own lanes, the same time axis "
            drawn = spread(what, [Run(where, "pane.dim")], self.cells)
            return to_ascii(drawn) if self.drawing.glyphs.plain else drawn
        start = scene.ranks[opened.at].recorded(state.viewport.start)
        view = Viewport(start, state.viewport.ns_per_cell)
        options = DrawOptions(self.drawing.glyphs, self.drawing.fill, backdrop.gaps, selected=picked)
        return draw_lane_row(line, view, self.cells, state.tree.catalogue, options)

    # Below the lanes -----------------------------------------------------------------------

    def _heat_line(self, state: View, kind: Key) -> LaneLine | None:
        """The lane that a line of heat is about: those on the screen, where the heat is of all."""
        if kind[0] != "heat":
            return None
        at = int(str(kind[1]))
        if self.browse.lower is not Lower.BOTH:  # those on the screen, the one under the cursor among them
            shown = sum(key[0] == "heat" for key in self._lower)
            at += max(state.top, state.line - shown + 1)
        return state.lines[at] if at < len(state.lines) else None

    def _below(self, kind: Key, state: View, scene: Scene) -> Line:
        if kind[0] == "legend":
            return self._legend(scene)
        if kind[0] == "heat title":
            return [Run(" " + _HEAT_TITLES[Lower(kind[1])], "pane.title")]
        if kind[0] == "heat":
            return self._heat_row(self._heat_line(state, kind), scene)
        if kind[0] == "pace":
            rows = pace_lines(self._pace_of(scene), self.cells, self.gutter, self.drawing.glyphs)
            row = int(str(kind[1]))
            return rows[row] if row < len(rows) else []
        return []

    def _heat_row(self, line: LaneLine | None, scene: Scene) -> Line:
        lane = line.lane if line is not None else None
        if not isinstance(lane, RankLane) or lane.middle < 0 or line is None:
            return []
        own = self.browse.lower is Lower.OWN
        at = lane.slowest if lane.slowest >= 0 and not lane.children else lane.middle
        values = own_of(scene, at) if own else lateness_of(scene, at)
        bounds = self._bounds(scene, own)
        return [*self._title(line, False), *heat_line(values, *bounds, self.cells, self.drawing.glyphs)]

    def _bounds(self, scene: Scene, own: bool) -> tuple[int, int]:
        """The least and the greatest value of a heat over all ranks, start-up apart."""
        key: Key = (id(scene), own)
        if key not in self._heat:
            low, high = 0, 1
            if own:
                low, high = self._pace_of(scene).bounds
                low -= (high - low) // 4
            elif scene.main_communicator >= 0:
                group = scene.communicators[scene.main_communicator]
                waits = group.longest_wait[group.counts & (group.longest_wait != UNKNOWN)]
                high = int(np.percentile(waits, 95)) if len(waits) else 1
            self._heat = {key: (low, max(high, low + 1))}
        return self._heat[key]

    def _pace_of(self, scene: Scene) -> Pace:
        if self._pace[0] is not scene or self._pace[1] is None:
            self._pace = (scene, pace_of(scene))
        assert self._pace[1] is not None
        return self._pace[1]

    def _legend(self, scene: Scene) -> Line:
        looks = (self.drawing.glyphs, scene.host_only, scene.coarse)
        # The full words where there is room; the full legend has them, too.
        lines = [state_legend(scene.used, *looks, brevity=brevity) for brevity in range(BRIEFEST + 1)]
        said = scene.headline if self.alone else ""
        choices = (
            [f"{said}: {scene.reason} ", f"{said} "] if said and scene.reason else [f"{said} " * bool(said)]
        )
        for text in choices:
            told = [Run(text, "note")] if text else []
            for line in lines:
                if line_width([*line, *told]) + 2 * bool(told) <= self.width:
                    return spread(line, told, self.width) if told else line
        if said and width(said) + 1 <= self.width < line_width(lines[-1]) + width(said) + 3:
            return [Run(f" {said}", "note")]  # what glyphs mean is a key away
        return spread(lines[-1], [Run(choices[-1], "note")], self.width) if said else lines[-1]


def _title_cells(line: LaneLine) -> int:
    """Cells that a lane's title needs: fold mark, title, count and mark."""
    lane = line.lane
    count = width(str(lane.count)) + 1 if isinstance(lane, RankLane) and lane.count else 0
    return 1 + lane.depth + 2 + width(lane.title) + count + 2


def _representatives(state: View) -> list[int]:
    """The lines that stand for the others where there is little room: groups, and ranks that are marked."""
    lanes = [(at, line.lane) for at, line in enumerate(state.lines) if isinstance(line.lane, RankLane)]
    chosen = [at for at, lane in lanes if lane.children or lane.count or lane.marked]
    return chosen or [at for at, _ in lanes]
