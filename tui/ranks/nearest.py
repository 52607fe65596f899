"""Operations that order can't match, by when they end: the last resort, on clocks that are good enough."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tui.ranks import limits
from tui.ranks.alignment import Alignment, Mode
from tui.ranks.chains import DEVICE_ROWS, HOST_ROWS, UNKNOWN, ChainKey
from tui.ranks.match import Communicator, Matched, MatchKind, Participant
from tui.ranks.placement import Placement
from tui.report.columns import Bool, Int32, Int64, Positions

_MOST = 4_000_000
"""Operations of all ranks that are compared by time: what there are more of, order should have matched."""


def add_nearest(matched: Matched, alignment: Alignment) -> Matched:
    """Match operations of one name that end together on some ranks, and near no others of that name.

    Nothing is added unless times of all ranks may be compared within a millisecond, and collectives say how
    far ends of one are apart.
    """
    uncertain = alignment.uncertainty_ns
    if alignment.mode is not Mode.COLLECTIVES or uncertain is None:
        return matched
    if uncertain > limits.NEAREST_CLOCK.value:
        return matched
    left = sum(matched.unmatched(rank) for rank in range(len(matched.run.ranks)))
    if not 1 < left <= _MOST:
        return matched
    within = max(uncertain, limits.CLOCK_FLOOR.value)
    found: list[Communicator] = []
    for host in (False, True):
        found += _of_side(matched, alignment, host, within)
    return replace(matched, communicators=(*matched.communicators, *found)) if found else matched


class _Pool:
    """Operations that are in no instance, of all ranks, by name and end on the axis."""

    def __init__(self, matched: Matched, alignment: Alignment, host: bool) -> None:
        self.key = ChainKey(HOST_ROWS if host else DEVICE_ROWS, UNKNOWN, False)
        self.lengths: dict[int, int] = {}
        ranks, places, names, ends = [], [], [], []
        for at in range(len(matched.run.ranks)):
            chain = matched.reader.read(at, self.key)
            self.lengths[at] = len(chain.rows)
            free = np.flatnonzero(matched.of_rank(at).communicator[chain.rows] < 0)
            rows = matched.run.ranks[at].summary.collectives
            ranks.append(np.full(len(free), at, np.int64))
            places.append(free)
            names.append(chain.name[free])
            ends.append(alignment.to_axis(at, rows.end[chain.rows[free]]))
        rank, place = np.concatenate(ranks), np.concatenate(places)
        name, end = np.concatenate(names), np.concatenate(ends)
        order = np.lexsort((end, name))
        self.rank: Int64 = rank[order]
        self.place: Positions = place[order]
        self.name: Int32 = name[order]
        self.end: Int64 = end[order]

    def groups(self, within: float) -> Int64:
        """The number of the group that each is in, -1 for none: ends within ``2 within`` of each other, no
        other of the name within ``4 within``, no rank twice, two at least."""
        if not len(self.end):
            return np.zeros(0, np.int64)
        apart = np.diff(self.end) > 4 * within
        new = np.concatenate(([True], apart | (np.diff(self.name) != 0)))
        group = np.cumsum(new) - 1
        first = np.flatnonzero(new)
        last = np.append(first[1:], len(new)) - 1
        good: Bool = (self.end[last] - self.end[first] <= 2 * within) & (last > first)
        # A rank twice in a group: which of both was there can't be told.
        by_rank = np.lexsort((self.rank, group))
        twice = (np.diff(group[by_rank]) == 0) & (np.diff(self.rank[by_rank]) == 0)
        good[group[by_rank][1:][twice]] = False
        found: Int64 = np.where(good[group], group, -1)
        return found


def _of_side(matched: Matched, alignment: Alignment, host: bool, within: float) -> list[Communicator]:
    pool = _Pool(matched, alignment, host)
    group = pool.groups(within)
    kept = np.flatnonzero(group >= 0)
    if not len(kept):
        return []
    # Who was together names the communicator.
    members: dict[tuple[int, ...], list[NDArray[np.intp]]] = defaultdict(list)
    starts = np.flatnonzero(np.diff(group[kept], prepend=-1))
    for rows in np.split(kept, starts[1:]):
        members[tuple(sorted(pool.rank[rows].tolist()))].append(rows)
    known = {c.ranks: c.label for c in matched.communicators if c.host == host}
    other = "MPI" if host else "streams"
    return [
        _communicator(pool, ranks, groups, host, known.get(ranks, other)) for ranks, groups in members.items()
    ]


def _communicator(
    pool: _Pool, ranks: tuple[int, ...], groups: list[NDArray[np.intp]], host: bool, label: str
) -> Communicator:
    groups = sorted(groups, key=lambda rows: int(pool.end[rows[0]]))
    name = pool.name[[rows[0] for rows in groups]].astype(np.int32)
    rows = np.concatenate(groups)
    number = np.repeat(np.arange(len(groups)), len(ranks))
    participants = []
    for rank in ranks:
        mine = pool.rank[rows] == rank
        instances = np.full(pool.lengths[rank], -1, np.int64)
        instances[pool.place[rows[mine]]] = number[mine]
        participants.append(Participant(rank, pool.key, int(mine.sum()), Placement.of(instances)))
    return Communicator(label, host, MatchKind.NEAREST, None, tuple(participants), name)
