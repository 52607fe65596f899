"""The state of the ranks view: the scene, how its lanes are arranged, which rank is opened below them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from threading import Event

import numpy as np

from tui.browse.capture import Capture
from tui.browse.clock import Clock
from tui.browse.drawing import Drawing
from tui.browse.page import Page
from tui.browse.ranks.blame import idle_words
from tui.browse.ranks.lanes import CLOSEST, OPENED, Order, RankLane, build_ranks, rank_key
from tui.browse.ranks.scene import RankFacts, Scene
from tui.browse.ranks.tabs import RANK_TABS, RankTab
from tui.browse.state import Backdrop, Browse, ReportPlace
from tui.browse.target import Spot, Target, target_of
from tui.browse.view import View
from tui.text import safe
from tui.text.times import brief
from tui.timeline.lane import Lane, LaneKind, LaneTree
from tui.timeline.ruler import StepMarks
from tui.timeline.state_lane import state_words
from tui.timeline.state_times import Shown
from tui.timeline.viewport import Viewport, fitting_scale

OPENING_STEPS = 2
"""How many steps the first screen shows: rows of a few cells a step tell ranks apart, whole runs do not."""


class Lower(Enum):
    """What is below the lanes, in the order in which a key goes through it."""

    BOTH = "lateness and pace, where there is room"
    LATENESS = "lateness of each rank at each collective"
    OWN = "own time of each rank in each step"


@dataclass(frozen=True, eq=False)
class OpenedRank:
    """The rank whose own lanes are below the others."""

    at: int
    """Position in the scene's ranks."""
    capture: Capture


class RanksBrowse(Browse):
    """The ranks view's state. ``scene`` and ``view`` are None until the first summaries are there."""

    def __init__(
        self,
        path: Path,
        drawing: Drawing,
        hint: Callable[[str], str] = lambda action: "",
        *,
        tabs: Sequence[RankTab] = RANK_TABS,
    ) -> None:
        super().__init__(ReportPlace(path), drawing, hint, min_gap_ns=0, absolute=False, tabs=tabs)
        self.scene: Scene | None = None
        self.order = Order.RANK
        self.distance = CLOSEST
        self.lower = Lower.BOTH
        self.opened_rank: OpenedRank | None = None
        self.opening = -1
        """The rank whose columns are being opened; -1 none."""
        self.room = 1
        """How many lines there are for lanes, as long as nothing but the legend is below them."""
        self.in_labels = False
        """Whether the cursor is in the titles: zooming then changes how many ranks a row shows."""
        self._stepped: tuple[int, int, StepMarks | None] = (-1, -1, None)

    # What is shown -------------------------------------------------------------------------

    @property
    def ready(self) -> bool:
        return self.scene is not None

    @property
    def clock(self) -> Clock:
        return Clock(self.scene.span[0] if self.scene is not None else 0)

    def show(self, scene: Scene) -> None:
        """Show a scene: the first one from its beginning, a later one in place of the one before."""
        before, self.scene = self.scene, scene
        if self.view is None:
            self.view = View(self._tree(scene), scene.span, scene.home, adapts=False)
            self.view.of_lanes = False
            return
        assert before is not None
        if self.opened_rank is not None:
            self.opened_rank = self._opened_in(scene, before, self.opened_rank)
        untouched = self.view.untouched
        self.view.grow(self._tree(scene), scene.span, scene.home)
        if untouched and scene.complete and not before.complete:
            self.view.folded = self.view.tree.folded_first
            self.go_to_choice()

    def _opened_in(self, scene: Scene, before: Scene, opened: OpenedRank) -> OpenedRank | None:
        key = rank_key(before.ranks[opened.at])
        at = next((at for at, facts in enumerate(scene.ranks) if rank_key(facts) == key), None)
        return None if at is None else OpenedRank(at, opened.capture)

    def go_to_choice(self) -> None:
        """Show some steps of the middle of the run, with the cursor on the rank that is late."""
        scene, view = self.scene, self.view
        if scene is None or view is None or not scene.ranks:
            return
        at = self.worst
        window = opening_window(scene, at)
        if window is not None:
            scale = fitting_scale(window[1] - window[0], view.cells)
            view.show(Viewport.at(window[0] + scale - 1, scale))  # the first cell is the step's, all of it
            view.history.back.clear()
            view.cursor = view.viewport.start
        if scene.complete:
            self.go_rank(at)
        view.start_here()

    @property
    def worst(self) -> int:
        """The rank that is late, or has most own time; the first where nothing is known."""
        assert self.scene is not None
        ranks = self.scene.ranks
        return max(range(len(ranks)), key=lambda at: (ranks[at].marked, ranks[at].own_ns or 0))

    def _tree(self, scene: Scene) -> LaneTree:
        rows = self.view.height if self.view is not None else 40
        opened = self.opened_rank
        if opened is None:
            return build_ranks(scene, self.order, self.distance, rows)
        facts, shown = scene.ranks[opened.at], opened.capture.shown.events_only()
        title, detail = safe(facts.title), opened_words(facts)
        lane = Lane(OPENED, LaneKind.DEVICE, title, detail, children=shown.roots, loader=tuple)
        return build_ranks(scene, self.order, self.distance, rows, (lane,), shown.catalogue)

    def arrange(self) -> None:
        """Lay the lanes out again, after the order, the distance or the opened rank has changed."""
        scene, view = self.scene, self.view
        if scene is None or view is None:
            return
        at = self.rank
        view.grow(self._tree(scene), scene.span, scene.home)
        if at >= 0:
            self.go_rank(at)

    # The lane under the cursor -------------------------------------------------------------

    @property
    def lane(self) -> RankLane | None:
        """The lane of ranks under the cursor; None on an opened rank's own lanes."""
        at = self.view.at if self.view is not None else None
        return at.lane if at is not None and isinstance(at.lane, RankLane) else None

    @property
    def rank(self) -> int:
        """The rank (its position in the scene) under the cursor: of a group, the slowest; -1 for none."""
        if self.scene is None:
            return -1
        lane = self.lane
        if lane is None:
            return self.opened_rank.at if self.opened_rank is not None else -1
        return lane.slowest if lane.slowest >= 0 else lane.middle

    @property
    def facts(self) -> RankFacts | None:
        """The rank under the cursor."""
        at = self.rank
        return self.scene.ranks[at] if self.scene is not None and at >= 0 else None

    def go_rank(self, at: int) -> bool:
        """Put the cursor on the lane that shows a rank, unfolding what hides it; False where none does."""
        scene, view = self.scene, self.view
        if scene is None or view is None:
            return False
        if view.reveal_lane(rank_key(scene.ranks[at])):
            return True
        holders = (lane for lane in view.tree.walk() if isinstance(lane, RankLane) and at in lane.ranks)
        holder = next((lane for lane in holders if not lane.children), None)
        return holder is not None and view.reveal_lane(holder.key)

    @property
    def process(self) -> int:
        return self.rank

    # Times ---------------------------------------------------------------------------------

    def backdrop(self) -> Backdrop:
        scene, opened = self.scene, self.opened_rank
        if scene is None:
            return Backdrop()
        capture = opened.capture if opened is not None else None
        books = capture.books_so_far(self.busy, self.min_gap_ns) if capture is not None else {}
        parts = (id(scene), id(capture), self.rank, *map(id, books.values()))
        if parts != self._drawn_from:
            self._drawn_from = parts
            self._version += 1
        gaps = {device: book.marks for device, book in books.items()}
        return Backdrop(gaps=gaps, steps=self.step_marks, clock=self.clock, version=self._version)

    @property
    def step_marks(self) -> StepMarks | None:
        """The steps of the rank under the cursor, on the axis; of the first one where it has none."""
        scene = self.scene
        if scene is None or not scene.ranks:
            return None
        at = self.rank
        if at < 0 or not len(scene.ranks[at].rank.summary.steps):
            at = next((i for i, facts in enumerate(scene.ranks) if len(facts.rank.summary.steps)), -1)
        if self._stepped[:2] != (id(scene), at):
            self._stepped = (id(scene), at, _marks_of(scene.ranks[at]) if at >= 0 else None)
        return self._stepped[2]

    @property
    def stepped(self) -> RankFacts:
        """The rank whose steps :attr:`step_marks` are; there must be some."""
        assert self.scene is not None
        return self.scene.ranks[self._stepped[1]]

    @property
    def target(self) -> Target | None:
        """What the rank under the cursor does there, or the event of an opened rank's own lane."""
        scene, view = self.scene, self.view
        if scene is None or view is None or view.at is None:
            return None
        if self.lane is None:
            return self._opened_target(view, scene)
        lane = self.lane
        at = lane.middle
        if at < 0 or self.facts is None:
            return None
        facts = scene.ranks[at]
        runs = scene.times(at).runs
        time = view.cursor
        if not scene.times(at).exact:  # what the cell shows: a strip is too coarse for an instant
            time = view.viewport.time(view.viewport.cell(time)) + view.viewport.ns_per_cell // 2
        found = runs.at(facts.recorded(time))
        if found < 0:
            return None
        start, end = int(runs.start[found]), int(runs.end[found])
        approximately = "" if scene.times(at).exact else "about "
        what = state_words(Shown(int(runs.state[found])), facts.rank.summary.host_only)
        idle = runs.state[found] == Shown.IDLE
        why = idle_words(facts, facts.recorded(time)) if idle else ""
        words = (safe(facts.title), f"{what} {approximately}{brief(end - start)}", why)
        return Target(facts.on_axis(start), facts.on_axis(end), words)

    def _opened_target(self, view: View, scene: Scene) -> Target | None:
        opened = self.opened_rank
        if opened is None:
            return None
        facts = scene.ranks[opened.at]
        shifted = Viewport(facts.recorded(view.viewport.start), view.viewport.ns_per_cell)
        spot = Spot(view.at, facts.recorded(view.cursor), shifted, view.picked)
        books = opened.capture.books_so_far(self.busy, self.min_gap_ns)
        found = target_of(spot, opened.capture, books)
        if found is None:
            return None
        return replace(found, start=facts.on_axis(found.start), end=facts.on_axis(found.end))

    # The page of the pane ------------------------------------------------------------------

    def question(self) -> Hashable:
        return id(self.scene), self.tab.name

    def page_job(self) -> Callable[[Event], Page]:
        scene, tab = self.scene, self.tab
        assert scene is not None
        assert isinstance(tab, RankTab)
        return lambda dropped: tab.build_of(scene)


def opened_words(facts: RankFacts) -> str:
    """``node-b · GPU 3 · python 91244``."""
    summary = facts.rank.summary
    devices = ", ".join(f"GPU {device.number}" for device in summary.devices)
    process = f"{summary.process_name or 'process'} {summary.pid}"
    return safe(" · ".join(part for part in (facts.host, devices, process) if part))


def opening_window(scene: Scene, at: int) -> tuple[int, int] | None:
    """Some steps from the middle of the rank's run, the first of them a usual one; None without steps."""
    facts = scene.ranks[at]
    steps = facts.rank.summary.steps
    steady = np.flatnonzero(facts.rank.summary.steady)
    if not len(steady):
        return None
    took = facts.own if facts.own is not None else steps.end - steps.start
    middle = np.abs(took[steady] - np.median(took[steady])) + np.abs(steady - steady[len(steady) // 2])
    first = int(steady[np.argmin(middle)])
    last = min(first + OPENING_STEPS, len(steps)) - 1
    first = max(0, min(first, last - OPENING_STEPS + 1))
    return facts.on_axis(int(steps.start[first])), facts.on_axis(int(steps.end[last]))


def _marks_of(facts: RankFacts) -> StepMarks:
    steps = facts.rank.summary.steps
    start, end = facts.axis.to_axis(steps.start), facts.axis.to_axis(steps.end)
    return StepMarks(start, end, lambda step: f"step {int(facts.columns[step]) + 1}")
