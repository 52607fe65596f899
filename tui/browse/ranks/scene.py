"""What the ranks view draws: the ranks of a set on one time axis, and what is known of them so far.

A scene is a value. While summaries arrive there is one scene after another; the last one is judged.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from tui.ranks.rank_set import Rank
from tui.report.columns import Bool, Int32, Int64
from tui.timeline.state_times import Communication, Shown, StateTimes, StripTimes

UNKNOWN = -1
"""A time that is not known, in arrays of times."""
LOOKED = 16
"""How many ranks are looked at for what all have in common: each is read from the store."""
KEPT = 256
"""How many ranks' times are kept ready to be drawn."""


@dataclass(frozen=True, eq=False)
class Waits:
    """How a rank's communication was matched, one entry a row of its collectives."""

    wait: Int64
    """ns spent for others; UNKNOWN where not matched."""
    communicator: Int32
    """Position in :attr:`Scene.communicators`; -1 none."""
    instance: Int64
    """Position in the communicator's instances; -1 none."""


class Axis(Protocol):
    """The common time axis, as seen from one rank."""

    def to_axis(self, times: Int64) -> Int64:
        """Recorded times as times of the axis."""
        ...

    def from_axis(self, times: Int64) -> Int64:
        """Times of the axis as recorded ones."""
        ...


@dataclass(frozen=True)
class Shift:
    """An axis that is ``offset`` ns ahead of the recorded times."""

    offset: int

    def to_axis(self, times: Int64) -> Int64:
        return times + self.offset

    def from_axis(self, times: Int64) -> Int64:
        return times - self.offset


@dataclass(frozen=True, eq=False)
class RankFacts:
    """One rank that has a report."""

    rank: Rank
    run: int
    path: Path
    span: tuple[int, int]
    """Of its report, in the report's times."""
    axis: Axis
    own: Int64 | None = None
    """Own time by step, ns; UNKNOWN where it is. None: not judged yet."""
    column: Int64 | None = None
    """Which of the run's matched steps each of its steps is, from 0; None: by their numbers."""
    caused: int | None = None
    """What all others waited for it, ns; None: not known."""
    marked: bool = False
    """Whether it is pinned, or its own time is an outlier."""

    @property
    def title(self) -> str:
        """What its lane is called."""
        return f"rank {self.rank.name}" if self.rank.number is not None else self.rank.name

    @property
    def short(self) -> str:
        """What it is called where room is short: ``r11``; its file, where only that tells it from others."""
        if self.rank.number is not None:
            return f"r{self.rank.name}"
        name, _, file = self.rank.name.rpartition(" (")
        return file.removesuffix(")") if name else self.rank.name

    @property
    def host(self) -> str:
        return self.rank.host or "host unknown"

    @cached_property
    def columns(self) -> Int64:
        """Which of the run's matched steps each of its steps is, from 0."""
        return self.rank.summary.steps.number - 1 if self.column is None else self.column

    @cached_property
    def own_ns(self) -> int | None:
        """The median of its steady steps' own time."""
        if self.own is None or not len(self.own):
            return None
        known = self.own[(self.own != UNKNOWN) & self.rank.summary.steady]
        return int(np.median(known)) if len(known) else None

    def on_axis(self, time: int) -> int:
        """A time of its report as a time of the axis."""
        return int(self.axis.to_axis(np.array([time], np.int64))[0])

    def recorded(self, time: int) -> int:
        """A time of the axis as a time of its report."""
        return int(self.axis.from_axis(np.array([time], np.int64))[0])


@dataclass(frozen=True)
class Absent:
    """A rank or report of which nothing can be drawn."""

    run: int
    number: int | None
    host: str | None
    title: str
    reason: str
    readable: bool = False
    """Whether it is a report that can be read, but holds no rank."""


@dataclass(frozen=True, eq=False)
class Communicator:
    """The matched operations of a group of ranks, by time; one entry an operation."""

    label: str
    ranks: tuple[int, ...]
    """Positions in :attr:`Scene.ranks`."""
    last: Int64
    """The rank (position in the scene) that came last; -1 unknown."""
    margin: Int64
    """ns by which it came after the next to last; UNKNOWN."""
    longest_wait: Int64
    """The wait of whoever came first, ns; UNKNOWN."""
    counts: Bool
    """Whether an operation counts in verdicts: resolved, and no start-up."""

    def __len__(self) -> int:
        return len(self.last)


@dataclass(frozen=True, eq=False)
class Scene:
    """All that the ranks view shows of a set."""

    name: str
    ranks: tuple[RankFacts, ...]
    absent: tuple[Absent, ...] = ()
    runs: tuple[str, ...] = ("",)
    reports: int = 0
    """How many reports there are on the command line."""
    arrived: int = 0
    """How many of them have been summed up."""
    expected: int | None = None
    """How many ranks there should be in all; None: not recorded."""
    alignment: str = "as recorded"
    uncertainty: int | None = None
    """ns by which times of two hosts may be off; None: not known."""
    communicators: tuple[Communicator, ...] = ()
    headline: str = ""
    """The verdict in a few words: ``pinned: rank 11, 61.2 ms a step``."""
    reason: str = ""
    """What a rank that the headline names is late by: ``idle``; empty: not known."""
    home: tuple[int, int] = (0, 1)
    """The window that all ranks have in common, on the axis."""
    judged: Any = None
    """What the figures are from; None: not judged yet."""
    version: int = 0
    """Goes up from scene to scene of a set."""
    waits_of: Callable[[int], Waits | None] = lambda rank: None
    """Gives the waits of a rank, by its position; None: not judged yet."""
    exact: dict[int, StateTimes] = field(default_factory=dict, init=False)
    """The times of ranks whose columns are open, by position."""
    _times: OrderedDict[int, StateTimes] = field(default_factory=OrderedDict, init=False)

    @property
    def complete(self) -> bool:
        """Whether every report has been summed up, and the whole been judged."""
        return self.judged is not None

    @cached_property
    def span(self) -> tuple[int, int]:
        """Everything recorded, on the axis."""
        if not self.ranks:
            return 0, 1
        first = min(facts.on_axis(facts.span[0]) for facts in self.ranks)
        last = max(facts.on_axis(facts.span[1]) for facts in self.ranks)
        return first, max(last, first + 1)

    @cached_property
    def steps(self) -> tuple[int, str]:
        """The most steps that a rank has, of those looked at, and what they are called."""
        name = next((f.rank.summary.step_name for f in self.ranks if f.rank.summary.step_name), "")
        looked = self.ranks[:: max(1, -(-len(self.ranks) // LOOKED))]
        return max((len(facts.rank.summary.steps) for facts in looked), default=0), name or ""

    @cached_property
    def devices(self) -> list[tuple[str, int]]:
        """The models of the ranks' devices and how many there are of each, the most frequent first."""
        names = (device.name for facts in self.ranks for device in facts.rank.summary.devices)
        return Counter(name for name in names if name is not None).most_common()

    @cached_property
    def used(self) -> frozenset[Shown]:
        """The states that a legend has to explain besides the usual ones."""
        used = set() if self.complete else {Shown.UNSPLIT}
        for facts in self.ranks:
            totals = facts.rank.summary.totals
            used |= {Shown.COPIES} if totals.get("copies") else set()
            used |= {Shown.OTHER} if totals.get("other") or totals.get("unknown") else set()
        return frozenset(used)

    @cached_property
    def hosts(self) -> tuple[str, ...]:
        """The hosts, in order of their ranks."""
        return tuple(dict.fromkeys(facts.host for facts in self.ranks))

    @cached_property
    def host_only(self) -> bool:
        """Whether no rank has device work: lanes show host code and MPI."""
        return bool(self.ranks) and all(facts.rank.summary.host_only for facts in self.ranks)

    @property
    def coarse(self) -> bool:
        """Whether any lane is drawn from a summary's strip."""
        return len(self.exact) < len(self.ranks)

    def times(self, at: int) -> StateTimes:
        """What the rank at position ``at`` does: exactly where its columns are open, else from its strip."""
        if (found := self.exact.get(at)) is not None:
            return found
        kept = self._times
        if at in kept:
            kept.move_to_end(at)
        else:
            facts, waits = self.ranks[at], self.waits_of(at)
            summary = facts.rank.summary
            began, wait = summary.collectives.start, waits.wait if waits is not None else None
            split = Communication.of(summary.pieces, began, wait)
            kept[at] = StripTimes(summary.strip, facts.span, split)
            if len(kept) > KEPT:
                kept.popitem(last=False)
        return kept[at]

    @cached_property
    def main_communicator(self) -> int:
        """The communicator that lateness is drawn of: most waits to tell apart; -1 without any."""
        sizes = np.array([len(c.ranks) * int(c.counts.sum()) for c in self.communicators] or [0])
        return int(sizes.argmax()) if sizes.any() else -1

    def lateness(self, rank: int, communicator: int) -> Int64:
        """How much later than the first one ``rank`` came to each operation, ns; UNKNOWN where it is.

        From durations, so no clock enters: who waits longest came first.
        """
        group, waits = self.communicators[communicator], self.waits_of(rank)
        late = np.full(len(group), UNKNOWN, np.int64)
        if waits is not None:
            rows = np.flatnonzero((waits.communicator == communicator) & (waits.wait >= 0))
            where = waits.instance[rows]
            most = group.longest_wait[where]
            late[where] = np.where(most == UNKNOWN, UNKNOWN, np.maximum(most - waits.wait[rows], 0))
        return late
