"""What the explorer shows, without a screen: the open report, the view, and the choices for the figures."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

from tui.analysis.index import Busy
from tui.analysis.scope import Window
from tui.browse.capture import Capture, GapBook
from tui.browse.clock import Clock
from tui.browse.drawing import Drawing
from tui.browse.focus import Focus, focus_of
from tui.browse.listing import LaneEvents, Subject
from tui.browse.page import Page
from tui.browse.pages import TABS, Tab, offered
from tui.browse.pages.area import area_page
from tui.browse.pages.request import PageRequest
from tui.browse.target import Target, target_of
from tui.browse.view import View
from tui.intervals import Coverage
from tui.report.spool import give_back
from tui.timeline.canvas import GapMarks
from tui.timeline.found import Found
from tui.timeline.lane import Lane
from tui.timeline.ruler import StepMarks
from tui.timeline.viewport import Viewport

LARGE = 500_000
"""Ops from which a page's sums take so much memory that what was freed is handed back to the system."""


@dataclass(frozen=True)
class Backdrop:
    """What the timeline draws besides the view; ``version`` changes with the gaps, steps or devices."""

    gaps: Mapping[int, GapMarks] = field(default_factory=dict)
    steps: StepMarks | None = None
    devices: Sequence[Coverage] = ()
    clock: Clock = field(default_factory=lambda: Clock(0))
    version: int = 0
    found: Found | None = None
    """What is searched for."""


@dataclass(frozen=True)
class Arrival:
    """Where another view was, in the times of the report that is opened: it goes on from there."""

    viewport: Viewport
    cursor: int
    message: str = ""
    """What to say there."""


@dataclass
class ReportPlace:
    """Which of the reports on the command line is on the screen, and how much of it has been read."""

    path: Path
    position: int = 0
    count: int = 1
    percent: int | None = None
    """None: not known."""
    failed: bool = False
    """Whether it can't be opened."""
    rank: str = ""
    """Which rank it is, where the set that it is of says so: ``rank 2``."""

    @property
    def words(self) -> str:
        """Say which report this is of several: ``rank 2 · 3/9``; empty for an only one."""
        place = f"{self.position + 1}/{self.count}" if self.count > 1 else ""
        return " · ".join(part for part in (self.rank, place) if part)


class Browse:
    """The explorer's state. ``capture`` and ``view`` are None while no report is open.

    ``hint`` returns the key of an action as it is shown, for the hints in header and status line.
    ``limits``: thresholds of the diagnosis that the user changed. ``tabs``: those of the side pane.
    """

    def __init__(
        self,
        place: ReportPlace,
        drawing: Drawing,
        hint: Callable[[str], str] = lambda action: "",
        *,
        busy: Busy = Busy.ALL,
        min_gap_ns: int,
        absolute: bool = True,
        limits: Mapping[str, Any] | None = None,
        tabs: Sequence[Tab] = TABS,
    ) -> None:
        self.place = place
        self.drawing = drawing
        self.hint = hint
        self.busy = busy
        self.min_gap_ns = min_gap_ns
        self.absolute = absolute
        self.limits = limits or {}
        self.capture: Capture | None = None
        self.view: View | None = None
        self.tabs = tabs
        self.tab = tabs[0]
        self.message = ""
        """What the status line says until the next key."""
        self.arrival: Arrival | None = None
        """Where to begin in the report that is being opened; None: at its beginning."""
        self.listed: Subject | None = None
        """What the list of events is of; None: the lane under the cursor."""
        self.found: Found | None = None
        """The events that the search found, which the timeline points out."""
        self.of_set = False
        """Whether :attr:`leave` shows a set of reports again."""
        self.leave: Callable[[], bool] = lambda: False
        """Goes back to where the report was opened from; False where that was the command line."""
        self._drawn_from: tuple[object, ...] = ()
        self._version = 0

    # What is open --------------------------------------------------------------------------

    @property
    def ready(self) -> bool:
        """Whether there is anything to show."""
        return self.capture is not None

    @property
    def opened(self) -> tuple[Capture, View]:
        """The open report and its view; there must be one."""
        assert self.capture is not None
        assert self.view is not None
        return self.capture, self.view

    def open(self, capture: Capture) -> View:
        """Show another report from its beginning."""
        self.capture = capture
        self.listed = None
        view = self.view = View(capture.shown, capture.span, (capture.home.start, capture.home.end))
        return view

    def grow(self, capture: Capture) -> bool:
        """Show more of the report that is open: what the user chose stays.

        Returns whether to call :meth:`go_to_choice`: nobody has moved yet, and the choice has changed.
        """
        before, view = self.opened
        untouched = view.untouched
        self.capture = capture
        self.listed = None
        view.grow(capture.shown, capture.span, (capture.home.start, capture.home.end))
        return untouched and capture.scope.window != before.scope.window

    def go_to_choice(self) -> None:
        """Go to the range that the command line chose; call it once the view has its size."""
        capture, view = self.opened
        window = capture.scope.window
        if window.chosen:
            view.select(window.start, window.end)
            view.fit(window.start, window.end)
            view.go(window.start)
            view.start_here()
        self.message = window.note or ""
        if (arrival := self.arrival) is not None:
            self.arrival = None
            view.show(Viewport.at(arrival.viewport.start, arrival.viewport.ns_per_cell))
            view.history.back.clear()
            view.go(arrival.cursor)
            self.message = arrival.message or self.message

    def close(self) -> None:
        """Close the report."""
        self.capture = self.view = None

    # What is shown -------------------------------------------------------------------------

    @property
    def clock(self) -> Clock:
        return Clock(self.capture.home.start if self.capture is not None else 0, self.absolute)

    @property
    def books(self) -> Mapping[int, GapBook]:
        """Gaps and blame by device, as far as they have been worked out."""
        return self.capture.books_so_far(self.busy, self.min_gap_ns) if self.capture is not None else {}

    @property
    def target(self) -> Target | None:
        """The thing under the cursor."""
        if self.capture is None or self.view is None:
            return None
        return target_of(self.view, self.capture, self.books)

    @property
    def here(self) -> tuple[int, int] | None:
        """Start and end of what the last move went to, else of the thing under the cursor."""
        if self.view is not None and self.view.aim is not None:
            return self.view.aim
        target = self.target
        return None if target is None else (target.start, target.end)

    @property
    def window(self) -> Window:
        """The window of the figures: the selection, once it has a length, else the work window."""
        assert self.capture is not None
        chosen = self.view.chosen if self.view is not None else None
        choice = self.capture.scope.window
        if chosen is None:
            return self.capture.home
        if choice.chosen and chosen == (choice.start, choice.end):
            return choice  # with the label that the command line gives it
        steps = self.capture.step_marks(self.process)
        if steps is not None and (name := steps.name_of(chosen)):
            return Window(*chosen, label=name, chosen=True)
        clock = self.clock
        label = f"selection {clock.at(chosen[0], 10**5)} to {clock.at(chosen[1], 10**5)}"
        return Window(*chosen, label=label, chosen=True)

    @property
    def process(self) -> int:
        """The process (its position) of the line under the cursor; -1 for none."""
        at = self.view.at if self.view is not None else None
        return at.lane.process if at is not None else -1

    def backdrop(self) -> Backdrop:
        """Return what the timeline draws besides the view."""
        capture, books = self.capture, self.books
        if capture is None:
            return Backdrop()
        steps = capture.step_marks(self.process)
        ends = steps is not None and (len(steps.start), int(steps.start[0]), int(steps.end[-1]))
        parts = (id(capture), capture.loading, self.busy, ends, *map(id, books.values()))
        if parts != self._drawn_from:
            self._drawn_from = parts
            self._version += 1
        return Backdrop(
            gaps={device: book.marks for device, book in books.items()},
            steps=steps,
            devices=capture.coverages(self.busy),
            clock=self.clock,
            version=self._version,
            found=self.found,
        )

    @property
    def offered_tabs(self) -> Sequence[Tab]:
        """The tabs that the pane names."""
        return offered(self.capture.report if self.capture is not None else None, self.tabs, self.tab)

    # The page of the pane ------------------------------------------------------------------

    def question(self) -> Hashable:
        """Return everything on which the page depends."""
        loading = self.capture and self.capture.loading
        subject = self.subject if self.tab.lists_events else None
        choices = self.window, self.busy, self.min_gap_ns, self.clock
        return self.capture, loading, self.tab.name, *choices, self.focus, subject, self.area

    @property
    def focus(self) -> Focus:
        """What the cursor is on, where the page of the current tab depends on it."""
        return focus_of(self.view, self.target) if self.tab.follows_cursor else Focus()

    @property
    def area(self) -> tuple[Lane, ...]:
        """The lanes that are chosen with the range; none where it is of all."""
        return self.view.area if self.view is not None and self.view.chosen is not None else ()

    @property
    def subject(self) -> Subject | None:
        """What the list of events is of; None where there is no lane."""
        if self.listed is not None or self.view is None or self.view.at is None:
            return self.listed
        return LaneEvents(self.view.at.lane)

    def settle_subject(self) -> None:
        """Keep the list to the lane under the cursor: walking its events moves the cursor."""
        self.listed = self.subject if self.tab.lists_events else self.listed

    def page_job(self) -> Callable[[Event], Page]:
        """Return the work that builds the page of the current tab, with the choices of this moment."""
        capture, tab = self.capture, self.tab
        assert capture is not None
        choices = (self.window, self.busy, self.min_gap_ns, self.clock, self.limits)
        focus, subject, area = self.focus, self.subject, self.area

        def build(dropped: Event) -> Page:
            with capture.lookups() as index:
                request = PageRequest(capture, index, *choices, dropped.is_set, focus, subject)
                page = [*area_page(request, area), *tab.build(request)]
            if len(capture.report.ops) >= LARGE:
                give_back()
            return page

        return build
