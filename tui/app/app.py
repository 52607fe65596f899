"""The explorer: the screen's thread, the terminal, and the ways out."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from rich.color import ColorSystem
from rich.console import COLOR_SYSTEMS, RenderableType
from textual.binding import BindingType
from textual.message import Message
from textual.timer import Timer

from tui.analysis.index import Busy
from tui.app.driver import RobustDriver
from tui.app.exporter import EXPORT
from tui.app.figures import PAGE
from tui.app.looks import Looks
from tui.app.painter import Frugal, Painter, Shown
from tui.app.reports import Reports
from tui.app.screens.main import main_screen
from tui.app.settings import Config
from tui.app.textual_private import ChopsUpdate, LayoutUpdate, OpenApp
from tui.browse.background import Background, News
from tui.browse.loader import PART, WHOLE, Load
from tui.browse.pages import TABS, Tab
from tui.browse.state import Browse, ReportPlace
from tui.text.times import parse_duration

WATCH_S = 2.0
"""How often the report's file is looked at for a change."""
PROGRESS_S = 0.15


class Explorer(OpenApp):
    """Shows one report at a time of those it was given.

    After :meth:`run`, ``crash`` holds an exception that ended it, and ``farewell`` a line for stderr.
    """

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = []
    CSS = """
    * { scrollbar-size: 1 1; }
    Input { scrollbar-size: 0 0; }
    """

    @dataclass
    class Arrived(Message):
        """A job beside the screen has come to something."""

        news: News

    def __init__(
        self,
        load: Load,
        paths: Sequence[Path],
        config: Config,
        looks: Looks,
        reopen: Callable[[Path], Load],
        tabs: Sequence[Tab] = TABS,
    ) -> None:
        shown = self._shown = Shown()

        class Driver(RobustDriver):
            ascii_only = looks.ascii

            def forget_screen(self) -> None:
                shown.forget()

        super().__init__(driver_class=Driver, ansi_color=True)
        self.looks = looks
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
        self.reports = Reports(paths, load, reopen, self.browse, self.background.deliver, self._fail)
        self.main = main_screen(self.browse, looks, config.keymap, self)
        self._failure: Exception | None = None
        self._progress_timer: Timer | None = None
        colours = self.console.color_system
        self._painter = Painter(COLOR_SYSTEMS[colours] if colours else ColorSystem.TRUECOLOR)

    def get_css_variables(self) -> dict[str, str]:
        variables = super().get_css_variables()
        looks: Looks | None = getattr(self, "looks", None)
        if looks is not None:
            ground = looks.background
            ink = "#d5dde5" if looks.theme.fill else "ansi_default"
            variables.update(
                background=ground,
                surface=ground,
                panel=ground,
                foreground=ink,
                border=ink if not looks.theme.fill else "#3a4652",
            )
        return variables

    def on_mount(self) -> None:
        self.push_screen(self.main)
        loop = asyncio.get_running_loop()
        for number in () if self.is_headless else (signal.SIGTERM, signal.SIGHUP):
            try:
                loop.add_signal_handler(number, self._ended_by, number)
            except (NotImplementedError, RuntimeError, ValueError):
                continue  # no main thread (tests) or no such signal
        self._progress_timer = self.set_interval(PROGRESS_S, self._show_progress)
        self.set_interval(WATCH_S, self.look_at_file)

    # Work beside the screen ----------------------------------------------------------------

    @property
    def computing(self) -> bool:
        """Whether anything is still being loaded, worked out or written."""
        return self.reports.loading or not self.at_rest

    @property
    def at_rest(self) -> bool:
        """Whether all that was asked for of what is loaded has been worked out and shown."""
        return self.background.at_rest

    def _post(self, news: News) -> bool:
        try:
            return self.post_message(self.Arrived(news))
        except RuntimeError:  # the loop has ended: nobody is there to take it
            return False

    def on_explorer_arrived(self, event: Arrived) -> None:
        self.background.arrived()
        news = event.news
        if news.kind in (PART, WHOLE):
            self.reports.receive(news, self.main)
            if self._progress_timer is not None and not self.reports.loading:
                self._progress_timer.pause()  # an idle explorer wakes nobody
        elif news.kind == PAGE:
            self.main.receive_page(news)
        elif news.error is not None:
            raise news.error
        else:
            if news.kind == EXPORT:
                self.browse.message = news.answer
            self.main.refresh_view()

    # Reports -------------------------------------------------------------------------------

    def screen_ready(self) -> None:
        """The main screen is there: show the report, or its loading, on it."""
        self._show_progress()
        self.reports.follow()
        self.call_after_refresh(self.reports.load.go_on)

    def _show_progress(self) -> None:
        if self.main.is_mounted:
            self.reports.show_progress(self.main)

    def _open(self, position: int) -> None:
        if self._progress_timer is not None:
            self._progress_timer.resume()
        self.reports.open(position, self.main)

    def next_report(self) -> None:
        """Open the next of the reports on the command line."""
        place = self.browse.place
        if place.count == 1:
            self.browse.message = "only one report was given; name several on the command line to switch"
        else:
            self._open((place.position + 1) % place.count)

    def reload(self) -> None:
        """Open the report again."""
        self._open(self.browse.place.position)

    def look_at_file(self) -> None:
        """Say once when the open report was replaced or removed on disk."""
        change = self.reports.change_on_disk()
        if change is not None:
            self.browse.message = change
            self.main.refresh_bars()

    # The terminal --------------------------------------------------------------------------

    @property
    def behind(self) -> int:
        """Frames that the terminal has not shown yet."""
        driver = self.terminal_driver
        return driver.behind if isinstance(driver, RobustDriver) else 0

    def painted(self, update: ChopsUpdate | LayoutUpdate) -> RenderableType:
        """Write only what changed."""
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

    def suspend_explorer(self) -> None:
        """Give the terminal back until the shell continues the explorer."""
        self.action_suspend_process()

    # Leaving -------------------------------------------------------------------------------

    def note_failure(self, error: Exception) -> None:
        """A page failed: not fatal, but named when leaving."""
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
        self.background.close()

    def _ended_by(self, number: signal.Signals) -> None:
        self.farewell = f"nsystui: ended by {number.name}"
        self._end_work()
        self.exit(return_code=128 + number)

    def _fail(self, error: BaseException) -> None:
        self.crash = error
        self.exit()
