"""Lanes: the titled, foldable lines of the timeline, and the tree that orders them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from tui.timeline.series import Series, usual_rows
from tui.timeline.slice_labels import Catalogue
from tui.timeline.slices import LaneRows, Loader, Row, Summary

if TYPE_CHECKING:
    from tui.analysis.index import Index

LateLoader = Callable[["Index"], LaneRows]


class LaneKind(Enum):
    """What a lane is for."""

    DEVICE = "device"
    """A device's summary line: the busy share of each cell, and idle gaps."""
    THREAD = "thread"
    """A thread's heading: its outermost ranges, or the first of its lanes."""
    EVENTS = "events"
    """Events of one table, below a heading or on its own."""
    QUIET = "quiet"
    """Threads that share a row."""
    RANKS = "ranks"
    """A run, a host, or any group of ranks: the state of the median one."""
    RANK = "rank"
    """What one rank does."""
    SERIES = "series"
    """Values over time: lines of :mod:`tui.timeline.series`."""


@dataclass(eq=False)
class Lane:
    """One lane. Its slices are gathered on first use: ask ``rows``, or ``load()`` ahead of it.

    ``key`` names the lane across reloads (``gpu0/s7``); ``title`` and ``detail`` are safe for a screen;
    ``device``, ``thread`` and ``process`` are positions in the report's tuples, -1 for none. A lane
    without loader is a placeholder for data still being read: it is drawn as "loading".
    """

    key: str
    kind: LaneKind
    title: str
    detail: str = ""
    depth: int = 0
    device: int = -1
    thread: int = -1
    process: int = -1
    children: tuple[Lane, ...] = ()
    loader: Loader | None = None
    late: LateLoader | None = None
    """Gathers its lines from what an import left alone, on a thread that has the report's lookups."""
    brief: int = 1
    """Lines that it keeps while it is folded."""
    table: str = ""
    """Whose events it shows, as :class:`~tui.timeline.slices.SliceId` names tables; empty for a summary."""
    shape: str = ""
    """Which of the table's events: the title of their :class:`LaneShape`; empty for the outermost ranges."""
    _rows: LaneRows | None = field(default=None, repr=False)

    @property
    def loaded(self) -> bool:
        """Whether its slices have been gathered."""
        return self._rows is not None

    @property
    def ready(self) -> bool:
        """Whether its data have been read (else it is drawn as "loading")."""
        return self._rows is not None or self.loader is not None

    @property
    def waits(self) -> bool:
        """Whether its ``late`` loader has still to run."""
        return self._rows is None and self.late is not None

    @property
    def folds(self) -> bool:
        """Whether folding it hides anything."""
        if self.kind is not LaneKind.SERIES:
            return bool(self.children) or self.height > 1
        rows = self.series
        return bool(self.children) or len(rows) > self.brief or any(usual_rows(row) > 1 for row in rows)

    def load(self) -> LaneRows:
        """Gather the slices (once): linear in the lane's events. What is gathered late is not."""
        if self.waits:
            return ()
        if self._rows is None:
            self._rows = () if self.loader is None else self.loader()
        return self._rows

    def take(self, rows: LaneRows) -> None:
        """Draw ``rows`` from now on, and drop the loaders."""
        self._rows = rows
        self.loader = self.late = None

    @property
    def rows(self) -> tuple[Row, ...]:
        """The drawn lines; none for a device's summary and for a placeholder."""
        return tuple(row for row in self.load() if isinstance(row, Row)) if self.ready else ()

    @property
    def series(self) -> tuple[Series, ...]:
        """Its lines of values; none until they are gathered."""
        if self.kind is not LaneKind.SERIES or not self.ready:
            return ()
        return tuple(row for row in self.load() if isinstance(row, Series))

    @property
    def summary(self) -> Summary | None:
        """The summary line of a device lane."""
        first = next(iter(self.load()), None) if self.ready else None
        return first if isinstance(first, Summary) else None

    @property
    def height(self) -> int:
        """Lines that it takes unfolded, at least one."""
        return max(len(self.load()), 1) if self.ready else 1

    def walk(self) -> Iterator[Lane]:
        """This lane and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()


class LaneLine(NamedTuple):
    """One line of the screen: row ``sub`` of ``lane``; ``folded`` lanes show their first row only.

    A row may take several lines: this is its line ``part``, from the top, of ``rows``.
    """

    lane: Lane
    sub: int
    folded: bool
    part: int = 0
    rows: int = 1
    owner: str = ""
    """The title of the device or thread that the lane is of, where it does not stand below it."""

    @property
    def series(self) -> Series | None:
        """The values of this line; None where it shows none."""
        found = self.lane.series
        return found[self.sub] if self.sub < len(found) else None

    @property
    def title(self) -> str:
        """What the line is called: lines of values have titles of their own."""
        series = self.series
        title = self.lane.title if series is None else series.title or self.lane.title
        return f"{self.owner} {title}" if self.owner else title

    @property
    def row(self) -> Row | None:
        """The slices of this line; None for a summary, an empty header or a placeholder."""
        rows = self.lane.rows
        return rows[self.sub] if self.sub < len(rows) else None


Heights = Mapping[tuple[str, int], int]
"""Lines by the key of a lane and the number of its row."""
NO_HEIGHTS: Heights = MappingProxyType({})


def lane_lines(lane: Lane, folded: bool, heights: Heights = NO_HEIGHTS) -> Iterator[LaneLine]:
    """The lines of a lane itself; ``heights``: the lines of rows that do not take as many as usual."""
    if lane.kind is LaneKind.SERIES:
        yield from _series_lines(lane, folded, heights)
        return
    for sub in range(1 if folded else lane.height):
        rows = heights.get((lane.key, sub), 1)
        yield from (LaneLine(lane, sub, folded, part, rows) for part in range(rows))


def _series_lines(lane: Lane, folded: bool, heights: Heights) -> Iterator[LaneLine]:
    """The lines of a lane of values: the room for them while they are gathered, none where there are none."""
    if lane.waits:
        yield from (LaneLine(lane, sub, folded) for sub in range(max(lane.brief, 1)))
        return
    for sub, series in enumerate(lane.series[: lane.brief] if folded else lane.series):
        rows = heights.get((lane.key, sub)) or (1 if folded else usual_rows(series))
        yield from (LaneLine(lane, sub, folded, part, rows) for part in range(rows))


@dataclass(frozen=True)
class LaneTree:
    """All lanes in order: devices, then the threads that launch work, then the rest."""

    roots: tuple[Lane, ...]
    catalogue: Catalogue | None = None
    folded_first: frozenset[str] = frozenset()
    """Keys of the lanes that start folded."""

    def walk(self) -> Iterator[Lane]:
        """Every lane, in screen order."""
        for root in self.roots:
            yield from root.walk()

    def foldable(self, lane: Lane) -> bool:
        """Whether folding it hides anything."""
        return lane.folds

    def lines(self, folded: frozenset[str] = frozenset(), heights: Heights = NO_HEIGHTS) -> list[LaneLine]:
        """The lines on the screen, top to bottom, with the lanes in ``folded`` folded.

        ``heights``: see :func:`lane_lines`.
        """

        def lines_of(lane: Lane) -> Iterator[LaneLine]:
            yield from lane_lines(lane, lane.key in folded, heights)
            for child in () if lane.key in folded else lane.children:
                yield from lines_of(child)

        return [line for root in self.roots for line in lines_of(root)]

    def events_only(self) -> LaneTree:
        """The tree without the lanes of values."""

        def prune(lane: Lane) -> Lane:
            children = tuple(child for child in lane.children if child.kind is not LaneKind.SERIES)
            return lane if len(children) == len(lane.children) else replace(lane, children=children)

        roots = tuple(prune(root) for root in self.roots if root.kind is not LaneKind.SERIES)
        return LaneTree(roots, self.catalogue, self.folded_first)

    def select(self, keys: list[str]) -> LaneTree:
        """The tree with only the lanes whose key or title contains one of ``keys`` (any case).

        A lane that matches keeps everything below it; one that has a match below it stays as the heading.
        """
        wanted = [k.casefold() for k in keys]

        def prune(lane: Lane) -> Lane | None:
            if any(k in lane.key.casefold() or k in lane.title.casefold() for k in wanted):
                return lane
            kept = tuple(c for c in map(prune, lane.children) if c is not None)
            return replace(lane, children=kept, loader=lane.load) if kept else None

        roots = tuple(r for r in map(prune, self.roots) if r is not None)
        return LaneTree(roots, self.catalogue, self.folded_first)
