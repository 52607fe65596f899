"""The ranks view beside the screen of one report: which of both is shown, and the ways between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tui.app.screens.ranks import RanksScreen
from tui.browse.background import News
from tui.browse.ranks.browse import RanksBrowse
from tui.browse.ranks.changes import change_words
from tui.browse.ranks.loading import SetLoad
from tui.browse.ranks.scene import RankFacts, Scene
from tui.browse.state import Arrival, Browse
from tui.browse.view import View
from tui.errors import NsystuiError
from tui.text import safe
from tui.text.numbers import plural
from tui.timeline.viewport import Viewport


@dataclass(eq=False)
class Sets:
    """Goes from the ranks view to a report and back, at the same time on the axis."""

    load: SetLoad
    screen: RanksScreen
    browse: RanksBrowse
    report: Browse
    """The state of the screen of one report."""
    paths: Sequence[Path]
    show_report: Callable[[int], None]
    """Opens the report at a position of the command line, on its own screen."""
    show_ranks: Callable[[], None]
    fail: Callable[[BaseException], None]
    shown: bool = True
    """Whether the ranks view is on the screen."""

    _before: Scene | None = None
    """What was shown when the reports were asked to be read again."""

    def __post_init__(self) -> None:
        self.report.leave = self.back
        self.report.of_set = True

    @property
    def loading(self) -> bool:
        """Whether reports are still being summed up."""
        return not self.load.done

    def receive(self, news: News) -> None:
        """Show another scene of the set."""
        if isinstance(news.error, NsystuiError) and self._before is not None:
            self._before = None
            self.browse.message = f"{safe(str(news.error))}: what is shown was read before"
            self.screen.refresh_view()
        elif isinstance(news.error, NsystuiError):
            self.fail(news.error)
        elif news.error is not None:
            raise news.error
        elif self._before is None or news.answer.complete:  # while it is read again, all of it stays
            self.screen.show_scene(news.answer)
            if self._before is not None and news.answer.complete:
                self.browse.message = change_words(self._before, news.answer)
                self._before = None
                self.screen.refresh_bars()

    def reload(self, listener: Callable[[News], None]) -> None:
        """Read again what has changed on disk."""
        scene = self.browse.scene
        self._before = scene if scene is not None and scene.complete else None
        self.browse.message = "reading again what has changed"
        self.load.start(listener)

    def show_progress(self) -> None:
        """Say how many reports have been summed up, before there are lanes."""
        if self.browse.scene is None and self.screen.is_mounted:
            self.screen.show_loading(["summing up " + plural(len(self.paths), "report"), "", self.load.words])

    def open(self, at: int) -> None:
        """Open the report of a rank at the window and the instant that are on the screen."""
        scene = self.browse.scene
        assert scene is not None
        self._open(scene.ranks[at].path, self.browse.view, None)

    def next(self) -> None:
        """From the ranks view to the report under the cursor; from a report to the next; at last back."""
        if self.shown:
            facts = self.browse.facts
            self._open(facts.path if facts is not None else self.paths[0], self.browse.view, None)
            return
        position = self.report.place.position + 1
        if position >= len(self.paths):
            self._keep_instant()
            self.back()
        else:
            self._open(self.paths[position], self.report.view, self._facts(self.report.place.path))

    def _keep_instant(self) -> None:
        """Put the cursor of the ranks view where that of the open report is."""
        view, facts, ranks = self.report.view, self._facts(self.report.place.path), self.browse.view
        if view is None or facts is None or ranks is None:
            return
        time = facts.on_axis(view.cursor)
        if time != ranks.cursor:
            ranks.go(min(max(time, ranks.span[0]), ranks.span[1]))

    def back(self) -> bool:
        """Show the ranks view again."""
        if self.shown:
            return False
        self.shown = True
        self.show_ranks()
        self.screen.refresh_view()
        return True

    def _open(self, path: Path, view: View | None, before: RankFacts | None) -> None:
        """Open a report where ``view`` is: on the axis, or in the times of the report of ``before``."""
        facts = self._facts(path)
        self.report.arrival = None
        if view is not None and facts is not None:

            def there(time: int) -> int:
                return facts.recorded(time if before is None else before.on_axis(time))

            viewport = Viewport(there(view.viewport.start), view.viewport.ns_per_cell)
            self.report.arrival = Arrival(viewport, there(view.cursor))
        self.shown = False
        self.report.place.rank = facts.title if facts is not None and facts.rank.number is not None else ""
        self.show_report(self.paths.index(path))

    def _facts(self, path: Path) -> RankFacts | None:
        """The first rank of a report; None where it can't be drawn."""
        scene = self.browse.scene
        return next((f for f in scene.ranks if f.path == path), None) if scene is not None else None
