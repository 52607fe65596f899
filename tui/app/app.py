"""The explorer: ties together screen, reports, work in the background and terminal."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from rich.color import ColorSystem
from rich.console import COLOR_SYSTEMS, RenderableType
from textual.binding import BindingType
from textual.message import Message
from textual.timer import Timer

from tui.analysis.index import Busy
from tui.app.driver import RobustDriver
from tui.app.exporter import EXPORT
from tui.app.figures import PAGE
from tui.app.keys import RANKS, SCREEN
from tui.app.looks import Looks
from tui.app.painter import Frugal, Painter, Shown
from tui.app.reports import Reports
from tui.app.screens.main import MainScreen, keyed
from tui.app.settings import Config
from tui.app.textual_private import ChopsUpdate, LayoutUpdate, OpenApp
from tui.browse.arranger import STATE
from tui.browse.background import Background, News
from tui.browse.late_lanes import LANES
from tui.browse.loader import PART, WHOLE, Load
from tui.browse.pages import TABS, Tab
from tui.browse.ranks.kinds import COLUMNS, SCENE
from tui.browse.state import Browse, ReportPlace
from tui.browse.step_pair import STEPS, Compared
from tui.text.times import parse_duration

if TYPE_CHECKING:
    from tui.app.sets import Sets
    from tui.browse.ranks.loading import SetLoad

REPORT = "report"
"""The name of the main screen; that of the ranks view is RANKS."""
WATCH_S = 2.0
"""How often to check the report's file for a change."""
PROGRESS_S = 0.15
"""How often to update the progress of a load."""


class Explorer(OpenApp):
    """Shows one of its reports at a time.

    After :meth:`run`, ``crash`` is the exception that ended it, if any, and ``farewell`` a line for stderr.
    """

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = []
    CSS = """
    * { scrollbar-size: 1 1; }
    Input { scrollbar-size: 0 0; }
    """

    @dataclass
    class Arrived(Message):
        """The background has news for the screen's thread."""

        news: News

    def __init__(
        self,
        load: Load,
        paths: Sequence[Path],
        config: Config,
        looks: Looks,
        reopen: Callable[[Path], Load],
        tabs: Sequence[Tab] = TABS,
        ranks: SetLoad | None = None,
        set_of: Callable[[], SetLoad] | None = None,
    ) -> None:
        """Show the report of ``load``, or the ``ranks`` of all; ``set_of`` makes a set of an only report."""
        self.looks = looks  # for get_css_variables, which the base class calls at once
        shown = self._shown = Shown()

        class Driver(RobustDriver):
            ascii_only = looks.ascii

            def forget_screen(self) -> None:
                shown.forget()

        super().__init__(driver_class=Driver, ansi_color=True)
        self.farewell = ""
        self.background = Background(self._post)
        self.browse = Browse(
            ReportPlace(paths[0], count=len(paths)),
            looks.drawing,
            lambda action: config.keymap.hint(action, looks.ascii),
            busy=Busy(config.busy),
            min_gap_ns=parse_duration(config.min_gap),
            absolute=config.time == "as recorded",
            limits=config.diagnose,
            tabs=tabs,
        )
        self.main = keyed(MainScreen, SCREEN, config.keymap)(self.browse, looks, config.keymap, self)
        self.reports = Reports(paths, load, reopen, self.main, self.background.deliver, self._fail)
        self.load_of = reopen
        self._set_of = set_of
        self._config = config
        self.sets = self._sets_of(ranks, paths, config) if ranks is not None else None
        self._failure: Exception | None = None
        self._progress_timer: Timer | None = None
        colours = self.console.color_system
        self._painter = Painter(COLOR_SYSTEMS[colours] if colours else ColorSystem.TRUECOLOR)

    def _sets_of(self, ranks: SetLoad, paths: Sequence[Path], config: Config) -> Sets:
        """Make the ranks view over the reports at ``paths``."""
        from tui.app.screens.ranks import RanksScreen
        from tui.app.sets import Sets
        from tui.browse.ranks.browse import RanksBrowse

        looks, keymap = self.looks, config.keymap
        browse = RanksBrowse(paths[0], looks.drawing, lambda action: keymap.hint(action, looks.ascii))
        screen = keyed(RanksScreen, RANKS, keymap)(browse, looks, keymap, self)
        return Sets(
            ranks, screen, browse, self.browse, paths, self._show_report, self._show_ranks, self._fail
        )

    def get_css_variables(self) -> dict[str, str]:
        ground, fill = self.looks.background, self.looks.theme.fill
        return super().get_css_variables() | {
            **dict.fromkeys(("background", "surface", "panel"), ground),
            "foreground": "#d5dde5" if fill else "ansi_default",
            "border": "#3a4652" if fill else "ansi_default",
        }

    def on_mount(self) -> None:
        if self.sets is not None:
            self._install()
            self.push_screen(RANKS)
        else:
            self.push_screen(self.main)
        loop = asyncio.get_running_loop()
        for number in () if self.is_headless else (signal.SIGTERM, signal.SIGHUP):
            try:
                loop.add_signal_handler(number, self._ended_by, number)
            except (NotImplementedError, RuntimeError, ValueError):
                continue  # no main thread (tests) or no such signal
        self._progress_timer = self.set_interval(PROGRESS_S, self._show_progress)
        self.set_interval(WATCH_S, self.check_file)

    # Work in the background ----------------------------------------------------------------

    @property
    def computing(self) -> bool:
        """Whether anything is still being loaded, worked out or written."""
        return self._loading or not self.background.at_rest

    @property
    def _loading(self) -> bool:
        """Whether what is on the screen is still being read."""
        if self.sets is not None and (self.sets.loading or self.sets.shown):
            return self.sets.loading
        return self.reports.loading

    def _post(self, news: News) -> bool:
        try:
            return self.post_message(self.Arrived(news))
        except RuntimeError:  # the loop has ended
            return False

    def on_explorer_arrived(self, event: Arrived) -> None:
        news = event.news
        self.background.arrived(news)
        if news.kind in (PART, WHOLE, SCENE):
            if self.sets is not None and news.kind == SCENE:
                self.sets.receive(news)
            else:
                self.reports.receive(news)
            if self._progress_timer is not None and not self._loading:
                self._progress_timer.pause()  # an idle explorer never wakes up
        elif self.sets is not None and news.kind == COLUMNS and news.error is None:
            self.sets.screen.opener.receive(news)
            self.sets.screen.refresh_view()
        elif self.sets is not None and news.kind == PAGE and self.sets.shown:
            self.sets.screen.figures.receive(news)
        elif news.kind == LANES:
            self.main.lane_loaded(news)
        elif news.kind == PAGE:
            self.main.figures.receive(news)
        elif news.error is not None:
            raise news.error
        else:
            if news.kind == EXPORT or (news.kind == STATE and news.answer):
                self.browse.message = news.answer
            elif news.kind == STEPS and isinstance(news.answer, Compared):
                self.browse.message = ""
                self.main.dialogs.compared(news.answer)
            elif news.kind == STEPS:
                self.browse.message = news.answer
            self.main.refresh_view()

    # Reports -------------------------------------------------------------------------------

    def screen_ready(self) -> None:
        """Show the report, or its progress, on the screen that has just been mounted; or the set's."""
        self._show_progress()
        if self.sets is not None and self.sets.shown:
            self.call_after_refresh(self.sets.load.start, self.background.deliver)
            return
        self.reports.follow()
        self.call_after_refresh(self.reports.load.go_on)

    def _show_progress(self) -> None:
        if self.sets is not None and self.sets.shown:
            self.sets.show_progress()
        elif self.main.is_mounted:
            self.reports.show_progress()

    def _open(self, position: int) -> None:
        if self._progress_timer is not None:
            self._progress_timer.resume()
        self.reports.open(position)

    def _show_report(self, position: int) -> None:
        """Open a report of a set over the ranks view."""
        if not self.main.is_mounted:
            self.reports.begin(position)
            self.switch_screen(REPORT)
            return
        if self.main not in self.screen_stack:
            self.switch_screen(REPORT)
        self._open(position)

    def _show_ranks(self) -> None:
        """Show the ranks view again."""
        self.reports.load.cancel()
        self.switch_screen(RANKS)

    def _install(self) -> None:
        """Keep both screens, whichever of them is shown."""
        assert self.sets is not None
        self.install_screen(self.main, REPORT)
        self.install_screen(self.sets.screen, RANKS)

    def _show_own_ranks(self) -> bool:
        """Show the ranks of the only report, where it holds several; False where it doesn't."""
        capture = self.browse.capture
        if self._set_of is None or capture is None or capture.loading or not capture.several_ranks:
            return False
        if self.sets is None:
            self.sets = self._sets_of(self._set_of(), [self.browse.place.path], self._config)
            self._install()
        self.sets.shown = True
        self.switch_screen(RANKS)
        return True

    def open_report(self, at: int) -> None:
        """Open the report of a rank of the set."""
        if self.sets is not None:
            self.sets.open(at)

    def next_report(self) -> None:
        """Open the next report of the command line."""
        place = self.browse.place
        if self.sets is not None:
            self.sets.next()
        elif place.count == 1 and self._show_own_ranks():
            return
        elif place.count == 1:
            self.browse.message = "only one report was given; name several on the command line to switch"
        else:
            self._open((place.position + 1) % place.count)

    def reload(self) -> None:
        """Open the report again; of a set, read again what has changed."""
        if self.sets is not None and self.sets.shown:
            self.sets.reload(self.background.deliver)
            return
        self._open(self.browse.place.position)

    def open_with_step(self, name: str | None) -> None:
        """Open the report again with another range as its step."""
        if self._progress_timer is not None:
            self._progress_timer.resume()
        self.reports.open_with_step(name)

    def check_file(self) -> None:
        """Say once when the open report has been replaced or removed on disk."""
        if self.sets is not None and self.sets.shown:
            return
        if (change := self.reports.change_on_disk()) is not None:
            self.browse.message = change
            self.main.refresh_bars()

    # The terminal --------------------------------------------------------------------------

    @property
    def behind(self) -> int:
        """How many frames the terminal has not shown yet."""
        driver = self.terminal_driver
        return driver.behind if isinstance(driver, RobustDriver) else 0

    def painted(self, update: ChopsUpdate | LayoutUpdate) -> RenderableType:
        """Return the update as one that writes only what changed."""
        return Frugal(update, self._painter, self._shown)

    def post_display_hook(self) -> None:
        driver = self.terminal_driver
        if isinstance(driver, RobustDriver):
            driver.frame_done()

    def on_resize(self) -> None:
        self._shown.forget()

    def redraw(self) -> None:
        """Write the whole screen again."""
        self._shown.forget()
        self.refresh(layout=True)

    # Leaving -------------------------------------------------------------------------------

    def note_failure(self, error: Exception) -> None:
        """Keep the error of a page to report it on leaving: it is not fatal."""
        self._failure = self._failure or error

    def leave(self) -> None:
        """Quit."""
        self._end_work()
        self.crash = self.crash or self._failure
        self.exit()

    def on_unmount(self) -> None:
        self.background.close()

    def _end_work(self) -> None:
        self.reports.load.cancel()
        if self.sets is not None:
            self.sets.load.cancel()
        self.background.close()

    def _ended_by(self, number: signal.Signals) -> None:
        self.farewell = f"nsystui: ended by {number.name}"
        self._end_work()
        self.exit(return_code=128 + number)

    def _fail(self, error: BaseException) -> None:
        self.crash = error
        self.exit()
