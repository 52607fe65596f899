"""Who was last in each instance, of ranks, of hosts and of positions: a fold over the participants.

One rank is read at a time; what is kept is of the size of the instances.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np

from tui.ranks.match import Communicator, Matched, Participant
from tui.ranks.rank_set import Rank
from tui.report.columns import Int32, Int64

NEVER = np.int64(np.iinfo(np.int64).max)
"""Longer than any duration: of what isn't there."""


class Level(Enum):
    """What lateness is of."""

    RANK = "rank"
    HOST = "host"
    POSITION = "position"


class Took(NamedTuple):
    """The instances that one participant has, ascending, and when it was in each: all its rows together."""

    instance: Int64
    start: Int64
    """As recorded."""
    end: Int64
    bytes: Int64
    step: Int32


def took(matched: Matched, participant: Participant) -> Took:
    """Return when a participant was in which instances."""
    found = matched.run.ranks[participant.rank].summary.collectives
    rows = matched.reader.read(participant.rank, participant.key).rows
    instance = participant.placement.by_row(len(rows))
    rows, instance = rows[instance >= 0], instance[instance >= 0]
    start, end, size, step = found.start[rows], found.end[rows], found.bytes[rows], found.step[rows]
    if len(instance) > 1 and not (np.diff(instance) > 0).all():
        if (np.diff(instance) < 0).any():
            order = np.argsort(instance, kind="stable")
            start, end, size, step = start[order], end[order], size[order], step[order]
            instance = instance[order]
        first = np.flatnonzero(np.diff(instance, prepend=-1))
        # Of several rows of one operation each may carry all of its payload, or a part that can't be told.
        start, end = np.minimum.reduceat(start, first), np.maximum.reduceat(end, first)
        instance, size, step = instance[first], np.maximum.reduceat(size, first), step[first]
    return Took(instance, start, end, size, step)


@dataclass(frozen=True)
class Arrivals:
    """By instance of a communicator: which of its groups was last, and by how much."""

    groups: tuple[str, ...]
    """Names of the groups: ranks, hosts or positions."""
    last: Int32
    """Position in :attr:`groups`; -1: fewer than two took part."""
    shortest_ns: Int64
    """What the last group's last member took."""
    margin_ns: Int64
    """How much longer the next group took; 0 where fewer than two took part."""
    elsewhere: Int32
    """How many participants are not of the last group."""

    @property
    def caused_ns(self) -> Int64:
        """What all others together would not have waited had the last group come with the next to last."""
        found: Int64 = self.margin_ns * self.elsewhere
        return found


def groups_of(
    communicator: Communicator, ranks: Sequence[Rank], level: Level
) -> list[tuple[str, list[Participant]]] | None:
    """Group participants by rank, host or position on the host; None where that isn't known of all."""
    found: dict[str, list[Participant]] = {}
    for participant in communicator.participants:
        rank = ranks[participant.rank]
        if level is Level.RANK:
            key: str | None = f"{participant.rank}"
        elif level is Level.HOST:
            key = rank.host
        else:
            key = None if rank.local_rank is None else f"{rank.local_rank}"
        if key is None:
            return None
        found.setdefault(key, []).append(participant)
    return list(found.items()) if len(found) > 1 else None


def fold_arrivals(
    matched: Matched, communicator: Communicator, groups: Sequence[tuple[str, Sequence[Participant]]]
) -> Arrivals:
    """Fold the durations of all participants, group by group."""
    size = len(communicator)
    best, second = np.full(size, NEVER), np.full(size, NEVER)
    last = np.full(size, -1, np.int32)
    everyone, of_last = np.zeros(size, np.int32), np.zeros(size, np.int32)
    for number, (_, members) in enumerate(groups):
        shortest, there = np.full(size, NEVER), np.zeros(size, np.int32)
        for participant in members:
            mine = took(matched, participant)
            shortest[mine.instance] = np.minimum(shortest[mine.instance], mine.end - mine.start)
            there[mine.instance] += 1
        sooner = shortest < best
        second = np.where(sooner, best, np.minimum(second, shortest))
        best = np.where(sooner, shortest, best)
        last[sooner] = number
        of_last = np.where(sooner, there, of_last)
        everyone += there
    two = second != NEVER
    last[~two] = -1
    return Arrivals(
        tuple(name for name, _ in groups),
        last,
        best,
        np.where(two, second - best, 0),
        np.where(two, everyone - of_last, 0).astype(np.int32),
    )
