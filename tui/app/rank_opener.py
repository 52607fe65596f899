"""Opens a rank's own lanes below the others, and its report; and comes back from there."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event

from tui.app.shell import RankShell
from tui.browse.background import News
from tui.browse.capture import Capture
from tui.browse.part import Part
from tui.browse.ranks.browse import OpenedRank, RanksBrowse
from tui.browse.ranks.exact import exact_times
from tui.browse.ranks.kinds import COLUMNS
from tui.browse.ranks.lanes import OPENED, rank_key
from tui.errors import NsystuiError
from tui.text import safe
from tui.timeline.state_times import StateTimes


@dataclass(frozen=True, eq=False)
class Opened:
    """What opening a rank's report came to."""

    capture: Capture | None
    times: StateTimes | None
    error: BaseException | None


class Opener(Part):
    """Keys that go from a set into one of its ranks and back."""

    def __init__(self, browse: RanksBrowse, shell: RankShell) -> None:
        super().__init__(browse)
        self._ranks = browse
        self._shell = shell

    def open(self) -> None:
        """Put the rank's own lanes below; where they are there already: open its report at the same time."""
        ranks, lane = self._ranks, self._ranks.lane
        if lane is not None and lane.reason:
            self.say(lane.reason)
            return
        at = ranks.rank
        if at < 0:
            self.say("no rank under the cursor")
        elif ranks.opened_rank is not None and ranks.opened_rank.at == at:
            self._shell.open_report(at)
        elif lane is not None and len(lane.ranks) > 1 and lane.children and self.view.at is not None:
            if self.view.at.folded:
                self.view.toggle_fold()
            ranks.go_rank(at)
        else:
            self._begin(at)

    def not_here(self) -> None:
        """Say where a key of a report's own view works."""
        enter, other = self._ranks.hint("rank-open"), self._ranks.hint("next-report")
        self.say(f"works in a report's own view: {enter} twice, or {other}, opens it")

    def _begin(self, at: int) -> None:
        ranks = self._ranks
        assert ranks.scene is not None
        facts, waits = ranks.scene.ranks[at], ranks.scene.waits_of(at)
        ranks.opening = at
        self.say(f"opening the lanes of {safe(facts.title)}")
        load = self._shell.load_of(facts.path)
        busy, gap = ranks.busy, ranks.min_gap_ns

        def open_columns(dropped: Event) -> Opened:
            outcome = load.start().wait()
            if outcome is None or outcome.capture is None:
                return Opened(None, None, outcome.error if outcome is not None else None)
            capture = outcome.capture
            capture.books(busy, gap)
            with capture.lookups() as index:
                return Opened(capture, exact_times(index, facts, waits), None)

        self._shell.background.run(COLUMNS, rank_key(facts), open_columns)

    def receive(self, news: News) -> None:
        """Show the lanes of a rank whose columns have been opened, or say why they can't be."""
        ranks = self._ranks
        opened: Opened = news.answer
        scene, at = ranks.scene, ranks.opening
        ranks.opening = -1
        if scene is None or at < 0 or rank_key(scene.ranks[at]) != news.key:
            return  # another rank is wanted by now
        title = safe(scene.ranks[at].title)
        if isinstance(opened.error, NsystuiError):
            self.say(f"{title}: {safe(str(opened.error))}")
        elif opened.error is not None:
            raise opened.error
        elif opened.capture is not None and opened.times is not None:
            scene.exact[at] = opened.times
            ranks.opened_rank = OpenedRank(at, opened.capture)
            ranks.arrange()
            self._bring_into_sight()
            key = ranks.hint("rank-open")
            self.say(f"{title}: its own lanes below; {key} again opens its report")

    def _bring_into_sight(self) -> None:
        """Scroll so far that the opened lanes can be seen, and go there where the screen is full."""
        view = self.view
        line = view.line_of(OPENED, 0)
        if line is not None and line >= view.top + self._ranks.room:
            view.resize(view.cells, self._ranks.room)
            view.go_line(min(line + self._ranks.room - 3, len(view.lines) - 1))
            view.go_line(line)

    def back(self) -> None:
        """Show the view before; without one, take the rank's own lanes away."""
        ranks = self._ranks
        if self.view.back():
            return
        if ranks.opened_rank is None:
            self.say("no view before this one")
            return
        at, ranks.opened_rank = ranks.opened_rank.at, None
        ranks.arrange()
        ranks.go_rank(at)
