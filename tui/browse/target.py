"""The thing under the cursor: a slice, an idle gap, a busy stretch, or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tui.browse.capture import Capture, GapBook
from tui.browse.details import name_of
from tui.browse.neighbours import event_under, events_in_cell
from tui.browse.view import View
from tui.report.event_tables import table_named
from tui.text import safe
from tui.text.times import exact
from tui.timeline.hits import busy_at, gap_at, idle_at
from tui.timeline.lane import Lane, LaneKind, LaneLine
from tui.timeline.series import Series
from tui.timeline.series_words import cell_words
from tui.timeline.slices import SliceId
from tui.timeline.viewport import Viewport


@dataclass(frozen=True)
class Target:
    """``start``/``end`` in ns; ``words``: what it is, in parts; ``events``: events in its cell."""

    start: int
    end: int
    words: tuple[str, ...]
    slice_id: SliceId | None = None
    device: int = -1
    gap: int = -1
    events: int = 1
    series: Series | None = None
    """The line of values whose cell it is."""
    title: str = ""
    """What that line is called."""


@dataclass(frozen=True)
class Spot:
    """A place on the timeline: the fields of a view that say what is under its cursor."""

    at: LaneLine | None
    cursor: int
    viewport: Viewport
    picked: SliceId | None


def target_of(view: View | Spot, capture: Capture, books: Mapping[int, GapBook]) -> Target | None:
    """Return what is under the cursor of ``view``; None where there is nothing."""
    line = view.at
    if line is None:
        return None
    if line.lane.kind is LaneKind.DEVICE:
        return _on_device(view, line.lane, capture, books)
    if line.lane.kind is LaneKind.SERIES:
        return _in_cell(view, line)
    row = line.row
    found = event_under(row, view.cursor, view.viewport, view.picked) if row is not None else None
    if row is None or found is None:
        return None
    table = table_named(found.id.table)
    words = [safe(name_of(capture.report, found.id))]
    if not table.instant:
        words.append(exact(found.end - found.start))
    place = table.place(capture.report, found.id.index) if table.place is not None else ""
    words.append(place or line.lane.detail or line.lane.title)
    events = events_in_cell(row, view.cursor, view.viewport)
    return Target(found.start, found.end, tuple(words), found.id, events=events)


def _in_cell(view: View | Spot, line: LaneLine) -> Target | None:
    """Return the cursor's cell of a line of values."""
    series = line.series
    start = view.viewport.time(view.viewport.cell(view.cursor))
    end = start + view.viewport.ns_per_cell
    if series is None or not (words := cell_words(series, start, end)):
        return None
    said = (f"{line.title}: {words[0]}", *words[1:], line.lane.detail, series.note)
    return Target(start, end, said, device=line.lane.device, series=series, title=line.title)


def _on_device(
    view: View | Spot, lane: Lane, capture: Capture, books: Mapping[int, GapBook]
) -> Target | None:
    device, summary, book = lane.device, lane.summary, books.get(lane.device)
    cursor, cell_ns = view.cursor, view.viewport.ns_per_cell
    left = view.viewport.time(view.viewport.cell(cursor))
    if book is not None:
        gap = gap_at(book.marks, cursor)
        if gap is None and (wide := gap_at(book.marks, left, cell_ns)) is not None:
            gap = wide if book.gaps.duration[wide] >= cell_ns else None
        if gap is not None:
            return gap_target(capture, book, gap)
        if (found := _unseen_target(book, cursor, cell_ns)) is not None:
            return found
    if summary is None or not len(summary.busy):
        return None

    def stretch(start: int, end: int, what: str, *more: str) -> Target:
        name = f"GPU {capture.report.devices[device].cuda_id}"
        return Target(start, end, (f"{name} {what}", *more), device=device)

    idle = idle_at(summary.busy, cursor)
    if idle is not None:
        return stretch(*idle, "idle", exact(idle[1] - idle[0]))
    busy = busy_at(summary.busy, cursor)
    # Before the first work or after the last: the work that the cell shows, if any.
    if busy is None and (seen := summary.busy.extent(left, left + cell_ns)) is not None:
        busy = busy_at(summary.busy, seen[0])
    if busy is not None:
        return stretch(*busy, "busy", exact(busy[1] - busy[0]) + " uninterrupted")
    first, last = int(summary.busy.start[0]), int(summary.busy.end[-1])
    if cursor < first:
        return stretch(min(capture.span[0], cursor), first, "before its first work")
    return stretch(last, max(capture.span[1], cursor + 1), "after its last work")


def _unseen_target(book: GapBook, cursor: int, cell_ns: int) -> Target | None:
    """Return the stretch of unrecorded work, or of work of another API, at the cursor."""
    device, unseen, other = book.gaps.device, book.marks.unseen, book.marks.other
    if unseen is not None and (at := gap_at(unseen, cursor, cell_ns)) is not None:
        start, end = int(unseen.start[at]), int(unseen.end[at])
        words = (f"GPU {device.cuda_id} unknown", exact(end - start), unseen.cause(at))
        return Target(start, end, words, device=device.index)
    if other is not None and (held := busy_at(other, cursor)) is not None:
        words = (f"GPU {device.cuda_id} other GPU work", exact(held[1] - held[0]), "of another API than CUDA")
        return Target(*held, words, device=device.index)
    return None


def gap_target(capture: Capture, book: GapBook, gap: int) -> Target:
    """Return a listed gap as a target."""
    start, end = int(book.gaps.start[gap]), int(book.gaps.end[gap])
    device = book.gaps.device
    what = f"GPU {device.cuda_id} idle gap {book.gaps.counted(gap)}".rstrip()
    return Target(start, end, (what, exact(end - start), book.marks.cause(gap)), device=device.index, gap=gap)
