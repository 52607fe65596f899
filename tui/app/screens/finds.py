"""Actions that jump: to events, steps, gaps, launches, matches and marks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tui.app.screens.stage import Stage
from tui.browse.details import span_of
from tui.browse.page import Instances
from tui.browse.seek import after, device_of, is_link, linked, step_event
from tui.report.tables import table_named
from tui.text import safe
from tui.timeline.hits import locate, next_gap, previous_gap
from tui.timeline.lane import LaneKind
from tui.timeline.slices import SliceId

if TYPE_CHECKING:
    from tui.browse.search import Matches


class Finds(Stage):
    """Everything that answers "where is the next one"."""

    matches: Matches | None = None
    needle = ""
    at_match = -1

    # Events of the lane --------------------------------------------------------------------

    def action_event_next(self) -> None:
        self._event(True)

    def action_event_previous(self) -> None:
        self._event(False)

    def _event(self, forward: bool) -> None:
        view = self.view
        if view is None or view.at is None:
            return
        if view.at.lane.kind is LaneKind.DEVICE:
            self._busy_stretch(forward)
        elif (row := view.at.row) is not None:
            found = step_event(row, view.cursor, forward, view.picked)
            if found is None:
                self.say(f"no {'later' if forward else 'earlier'} event in this lane")
            else:
                view.go(*found)
        self.refresh_view()

    def _busy_stretch(self, forward: bool) -> None:
        view = self.view
        assert view is not None and view.at is not None
        summary = view.at.lane.summary
        if summary is None:
            return
        starts = summary.busy.start
        at = after(starts, view.cursor, forward) - (0 if forward else 1)
        if 0 <= at < len(starts):
            view.go(int(starts[at]))
        else:
            self.say(f"no {'later' if forward else 'earlier'} work on this device")

    # Steps and gaps ------------------------------------------------------------------------

    def action_step_next(self) -> None:
        self._step(True)

    def action_step_previous(self) -> None:
        self._step(False)

    def _step(self, forward: bool) -> None:
        view, capture = self.view, self.capture
        if view is None or capture is None:
            return
        process = view.at.lane.process if view.at is not None else -1
        marks = capture.known_step_marks(process)
        if marks is None:
            known = "steps" in capture.__dict__
            self.say("no steps found in this report" if known else "still looking for steps")
        else:
            starts = marks.start
            at = after(starts, view.cursor, forward) - (0 if forward else 1)
            if 0 <= at < len(starts):
                start, end = int(starts[at]), int(marks.end[at])
                view.show_whole(start, end)
                view.go(start)
                view.aim = start, end
                self.say(f"{marks.names[at]} of {len(starts)} · {self.length(end - start)}")
            else:
                self.say(f"no {'later' if forward else 'earlier'} step")
        self.refresh_view()

    def action_gap_next(self) -> None:
        self._gap(True)

    def action_gap_previous(self) -> None:
        self._gap(False)

    def _gap(self, forward: bool) -> None:
        view, capture = self.view, self.capture
        if view is None or capture is None:
            return
        device = device_of(view.at, capture.index, view.cursor)
        book = self.books.get(device)
        if book is None:
            waiting = device >= 0 and not self.books
            self.say("still working the gaps out" if waiting else "no GPU work recorded: no gaps")
        else:
            find = next_gap if forward else previous_gap
            gap = find(book.marks, view.cursor)
            if gap is None:
                few = f"gap of at least {self.length(self.min_gap_ns)}"
                self.say(f"no {'later' if forward else 'earlier'} {few} on GPU {book.gaps.device.cuda_id}")
            else:
                self.go_gap(device, gap)
        self.refresh_view()

    def go_gap(self, device: int, gap: int) -> None:
        """Cursor to the start of a listed gap, on its device's line, all of it in sight."""
        view, capture = self.view, self.capture
        book = self.books.get(device)
        if view is None or capture is None or book is None:
            return
        lane = next((root for root in capture.shown.roots if root.device == device), None)
        if lane is not None:
            view.reveal_lane(lane.key)
        start, end = int(book.gaps.start[gap]), int(book.gaps.end[gap])
        view.show_whole(start, end)
        view.go(start)

    # Links ---------------------------------------------------------------------------------

    def action_launch_link(self) -> None:
        target, capture = self.target, self.capture
        if capture is None:
            return
        if target is None or target.slice_id is None or not is_link(target.slice_id):
            self.say("c goes from a kernel or copy to its launch call and back: put the cursor on one")
        else:
            ends = linked(capture.index, target.slice_id)
            if ends:
                self.go_slice(ends[0])
                if len(ends) > 1:
                    self.say(f"the first of {len(ends)} ops that this call issued")
            elif cause := table_named(target.slice_id.table).cause:
                waits = cause in capture.loading
                self.say("CUDA calls are still loading" if waits else "its launch was not recorded")
            else:
                self.say("this call issued no recorded device work")
        self.refresh_view()

    def go_slice(self, slice_id: SliceId) -> bool:
        """Cursor onto an event, its lane unfolded; False where no lane draws it."""
        view, capture = self.view, self.capture
        if view is None or capture is None:
            return False
        place = locate(capture.shown, slice_id)
        start, end = span_of(capture.report, slice_id)
        if place is not None:
            view.reveal_lane(place[0].key, place[1])
        view.show_whole(start, end)
        view.go(start, slice_id)
        return place is not None

    def follow(self, instances: Instances, position: int) -> None:
        """Show one instance of a row of the pane."""
        index = int(instances.index[position])
        if instances.kind == "gap":
            self.go_gap_span(instances.device, int(instances.start[position]), int(instances.end[position]))
        elif instances.kind == "span":
            self.show_span(instances, position)
        else:
            self.go_slice(SliceId(instances.kind, index))
        self.refresh_view()

    def show_span(self, instances: Instances, position: int) -> None:
        """Show a stretch of time, marked on the ruler, on its device's line where it has one."""
        view, capture = self.view, self.capture
        if view is None or capture is None:
            return
        start, end = int(instances.start[position]), int(instances.end[position])
        device = instances.devices[position] if instances.devices else instances.device
        lane = next((root for root in capture.shown.roots if device >= 0 and root.device == device), None)
        if lane is not None:
            view.reveal_lane(lane.key)
        view.fit(start, end)
        view.go(start)
        view.spot = (start, max(end, start + 1))

    def go_gap_span(self, device: int, start: int, end: int) -> None:
        """Show a gap by its times (a window may have clipped it)."""
        view, capture = self.view, self.capture
        if view is None or capture is None:
            return
        lane = next((root for root in capture.shown.roots if root.device == device), None)
        if lane is not None:
            view.reveal_lane(lane.key)
        view.show_whole(start, end)
        view.go(start)

    # Search --------------------------------------------------------------------------------

    def action_search(self) -> None:
        if self.capture is not None:
            self.prompt.ask("search", "/", "")

    def search_for(self, text: str) -> None:
        """Find all events whose name contains ``text`` and go to the first from the cursor on."""
        if self.capture is None or self.view is None:
            return
        self.needle = text
        self.matches = self._matches()
        self.at_match = -1
        if self.matches is not None:
            self._match(True, from_here=True)
        self.refresh_view()

    def _matches(self) -> Matches | None:
        """The events that are looked for; None: none are."""
        if self.capture is None or not self.needle:
            return None
        from tui.browse.search import search

        return search(self.capture.report, self.needle)

    def action_search_next(self) -> None:
        self._next_found(1)

    def action_search_previous(self) -> None:
        self._next_found(-1)

    def _next_found(self, move: int) -> None:
        """The next of what was found last: instances of a pane's row, or matches."""
        if not self.walk_rows(move):
            self._match(move > 0)
        self.refresh_view()

    def walk_rows(self, move: int) -> bool:
        """Walk the instances of the row followed last; False where a search came after it."""
        raise NotImplementedError

    def _match(self, forward: bool, from_here: bool = False) -> None:
        if self.matches is None:
            self.matches = self._matches()  # more of the report has come
        matches, view = self.matches, self.view
        if view is None:
            return
        if matches is None:
            self.say("nothing searched for yet: / searches")
            return
        if not len(matches):
            so_far = " so far: still loading" if self.capture is not None and self.capture.loading else ""
            self.say(f"no name contains {safe(self.needle)!r}{so_far}")
            return
        here = matches.position(view.picked) if view.picked is not None else None
        if here is not None:
            position = (here + (1 if forward else -1)) % len(matches)
        else:
            time = view.cursor - 1 if from_here else view.cursor
            position = (matches.after(time) if forward else matches.before(time)) or 0
        self.at_match = position
        self.go_slice(matches.id(position))
        self.say(f"match {position + 1} of {len(matches)} for {safe(self.needle)!r}")

    # Marks ---------------------------------------------------------------------------------

    pending = ""
    """The action that waits for a letter: ``mark-set`` or ``mark-go``."""

    def action_mark_set(self) -> None:
        if self.view is not None:
            self.pending = "mark-set"
            self.say("mark this place as: a letter")
            self.refresh_view()

    def action_mark_go(self) -> None:
        if self.view is not None:
            self.pending = "mark-go"
            known = " ".join(sorted(self.view.marks))
            self.say(f"go to mark: {known}" if known else "no marks yet: m sets one")
            self.pending = self.pending if known else ""
            self.refresh_view()

    def take_letter(self, letter: str | None) -> None:
        """The letter that a pending action waits for; None: something else was pressed."""
        pending, self.pending = self.pending, ""
        self.say("")
        if letter is not None and self.view is not None:
            if pending == "mark-set":
                self.view.set_mark(letter)
                self.say(f"marked {letter}: ' {letter} comes back")
            elif not self.view.go_mark(letter):
                self.say(f"no mark {letter}")
        self.refresh_view()
