"""Lanes of values are gathered once they come into sight: beside the screen, or at once for one frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import Event

from tui.browse.background import Background, Dropped, News
from tui.browse.capture import Capture
from tui.browse.state import Browse
from tui.browse.view import View
from tui.errors import NsystuiError
from tui.text import safe
from tui.timeline.lane import Lane
from tui.timeline.series import Failed, OnCpu
from tui.timeline.slices import LaneRows

LANES = "lanes"
"""The kind of the jobs."""


class LateLanes:
    """Has the lanes in sight gathered, one at a time; ``note_failure`` gets the error of a loader."""

    def __init__(
        self, browse: Browse, background: Background, note_failure: Callable[[Exception], None]
    ) -> None:
        self._browse = browse
        self._background = background
        self._note_failure = note_failure
        self._gathered: set[Lane] = set()
        """Lanes whose lines, or error, are on their way to the screen."""

    def load(self) -> None:
        """Have the next lane in sight gathered, once the gaps are known: these are waited for more."""
        browse = self._browse
        capture, view = browse.capture, browse.view
        if capture is None or view is None or not capture.has_books(browse.busy, browse.min_gap_ns):
            return
        lane = next(waiting(view), None)
        if lane is not None:
            self._background.run(LANES, lane, self._job(capture, lane))

    def _job(self, capture: Capture, lane: Lane) -> Callable[[Event], LaneRows]:
        """Return the work that gathers a lane, unless it is done by the time that it begins."""

        def work(dropped: Event) -> LaneRows:
            if lane in self._gathered or not lane.waits:
                raise Dropped
            try:
                return gathered(capture, lane)
            finally:
                self._gathered.add(lane)

        return work

    def receive(self, news: News) -> None:
        """Show the lines that were gathered, or why there are none."""
        lane: Lane = news.key  # type: ignore[assignment]  # the key of every such job
        if news.error is not None:
            self._note_failure(news.error)
        lane.take(news.answer if news.error is None else _failed(news.error))
        self._gathered.discard(lane)
        if self._browse.view is not None:
            self._browse.view.fit_room()


def load_in_sight(browse: Browse) -> bool:
    """Gather the lanes in sight now. Returns whether there were any."""
    capture, view = browse.opened
    found = False
    while (lane := next(waiting(view), None)) is not None:
        lane.take(gathered(capture, lane))
        view.fit_room()
        found = True
    return found


def waiting(view: View) -> Iterator[Lane]:
    """Yield the lanes in sight whose lines have still to be gathered."""
    for line in view.seen:
        if line.lane.waits:
            yield line.lane


def gathered(capture: Capture, lane: Lane) -> LaneRows:
    """Return the lines of a lane; where its data can't be read, one that says so."""
    assert lane.late is not None
    try:
        with capture.lookups() as index:
            rows = lane.late(index)
    except NsystuiError as error:
        return _failed(error)
    for row in rows:
        if isinstance(row, OnCpu):
            _ = row.waiting  # worked out here, not by the first frame
    return rows


def _failed(error: Exception) -> LaneRows:
    return (Failed(title="", words=f"can't be read: {safe(str(error))}"),)
