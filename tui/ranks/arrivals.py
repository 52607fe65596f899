"""Who was last in each instance, of ranks, of hosts and of positions: a fold over the participants.

One rank is read at a time; what is kept is of the size of the instances.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np

from tui.ranks.match import Communicator, Matched, Participant
from tui.report.columns import Int32, Int64

NEVER = np.int64(np.iinfo(np.int64).max)
"""Longer than any duration: of what isn't there."""


_MOST = 8_000_000
"""Positions times instances that are held at once."""


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
    peer: Int32
    """-1: not recorded."""


def took(matched: Matched, participant: Participant) -> Took:
    """Return when a participant was in which instances."""
    found = matched.run.ranks[participant.rank].summary.collectives
    rows = matched.reader.read(participant.rank, participant.key).rows
    instance = participant.placement.by_row(len(rows))
    rows, instance = rows[instance >= 0], instance[instance >= 0]
    start, end, size, step = found.start[rows], found.end[rows], found.bytes[rows], found.step[rows]
    peer = np.full(len(rows), -1, np.int32) if found.peer is None else found.peer[rows]
    if len(instance) > 1 and not (np.diff(instance) > 0).all():
        if (np.diff(instance) < 0).any():
            order = np.argsort(instance, kind="stable")
            start, end, size, step = start[order], end[order], size[order], step[order]
            instance, peer = instance[order], peer[order]
        first = np.flatnonzero(np.diff(instance, prepend=-1))
        # Of several rows of one operation each may carry all of its payload, or a part that can't be told.
        start, end = np.minimum.reduceat(start, first), np.maximum.reduceat(end, first)
        size, peer = np.maximum.reduceat(size, first), np.maximum.reduceat(peer, first)
        instance, step = instance[first], step[first]
    return Took(instance, start, end, size, step, peer)


@dataclass(frozen=True)
class Arrivals:
    """By instance of a communicator: which of its groups was last, and by how much."""

    groups: tuple[str, ...]
    """Names of the groups: ranks, hosts or positions."""
    last: Int32
    """Position in :attr:`groups`; -1: fewer than two took part."""
    margin_ns: Int64
    """How much longer the next group took; 0 where fewer than two took part."""
    elsewhere: Int32
    """How many participants are not of the last group."""

    @property
    def caused_ns(self) -> Int64:
        """What all others together would not have waited had the last group come with the next to last."""
        found: Int64 = self.margin_ns * self.elsewhere
        return found


class _Fold:
    """Who of some groups was last, group by group: of the size of the instances."""

    def __init__(self, size: int) -> None:
        self.names: list[str] = []
        self.best, self.second = np.full(size, NEVER), np.full(size, NEVER)
        self.last = np.full(size, -1, np.int32)
        self.everyone, self.of_last = np.zeros(size, np.int32), np.zeros(size, np.int32)

    def add(self, group: _Group) -> None:
        sooner = group.shortest < self.best
        self.second = np.where(sooner, self.best, np.minimum(self.second, group.shortest))
        self.best = np.where(sooner, group.shortest, self.best)
        self.last[sooner] = len(self.names)
        self.of_last = np.where(sooner, group.there, self.of_last)
        self.everyone += group.there
        self.names.append(group.name)

    def done(self) -> Arrivals | None:
        if len(self.names) < 2:
            return None
        two = self.second != NEVER
        return Arrivals(
            tuple(self.names),
            np.where(two, self.last, np.int32(-1)),
            np.where(two, self.second - self.best, 0),
            np.where(two, self.everyone - self.of_last, 0).astype(np.int32),
        )


class _Group:
    """One rank, host or position: what the last of its members took, by instance."""

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self.shortest, self.there = np.full(size, NEVER), np.zeros(size, np.int32)

    def add(self, mine: Took) -> None:
        rows = mine.instance
        self.shortest[rows] = np.minimum(self.shortest[rows], mine.end - mine.start)
        self.there[rows] += 1


def find_arrivals(matched: Matched, communicator: Communicator) -> dict[Level, Arrivals | None]:
    """Fold the durations of all participants, one at a time.

    None: there is one host or position, or it isn't known of all. Positions are those on the host.
    """
    size = len(communicator)
    ranks = {p.rank: matched.run.ranks[p.rank] for p in communicator.participants}
    hosts = all(rank.host is not None for rank in ranks.values())
    positions = all(rank.local_rank is not None for rank in ranks.values())
    positions = positions and len({r.local_rank for r in ranks.values()}) * size <= _MOST
    by_rank, by_host = _Fold(size), _Fold(size)
    host: _Group | None = None
    at_position: dict[str, _Group] = {}
    # A host is done before the next begins, so that one of them is held at a time.
    for participant in sorted(communicator.participants, key=lambda p: (ranks[p.rank].host or "", p.rank)):
        mine = took(matched, participant)
        alone = _Group(f"{participant.rank}", size)
        alone.add(mine)
        by_rank.add(alone)
        rank = ranks[participant.rank]
        if hosts:
            if host is None or host.name != rank.host:
                if host is not None:
                    by_host.add(host)
                host = _Group(rank.host or "", size)
            host.add(mine)
        if positions:
            name = f"{rank.local_rank}"
            at_position.setdefault(name, _Group(name, size)).add(mine)
    if host is not None:
        by_host.add(host)
    by_position = _Fold(size)
    for group in at_position.values():
        by_position.add(group)
    return {Level.RANK: by_rank.done(), Level.HOST: by_host.done(), Level.POSITION: by_position.done()}
