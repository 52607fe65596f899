"""Opens the reports that were asked for, one after the other, and follows how far each one is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from tui.browse.background import News
from tui.browse.capture import Capture
from tui.browse.loader import PART, Load, Outcome, identity_of
from tui.browse.state import Browse
from tui.errors import NsystuiError
from tui.text import safe


class ReportScreen(Protocol):
    """Where a report is shown."""

    def show_capture(self, capture: Capture) -> None: ...
    def show_loading(self, lines: list[str]) -> None: ...
    def refresh_bars(self) -> None: ...


class Reports:
    """Which report is on the screen is noted in ``browse.place``. ``fail`` ends the explorer.

    ``deliver`` takes the news of a load to :meth:`receive` on the screen's thread.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        load: Load,
        reopen: Callable[[Path], Load],
        browse: Browse,
        deliver: Callable[[News], None],
        fail: Callable[[BaseException], None],
    ) -> None:
        self.load = load
        self._paths = list(paths)
        self._reopen = reopen
        self._browse = browse
        self._deliver = deliver
        self._fail = fail
        self._seen = load.identity

    @property
    def loading(self) -> bool:
        """Whether the report is still being read."""
        return self.load.outcome is None and not self._browse.place.failed

    def follow(self) -> None:
        """Have what there is of the report delivered, now and as more comes."""
        self.load.listen(self._deliver)

    def receive(self, news: News, screen: ReportScreen) -> None:
        """Show more of the report, or what its load came to."""
        if news.key is not self.load:
            return
        if news.kind == PART:
            if self.load.outcome is None:
                screen.show_capture(news.answer)
            return
        outcome: Outcome = news.answer
        if outcome.capture is not None:
            self._browse.place.failed = False
            screen.show_capture(outcome.capture)
        elif isinstance(outcome.error, NsystuiError):
            self._open_failed(outcome.error, screen)
        elif outcome.error is not None:
            self._fail(outcome.error)

    def _open_failed(self, error: NsystuiError, screen: ReportScreen) -> None:
        """The only report can't be opened: leave with its line. One of several: show the line."""
        capture, place = self._browse.capture, self._browse.place
        if place.count == 1 and (capture is None or capture.loading):
            self._fail(error)
            return
        place.failed = True
        key = self._browse.hint("next-report")
        screen.show_loading([safe(str(error)), "", f"{key} opens the next report"])

    def show_progress(self, screen: ReportScreen) -> None:
        """Show how far the report is read."""
        if self.load.outcome is not None:
            return
        place, progress = self._browse.place, self.load.progress
        known = progress is not None and progress.total
        place.percent = 100 * progress.done // progress.total if progress is not None and known else None
        if self._browse.capture is not None:  # a part is on the screen: its header shows how far it is
            screen.refresh_bars()
            return
        lines = [f"loading {safe(place.path.name)}"]
        if progress is not None:
            share = f"{place.percent}% of {progress.total:,} rows" if known else ""
            lines += ["", f"{share}  {progress.stage}".strip()]
        screen.show_loading(lines)

    def open(self, position: int, screen: ReportScreen) -> None:
        """Open report ``position`` of those given."""
        self.load.cancel()
        place = self._browse.place
        place.path, place.position = self._paths[position], position
        place.percent, place.failed = None, False
        self.load = self._reopen(place.path).start()
        self._seen = self.load.identity
        screen.show_loading([f"loading {safe(place.path.name)}"])
        self.follow()

    def change_on_disk(self) -> str | None:
        """What happened to the file of the open report since it was asked last; None: nothing."""
        place = self._browse.place
        if self._browse.capture is None:
            return None
        now = identity_of(place.path)
        if now == self._seen:
            return None
        self._seen = now
        if now == self.load.identity:
            return None
        what = "was removed from disk: what you see is what it held"
        if now is not None:
            key = self._browse.hint("reload")
            what = f"changed on disk: what you see is the old content, {key} opens the new"
        return f"{safe(place.path.name)} {what}"
