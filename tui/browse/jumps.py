"""Jumps to events, steps and gaps."""

from __future__ import annotations

import numpy as np

from tui.browse.capture import GapBook
from tui.browse.details import span_of
from tui.browse.neighbours import device_of, step_event, step_time
from tui.browse.page import Instances
from tui.browse.part import Part
from tui.browse.state import Browse
from tui.intervals import next_index, previous_index
from tui.report.columns import Int64
from tui.text.numbers import ordinal, plural
from tui.text.times import brief
from tui.timeline.hits import locate
from tui.timeline.lane import LaneKind
from tui.timeline.ruler import StepMarks
from tui.timeline.slices import SliceId


class Jumps(Part):
    """Moves the cursor to the next event, step or gap. Directions are -1 (earlier) and 1 (later).

    A selection that is a step goes along to the next step; one that is a gap, or an event, likewise.
    """

    def __init__(self, browse: Browse) -> None:
        super().__init__(browse)
        self._ranked: tuple[object, ...] = ()
        """Where the last jump to a longest gap led: all that must be as it was for the next to go on."""
        self._rank = 0

    def event(self, direction: int) -> None:
        """Go to the next event of the lane under the cursor; of a device: to the next busy stretch."""
        view, forward = self.view, direction > 0
        if view.at is None:
            return
        travels = self._chosen_is_here()
        summary, row = view.at.lane.summary, view.at.row
        found: tuple[int, SliceId | None] | None = None
        if summary is not None:
            what = "work on this device"
            at = step_time(summary.busy.start, view.cursor, forward)
            found = (int(summary.busy.start[at]), None) if at >= 0 else None
        elif row is not None:
            what = "event in this lane"
            found = step_event(row, view.cursor, forward, view.picked)
        else:
            values = view.at.lane.kind is LaneKind.SERIES
            self.say("values over time: no events to go to" if values else "no events in this lane")
            return
        if found is None:
            self.say(f"no {_way(forward)} {what}")
        else:
            view.go(*found)
            if travels and (here := self.browse.here) is not None:
                view.select(*here)

    def step(self, direction: int) -> None:
        """Go to the next step of the process under the cursor."""
        view, capture, forward = self.view, self.capture, direction > 0
        marks = capture.step_marks(self.browse.process)
        if marks is None:
            self.say("no steps found in this report" if capture.steps_known else "still looking for steps")
            return
        at = step_time(marks.start, view.cursor, forward)
        if at >= 0:
            self.go_step(marks, at)
        else:
            self.say(f"no {_way(forward)} step")

    def go_step(self, marks: StepMarks, at: int) -> None:
        """Show a step; a selection that is another one goes along."""
        view = self.view
        start, end = int(marks.start[at]), int(marks.end[at])
        travels = _one_of(marks.start, marks.end, view.chosen)
        view.show_whole(start, end)
        view.go(start)
        view.aim = start, end
        if travels:
            view.select(start, end)
        self.say(f"{marks.name(at)} of {len(marks.start)} · {brief(end - start)}")

    def gap(self, direction: int) -> None:
        """Go to the next listed gap of the device that the line under the cursor belongs to."""
        view, forward = self.view, direction > 0
        found = self._book()
        if found is None:
            return
        device, book = found
        gap = (next_index if forward else previous_index)(book.marks.start, view.cursor)
        if gap < 0:
            listed = plural(len(book.gaps.start), "listed gap")
            self.say(f"no {_way(forward)} gap on GPU {book.gaps.device.cuda_id}: {listed}")
        else:
            start, end = int(book.gaps.start[gap]), int(book.gaps.end[gap])
            self.go_gap(device, start, end)
            if _one_of(book.gaps.start, book.gaps.end, view.chosen):
                view.select(start, end)

    def longest(self) -> None:
        """Go to the longest gap of the window on the device of the line; again: to the next longest."""
        view, window = self.view, self.browse.window
        found = self._book()
        if found is None:
            return
        device, book = found
        inside = np.flatnonzero((book.gaps.end > window.start) & (book.gaps.start < window.end))
        if not len(inside):
            self.say(f"no listed gap on GPU {book.gaps.device.cuda_id} in {window.label}")
            return
        order = inside[np.argsort(-book.gaps.duration[inside], kind="stable")]
        goes_on = self._ranked == (id(book), inside.tobytes(), view.cursor, view.viewport)
        self._rank = self._rank + 1 if goes_on else 0
        again = self._rank == len(order)
        self._rank %= len(order)
        gap = int(order[self._rank])
        self.go_gap(device, int(book.gaps.start[gap]), int(book.gaps.end[gap]))
        self._ranked = (id(book), inside.tobytes(), view.cursor, view.viewport)
        which = "longest" if self._rank == 0 else f"{ordinal(self._rank + 1)} longest"
        begin = "no shorter one is listed: again the " if again else ""
        self.say(f"{begin}{which} of {plural(len(order), 'listed gap')}{_about(book, gap)}")

    def _book(self) -> tuple[int, GapBook] | None:
        """Return the device of the line under the cursor and its gaps; None, and say why, without."""
        view, browse = self.view, self.browse
        device = device_of(view.at, self.capture.links, view.cursor)
        book = browse.books.get(device)
        if book is None:
            self.say(self.no_gaps(device))
            return None
        return device, book

    def no_gaps(self, device: int = 0) -> str:
        """Say why a device's gaps are not there."""
        waiting = device >= 0 and not self.browse.books and len(self.capture.report.ops)
        return "still working the gaps out" if waiting else "no GPU work recorded: no gaps"

    def _chosen_is_here(self) -> bool:
        """Return whether the selection is the event under the cursor."""
        view = self.view
        return view.aim is None and view.chosen is not None and view.chosen == self.browse.here

    def go_slice(self, slice_id: SliceId) -> None:
        """Put the cursor onto an event and unfold its lane, where one draws it."""
        view, capture = self.view, self.capture
        place = locate(capture.shown, slice_id)
        start, end = span_of(capture.report, slice_id)
        if place is not None:
            view.reveal_lane(place[0].key, place[1])
        view.show_whole(start, end)
        view.go(start, slice_id)

    def go_gap(self, device: int, start: int, end: int) -> None:
        """Frame a gap, with the cursor on its start, on its device's line."""
        self._reveal_device(device)
        self.view.fit(start, end)
        self.view.go(start)

    def go_span(self, device: int, start: int, end: int) -> None:
        """Fit a stretch of time, marked on the ruler, on its device's line where it has one."""
        self._reveal_device(device)
        self.view.fit(start, end)
        self.view.go(start)
        self.view.highlight = (start, max(end, start + 1))

    def go_instance(self, instances: Instances, position: int) -> None:
        """Show one instance of a row of the pane."""
        start, end = int(instances.start[position]), int(instances.end[position])
        if instances.kind == "gap":
            self.go_gap(instances.device, start, end)
        elif instances.kind == "span":
            self.go_span(instances.devices[position] if instances.devices else instances.device, start, end)
        else:
            self.go_slice(SliceId(instances.kind, int(instances.index[position])))

    def _reveal_device(self, device: int) -> None:
        roots = self.capture.shown.roots
        lane = next((root for root in roots if device >= 0 and root.device == device), None)
        if lane is not None:
            self.view.reveal_lane(lane.key)


def _one_of(start: Int64, end: Int64, chosen: tuple[int, int] | None) -> bool:
    """Return whether a selection is just one of these stretches."""
    return chosen is not None and bool(((start == chosen[0]) & (end == chosen[1])).any())


def _about(book: GapBook, gap: int) -> str:
    """Return a gap's number, length and reason, as words that follow others."""
    number = book.gaps.counted(gap)
    parts = (f"gap {number}" if number else "", brief(int(book.gaps.duration[gap])), book.marks.cause(gap))
    return "".join(f" · {part}" for part in parts if part)


def _way(forward: bool) -> str:
    return "later" if forward else "earlier"
