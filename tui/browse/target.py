"""The thing under the cursor: a slice, an idle gap, a busy stretch, or nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tui.browse.capture import Capture, GapBook
from tui.browse.clock import Clock
from tui.browse.details import describe, name_of, times
from tui.browse.page import Pairs
from tui.browse.seek import crowd, under
from tui.browse.view import View
from tui.report.tables import table_named
from tui.text import safe
from tui.text.times import exact
from tui.timeline.hits import busy_at, gap_at, idle_at
from tui.timeline.lane import LaneKind
from tui.timeline.slices import SliceId


@dataclass(frozen=True)
class Target:
    """``start``/``end`` in ns; ``words``: what it is, in parts; ``crowd``: events in its cell."""

    start: int
    end: int
    words: tuple[str, ...]
    slice_id: SliceId | None = None
    device: int = -1
    gap: int = -1
    crowd: int = 1


def target_of(view: View, capture: Capture, books: Mapping[int, GapBook]) -> Target | None:
    """What is under the cursor of ``view``; None where there is nothing."""
    line = view.at
    if line is None:
        return None
    if line.lane.kind is LaneKind.DEVICE:
        return _on_device(view, line.lane.device, capture, books)
    row = line.row
    found = under(row, view.cursor, view.viewport, view.picked) if row is not None else None
    if row is None or found is None:
        return None
    words = [safe(name_of(capture.report, found.id))]
    if not table_named(found.id.table).instant:
        words.append(exact(found.end - found.start))
    words.append(where(capture, found.id) or line.lane.detail or line.lane.title)
    return Target(
        found.start, found.end, tuple(words), found.id, crowd=crowd(row, view.cursor, view.viewport)
    )


def where(capture: Capture, slice_id: SliceId) -> str:
    """Device and stream of an op; empty for the rest (their lane says it)."""
    place = table_named(slice_id.table).place
    return "" if place is None else place(capture.report, slice_id.index)


def _on_device(view: View, device: int, capture: Capture, books: Mapping[int, GapBook]) -> Target | None:
    summary = view.at.lane.summary if view.at is not None else None
    name = f"GPU {capture.report.devices[device].cuda_id}"
    book = books.get(device)
    left = view.viewport.time(view.viewport.cell(view.cursor))
    if book is not None:
        gap = gap_at(book.marks, view.cursor)
        if gap is None and (wide := gap_at(book.marks, left, view.viewport.ns_per_cell)) is not None:
            shown = book.gaps.end[wide] - book.gaps.start[wide] >= view.viewport.ns_per_cell
            gap = wide if shown else None
        if gap is not None:
            return gap_target(capture, book, gap)
    if summary is None:
        return None
    busy = busy_at(summary.busy, view.cursor)
    if busy is not None:
        return Target(*busy, (f"{name} busy", exact(busy[1] - busy[0]) + " without a hole"), device=device)
    idle = idle_at(summary.busy, view.cursor)
    if idle is not None:
        return Target(*idle, (f"{name} idle", exact(idle[1] - idle[0])), device=device)
    # Before the first work or after the last: the work that the cell shows, if any.
    seen = summary.busy.extent(left, left + view.viewport.ns_per_cell)
    busy = busy_at(summary.busy, seen[0]) if seen is not None else None
    if busy is not None:
        return Target(*busy, (f"{name} busy", exact(busy[1] - busy[0]) + " without a hole"), device=device)
    if not len(summary.busy):
        return None
    first, last = int(summary.busy.start[0]), int(summary.busy.end[-1])
    if view.cursor < first:
        return Target(
            min(capture.span[0], view.cursor), first, (f"{name} before its first work",), device=device
        )
    return Target(
        last, max(capture.span[1], view.cursor + 1), (f"{name} after its last work",), device=device
    )


def gap_target(capture: Capture, book: GapBook, gap: int) -> Target:
    """A listed gap as a target."""
    start, end = int(book.gaps.start[gap]), int(book.gaps.end[gap])
    device = book.gaps.device
    words = (
        f"GPU {device.cuda_id} idle gap {book.gaps.counted(gap)}".rstrip(),
        exact(end - start),
        book.marks.cause(gap),
    )
    return Target(start, end, words, device=device.index, gap=gap)


def full_details(
    capture: Capture, target: Target, books: Mapping[int, GapBook], clock: Clock
) -> tuple[str, Pairs]:
    """(title, all that is known) of a target."""
    if target.slice_id is not None:
        return table_named(target.slice_id.table).noun, describe(capture.index, target.slice_id, clock)
    book = books.get(target.device)
    if target.gap >= 0 and book is not None:
        from tui.browse.gap_story import gap_story  # it needs analyses that no frame waits for

        return "Idle gap", gap_story(capture, book, target.gap, clock)
    return "Stretch", [("what", target.words[0]), *times(clock, target.start, target.end)]
