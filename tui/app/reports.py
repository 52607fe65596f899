"""Open the reports of the command line, one at a time, and follow how far each has loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tui.app.screens.main import MainScreen
from tui.browse.background import News
from tui.browse.loader import PART, Load, Outcome, identity_of
from tui.errors import NsystuiError
from tui.text import safe


class Reports:
    """Shows one report at a time on ``screen`` and keeps which one in the ``place`` of its browse state.

    ``deliver`` passes the news of a load to :meth:`receive` on the screen's thread; ``fail`` ends the app.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        load: Load,
        reopen: Callable[[Path], Load],
        screen: MainScreen,
        deliver: Callable[[News], None],
        fail: Callable[[BaseException], None],
    ) -> None:
        self.load = load
        self._paths = list(paths)
        self._reopen = reopen
        self._screen = screen
        self._browse = screen.browse
        self._deliver = deliver
        self._fail = fail
        self._seen = load.identity
        self._steps: dict[int, str | None] = {}
        """The range that the user made the step, by position."""

    @property
    def loading(self) -> bool:
        """Whether the report is still being read."""
        return self.load.outcome is None and not self._browse.place.failed

    def follow(self) -> None:
        """Have what has loaded of the report delivered, now and as more comes."""
        self.load.listen(self._deliver)

    def receive(self, news: News) -> None:
        """Show more of the report, or the outcome of its load."""
        if news.key is not self.load:
            return
        if news.kind == PART:
            if self.load.outcome is None:
                self._screen.show_capture(news.answer)
            return
        outcome: Outcome = news.answer
        if outcome.capture is not None:
            self._browse.place.failed = False
            self._screen.show_capture(outcome.capture)
        elif isinstance(outcome.error, NsystuiError):
            self._open_failed(outcome.error)
        elif outcome.error is not None:
            self._fail(outcome.error)

    def _open_failed(self, error: NsystuiError) -> None:
        """Leave with the error of an only report; show that of one among several."""
        capture, place = self._browse.capture, self._browse.place
        if place.count == 1 and (capture is None or capture.loading):
            self._fail(error)
            return
        place.failed = True
        key = self._browse.hint("next-report")
        self._screen.show_loading([safe(str(error)), "", f"{key} opens the next report"])

    def show_progress(self) -> None:
        """Show how much of the report has been read."""
        if self.load.outcome is not None:
            return
        place, progress = self._browse.place, self.load.progress
        place.percent = progress.percent if progress is not None else None
        if self._browse.capture is not None:  # a part is on the screen: its header shows the progress
            self._screen.refresh_bars()
            return
        lines = [f"loading {safe(place.path.name)}"]
        if progress is not None:
            lines += ["", f"{progress.share}  {progress.stage}".strip()]
        self._screen.show_loading(lines)

    def open(self, position: int) -> None:
        """Open the report at ``position`` on the command line."""
        self.begin(position)
        self._screen.show_loading([f"loading {safe(self._browse.place.path.name)}"])
        self.follow()

    def open_with_step(self, name: str | None) -> None:
        """Open the report again with another range as its step; None: the one that the rule finds."""
        position = self._browse.place.position
        self._steps[position] = name
        self.open(position)

    def begin(self, position: int) -> None:
        """Begin to load it; the screen isn't there yet."""
        self.load.cancel()
        place = self._browse.place
        place.path, place.position = self._paths[position], position
        place.percent, place.failed = None, False
        self.load = self._reopen(place.path)
        if position in self._steps:
            self.load.step_name = self._steps[position]
        self.load.start()
        self._seen = self.load.identity

    def change_on_disk(self) -> str | None:
        """Return a message where the file of the open report has changed since the last call."""
        path = self._browse.place.path
        if self._browse.capture is None:
            return None
        before, self._seen = self._seen, identity_of(path)
        if self._seen in (before, self.load.identity):
            return None
        what = "was removed from disk: what you see is what it held"
        if self._seen is not None:
            key = self._browse.hint("reload")
            what = f"changed on disk: what you see is the old content, {key} opens the new"
        return f"{safe(path.name)} {what}"
