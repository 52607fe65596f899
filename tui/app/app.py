"""The explorer: opens reports beside the screen, shows progress, survives what terminals and files do."""

from __future__ import annotations

import asyncio
import signal
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from rich.color import ColorSystem
from rich.console import RenderableType
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.app import App
from textual.binding import BindingType
from textual.screen import Screen
from textual.timer import Timer

from tui.app.analyst import Analyst
from tui.app.driver import RobustDriver
from tui.app.keys import textual_key
from tui.app.looks import Looks
from tui.app.painter import Frugal, Painter, Shown
from tui.app.screens.main import MainScreen
from tui.app.settings import Config
from tui.browse.capture import Capture
from tui.browse.loader import Load, Outcome, identity_of
from tui.browse.page import Page
from tui.errors import NsystuiError
from tui.text import safe

WATCH_S = 2.0
"""How often the report's file is looked at for a change."""
PROGRESS_S = 0.15


class Explorer(App[None]):
    """Shows one report at a time of those it was given.

    After :meth:`run`, ``crash`` holds an exception that ended it, and ``farewell`` a line for stderr.
    """

    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar[list[BindingType]] = []
    CSS = """
    * { scrollbar-size: 1 1; }
    Input { scrollbar-size: 0 0; }
    """

    def __init__(
        self,
        load: Load,
        paths: Sequence[Path],
        config: Config,
        looks: Looks,
        reopen: Callable[[Path], Load],
    ) -> None:
        self._shown = Shown()
        shown = self._shown

        class Driver(RobustDriver):
            ascii_only = looks.ascii

            def taken(self) -> None:
                shown.forget()

        super().__init__(driver_class=Driver, ansi_color=True)
        self.config = config
        self.looks = looks
        self.crash: BaseException | None = None
        self.farewell = ""
        self.failed = False
        self.position = 0
        self.analyst: Analyst[Page | None] = Analyst(self._deliver)
        self._paths = list(paths)
        self._load = load
        self._reopen = reopen
        self.main = MainScreen(config, looks)
        self._seen = load.identity
        self._failure: Exception | None = None
        self._coming: deque[Callable[[], None]] = deque()
        """What other threads have handed over and is not done yet."""
        self._progress_timer: Timer | None = None
        self._painter = Painter(self.console._color_system or ColorSystem.TRUECOLOR)
        overrides = {
            action: ",".join(textual_key(key) for key in keys)
            for action, keys in config.keymap.overrides.items()
            if keys
        }
        self.set_keymap(overrides)

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

    # Reports -------------------------------------------------------------------------------

    @property
    def computing(self) -> bool:
        """Whether anything is still being loaded, worked out or written."""
        return (self._load.outcome is None and not self.failed) or not self.at_rest

    @property
    def at_rest(self) -> bool:
        """Whether all that was asked for of what is loaded has been worked out and shown."""
        working = any(worker.is_running for worker in self.workers)
        return self.analyst.at_rest and not working and not self._coming

    @property
    def current_path(self) -> Path:
        return self._paths[self.position]

    @property
    def report_count(self) -> int:
        return len(self._paths)

    def screen_ready(self) -> None:
        """The main screen is there: show the report, or its loading, on it."""
        self._show_progress()
        self._follow_load()
        self.call_after_refresh(self._load.go_on)

    def _follow_load(self) -> None:
        load = self._load

        def done(outcome: Outcome) -> None:
            self._from_thread(lambda: self._loaded(load, outcome))

        def more(part: Capture) -> None:
            self._from_thread(lambda: self._part_loaded(load, part))

        load.on_part(more)
        load.on_done(done)

    def _from_thread(self, call: Callable[[], None]) -> None:
        loop = self._loop
        if loop is None or loop.is_closed():
            return
        self._coming.append(call)

        def arrived() -> None:
            self._coming.popleft()
            call()

        loop.call_soon_threadsafe(lambda: self.call_later(arrived))

    def _part_loaded(self, load: Load, part: Capture) -> None:
        """Show what there is of a report that is still being read."""
        if load is self._load and load.outcome is None:
            self.main.show_capture(part)
            self.work_out_gaps()

    def _loaded(self, load: Load, outcome: Outcome) -> None:
        if load is not self._load:
            return
        if self._progress_timer is not None:
            self._progress_timer.pause()  # an idle explorer wakes nobody
        if outcome.capture is not None:
            self.failed = False
            self.main.show_capture(outcome.capture)
            self.work_out_gaps()
        elif isinstance(outcome.error, NsystuiError):
            self._open_failed(outcome.error)
        else:
            self.crash = outcome.error
            self.exit()

    def _open_failed(self, error: NsystuiError) -> None:
        """The only report can't be opened: leave with its line. One of several: say it and stay."""
        if len(self._paths) == 1 and (self.main.capture is None or self.main.capture.loading):
            self.crash = error
            self.exit()
            return
        self.failed = True
        key = self.config.keymap.hint("next-report", self.looks.ascii)
        self.main.show_loading([safe(str(error)), "", f"{key} opens the next report"])

    def _show_progress(self) -> None:
        if self._load.outcome is not None or not self.main.is_mounted:
            return
        if self.main.capture is not None:  # a part is on the screen: its header tells how far it is
            self.main.refresh_bars()
            return
        progress = self._load.progress
        lines = [f"loading {safe(self.current_path.name)}"]
        if progress is not None:
            share = f"{self.load_percent}% of {progress.total:,} rows" if progress.total else ""
            lines += ["", f"{share}  {progress.stage}".strip()]
        self.main.show_loading(lines)

    @property
    def load_percent(self) -> int | None:
        """How much of the report has been read; None: not known."""
        progress = self._load.progress
        return 100 * progress.done // progress.total if progress is not None and progress.total else None

    def open_position(self, position: int) -> None:
        """Open report ``position`` of those given."""
        self._load.cancel()
        self.position = position
        self.failed = False
        self._load = self._reopen(self.current_path).start()
        self._seen = self._load.identity
        if self._progress_timer is not None:
            self._progress_timer.resume()
        self.main.show_loading([f"loading {safe(self.current_path.name)}"])
        self._follow_load()

    def next_report(self) -> None:
        """The next of the reports on the command line."""
        if len(self._paths) == 1:
            self.main.say("only one report was given; name several on the command line to switch")
            self.main.refresh_view()
        else:
            self.open_position((self.position + 1) % len(self._paths))

    def reload(self) -> None:
        """Open the current report again."""
        self.open_position(self.position)

    def look_at_file(self) -> None:
        """Say once when the open report was replaced or removed on disk."""
        if self.main.capture is None:
            return
        now = identity_of(self.current_path)
        if now == self._seen:
            return
        self._seen = now
        if now == self._load.identity:
            return
        key = self.config.keymap.hint("reload", self.looks.ascii)
        gone = "was removed from disk: what you see is what it held"
        text = (
            gone if now is None else f"changed on disk: what you see is the old content, {key} opens the new"
        )
        self.main.say(f"{safe(self.current_path.name)} {text}")
        self.main.refresh_bars()

    # Figures -------------------------------------------------------------------------------

    def work_out_gaps(self) -> None:
        """Have gaps, blame and steps of the open report worked out for the timeline, if they aren't yet."""
        capture = self.main.capture
        if capture is None:
            return
        busy, min_gap_ns = self.main.busy, self.main.min_gap_ns
        if capture.has_books(busy, min_gap_ns):  # the pane's page was quicker
            self.main.refresh_view()
            return

        def work() -> None:
            try:
                capture.books(busy, min_gap_ns)
            except Exception as error:
                failure = error
                self._from_thread(lambda: self._fail(failure))
                return
            self._from_thread(lambda: self._gaps_known(capture))

        self.run_worker(work, thread=True, group="gaps", exit_on_error=False)

    def _gaps_known(self, capture: Capture) -> None:
        if capture is self.main.capture:
            self.main.refresh_view()

    def _deliver(self, key: Hashable, answer: object) -> None:
        self._from_thread(lambda: self.main.deliver(key, answer))

    def note_failure(self, error: Exception) -> None:
        """A page failed: not fatal, but told when leaving."""
        self._failure = self._failure or error

    # The terminal --------------------------------------------------------------------------

    @property
    def behind(self) -> int:
        """Frames that the terminal has not shown yet."""
        driver = self._driver
        return driver.behind if isinstance(driver, RobustDriver) else 0

    def _display(self, screen: Screen[Any], renderable: RenderableType | None) -> None:
        """Textual's way to the terminal, with a thriftier last step."""
        if isinstance(renderable, (ChopsUpdate, LayoutUpdate)):
            renderable = Frugal(renderable, self._painter, self._shown)
        super()._display(screen, renderable)

    def post_display_hook(self) -> None:
        driver = self._driver
        if isinstance(driver, RobustDriver):
            driver.frame_done()

    def on_resize(self) -> None:
        self._shown.forget()

    def redraw(self) -> None:
        """Write the whole screen again."""
        self._shown.forget()
        self.refresh(layout=True)

    # Leaving -------------------------------------------------------------------------------

    def leave(self) -> None:
        """Quit."""
        self._load.cancel()
        self.analyst.close()
        self.crash = self.crash or self._failure
        self.exit()

    def on_unmount(self) -> None:
        self.analyst.close()

    def _ended_by(self, number: signal.Signals) -> None:
        self.farewell = f"nsystui: ended by {number.name}"
        self._load.cancel()
        self.analyst.close()
        self.exit(return_code=128 + number)

    def _fail(self, error: Exception) -> None:
        self._handle_exception(error)

    def _fatal_error(self) -> None:
        """An exception in a handler: restore the screen and leave; who started the app tells it."""
        self.crash = self._exception
        self._close_messages_no_wait()

    def panic(self, *renderables: object) -> None:
        """Textual's way to report trouble in its threads."""
        self.crash = self.crash or RuntimeError("the terminal's input failed")
        self._close_messages_no_wait()
