"""Lanes: the titled, foldable lines of the timeline, and the tree that orders them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

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

    def load(self) -> LaneRows:
        """Gather the slices (once): linear in the lane's events."""
        if self._rows is None:
            self._rows = () if self.loader is None else self.loader()
        return self._rows

    def take(self, rows: LaneRows) -> None:
        """Draw ``rows`` from now on, and drop the loader."""
        self._rows = rows
        self.loader = None

    @property
    def rows(self) -> tuple[Row, ...]:
        """The drawn lines; none for a device's summary and for a placeholder."""
        return tuple(row for row in self.load() if isinstance(row, Row)) if self.ready else ()

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
    """One line of the screen: row ``sub`` of ``lane``; ``folded`` lanes show their first row only."""

    lane: Lane
    sub: int
    folded: bool

    @property
    def row(self) -> Row | None:
        """The slices of this line; None for a summary, an empty header or a placeholder."""
        rows = self.lane.rows
        return rows[self.sub] if self.sub < len(rows) else None


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
        return bool(lane.children) or lane.height > 1

    def lines(self, folded: frozenset[str] = frozenset()) -> list[LaneLine]:
        """The lines on the screen, top to bottom, with the lanes in ``folded`` folded."""

        def lines_of(lane: Lane) -> Iterator[LaneLine]:
            if lane.key in folded:
                yield LaneLine(lane, 0, True)
            else:
                yield from (LaneLine(lane, sub, False) for sub in range(lane.height))
                for child in lane.children:
                    yield from lines_of(child)

        return [line for root in self.roots for line in lines_of(root)]

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
