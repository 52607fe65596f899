"""Everything about the thing under the cursor."""

from __future__ import annotations

from tui.browse.clock import Clock
from tui.browse.details import LOOKUPS_S, describe, times
from tui.browse.page import Pairs
from tui.browse.state import Browse
from tui.browse.target import Target
from tui.report.event_tables import table_named
from tui.timeline.series import Series
from tui.timeline.series_words import cell_pairs


def inspect(browse: Browse) -> tuple[str, Pairs] | None:
    """Return (title, all that is recorded) of the thing under the cursor; None, and a message, else."""
    capture, target, clock = browse.capture, browse.target, browse.clock
    if capture is None:
        browse.message = "no report is open yet"
        return None
    if target is None:
        browse.message = "nothing under the cursor"
        return None
    if target.series is not None:
        return "Values", _values(target, target.series, clock)
    with capture.try_lookups(LOOKUPS_S) as index:
        if index is None:
            browse.message = "figures are still being worked out: once more in a moment"
            return None
        if target.slice_id is not None:
            return table_named(target.slice_id.table).noun, describe(index, target.slice_id, clock)
        book = browse.books.get(target.device)
        if target.gap >= 0 and book is not None:
            from tui.browse.gap_story import gap_story  # it needs analyses that no frame waits for

            return "Idle gap", gap_story(capture, book, target.gap, clock)
        return "Stretch", [("what", target.words[0]), *times(clock, target.start, target.end)]


def _values(target: Target, series: Series, clock: Clock) -> Pairs:
    """Return what a line of values holds in the cell under the cursor, and what holds for the whole line."""
    pairs = [("what", target.title)]
    pairs += [(label or "value", words) for label, words in cell_pairs(series, target.start, target.end)]
    pairs += [*times(clock, target.start, target.end), *series.details]
    return pairs + ([("note", series.note)] if series.note else [])
