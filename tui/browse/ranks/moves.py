"""Moves of the ranks view: steps, gaps and collectives of the rank under the cursor, and who is late."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tui.browse.jumps import Jumps
from tui.browse.page import Instances
from tui.browse.ranks.browse import Lower, RanksBrowse
from tui.browse.ranks.lanes import CLOSEST, GROUPS, PAIRS, Order
from tui.browse.ranks.scene import UNKNOWN, Scene
from tui.report.columns import Int64
from tui.text import safe
from tui.text.times import brief
from tui.timeline.state_times import Shown

DISTANCES = {
    CLOSEST: "a rank a row", PAIRS: "two ranks a row: halves of it",
    GROUPS: "a row: a host, or as many ranks as fit; * where one is late",
}  # fmt: skip


class Met(NamedTuple):
    """A collective of a rank."""

    row: int
    """Position in the rank's collectives."""
    communicator: int
    """-1: not matched; and so the instance."""
    instance: int
    wait: int


def collective_at(scene: Scene, rank: int, time: int) -> Met | None:
    """The collective of ``rank`` that holds ``time`` (on the axis), or the next one of its step."""
    facts = scene.ranks[rank]
    rows, waits = facts.rank.summary.collectives, scene.waits_of(rank)
    own = facts.recorded(time)
    at = int(np.searchsorted(rows.start, own, "right")) - 1
    if at < 0 or own >= rows.end[at]:
        at += 1
        steps = facts.rank.summary.steps
        step = int(np.searchsorted(steps.start, own, "right")) - 1
        if at >= len(rows) or step < 0 or rows.start[at] >= steps.end[step]:
            return None
    if waits is None:
        return Met(at, -1, -1, UNKNOWN)
    return Met(at, int(waits.communicator[at]), int(waits.instance[at]), int(waits.wait[at]))


class RankJumps(Jumps):
    """Moves the cursor. Directions are -1 (earlier) and 1 (later)."""

    def __init__(self, browse: RanksBrowse) -> None:
        super().__init__(browse)
        self.ranks = browse

    @property
    def scene(self) -> Scene:
        assert self.ranks.scene is not None
        return self.ranks.scene

    # Time ----------------------------------------------------------------------------------

    def event(self, direction: int) -> None:
        """Go to the next collective of the rank under the cursor; on an own lane, to its next event."""
        at = self.ranks.rank
        if at < 0:
            self.say("no rank under the cursor")
            return
        facts = self.scene.ranks[at]
        starts = facts.axis.to_axis(facts.rank.summary.collectives.start)
        self._to_next(starts, direction, "collective of this rank")

    def _to_next(self, starts: Int64, direction: int, what: str) -> bool:
        cursor = self.view.cursor
        if direction > 0:
            at = int(np.searchsorted(starts, cursor, "right"))
        else:
            at = int(np.searchsorted(starts, cursor, "left")) - 1
        if not 0 <= at < len(starts):
            self.say(f"no {'later' if direction > 0 else 'earlier'} {what}")
            return False
        self.view.go(int(starts[at]))
        return True

    def step(self, direction: int) -> None:
        """Go to the next step of the rank under the cursor, as large as it is."""
        marks = self.ranks.step_marks
        if marks is None or not len(marks.start):
            self.say("no steps found")
            return
        if self._to_next(marks.start, direction, "step"):
            at = int(np.searchsorted(marks.start, self.view.cursor, "right")) - 1
            start, end = int(marks.start[at]), int(marks.end[at])
            self.view.show_whole(start, end)
            self.view.go(start)
            self.view.aim = (start, end)

    def gap(self, direction: int) -> None:
        """Go to the next stretch in which the rank under the cursor is idle."""
        at = self.ranks.rank
        if at < 0:
            self.say("no rank under the cursor")
            return
        runs = self.scene.times(at).runs
        idle = runs.state == Shown.IDLE
        starts = self.scene.ranks[at].axis.to_axis(runs.start[idle])
        self._to_next(starts, direction, "idle stretch of this rank")

    def longest(self) -> None:
        """Go to the longest idle stretch of the rank under the cursor."""
        at = self.ranks.rank
        if at < 0:
            self.say("no rank under the cursor")
            return
        runs = self.scene.times(at).runs
        idle = np.flatnonzero(runs.state == Shown.IDLE)
        if not len(idle):
            self.say("no idle stretch of this rank")
            return
        longest = int(idle[np.argmax(runs.end[idle] - runs.start[idle])])
        facts = self.scene.ranks[at]
        start, end = facts.on_axis(int(runs.start[longest])), facts.on_axis(int(runs.end[longest]))
        self.view.fit(start, end)
        self.view.go(start)
        self.say(f"longest idle stretch of {safe(facts.title)}: {brief(end - start)}")

    # Ranks ---------------------------------------------------------------------------------

    def launch(self) -> None:
        """Go through the participants of the collective under the cursor."""
        at, scene = self.ranks.rank, self.scene
        met = collective_at(scene, at, self.view.cursor) if at >= 0 else None
        if met is None or met.communicator < 0:
            self.say("no matched collective under the cursor")
            return
        group = scene.communicators[met.communicator]
        place = group.ranks.index(at)
        others = (*group.ranks[place + 1 :], *group.ranks[:place])
        for other in others:
            waits = scene.waits_of(other)
            if waits is None:
                continue
            rows = np.flatnonzero((waits.communicator == met.communicator) & (waits.instance == met.instance))
            if len(rows):
                self._show_row(other, int(rows[0]))
                wait = int(waits.wait[rows[0]])
                last = int(group.last[met.instance]) == other
                how = "last in" if last else f"waits {brief(wait)}" if wait >= 0 else "wait unknown"
                self.say(f"{safe(scene.ranks[other].title)}: {how}")
                return
        self.say("no other participant of this collective has a report")

    def _show_row(self, at: int, row: int) -> None:
        facts = self.scene.ranks[at]
        rows = facts.rank.summary.collectives
        start, end = facts.on_axis(int(rows.start[row])), facts.on_axis(int(rows.end[row]))
        self.ranks.go_rank(at)
        self.view.show_whole(start, end)
        self.view.go(start)

    def slowest(self) -> None:
        """Go to the rank that needed longest for the step under the cursor."""
        scene, marks = self.scene, self.ranks.step_marks
        if not scene.complete or marks is None or not len(marks.start):
            self.say("own times are known once every report has been read" if marks else "no steps found")
            return
        here = max(int(np.searchsorted(marks.start, self.view.cursor, "right")) - 1, 0)
        column = int(self.ranks.stepped.columns[here])
        best, most = -1, UNKNOWN
        for at, facts in enumerate(scene.ranks):
            if facts.run != self.ranks.stepped.run or facts.own is None:
                continue
            found = facts.own[facts.columns == column]
            if len(found) and found[0] > most:
                best, most = at, int(found[0])
        name = marks.name(here)
        if best < 0:
            self.say(f"no rank's own time is known in {name}")
            return
        self.ranks.go_rank(best)
        self.say(f"slowest of {name}: {safe(scene.ranks[best].title)}, own time {brief(most)}")

    def margin(self) -> None:
        """Go to the collective whose last rank came latest after the others; again: the next of them."""
        scene = self.scene
        if scene.main_communicator < 0:
            self.say("no matched collective shows who was late")
            return
        group = scene.communicators[scene.main_communicator]
        counted = np.flatnonzero(group.counts & (group.margin >= 0) & (group.last >= 0))
        if not len(counted):
            self.say("no margin is known")
            return
        ranked = counted[np.argsort(-group.margin[counted], kind="stable")]
        at = self.ranks.rank
        met = collective_at(scene, at, self.view.cursor) if at >= 0 else None
        place = 0
        if met is not None and met.communicator == scene.main_communicator and self._walked == met.instance:
            place = (int(np.flatnonzero(ranked == met.instance)[0]) + 1) % len(ranked)
        instance = int(ranked[place])
        last = int(group.last[instance])
        waits = scene.waits_of(last)
        if waits is None:
            self.say("no margin is known")
            return
        mine = (waits.communicator == scene.main_communicator) & (waits.instance == instance)
        self._walked = instance
        self._show_row(last, int(np.flatnonzero(mine)[0]))
        late = brief(int(group.margin[instance]))
        self.say(f"{safe(scene.ranks[last].title)} last by {late}: {place + 1} of {len(ranked)} by margin")

    _walked = -1

    # What is shown -------------------------------------------------------------------------

    def order(self) -> None:
        """Sort the ranks by the next of: number, lateness, own time, host."""
        every = list(Order)
        self.ranks.order = every[(every.index(self.ranks.order) + 1) % len(every)]
        self.ranks.arrange()
        self.say(f"ranks by {self.ranks.order.value}")

    def heat(self) -> None:
        """Show lateness, own times, or both in short below the lanes."""
        every = list(Lower)
        self.ranks.lower = every[(every.index(self.ranks.lower) + 1) % len(every)]
        self.say(f"below: {self.ranks.lower.value}")

    def farther(self, step: int = 1) -> None:
        """Show more ranks a row, or fewer (-1); past the last, one a row again."""
        every = list(DISTANCES)
        self.ranks.distance = every[(every.index(self.ranks.distance) + step) % len(every)]
        self.ranks.arrange()
        self.say(DISTANCES[self.ranks.distance])

    # Rows of the pane ----------------------------------------------------------------------

    def go_instance(self, instances: Instances, position: int) -> None:
        """Go to the rank (``devices`` of a span) and the stretch of a row."""
        start, end = int(instances.start[position]), int(instances.end[position])
        at = instances.devices[position] if instances.devices else instances.device
        if at >= 0:
            self.ranks.go_rank(at)
        if end > start:
            self.view.show_whole(start, end)
            self.view.go(start)
