"""What all actions of the main screen stand on: the open report, the view, the status message."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from textual.screen import Screen

from tui.analysis.index import Busy
from tui.analysis.scope import Window
from tui.app.looks import Looks
from tui.app.settings import Config
from tui.app.widgets.page import PageView
from tui.app.widgets.prompt import Prompt
from tui.app.widgets.timeline import Timeline
from tui.browse.capture import Capture, GapBook
from tui.browse.clock import Clock
from tui.browse.state import Backdrop, Browse, ReportPlace
from tui.browse.target import Target, target_of
from tui.browse.view import View
from tui.text.times import brief, parse_duration

if TYPE_CHECKING:
    from tui.app.app import Explorer


class Stage(Screen[None]):
    """State shared by the groups of actions. ``capture`` and ``view`` are None while a report loads."""

    def __init__(self, config: Config, looks: Looks) -> None:
        super().__init__()
        self.config = config
        self.looks = looks
        self.capture: Capture | None = None
        self.view: View | None = None
        self.busy = Busy(config.busy)
        self.absolute = config.time == "as recorded"
        self.min_gap_ns = parse_duration(config.min_gap)
        self.message = ""
        self._books_of: tuple[object, ...] = ()
        self._version = 0

    # Parts ---------------------------------------------------------------------------------

    @property
    def explorer(self) -> Explorer:
        """The app."""
        app: Any = self.app
        return app  # type: ignore[no-any-return]

    @property
    def browse(self) -> Browse:
        app = self.explorer
        place = ReportPlace(app.current_path, app.position, app.report_count, app.load_percent, app.failed)
        browse = Browse(
            place,
            self.looks.drawing,
            lambda action: self.config.keymap.hint(action, self.looks.ascii),
            busy=self.busy,
            min_gap_ns=self.min_gap_ns,
            absolute=self.absolute,
        )
        browse.capture, browse.view, browse.message = self.capture, self.view, self.message
        return browse

    @property
    def timeline(self) -> Timeline:
        return self.query_one(Timeline)

    @property
    def page_view(self) -> PageView:
        return self.query_one("#page", PageView)

    @property
    def prompt(self) -> Prompt:
        return self.query_one(Prompt)

    @property
    def clock(self) -> Clock:
        return Clock(self.capture.origin if self.capture is not None else 0, self.absolute)

    @property
    def books(self) -> Mapping[int, GapBook]:
        """Gaps and blame by device, as far as they have been worked out."""
        return self.capture.known_books(self.busy, self.min_gap_ns) if self.capture is not None else {}

    @property
    def target(self) -> Target | None:
        """The thing under the cursor."""
        if self.capture is None or self.view is None:
            return None
        return target_of(self.view, self.capture, self.books)

    @property
    def window(self) -> Window:
        """What the figures are of: the range, once it has a length, else the whole capture."""
        return self.browse.window

    @property
    def report_path(self) -> Path:
        """The report on the screen, loaded or not."""
        return self.explorer.current_path

    # Bringing the screen up to date --------------------------------------------------------

    def say(self, text: str) -> None:
        """A message in the status line until the next key."""
        self.message = text

    def refresh_view(self) -> None:
        """Everything that depends on view, cursor and range; repaints only what changed."""
        raise NotImplementedError

    def backdrop(self) -> Backdrop:
        """What the timeline draws besides the view."""
        capture = self.capture
        if capture is None:
            return Backdrop()
        books = self.books
        process = self.view.at.lane.process if self.view is not None and self.view.at is not None else -1
        steps = capture.known_step_marks(process)
        parts: tuple[object, ...] = (
            id(capture),
            capture.loading,
            self.busy,
            *map(id, books.values()),
            steps is not None and (len(steps.start), int(steps.start[0]), int(steps.end[-1])),
        )
        if parts != self._books_of:
            self._books_of = parts
            self._version += 1
        return Backdrop(
            gaps={device: book.marks for device, book in books.items()},
            steps=steps,
            devices=capture.known_coverages(self.busy),
            clock=self.clock,
            version=self._version,
        )

    def length(self, ns: int) -> str:
        """A duration in a few characters."""
        return brief(ns)
