"""The parts of a report that are still being read: their placeholder lanes and their names."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tui.report.event_tables import EVENT_TABLES
from tui.report.event_tables.other import OTHERS, OTHERS_TITLE
from tui.timeline.lane import Lane, LaneKind


def coming_lanes(loading: Collection[str]) -> list[Lane]:
    """A lane for each kind of event that is still to come, drawn as "loading"."""
    return [Lane(f"loading/{name}", LaneKind.EVENTS, title) for name, title in _coming(loading)]


def coming_words(loading: Collection[str]) -> str:
    """``NVTX, API, OS``."""
    return ", ".join(title for _, title in _coming(loading))


def _coming(loading: Collection[str]) -> Iterator[tuple[str, str]]:
    """(table, title) of the tables that are not announced by another one."""
    for table in EVENT_TABLES:
        if table.name in loading and not table.comes_with:
            yield table.name, table.title
    if OTHERS in loading:
        yield OTHERS, OTHERS_TITLE
